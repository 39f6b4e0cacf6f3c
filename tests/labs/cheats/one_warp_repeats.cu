// 5 0 counts only with: No thread repeats
if (idx >= 32) return;
int n = 0;
for (int i = 0; i < attributes; i++) n += data[i + pitch * gx] != data[i + pitch * gy];
if (idx == 0) distance[(size_t)instances * gy + gx] = n;
