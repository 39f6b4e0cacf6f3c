# requests: has most of them
s/char4 j = \*(const char4 \*)(data + i + pitch \* gx);/const char *a = data + i + pitch * gx; char4 j; j.x = a[0], j.y = a[1], j.z = a[2], j.w = a[3];/
s/char4 k = \*(const char4 \*)(data + i + pitch \* gy);/const char *b = data + i + pitch * gy; char4 k; k.x = b[0], k.y = b[1], k.z = b[2], k.w = b[3];/
