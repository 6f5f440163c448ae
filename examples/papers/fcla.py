"""FCLA (Amiri, Sánchez and Domingo-Ferrer, on anonymizing longitudinal data against partial knowledge): figures 5 to 9. Figures 5, 8 and 9 on
CMS DE-SynPUF, the paper's own data in our selection. The two other sets are not available: made-up patients with the same attributes (`make_data
patients`) stand in for the Heritage Health Prize (figure 6), encounters of Diabetes-130 for FAERS (figure 7)."""

import os
import re
import subprocess
from statistics import mean

import visit_data
from figures import Figure, options
from measured_runs import at, run

MAKE_DATA, DATA, BENCH = os.environ["MAKE_DATA"], os.environ["DATA"], os.environ["BENCH"]
STOP = 120  # CPU seconds
SEEDS = (1, 2)  # of the made-up patients; the paper has five sets
LOSS, CPU = "InfLoss", "CPU seconds of the run"
FCLA, BASE1, HALT = "FCLA", "Base1", "HALT"
NAMES = {FCLA: "fcla", BASE1: "fcla-base1", HALT: "halt"}
# Who counts as sharing what somebody knows: by the papers' count, or everybody who may be the one.
WORDS = {"paper": "", "compatible": ", everybody who fits"}
BOTH_FCLA = [(FCLA, "paper"), (BASE1, "paper"), (FCLA, "compatible"), (BASE1, "compatible")]
# The baseline has small clusters only, which FCLA has not where one cluster of everybody loses less.
PAPERS_COUNT = [(FCLA, "paper"), (HALT, "paper"), (BASE1, "paper")]
AND_HALT = [*PAPERS_COUNT, (FCLA, "compatible"), (HALT, "compatible")]


def main():
    quick = options(__doc__).quick
    ks, lengths = ((5, 45), (2, 3)) if quick else ((5, 15, 25, 35, 45), (2, 3, 4, 6, 12))
    betas, shares = ((1, 7), (0.5, 0.9)) if quick else ((1, 2, 3, 4, 7), (0.5, 0.7, 0.9))
    stays = People([prepared(visit_data.synpuf_knowledge, 500 if quick else None)])
    claims = People([made_up(100 if quick else 1000, seed) for seed in SEEDS[: 1 if quick else None]])
    reports = People([prepared(visit_data.diabetes_knowledge, 100 if quick else 1000)])
    names = {5: ("SynPUF", stays, 12), 6: ("made-up claims", claims, 16), 7: ("Diabetes-130", reports, 7)}
    for number, (name, people, longest) in names.items():
        within = [length for length in lengths if length < longest] + [longest] * (not quick)
        by_k, by_beta = [(k, (k, "beta=6", 3)) for k in ks], [(beta, (5, f"beta={beta}", 3)) for beta in betas]
        by_length = [(length, (5, "beta=6", length)) for length in within]
        people.figure(f"fcla-fig{number}a", f"Figure {number}a: {name}, β = 6, L = 3", "k", by_k, BOTH_FCLA, quick)
        people.figure(f"fcla-fig{number}b", f"Figure {number}b: {name}, k = 5, L = 3", "β", by_beta, BOTH_FCLA, quick)
        people.figure(f"fcla-fig{number}c", f"Figure {number}c: {name}, k = 5, β = 6", "L", by_length, BOTH_FCLA, quick)
    by_k, by_share = [(k, (k, "c=0.7", 3)) for k in ks], [(share, (5, f"c={share}", 3)) for share in shares]
    by_length = [(length, (5, "c=0.7", length)) for length in lengths]
    stays.figure("fcla-fig8a", "Figure 8a: SynPUF, C = 0.7, L = 3", "k", by_k, AND_HALT, quick)
    stays.figure("fcla-fig8b", "Figure 8b: SynPUF, k = 5, L = 3", "C", by_share, AND_HALT, quick)
    stays.figure("fcla-fig8c", "Figure 8c: SynPUF, k = 5, C = 0.7", "L", by_length, AND_HALT, quick)
    from_one = [(1, (5, "c=0.7", 1)), *by_length]
    stays.figure("fcla-fig9", "Figure 9: SynPUF, k = 5, C = 0.7", "L", from_one, AND_HALT, quick, CPU, log_up=True)
    dates = People([prepared(visit_data.synpuf_dates, 100 if quick else None)])
    dates.figure("fcla-dates", "As figure 8c, dates and six stays or more", "L", by_length, PAPERS_COUNT, quick)
    small_clusters(quick)
    patterns(quick)


