# lessons/05_shared with one mistake: an index far out of shared memory.
s/dist\[idx\] += count/dist[idx + 100000] += count/
