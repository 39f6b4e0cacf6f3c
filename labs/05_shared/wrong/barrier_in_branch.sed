# right: threads never reach
s/^    if (idx == 0) {/& __syncthreads();/
