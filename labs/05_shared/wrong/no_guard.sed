# right: expected
s/ && (i + [123] < attributes)//
