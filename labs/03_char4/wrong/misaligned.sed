# right: misaligned
s/pitch \* gx/(size_t)attributes * gx/
