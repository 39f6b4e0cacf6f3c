# threads: has most of them
s/for (int i = idx; i < attributes; i += THREADS)/for (int i = idx ? attributes : 0; i < attributes; i++)/
