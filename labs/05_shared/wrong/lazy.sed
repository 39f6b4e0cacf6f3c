# threads: has most of them
/^        char4 j/,/^        if ((j.w/d
s/int i = idx \* 4; i < attributes; i += THREADS \* 4/int i = idx ? attributes : 0; i < attributes; i++/
s/dist\[idx\] += count;/dist[idx] += data[i + pitch * gx] != data[i + pitch * gy];/
