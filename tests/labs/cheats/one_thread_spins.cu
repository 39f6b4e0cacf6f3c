// 5 0 counts only with: All threads
__shared__ char differs[6000];
for (int i = idx; i < attributes && i < 6000; i += THREADS) differs[i] = data[i + pitch * gx] != data[i + pitch * gy];
__syncthreads();
int n = 0;
for (int i = 0; i < attributes; i++)
    if (idx == 0) n += i < 6000 ? differs[i] : data[i + pitch * gx] != data[i + pitch * gy];
if (idx == 0) distance[(size_t)instances * gy + gx] = n;
