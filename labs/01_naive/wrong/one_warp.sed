# shares: expected at most
s/for (int i = idx; i < attributes; i += THREADS)/for (int i = idx; idx < 32 \&\& i < attributes; i += 32)/
