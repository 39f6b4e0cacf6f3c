# lessons/05_shared with one mistake: the diagonal is never written.
s/^        distance\[.*= dist\[0\];/        if (gx != gy)\n&/
