# banks: has most of them
s/CHUNK + 1\]/CHUNK]/g
