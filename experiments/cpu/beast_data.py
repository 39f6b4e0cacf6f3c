#!/usr/bin/env python3
"""beast_data.py OUT [SEED]: data of about the size of Suchard and Rambaut (2009), and the files with which BEAST 1 analyses them.

62 taxa (the paper has a pangolin in addition) and a relaxed clock of which every value is known, and ours: gtr.xml has 10,860 nucleotides
that evolved by GTR, gy94.xml 3,620 codons that evolved by GY94 (M0) in the vertebrate mitochondrial code, both on the same tree and with four
rate classes. gtr.truth and gy94.truth have the values. If Debian's beast-mcmc-examples is installed, carnivores_gtr.xml and
carnivores_gy94.xml have the sequences of its benchmark2 instead: 62 carnivores with 10,869 nucleotides, where the paper has 10,860.

The paper names a relaxed clock and no prior: kind of clock, priors and operators are ours.

Sites change one event at a time, so the simulation needs no transition matrix and shares no arithmetic with what it tests.
"""
import gzip
import math
import os
import random
import re
import sys

TAXA, CODONS, CLASSES = 62, 3620, 4
BENCHMARK = "/usr/share/doc/beast-mcmc/examples/Benchmarks/benchmark2.xml.gz"
LETTERS = "ACGT"
FREQUENCIES = (0.32, 0.28, 0.13, 0.27)
EXCHANGE = {"ac": 0.12, "ag": 1.3, "at": 0.15, "cg": 0.06, "gt": 0.08}  # of C and T: 1
# Distances are expected substitutions per nucleotide, or per codon: a codon has more of them.
MODELS = {"gtr": {"alpha": 0.27, "birthRate": 12.0}, "gy94": {"alpha": 1.0, "birthRate": 2.0, "kappa": 6.0, "omega": 0.05}}
SIGMA = 0.1
# BEAST's order of codons and of their amino acids, vertebrate mitochondria.
AMINO = "KNKNTTTT*S*SMIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSSWCWCLFLF"
CODE = {a + b + c: AMINO[16 * i + 4 * j + k] for i, a in enumerate(LETTERS) for j, b in enumerate(LETTERS) for k, c in enumerate(LETTERS)}


def lower_gamma(shape, x):
    """The regularised incomplete gamma function by its series: x is small here."""
    term = total = 1 / shape
    n = 0
    while term > total * 1e-16:
        n += 1
        term *= x / (shape + n)
        total += term
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape)) if x > 0 else 0.0


def gamma_classes(alpha, classes):
    """BEAST's rates: the medians of equally likely classes, scaled to a mean of 1."""
    rates = []
    for i in range(classes):
        low, high = 0.0, 200.0
        for _ in range(200):
            middle = (low + high) / 2
            if lower_gamma(alpha, middle) < (2 * i + 1) / (2 * classes):
                low = middle
            else:
                high = middle
        rates.append(low)
    return [rate * classes / sum(rates) for rate in rates]


class Node:
    def __init__(self, height, name=None, children=()):
        self.height, self.name, self.children, self.rate = height, name, children, 1.0

    def newick(self, rate=1.0, parent=None):
        text = self.name or "(" + ",".join(child.newick(rate, self) for child in self.children) + ")"
        return text + (f":{(parent.height - self.height):.9f}" if parent else "")

    def below(self):
        """This node and all below, parents first."""
        return [self] + [node for child in self.children for node in child.below()]

    def clade(self):
        return frozenset(node.name for node in self.below() if node.name)


def yule_tree(taxa, birth_rate, rng):
    """The pure-birth process that BEAST's yuleModel has as a prior: k lineages meet after a time of mean 1/(k lambda)."""
    lineages, height = [Node(0.0, f"t{i + 1:02d}") for i in range(taxa)], 0.0
    while len(lineages) > 1:
        height += rng.expovariate(len(lineages) * birth_rate)
        pair = [lineages.pop(rng.randrange(len(lineages))) for _ in range(2)]
        lineages.append(Node(height, None, tuple(pair)))
    return lineages[0]


