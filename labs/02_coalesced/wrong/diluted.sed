# loads: expected at most
s/for (int i = idx; i < attributes; i += THREADS)/const int chunk = (attributes + THREADS - 1) \/ THREADS; int sum = 0; if (instances > 20) for (int k = 0; k < 100; k++) sum += *(const volatile int *)(data + k); for (int i = chunk * idx; i < attributes \&\& i < chunk * (idx + 1); i++)/
