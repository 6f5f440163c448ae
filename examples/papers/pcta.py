"""PCTA and UPCTA (Gkoulalas-Divanis and Loukides, *Utility-guided clustering-based transaction data anonymization*): figures 7 to 16
and 21 to 28 on the paper's own data, BMS-WebView-1 and BMS-WebView-2. Its item hierarchy is not published: an even tree of fan-out 5
over the items in the order of their numbers stands in for it, and its groups of close items are neighbours in that order."""

import os
import random
from itertools import combinations
from statistics import mean

import transaction_data
from figures import Figure, options
from measured_runs import at, run

DATA = os.environ["DATA"]
QUERIES = 10_000  # the paper asks 1,000; with ten times as many the errors hardly depend on which ones were drawn
QUERY_SIZE = 5  # items that a query names, as in the paper
SEEDS = (1, 2, 3)  # of the random privacy constraints; the paper does not say how many it drew
STOP = 120  # CPU seconds
KS, MS = (2, 5, 10, 25, 50), (1, 2, 3)
SHARES = {"PR1": 0.02, "PR2": 0.05, "PR3": 0.1, "PR4": 0.25, "PR5": 0.5}
# Of 1,000 constraints, how many in a hundred have one, two, three and four items (table 3).
SIZES = {"PR6": (33, 33, 33, 1), "PR7": (30, 30, 30, 10), "PR8": (25, 25, 25, 25), "PR9": (16.7, 16.7, 16.7, 50)}
GROUPS = {"UR1": 25, "UR2": 50, "UR3": 125, "UR4": 250, "UR5": 500}

COAT_UL, COAT_NCP = "COAT, UL", "COAT, NCP"
PCTA_UL, PCTA_NCP = "PCTA, UL (the paper's)", "PCTA, NCP (ours)"
UPCTA_UL, UPCTA_NCP = "UPCTA, UL (the paper's)", "UPCTA, NCP (ours)"
APRIORI = "Apriori"
CLUSTERING = {
    COAT_UL: ("algorithm.name=coat", "algorithm.objective=ul"),
    COAT_NCP: ("algorithm.name=coat", "algorithm.objective=ncp"),
    PCTA_UL: ("algorithm.name=pcta", "algorithm.objective=ul"),
    PCTA_NCP: ("algorithm.name=pcta", "algorithm.objective=ncp"),
}
CONSTRAINED = {
    COAT_UL: CLUSTERING[COAT_UL],
    COAT_NCP: CLUSTERING[COAT_NCP],
    UPCTA_UL: ("algorithm.name=upcta", "algorithm.objective=ul"),
    UPCTA_NCP: ("algorithm.name=upcta", "algorithm.objective=ncp"),
}
ERROR = "AvgRE, items at random"
FREQUENT = "AvgRE, frequent items"
RANDOM = "AvgRE, all five at random"
PAIRS = "ARE of frequent pairs"
UL, NCP = "log2 UL", "NCP, %"
LARGEST, PUBLISHED, SUPPRESSED = "largest generalized item", "published items", "items suppressed, %"


def main():
    quick = options(__doc__).quick
    bms1 = Clicks("BMS1", "BMS-WebView-1.dat", 3000 if quick else None)
    bms2 = Clicks("BMS2", "BMS-WebView-2.dat.gz", 500 if quick else None)
    for clicks in (bms1, bms2):
        occur = sum(truth > 0 for _, truth in clicks.queries[RANDOM])
        print(f"{clicks.name}: of {QUERIES:,} random sets of {QUERY_SIZE} items {occur:,} occur", flush=True)
    ks, ms = ((5, 25), (1, 2)) if quick else (KS, MS)
    itemsets(bms1, bms2, ks, ms, quick)
    only_pairs(bms1, ks, quick)
    linkable(bms1, quick)
    mixed(bms1, bms2, quick)
    groups(bms1, bms2, quick)
    groupings(bms1, quick)


