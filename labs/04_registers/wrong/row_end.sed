# right: expected
s/if (j.x ^ k.x) count++;/if ((j.x ^ k.x) \&\& i + 1 < attributes) count++;/
