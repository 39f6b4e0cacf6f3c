# right: past the
s/i < THREADS; i++) dist\[0\]/i <= THREADS; i++) dist[0]/