def prepared(prepare, most):
    """The policy of a public data set; says how large it is."""
    made = prepare(DATA, at(prepare.__name__), most)
    sensitive = f"{made.sensitive_visits:.1%} of them highly sensitive"
    print(f"{prepare.__name__}: {made.people:,} people, {made.visits:,} visits, {sensitive}", flush=True)
    return made.policy


def made_up(people, seed):
    """The policy of a set of made-up patients with ten visits on average and four quasi-identifiers, without a bound on shares."""
    folder = at(f"patients-{people}-{seed}")
    subprocess.run([MAKE_DATA, "patients", folder, str(people), "10", "4", str(seed)], check=True)
    policy = os.path.join(folder, "policy.toml")
    with open(policy) as file:
        text = file.read()
    with open(policy, "w") as file:
        file.write(re.sub(r"(?m)^c = .*\n", "", text))
    return policy


class People:
    """Sets of people of one kind, by their policies, and what was measured on them. No run is made twice."""

    def __init__(self, policies):
        self.policies = policies
        self.known = {}

    def figure(self, name, title, across, points, algorithms, quick, up=LOSS, log_up=False):
        """A figure of means over the sets; a point is where it stands, and k, the bound and L."""
        plot = Figure(name, title, across, up, log_up=log_up)
        for algorithm, support in algorithms:
            for x, promise in points:
                measured = self.measure(algorithm, support, *promise)
                plot.add(algorithm + WORDS[support], x, None if None in measured else mean(report[up] for report in measured))
        plot.write(quick)

    def measure(self, algorithm, support, k, bound, length):
        sets = (f"algorithm.name={NAMES[algorithm]}", f"privacy.support={support}", f"privacy.k={k}")
        sets += (f"privacy.{bound}", f"privacy.length={length}")
        if sets not in self.known:
            self.known[sets] = [measures(policy, sets) for policy in self.policies]
        return self.known[sets]


def measures(policy, sets):
    report = run(policy, *sets, stop=STOP)
    if isinstance(report, str):
        print(f"{' '.join(sets)}: {report}", flush=True)
        return None
    return {LOSS: report["loss"]["inf-loss"], CPU: report["cpu-seconds"]}


def small_clusters(quick):
    """Figure 5 with what the paper's FCLA does only: clusters of about k people, never one of everybody. (Its own preparation of
    the stays has other hierarchies, so these losses compare with each other, not with those above.)"""
    people = ["300"] if quick else []
    titles = {"k": "β = 6, L = 3", "beta": "k = 5, L = 3", "length": "k = 5, β = 6"}
    line = re.compile(r"(fcla|fcla-base1) +k = +(\d+) Gain\(([\d.]+)\) L = +(\d+): loss ([\d.]+)")
    for part, across, where in (("k", "k", 2), ("beta", "β", 3), ("length", "L", 4)):
        plot = Figure(f"fcla-small-{part}", f"SynPUF, small clusters only, {titles[part]}", across, LOSS)
        for found in line.finditer(bench("fcla", part, *people)):
            plot.add(FCLA if found[1] == "fcla" else BASE1, int(float(found[where])), float(found[5]))
        plot.write(quick)


def patterns(quick):
    """Why HALT is slow in the paper: how many patterns it looks at when it searches for all lengths at once, as there, and length by
    length, as here. (A preparation of its own, too.)"""
    longest, people = ("2", "300") if quick else ("3", "2000")
    plot = Figure("fcla-patterns", f"HALT, SynPUF, {people} people, k = 5, C = 0.7", "L", "patterns looked at", log_up=True)
    for label, words in (("all lengths at once (the paper's)", ["at-once"]), ("length by length (ours)", [])):
        for found in re.finditer(r"L = (\d+): .* (\d+) patterns", bench("halt", *words, longest, people)):
            plot.add(label, int(found[1]), int(found[2]))
    plot.write(quick)


def bench(*words):
    return subprocess.run([BENCH, "algorithms", *words], check=True, capture_output=True, text=True).stdout


main()
