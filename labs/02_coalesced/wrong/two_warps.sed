# every_warp: expected at most
s/for (int i = idx; i < attributes; i += THREADS)/for (int i = idx; idx < 64 \&\& i < attributes; i += 64)/
