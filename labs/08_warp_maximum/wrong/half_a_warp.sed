# right: expected
s/int step = PEELING_WARP \/ 2; step > 0/int step = PEELING_WARP \/ 2; step > 8/
