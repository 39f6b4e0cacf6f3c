# once: expected at most
s/distance + (size_t)instances \* gy + gx, 1);/distance + (size_t)instances * gy + gx, differs);/
s/if (data\[(size_t)instances \* i + gx\] != data\[(size_t)instances \* i + gy\]) {/{ int differs = data[(size_t)instances * i + gx] != data[(size_t)instances * i + gy];/
