"""The figures for (k,β)^L and (k,C)^L: `fcla` against its baseline and against `halt`. Only the standard library."""

from statistics import mean

import visit_data
from measured_runs import Table, at, run

PARTS = ("figure5", "figure8", "figure9")
SUPPORTS = ("compatible", "paper")  # everybody who fits what is known, and the papers' weaker count
BASELINE, HALT = ("fcla", "fcla-base1"), ("fcla", "halt")
STOP = 300  # CPU seconds
LIMIT_SECONDS, LIMIT_MIB = 120, 2048  # for the longest knowledge on 8,000 people

TABLE = Table(
    [
        ("InfLoss", ("loss", "inf-loss"), ".4f", 1),
        ("CPU, s", ("cpu-seconds",), ".2f", 1),
        ("anonymize, s", ("seconds", "anonymize"), ".2f", 1),
        ("grouping, s", ("seconds", "phases", "grouping"), ".2f", 1),
        ("removing, s", ("seconds", "phases", "removing"), ".2f", 1),
        ("one cluster, s", ("seconds", "phases", "trying one cluster"), ".2f", 1),
        ("verify, s", ("seconds", "verify"), ".2f", 1),
        ("invalid found", ("work", "invalid-found"), ",.0f", 1),
        ("items suppressed", ("work", "items-suppressed"), ",.0f", 1),
        ("people left out", ("records-suppressed",), ",.0f", 1),
        ("clusters", ("clusters",), ",.0f", 1),
        ("classes", ("classes",), ",.0f", 1),
        ("peak, MiB", ("peak-memory-bytes",), ",.0f", 2**20),
    ]
)


def measure(data, parts, quick, supports, reduced=False):
    """The figures of the paper that `parts` names, on the stays of people who have several, by each of the `supports`."""
    ks, lengths, people = range(5, 50, 5), range(1, 13), None
    betas, shares = (1, 2, 3, 4, 7), (0.5, 0.6, 0.7, 0.8, 0.9)
    if quick:
        ks, lengths, people, betas, shares = (5, 25, 45), (1, 2, 3, 6), 1000, (1, 4), (0.5, 0.9)
    if reduced:
        ks, lengths, shares = (5, 15, 25, 45), (1, 2, 3, 4, 5, 6, 8, 12), (0.5, 0.7, 0.9)
    made = visit_data.synpuf_knowledge(data, at("knowledge"), people)
    print(f"\n### SynPUF, {made.people:,} people with several stays, {made.visits:,} stays")
    print(f"\nHighly sensitive: {made.sensitive_visits:.1%} of the stays, {made.sensitive:.1%} of the people.")
    runs = Runs(made.policy, supports)
    if "figure5" in parts:
        for lines in runs.series("figure 5: β = 6, L = 3", "k", ks, BASELINE, lambda k: (k, "beta=6", 3)):
            lower(lines, BASELINE)
        for lines in runs.series("figure 5: k = 5, L = 3", "β", betas, BASELINE, lambda beta: (5, f"beta={beta}", 3)):
            lower(lines, BASELINE)
            direction(lines, "falls as β rises", lambda before, after: before >= after)
        for lines in runs.series("figure 5: k = 5, β = 6", "L", lengths[1:], BASELINE, lambda length: (5, "beta=6", length)):
            lower(lines, BASELINE)
            direction(lines, "rises with L", lambda before, after: before <= after)
    if "figure8" in parts:
        for lines in runs.series("figure 8: C = 0.7, L = 3", "k", ks, HALT, lambda k: (k, "c=0.7", 3)):
            lower(lines, HALT)
        for lines in runs.series("figure 8: k = 5, L = 3", "C", shares, HALT, lambda share: (5, f"c={share}", 3)):
            lower(lines, HALT)
        for lines in runs.series("figure 8: k = 5, C = 0.7", "L", lengths[1:], HALT, lambda length: (5, "c=0.7", length)):
            lower(lines, HALT)
    if "figure9" in parts:
        for times in runs.series("figure 9: k = 5, C = 0.7", "L", lengths, HALT, lambda length: (5, "c=0.7", length)):
            ahead(times)
        longest(data, people or 8000, lengths[-1], supports)


