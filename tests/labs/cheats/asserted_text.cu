// 5 0 assert
__assert_fail("expected", "kernel.cu", 1, "kernel");
