# lessons/02_coalesced with one mistake: the loop runs one attribute too far.
s/i < attributes;/i <= attributes;/
