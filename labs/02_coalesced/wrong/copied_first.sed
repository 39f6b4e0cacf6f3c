# repeats: expected at most
s/for (int i = idx; i < attributes; i += THREADS)/__shared__ int a[1024], b[1024]; for (int i = idx; i < attributes \&\& i < 1024; i += THREADS) a[i] = data[i + (size_t)attributes * gx], b[i] = data[i + (size_t)attributes * gy]; __syncthreads(); for (int i = 0; idx < 32 \&\& i < attributes; i++)/
s/if (data\[i + (size_t)attributes \* gx\] != data\[i + (size_t)attributes \* gy\])/if (a[i] != b[i])/
s/instances \* gy + gx, 1);/instances * gy + gx, idx == 0);/