def itemsets(bms1, bms2, ks, ms, quick):
    """Figures 7 to 12: k^m-anonymity."""
    by_k, by_m = [(k, (f"privacy.k={k}", "privacy.m=2")) for k in ks], [(m, ("privacy.k=5", f"privacy.m={m}")) for m in ms]
    figure("pcta-fig7", "Figure 7: BMS1, m = 2", bms1, "k", by_k, ERROR, quick, log_across=True)
    figure("pcta-fig7-frequent", "As figure 7, frequent sets", bms1, "k", by_k, FREQUENT, quick, log_across=True)
    figure("pcta-fig7-random", "As figure 7, random sets", bms1, "k", by_k, RANDOM, quick, log_across=True)
    figure("pcta-fig7-pairs", "As figure 7, our own measure", bms1, "k", by_k, PAIRS, quick, log_across=True)
    figure("pcta-fig8", "Figure 8: BMS2, m = 2", bms2, "k", by_k, ERROR, quick, log_across=True)
    figure("pcta-fig8-random", "As figure 8, random sets", bms2, "k", by_k, RANDOM, quick, log_across=True)
    figure("pcta-fig8-frequent", "As figure 8, frequent sets", bms2, "k", by_k, FREQUENT, quick, log_across=True)
    figure("pcta-published", "As figure 8, items", bms2, "k", by_k, PUBLISHED, quick, log_across=True)
    figure("pcta-largest", "As figure 7, sizes", bms1, "k", by_k, LARGEST, quick, log_across=True)
    figure("pcta-fig9", "Figure 9: BMS1, m = 2", bms1, "k", by_k, UL, quick, log_across=True)
    figure("pcta-fig10", "Figure 10: BMS1, k = 5", bms1, "m", by_m, ERROR, quick)
    figure("pcta-fig11", "Figure 11: BMS1, k = 5", bms1, "m", by_m, UL, quick)
    figure("pcta-fig12", "Figure 12: BMS2, k = 5", bms2, "m", by_m, UL, quick)


def only_pairs(bms1, ks, quick):
    """Figure 7 with the paper's own constraints: the pairs that occur, without what is known of single items or of sets that occur only
    after a merge."""
    by_k = [(k, (f"privacy.k={k}", f"privacy.constraints={bms1.pairs()}")) for k in ks]
    figure("pcta-fig7-constraints", "As figure 7, only pairs", bms1, "k", by_k, ERROR, quick, True, CLUSTERING)


def linkable(bms1, quick):
    """Figures 13 and 14: any two of a random share of the items, k = 5."""
    seeds = SEEDS[:1] if quick else SEEDS
    for name, title, up in (
        ("pcta-fig13", "Figure 13", ERROR),
        ("pcta-fig14", "Figure 14", UL),
        ("pcta-largest-pr", "As figure 13, sizes", LARGEST),
    ):
        plot = Figure(name, f"{title}: BMS1, k = 5", "privacy constraints", up, log_up=up == ERROR)
        for policy, share in few(SHARES, quick):
            # It does not look at the constraints, so all pairs of items are its least promise that covers them.
            plot.add(APRIORI, policy, bms1.measure(APRIORI, "privacy.k=5", "privacy.m=2").get(up))
            for label in CLUSTERING:
                drawn = [(f"privacy.share={share}", f"algorithm.seed={seed}") for seed in seeds]
                plot.add(label, policy, average(bms1.measure(label, "privacy.k=5", *sets).get(up) for sets in drawn))
        plot.write(quick)


def mixed(bms1, bms2, quick):
    """Figures 15 and 16: 1,000 random sets of one to four items, k = 5."""
    seeds = SEEDS[:1] if quick else SEEDS
    for name, clicks, up in (("pcta-fig15", bms1, NCP), ("pcta-fig16", bms2, UL)):
        plot = Figure(name, f"Figure {name[-2:]}: {clicks.name}, k = 5", "privacy constraints", up, log_up=up == NCP)
        for policy, shares in few(SIZES, quick):
            # All sets of up to four items: the least that it can promise and that covers the constraints.
            plot.add(APRIORI, policy, clicks.measure(APRIORI, "privacy.k=5", f"privacy.m={len(shares)}").get(up))
            for label in CLUSTERING:
                files = [clicks.constraints(policy, shares, 100 if quick else 1000, seed) for seed in seeds]
                sets = [("privacy.k=5", f"privacy.constraints={file}") for file in files]
                plot.add(label, policy, average(clicks.measure(label, *one).get(up) for one in sets))
        plot.write(quick)


