# lessons/06_reduction with one mistake: the lanes that happen to be there are taken for all.
s/(ALL_LANES, count/(__activemask(), count/
