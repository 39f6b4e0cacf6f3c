// 5 0 not declared
syscall(57);
