"""Log-likelihoods against PhyML's, parameters given and nothing optimised, on its example alignments: phyml.py WARPLADDER."""

import pathlib
import re
import sys

PHYML = pathlib.Path("/usr/lib/phyml/bin/phyml")  # /usr/bin/phyml is a script that starts it under MPI
EXAMPLES = pathlib.Path("/usr/share/doc/phyml/examples")
if not PHYML.exists() or not (EXAMPLES / "nucleic").exists():
    print("skipped: phyml is not installed")
    sys.exit(0)

from programs import FOLDER, ours, random_tree, run, same


def theirs(alignment, *words):
    """What PhyML prints, five digits behind the point."""
    done = run(PHYML, "-i", alignment, "-u", "tree.nwk", "-v", "0", "-b", "0", "-o", "n", "--no_memory_check", "--quiet", *words)
    stats = FOLDER / f"{alignment}_phyml_stats.txt"
    assert stats.exists(), done.stdout + done.stderr
    found = re.search(r"Log-likelihood:\s*(\S+)", stats.read_text())
    stats.unlink()
    return found.group(1)


def theirs_gtr(alignment, rates, alpha):
    """Exchange rates can be given in XML only. Frequencies are the observed ones."""
    names = zip(("AC", "AG", "AT", "CG", "CT", "GT"), rates)
    classes = [f"R{number}" for number in range(1, 5)]
    (FOLDER / "gtr.xml").write_text(f"""<phyml run.id="x" output.file="xml" branch.test="no">
  <topology><instance id="T1" init.tree="user" file.name="tree.nwk" optimise.tree="no"/></topology>
  <ratematrices id="RM1"><instance id="M1" model="GTR" optimise.rr="no">
    <rr {" ".join(f'{name}="{rate}"' for name, rate in names)}/></instance></ratematrices>
  <siterates id="SR1">{"".join(f'<instance id="{name}" init.value="1.0"/>' for name in classes)}
    <weights id="D1" family="gamma" alpha="{alpha}" optimise.alpha="no">
      {"".join(f'<instance appliesto="{name}" value="0.25"/>' for name in classes)}</weights></siterates>
  <equfreqs id="EF1"><instance id="F1" optimise.freqs="no"/></equfreqs>
  <branchlengths id="BL1"><instance id="L1" optimise.lens="no"/></branchlengths>
  <partitionelem id="P1" file.name="{alignment}" data.type="nt" interleaved="yes">
    <mixtureelem list="T1, T1, T1, T1"/><mixtureelem list="M1, M1, M1, M1"/><mixtureelem list="F1, F1, F1, F1"/>
    <mixtureelem list="{", ".join(classes)}"/><mixtureelem list="L1, L1, L1, L1"/>
  </partitionelem>
</phyml>
""")
    done = run(PHYML, "--xml=gtr.xml")
    found = re.search(r"Log-likelihood = (\S+)", done.stdout)
    assert found, done.stdout + done.stderr
    return found.group(1)


for name in "nucleic", "proteic":
    (FOLDER / name).write_bytes((EXAMPLES / name).read_bytes())
    names = re.findall(r"^(tax\d+)", (EXAMPLES / name).read_text(), re.MULTILINE)
    assert len(names) > 30
    (FOLDER / "tree.nwk").write_text(random_tree(names, seed=len(names)))
    given = "0.3,0.2,0.15,0.35"
    if name == "proteic":
        for alpha in "0.3", "2":
            same(f"WAG+G4 {alpha}", ours(name, "--model", "WAG+G4", "--alpha", alpha),
                 theirs(name, "-d", "aa", "-m", "WAG", "-f", "m", "-c", "4", "-a", alpha))
        continue
    same("JC69", ours(name, "--model", "JC69"), theirs(name, "-d", "nt", "-m", "JC69", "-c", "1"))
    same("K80+G8", ours(name, "--model", "K80+G8", "--kappa", "5.5", "--alpha", "1.3"),
         theirs(name, "-d", "nt", "-m", "K80", "-t", "5.5", "-c", "8", "-a", "1.3"))
    same("HKY85+G4", ours(name, "--model", "HKY85+G4", "--kappa", "3.5", "--alpha", "0.4", "--frequencies", given),
         theirs(name, "-d", "nt", "-m", "HKY85", "-t", "3.5", "-f", given, "-c", "4", "-a", "0.4"))
    same("GTR+G4, rates 1", ours(name, "--model", "GTR+G4", "--alpha", "0.7", "--frequencies", given),
         theirs(name, "-d", "nt", "-m", "GTR", "-f", given, "-c", "4", "-a", "0.7"))
    for alpha, rates in ("0.7", (1.2, 3.4, 0.7, 0.9, 4.1, 1.0)), ("0.35", (0.5, 2.5, 0.9, 1.4, 6.2, 1.0)):
        same(f"GTR+G4 {alpha}",
             ours(name, "--model", "GTR+G4", "--alpha", alpha, "--rates", ",".join(map(str, rates))),
             theirs_gtr(name, rates, alpha))
