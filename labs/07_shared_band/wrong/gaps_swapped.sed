# bands: expected
s/max(E_left - Gext, H_left - Gopen)/max(E_left - Gopen, H_left - Gext)/
