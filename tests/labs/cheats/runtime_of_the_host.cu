// 5 0 this lab does not allow
cudaMemset(distance, 0, 4);
