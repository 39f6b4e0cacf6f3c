"""pairs.py FOLDER: the long sequences of session_sw.sh pairs, as FASTA files: a pair of 35,000 and 100,000 nucleotides, unrelated and
related; 40 queries of a genome of 48,502; two related sequences of a million; and a database of subjects of 200 to 200,000."""

import random
import sys

folder = sys.argv[1]
random.seed(2010)


def letters(count):
    return "".join(random.choices("ACGT", k=count))


def changed(text, rate):
    found = []
    for letter in text:
        what = random.random()
        if what < rate:
            letter = random.choice("ACGT")
        elif what < 1.1 * rate:
            continue
        elif what < 1.2 * rate:
            letter += random.choice("ACGT")
        found.append(letter)
    return "".join(found)


def write(name, sequences):
    with open(f"{folder}/{name}.fa", "w", encoding="ascii") as file:
        for i, sequence in enumerate(sequences):
            file.write(f">s{i}\n{sequence}\n")


subject, phage, million = letters(100000), letters(48502), letters(1000000)
write("long", [subject])
write("unrelated", [letters(35000)])
write("related", [changed(subject[30000:65000], 0.1)])
write("phage", [phage])
write("forty", [changed(phage[1100 * i : 1100 * i + random.randint(300, 1500)], 0.08) for i in range(40)])
write("million", [million])
write("other", [changed(million, 0.1)])
write("mixed", [letters(200000), letters(60000)] + [letters(random.randint(200, 900)) for _ in range(20000)])
