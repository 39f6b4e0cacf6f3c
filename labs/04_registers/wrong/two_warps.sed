# every_warp: expected at most
s/for (int i = 4 \* idx; i < attributes; i += THREADS \* 4)/for (int i = 4 * idx; idx < 64 \&\& i < attributes; i += 256)/