class Runs:
    """Runs of one policy. None is made twice."""

    def __init__(self, policy, supports):
        self.policy = policy
        self.supports = supports
        self.known = {}

    def series(self, name, varied, values, algorithms, promise):
        """Prints a table for each support, each value with each algorithm; `promise` says what a value means. Yields the
        values and the reports of a table. An algorithm that was stopped is not tried on the values after that one."""
        for support in self.supports:
            print(f"\n#### {name}, support = {support}\n")
            TABLE.head(varied, "algorithm")
            stopped, lines = {}, []
            for value in values:
                reports = []
                for algorithm in algorithms:
                    report = stopped.get(algorithm) or self.of(algorithm, support, *promise(value))
                    if isinstance(report, str) and report.startswith("stopped"):
                        stopped.setdefault(algorithm, f"not tried: stopped at {varied} = {value}")
                    TABLE.line((value, algorithm), [report])
                    reports.append(report)
                lines.append((value, *reports))
            yield lines

    def of(self, algorithm, support, k, bound, length):
        sets = (
            f"algorithm.name={algorithm}",
            f"privacy.support={support}",
            f"privacy.k={k}",
            f"privacy.{bound}",
            f"privacy.length={length}",
        )
        if sets not in self.known:
            self.known[sets] = run(self.policy, *sets, stop=STOP)
        return self.known[sets]


def lower(lines, names):
    """Says whether the first algorithm's loss is lower in the mean of a table, over those lines that both finished, and
    in how many: `fcla` may publish the very same as the other one."""
    losses = [loss for loss in (pair(line, "InfLoss") for line in lines) if None not in loss]
    if not losses:
        return
    first, second = (mean(column) for column in zip(*losses))
    wins, ties = sum(a < b for a, b in losses), sum(a == b for a, b in losses)
    words = f"{first:.4f} against {second:.4f}; of {len(losses)} it is lower in {wins}, equal in {ties}"
    answer(f"InfLoss of {names[0]} is below that of {names[1]} in the mean ({words})", first < second)


def direction(lines, words, holds):
    """Says whether the loss of `fcla` goes where it should, and where it does not."""
    losses = [(value, TABLE.mean([report], "InfLoss")) for value, report, _ in lines]
    losses = [(value, loss) for value, loss in losses if loss is not None]
    steps = zip(losses, losses[1:])
    against = [f"{a} to {b}: {x:.4f} to {y:.4f}" for (a, x), (b, y) in steps if not holds(x, y)]
    answer(f"InfLoss of fcla {words}", not against, against)


def ahead(lines):
    """Says whether `fcla` is faster from L = 3 on; who was stopped is slower."""
    slower = []
    for length, *reports in lines:
        seconds, other = pair((length, *reports), "CPU, s")
        late = seconds is None or (other is not None and seconds >= other)
        if length >= 3 and late:
            slower.append(f"L = {length}")
    answer("fcla is faster than halt from L = 3 on", not slower, slower)


def pair(line, title):
    return tuple(TABLE.mean([report], title) for report in line[1:])


def longest(data, people, length, supports):
    """The longest knowledge on this many people, with its limits of time and memory."""
    made = visit_data.synpuf_knowledge(data, at("fewer"), people)
    name = f"figure 9: {made.people:,} people, {made.visits:,} stays, k = 5, C = 0.7"
    for lines in Runs(made.policy, supports).series(name, "L", [length], ("fcla",), lambda length: (5, "c=0.7", length)):
        report = lines[0][1]
        if not isinstance(report, str):
            seconds, peak = report["seconds"]["total"], report["peak-memory-bytes"] / 2**20
            claim = f"under {LIMIT_SECONDS} s and {LIMIT_MIB} MiB ({seconds:.1f} s, {peak:.0f} MiB)"
            answer(claim, seconds < LIMIT_SECONDS and peak < LIMIT_MIB)


def answer(claim, holds, against=()):
    print(f"\n{claim}: {'yes' if holds else 'NO' + ''.join(f', {case}' for case in against)}.", flush=True)
