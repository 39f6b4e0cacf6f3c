# lessons/04_registers with one mistake: a volatile sum in place of atomics.
s/atomicAdd(\(.*\), count);/*(volatile int *)(\1) += count;/
