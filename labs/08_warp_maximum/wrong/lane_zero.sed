# right: expected
s/__shfl_xor_sync(0xffffffffu, mine, step)/__shfl_down_sync(0xffffffffu, mine, step)/
