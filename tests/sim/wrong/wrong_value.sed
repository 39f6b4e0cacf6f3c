# lessons/05_shared with one mistake: thread 1 is left out of the sum.
s/for (int i = 1; i < THREADS/for (int i = 2; i < THREADS/
