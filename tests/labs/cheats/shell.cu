// 5 0 calls system
system("true");
