// 5 0 found throw
throw 1;
