# right: expected
s/for (int i = idx; i < attributes; i += THREADS)/for (int i = idx; i < attributes \&\& i < THREADS; i += THREADS)/