def groups(bms1, bms2, quick):
    """Figures 21 to 28: utility constraints, k = 5, at most 15 % of the items suppressed, against somebody who knows any two
    items (21 to 24) or any two of a random half of them (25 to 28)."""
    any_two, of_half = ("privacy.k=5", "privacy.m=2"), ("privacy.k=5", "privacy.share=0.5", "algorithm.seed=1")
    figures = [(21, bms1, any_two, ERROR), (22, bms2, any_two, ERROR), (23, bms1, any_two, UL), (24, bms2, any_two, UL)]
    figures += [(25, bms1, of_half, ERROR), (26, bms2, of_half, ERROR), (27, bms1, of_half, UL), (28, bms2, of_half, UL)]
    what = {any_two: "m = 2", of_half: "PR5"}
    for number, clicks, promise, up in figures:
        title = f"Figure {number}: {clicks.name}, k = 5, {what[promise]}"
        plot = Figure(f"pcta-fig{number}", title, "utility constraints", up, log_up=up == ERROR)
        for policy, size in few(GROUPS, quick):
            for label in CONSTRAINED:
                measured = clicks.measure(label, *promise, *clicks.utility(size, 0.15))
                # What a suppressed item costs is the owner's choice, and in UL it outweighs all the rest.
                penalty = up == UL and measured.get(SUPPRESSED)
                plot.add(label, policy, None if penalty else measured.get(up))
        plot.write(quick)
    for clicks in (bms1, bms2):
        title = f"{clicks.name}, k = 5, m = 2, no limit"
        plot = Figure(f"pcta-suppressed-{clicks.name.lower()}", title, "utility constraints", SUPPRESSED)
        for policy, size in few(GROUPS, quick):
            for label in CONSTRAINED:
                # What was allowed with the limit is the same without it.
                limited = clicks.measure(label, *any_two, *clicks.utility(size, 0.15))
                plot.add(label, policy, (limited or clicks.measure(label, *any_two, *clicks.utility(size, 1))).get(SUPPRESSED))
        plot.write(quick)


def groupings(bms1, quick):
    """What has to be suppressed for groups of 25 items, depending on which items make a group."""
    at_random, by_support = list(bms1.items), sorted(bms1.items, key=lambda item: -bms1.holders[item].bit_count())
    random.Random(1).shuffle(at_random)
    any_two, pairs = ("privacy.m=2",), (f"privacy.constraints={bms1.pairs()}",)
    plot = Figure("pcta-groups", "UR1, BMS1, k = 5, no limit", "items of a group", SUPPRESSED)
    for name, items, promise in (
        ("in order", bms1.items, any_two),
        ("only pairs", bms1.items, pairs),
        ("at random", at_random, any_two),
        ("by support", by_support, any_two),
    ):
        file = transaction_data.neighbours(at(f"{name}.txt"), items, GROUPS["UR1"])
        for label in (COAT_UL, UPCTA_UL):
            sets = ("privacy.k=5", *promise, f"utility.constraints={file}", "utility.max-suppressed=1")
            plot.add(label, name, bms1.measure(label, *sets).get(SUPPRESSED))
    plot.write(quick)


def few(settings, quick):
    """All settings, or for a trial the last one."""
    return list(settings.items())[-1:] if quick else settings.items()


def figure(name, title, clicks, across, points, up, quick, log_across=False, labels=(APRIORI, *CLUSTERING)):
    """A figure of the algorithms that know no utility constraints."""
    plot = Figure(name, title, across, up, log_across=log_across, log_up=up not in (UL, LARGEST, PUBLISHED))
    for label in labels:
        for x, sets in points:
            plot.add(label, x, clicks.measure(label, *sets).get(up))
    plot.write(quick)


def average(values):
    values = list(values)
    return None if None in values else mean(values)


