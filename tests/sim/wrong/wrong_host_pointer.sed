# lessons/05_shared with one mistake: a host pointer reaches the kernel.
s/(const char \*)s->data/(const char *)s/
