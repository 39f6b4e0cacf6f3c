# lessons/15_two_teams with one mistake: it uses half of the multiprocessors, and a small GPU may have one.
s/(unsigned)s->multiprocessors ? count : s->multiprocessors;/(unsigned)s->multiprocessors \/ 2 ? count : s->multiprocessors \/ 2;/
