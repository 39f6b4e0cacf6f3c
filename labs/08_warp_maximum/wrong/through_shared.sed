# barriers: expected at most
s|^        const real other = .*|        __shared__ real all[BLOCK]; const int t = threadIdx.y * blockDim.x + threadIdx.x; all[t] = mine; __syncthreads(); const real other = all[t ^ step]; __syncthreads();|
