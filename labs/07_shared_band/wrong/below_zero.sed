# bands: expected
s/max(max(max(0, E), F), H_upleft + A)/max(max(E, F), H_upleft + A)/
