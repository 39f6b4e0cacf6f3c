# every_warp: expected at most
s/for (int i = idx \* 4; i < attributes; i += THREADS \* 4)/for (int i = idx * 4; idx < 64 \&\& i < attributes; i += 256)/