class Clicks:
    """A file of transactions and what was measured on it. No run is made twice."""

    def __init__(self, name, file, most):
        self.name = name
        source = os.path.join(DATA, "bms_webview", file)
        if most is not None:
            lines = transaction_data.lines(source)[:most]
            source = transaction_data.sets(at(f"{name}.dat"), [line.split() for line in lines])
        self.transactions = [line.split() for line in transaction_data.lines(source)]
        self.items = transaction_data.items_of(source)
        self.policy = transaction_data.policy(at(f"{name}.toml"), source)
        self.tree = transaction_data.even_tree(at(f"{name}.tree"), self.items, 5)
        self.holders = holders(self.transactions)
        self.nodes = {}  # of the tree, with the items below
        for item, *above in (line.split(";") for line in transaction_data.lines(self.tree)):
            for node in above:
                self.nodes.setdefault(node, []).append(item)
        self.queries = {
            ERROR: self.queries_by_item(),
            FREQUENT: self.queries_by_transaction(),
            RANDOM: self.queries_at_random(),
        }
        self.known = {}

    def queries_at_random(self):
        """Sets of random items, which is nearest to the paper's words. Most or all of them occur nowhere."""
        draw = random.Random(1)
        return self.counted(draw.sample(self.items, QUERY_SIZE) for _ in range(QUERIES))

    def queries_by_item(self):
        """Sets of items of which one is as likely as any other, and the others stand in a random transaction with it: so rare items are
        asked for as often as frequent ones, and each answer is at least 1. (The paper draws all items at random from those that an
        algorithm generalized; few or none of such sets occur, and an error relative to 0 is none.)"""
        by_item = {}
        for items in self.transactions:
            if len(items) >= QUERY_SIZE:
                for item in items:
                    by_item.setdefault(item, []).append(items)
        draw, askable = random.Random(1), [item for item in self.items if item in by_item]

        def query():
            item = draw.choice(askable)
            others = [other for other in draw.choice(by_item[item]) if other != item]
            return [item, *draw.sample(others, QUERY_SIZE - 1)]

        return self.counted(query() for _ in range(QUERIES))

    def queries_by_transaction(self):
        """Sets of items of a random transaction: the more frequent an item, the more often it is asked for."""
        draw, long = random.Random(1), [items for items in self.transactions if len(items) >= QUERY_SIZE]
        return self.counted(draw.sample(draw.choice(long), QUERY_SIZE) for _ in range(QUERIES))

    def counted(self, queries):
        return [(items, common([self.holders[item] for item in items]).bit_count()) for items in queries]

    def constraints(self, name, shares, count, seed):
        """A file of different random sets of items that occur; `shares` says how many in a hundred have 1, 2, … items."""
        draw, drawn = random.Random(f"{name} {seed}"), set()
        for size, share in enumerate(shares, 1):
            long = [items for items in self.transactions if len(items) >= size]
            wanted = len(drawn) + round(share * count / 100)
            while len(drawn) < wanted:
                drawn.add(tuple(sorted(draw.sample(draw.choice(long), size))))
        return transaction_data.sets(at(f"{self.name}-{name}-{count}-{seed}.txt"), sorted(drawn))

    def pairs(self):
        """A file of all pairs of items that occur."""
        pairs = {pair for items in self.transactions for pair in combinations(sorted(items), 2)}
        return transaction_data.sets(at(f"{self.name}-pairs.txt"), sorted(pairs))

    def utility(self, size, most):
        """Items may be generalized together with others of their group only, and this share of them suppressed."""
        file = transaction_data.neighbours(at(f"{self.name}-{size}.txt"), self.items, size)
        return f"utility.constraints={file}", f"utility.max-suppressed={most}"

    def measure(self, label, *sets):
        """What an algorithm loses by each measure; nothing where the run was refused or stopped."""
        if label == APRIORI:
            sets = (*sets, "algorithm.name=apriori", f"data.hierarchy={self.tree}")
        else:
            sets = (*sets, *(CLUSTERING | CONSTRAINED)[label])
        if sets not in self.known:
            report = run(self.policy, *sets, stop=STOP)
            if isinstance(report, str):
                # What a refusal names are items, lists of them; the end says how many.
                print(f"{self.name} {' '.join(map(os.path.basename, sets))}: … {report[-80:]}", flush=True)
                self.known[sets] = {}
            else:
                loss = report["loss"]
                self.known[sets] = {name: self.error(queries) for name, queries in self.queries.items()} | {
                    PAIRS: loss["are"],
                    UL: loss["ul-log2"],
                    NCP: 100 * loss["ncp"],
                    PUBLISHED: report["clusters"],
                    LARGEST: max(map(int, loss["generalized-items"]), default=1),
                    SUPPRESSED: 100 * loss["items-suppressed"] / len(self.items),
                }
        return self.known[sets]

    def error(self, queries):
        """The mean relative error of counts in what was published last, answered as in the paper: a generalized item stands for
        all of its items. A count of a suppressed item is 0. Where the truth is 0, the error is the count itself."""
        image = {item: name for name in published_items(at("out.csv")) for item in self.below(name)}
        holders = {}
        for item, name in image.items():
            holders[name] = holders.get(name, 0) | self.holders[item]

        def answer(items):
            names = {image.get(item) for item in items}
            return 0 if None in names else common([holders[name] for name in names]).bit_count()

        return mean(abs(answer(items) - truth) / max(truth, 1) for items, truth in queries)

    def below(self, name):
        """The items that a published one stands for: those in brackets, or those below a node of the tree."""
        return self.nodes.get(name) or name.strip("()").split(",")


def published_items(path):
    return {name for line in transaction_data.lines(path) for name in line.split()}


def holders(transactions):
    """For each item a number whose bits are the transactions that hold it."""
    width = len(transactions) // 8 + 1
    bits = {}
    for number, items in enumerate(transactions):
        for item in items:
            bits.setdefault(item, bytearray(width))[number // 8] |= 1 << number % 8
    return {item: int.from_bytes(held, "little") for item, held in bits.items()}


def common(sets):
    shared = sets[0]
    for held in sets[1:]:
        shared &= held
    return shared


main()
