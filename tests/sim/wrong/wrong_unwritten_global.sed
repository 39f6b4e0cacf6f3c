# lessons/05_shared with one mistake: the kernel adds to a result that nobody has set to zero.
s/distance\[\(.*\)\] = dist\[0\];/distance[\1] += dist[0];/
