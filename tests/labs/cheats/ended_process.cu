// 5 0 calls exit
exit(0);
