# right: expected
s/if (j.x ^ k.x)/if ((j.x ^ k.x) \&\& i + 3 < attributes)/
