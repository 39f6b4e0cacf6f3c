# long: expected
s/for (int i = 1; i < THREADS; i++) dist\[0\] += dist\[i\];/for (int i = 1; i < THREADS; i++) dist[0] += (char)dist[i];/
