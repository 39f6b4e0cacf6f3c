# lessons/05_shared with one mistake: an index past the end of shared memory.
s/dist\[idx\] += count/dist[idx + 128] += count/
