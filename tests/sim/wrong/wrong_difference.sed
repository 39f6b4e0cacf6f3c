# lessons/05_shared with one mistake: a difference of pointers, which may have more than 32 bits, is an int.
s/^    if (idx == 0) {/    const int before = (int)((const char4 *)(data + pitch * gy) - (const char4 *)data);\
    if (idx == 0 \&\& before >= 0) {/
