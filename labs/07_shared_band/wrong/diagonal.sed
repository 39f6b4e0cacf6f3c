# right: expected
s/H_upleft = H_left;/H_upleft = H;/