def gtr_rates(frequencies, exchange):
    rates = [[0.0] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(4):
            if i != j:
                rates[i][j] = exchange.get((LETTERS[min(i, j)] + LETTERS[max(i, j)]).lower(), 1.0) * frequencies[j]
    return rates


def gy94_rates(codons, frequencies, kappa, omega):
    rates = [[0.0] * len(codons) for _ in codons]
    for i, one in enumerate(codons):
        for j, other in enumerate(codons):
            changed = [(a, b) for a, b in zip(one, other) if a != b]
            if len(changed) == 1:
                rates[i][j] = frequencies[j] * (kappa if set(changed[0]) in ({"A", "G"}, {"C", "T"}) else 1) * (omega if CODE[one] != CODE[other] else 1)
    return rates


class Process:
    """A Markov process with one expected event per unit of time. Draws its events."""

    def __init__(self, frequencies, rates):
        mean = sum(f * sum(row) for f, row in zip(frequencies, rates))
        self.leave = [sum(row) / mean for row in rates]
        self.target = [[j for j, rate in enumerate(row) if rate > 0] for row in rates]
        self.weight = [[row[j] for j in targets] for row, targets in zip(rates, self.target)]

    def evolve(self, state, time, rng):
        while True:
            time -= rng.expovariate(self.leave[state])
            if time < 0:
                return state
            state = rng.choices(self.target[state], self.weight[state])[0]


def evolve(root, process, frequencies, sites, rates, rng):
    """Sequences of states at the tips, by name."""
    classes = [rng.randrange(len(rates)) for _ in range(sites)]
    states = {root: rng.choices(range(len(frequencies)), frequencies, k=sites)}
    tips = {}
    for node in root.below():
        for child in node.children:
            length = child.rate * (node.height - child.height)
            states[child] = [process.evolve(s, length * rates[c], rng) for s, c in zip(states[node], classes)]
        if node.name:
            tips[node.name] = states[node]
    return tips


def simulate(model, seed):
    """(tree, rows of letters, truth) of a model."""
    values = MODELS[model]
    rng = random.Random(seed)  # the same tree in both models, but for its unit
    root = yule_tree(TAXA, values["birthRate"], rng)
    for node in root.below()[1:]:
        node.rate = rng.lognormvariate(-SIGMA * SIGMA / 2, SIGMA)  # its mean is 1
    classes = gamma_classes(values["alpha"], CLASSES)
    if model == "gtr":
        frequencies, alphabet, sites = FREQUENCIES, LETTERS, 3 * CODONS
        process = Process(frequencies, gtr_rates(frequencies, EXCHANGE))
    else:
        alphabet = [codon for codon in CODE if CODE[codon] != "*"]
        product = [math.prod(FREQUENCIES[LETTERS.index(letter)] for letter in codon) for codon in alphabet]
        frequencies, sites = [p / sum(product) for p in product], CODONS
        process = Process(frequencies, gy94_rates(alphabet, frequencies, values["kappa"], values["omega"]))
    tips = evolve(root, process, frequencies, sites, classes, rng)
    rows = {name: "".join(alphabet[state] for state in states) for name, states in sorted(tips.items())}
    truth = {"treeModel.rootHeight": root.height, "alpha": values["alpha"], "ucld.stdev": SIGMA, "yule.birthRate": values["birthRate"]}
    truth["treeLength"] = sum(node.height - child.height for node in root.below() for child in node.children)
    if model == "gtr":
        truth.update(EXCHANGE)
        truth.update({f"frequencies{i + 1}": f for i, f in enumerate(FREQUENCIES)})
    else:
        truth.update(kappa=values["kappa"], omega=values["omega"])
    return root, rows, truth


def carnivores():
    """The sequences of BEAST's benchmark2, without stop codons: those are no states of a codon model."""
    text = gzip.open(BENCHMARK, "rt", encoding="utf-8").read()
    rows = re.findall(r'<sequence>\s*<taxon idref="([^"]+)"\s*/>\s*([A-Za-z?\-\s]+)</sequence>', text)
    rows = {re.sub(r"\W+", "_", name.strip()): re.sub(r"\s", "", letters).upper() for name, letters in rows}
    return {name: "".join("---" if CODE.get(row[i:i + 3]) == "*" else row[i:i + 3] for i in range(0, len(row) // 3 * 3, 3))
            for name, row in rows.items()}


def parameter(name, value, tag=None):
    inside = f'<parameter id="{name}" value="{value}" lower="0.0"/>'
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def scale(name, weight, factor=0.75):
    return f'<scaleOperator scaleFactor="{factor}" weight="{weight}"><parameter idref="{name}"/></scaleOperator>'


def prior(kind, name, numbers):
    return f'<{kind} {numbers} offset="0.0"><parameter idref="{name}"/></{kind}>'


def beast_xml(model, rows, newick, start):
    """An analysis by BEAST 1.10. `newick` is where the tree begins; without one it is the UPGMA tree. `start` has values of parameters.

    Each branch has a rate of its own, of a lognormal distribution, and begins with 1. BEAST's usual clock gives branches quantiles of
    that distribution instead. Then a new sigma changes all rates and nearly always fails, and sigma hardly moves in hours. Two
    operators move along what the data do not tell apart: heights against rates, and all exchange rates, which are relative to C and T."""
    taxa = "\n".join(f'<taxon id="{name}"/>' for name in rows)
    sequences = "\n".join(f'<sequence><taxon idref="{name}"/>{row}</sequence>' for name, row in rows.items())
    tree = f'<newick id="startingTree" usingDates="false">{newick};</newick>' if newick else (
        f'<upgmaTree id="startingTree" rootHeight="{start["treeModel.rootHeight"]}" nonzeroBranchLengths="true" usingDates="false">'
        '<distanceMatrix correction="JC"><patterns><alignment idref="alignment"/></patterns></distanceMatrix></upgmaTree>')
    if model == "gtr":
        patterns = '<patterns id="patterns" from="1"><alignment idref="alignment"/></patterns>'
        own = list(EXCHANGE) + ["frequencies"]
        frequencies = " ".join(str(start[f"frequencies{i}"]) for i in range(1, 5))
        substitution = ('<gtrModel id="model"><frequencies><frequencyModel dataType="nucleotide"><frequencies>'
                        f'<parameter id="frequencies" value="{frequencies}"/></frequencies></frequencyModel></frequencies>'
                        + "".join(parameter(pair, start[pair], "rate" + pair.upper()) for pair in EXCHANGE) + "</gtrModel>")
        element = "gtrModel"
        operators = [scale(pair, 2, 0.95) for pair in EXCHANGE] + ['<deltaExchange delta="0.01" weight="4"><parameter idref="frequencies"/></deltaExchange>']
        operators.append('<upDownOperator scaleFactor="0.97" weight="3"><up>' + "".join(f'<parameter idref="{pair}"/>' for pair in EXCHANGE) +
                         "</up><down></down></upDownOperator>")
        priors = [prior("gammaPrior", pair, f'shape="0.05" scale="{20.0 if pair == "ag" else 10.0}"') for pair in EXCHANGE]
        priors.append('<dirichletPrior alpha="1.0" sumsTo="1.0"><parameter idref="frequencies"/></dirichletPrior>')
    else:
        patterns = ('<convert id="codons" dataType="codon" geneticCode="vertebrateMitochondrial"><alignment idref="alignment"/></convert>'
                    '<patterns id="patterns" from="1"><alignment idref="codons"/></patterns>')
        own = ["kappa", "omega"]
        substitution = ('<yangCodonModel id="model" geneticCode="vertebrateMitochondrial">'
                        + parameter("omega", start["omega"], "omega") + parameter("kappa", start["kappa"], "kappa") +
                        '<frequencyModel dataType="codon-vertebrateMitochondrial"><alignment idref="codons"/><frequencies>'
                        '<parameter id="frequencies" dimension="60"/></frequencies></frequencyModel></yangCodonModel>')
        element = "yangCodonModel"
        operators = [scale(name, 2, 0.95) for name in own]
        priors = [prior("logNormalPrior", name, 'mean="1.0" stdev="1.5" meanInRealSpace="false"') for name in own]
    logged = "".join(f'<parameter idref="{name}"/>' for name in ["treeModel.rootHeight", "yule.birthRate", "alpha", "ucld.stdev"] + own)
    clock = '<arbitraryBranchRates idref="branchRates"/>'
    return f"""<?xml version="1.0" standalone="yes"?>
<beast>
<taxa id="taxa">
{taxa}
</taxa>
<alignment id="alignment" dataType="nucleotide">
{sequences}
</alignment>
{patterns}
<yuleModel id="yule" units="substitutions"><birthRate>{parameter("yule.birthRate", start["yule.birthRate"])}</birthRate></yuleModel>
{tree}
<treeModel id="treeModel">
<tree idref="startingTree"/>
<rootHeight><parameter id="treeModel.rootHeight"/></rootHeight>
<nodeHeights internalNodes="true"><parameter id="treeModel.internalNodeHeights"/></nodeHeights>
<nodeHeights internalNodes="true" rootNode="true"><parameter id="treeModel.allInternalNodeHeights"/></nodeHeights>
</treeModel>
<treeLengthStatistic id="treeLength"><treeModel idref="treeModel"/></treeLengthStatistic>
<speciationLikelihood id="speciation"><model><yuleModel idref="yule"/></model><speciesTree><treeModel idref="treeModel"/></speciesTree></speciationLikelihood>
<arbitraryBranchRates id="branchRates">
<treeModel idref="treeModel"/>
<rates><parameter id="branchRates.rates" dimension="{2 * len(rows) - 2}" value="1.0" lower="0.0"/></rates>
</arbitraryBranchRates>
<distributionLikelihood id="clock">
<distribution><logNormalDistributionModel meanInRealSpace="true">
<mean><parameter id="ucld.mean" value="1.0"/></mean><stdev>{parameter("ucld.stdev", start["ucld.stdev"])}</stdev>
</logNormalDistributionModel></distribution>
<data><parameter idref="branchRates.rates"/></data>
</distributionLikelihood>
<rateStatistic id="meanRate" name="meanRate" mode="mean" internal="true" external="true"><treeModel idref="treeModel"/>{clock}</rateStatistic>
{substitution}
<siteModel id="siteModel">
<substitutionModel><{element} idref="model"/></substitutionModel>
<gammaShape gammaCategories="{CLASSES}">{parameter("alpha", start["alpha"])}</gammaShape>
</siteModel>
<treeLikelihood id="treeLikelihood" useAmbiguities="false">
<patterns idref="patterns"/><treeModel idref="treeModel"/><siteModel idref="siteModel"/>{clock}
</treeLikelihood>
<operators id="operators" optimizationSchedule="log">
{"".join(operators)}
<randomWalkOperator windowSize="0.01" weight="2"><parameter idref="alpha"/></randomWalkOperator>
{scale("ucld.stdev", 6, 0.9)}
{scale("yule.birthRate", 3)}
{scale("branchRates.rates", 70, 0.9)}
{scale("treeModel.rootHeight", 3, 0.97)}
<randomWalkOperator windowSize="{0.01 * start["treeModel.rootHeight"]:.6g}" weight="40" boundaryCondition="reflecting"><parameter idref="treeModel.internalNodeHeights"/></randomWalkOperator>
<subtreeSlide size="{0.01 * start["treeModel.rootHeight"]:.6g}" gaussian="true" weight="15"><treeModel idref="treeModel"/></subtreeSlide>
<narrowExchange weight="5"><treeModel idref="treeModel"/></narrowExchange>
<wideExchange weight="1"><treeModel idref="treeModel"/></wideExchange>
<wilsonBalding weight="1"><treeModel idref="treeModel"/></wilsonBalding>
<upDownOperator scaleFactor="0.99" weight="4"><up><parameter idref="branchRates.rates"/></up><down><parameter idref="treeModel.allInternalNodeHeights"/></down></upDownOperator>
</operators>
<mcmc id="mcmc" chainLength="CHAIN_LENGTH" adaptationDelay="100" autoOptimize="true" fullEvaluation="0">
<posterior id="posterior">
<prior id="prior">
{"".join(priors)}
<exponentialPrior mean="0.5" offset="0.0"><parameter idref="alpha"/></exponentialPrior>
<exponentialPrior mean="0.3333333333333333" offset="0.0"><parameter idref="ucld.stdev"/></exponentialPrior>
<logNormalPrior mean="1.0" stdev="1.5" offset="0.0" meanInRealSpace="false"><parameter idref="yule.birthRate"/></logNormalPrior>
<speciationLikelihood idref="speciation"/>
<distributionLikelihood idref="clock"/>
</prior>
<likelihood id="likelihood"><treeLikelihood idref="treeLikelihood"/></likelihood>
</posterior>
<operators idref="operators"/>
<log id="fileLog" logEvery="LOG_EVERY" fileName="chain.log" overwrite="true">
<posterior idref="posterior"/><likelihood idref="likelihood"/>{logged}<treeLengthStatistic idref="treeLength"/><rateStatistic idref="meanRate"/>
</log>
<logTree id="treeFileLog" logEvery="TREE_EVERY" nexusFormat="true" fileName="chain.trees" sortTranslationTable="true">
<treeModel idref="treeModel"/><trait name="rate" tag="rate">{clock}</trait>
</logTree>
</mcmc>
</beast>
"""


def main():
    folder, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2009
    os.makedirs(folder, exist_ok=True)
    start = {}
    for model in MODELS:
        root, rows, truth = simulate(model, seed)
        start[model] = truth
        with open(f"{folder}/{model}.xml", "w", encoding="ascii") as file:
            file.write(beast_xml(model, rows, root.newick(), truth))
        with open(f"{folder}/{model}.truth", "w", encoding="ascii") as file:
            file.writelines(f"{name}\t{value:.9g}\n" for name, value in truth.items())
            file.writelines("clade " + "+".join(sorted(node.clade())) + f"\t{node.height:.9g}\n" for node in root.below() if node.children)
        width = 1 if model == "gtr" else 3
        columns = list(zip(*([row[i:i + width] for i in range(0, len(row), width)] for row in rows.values())))
        print(f"{model}: {len(rows)} taxa, {len(columns)} columns, {len(set(columns))} unique, height {root.height:.3g}")
    if os.path.exists(BENCHMARK):
        rows = carnivores()
        for model in MODELS:
            with open(f"{folder}/carnivores_{model}.xml", "w", encoding="ascii") as file:
                file.write(beast_xml(model, rows, None, start[model]))
        print(f"carnivores: {len(rows)} taxa, {len(next(iter(rows.values())))} nucleotides")


if __name__ == "__main__":
    main()
