# one: it would be element
s/for (int i = idx; i < attributes; i += THREADS)/for (int i = idx; i <= attributes; i += THREADS)/
