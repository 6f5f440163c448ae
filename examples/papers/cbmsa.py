"""CBMSA (Sehatkar and Matwin, *Clustering-based multidimensional sequence data anonymization*): figures 2 to 4. The paper's patients are made
up after the claims of the Heritage Health Prize and not published; ours (`make_data patients`) have its sizes and attributes and
distributions of our own. One more figure has the hospital stays of CMS DE-SynPUF, which the paper leaves for later."""

import os
import subprocess
from statistics import mean

import visit_data
from figures import Figure, options
from measured_runs import at, run

MAKE_DATA, DATA = os.environ["MAKE_DATA"], os.environ["DATA"]
ALGORITHMS = {"CBMSA": "cbmsa", "baseline": "cbmsa-baseline"}
KS, CS = range(5, 55, 5), (0.5, 0.6, 0.7, 0.8, 0.9)
SETS = {"a": (1000, 10), "b": (10_000, 3)}  # people, and how many sets of them; the paper has ten of either
LOSS, CPU, LEFT_OUT, ALIGNED = "IL", "CPU seconds of the run", "people left out", "pairs aligned, %"


def main():
    quick = options(__doc__).quick
    ks, cs = ((5, 50), (0.5, 0.9)) if quick else (KS, CS)
    for panel, (people, count) in SETS.items():
        if quick:
            people, count = people // 10, 1
        sets = Sets([made_up(people, seed) for seed in range(1, count + 1)])
        name = f"Data_{people}_5_3"
        by_k, by_c = [(k, k, 0.7) for k in ks], [(c, 5, c) for c in cs]
        sets.figure(f"cbmsa-fig2{panel}", f"Figure 2{panel}: {name}, c = 0.7", "k", by_k, LOSS, quick)
        sets.figure(f"cbmsa-fig3{panel}", f"Figure 3{panel}: {name}, k = 5", "c", by_c, LOSS, quick)
        sets.figure(f"cbmsa-fig4{panel}", f"Figure 4{panel}: {name}, c = 0.7", "k", by_k, CPU, quick)
        sets.figure(f"cbmsa-aligned-{panel}", f"{name}, c = 0.7", "k", by_k, ALIGNED, quick, ["CBMSA"])
        if panel == "a":
            # The paper leaves out who is left at the end, so that its crowds lose less and some people are lost altogether.
            sets.figure("cbmsa-left-out", f"{name}, k = 5, remainder left out", "c", by_c, LEFT_OUT, quick)
    stays = Sets([visit_data.synpuf(DATA, at("synpuf"), 1000 if quick else None).policy])
    by_k = [(k, k, 0.7) for k in ks[::3]]
    stays.figure("cbmsa-synpuf", "SynPUF, c = 0.7", "k", by_k, LOSS, quick)


def made_up(people, seed):
    """The policy of a set of made-up patients with 5 visits on average and 3 quasi-identifiers."""
    folder = at(f"patients-{people}-{seed}")
    subprocess.run([MAKE_DATA, "patients", folder, str(people), "5", "3", str(seed)], check=True)
    return os.path.join(folder, "policy.toml")


class Sets:
    """Sets of people of one kind, by their policies, and what was measured on them. No run is made twice."""

    def __init__(self, policies):
        self.policies = policies
        self.known = {}

    def figure(self, name, title, across, points, up, quick, labels=ALGORITHMS):
        """A figure of the means over the sets; a point is where it stands, k and c."""
        plot = Figure(name, title, across, up)
        for label in labels:
            for x, k, c in points:
                sets = [f"algorithm.name={ALGORITHMS[label]}", f"privacy.k={k}", f"privacy.c={c}"]
                if up == LEFT_OUT:
                    sets.append("algorithm.remainder=suppress")
                plot.add(label, x, mean(measured[up] for measured in self.measure(*sets)))
        plot.write(quick)

    def measure(self, *sets):
        if sets not in self.known:
            self.known[sets] = [measures(policy, sets) for policy in self.policies]
        return self.known[sets]


def measures(policy, sets):
    report = run(policy, *sets)
    # None of these may be refused: nobody else could be joined to keep c.
    if isinstance(report, str):
        raise SystemExit(f"{policy} {sets}: {report}")
    work = report["work"]
    aligned, skipped = work["alignments-computed"], work["alignments-skipped"]
    return {
        LOSS: report["loss"]["il"],
        CPU: report["cpu-seconds"],
        LEFT_OUT: report["records-suppressed"],
        ALIGNED: 100 * aligned / max(1, aligned + skipped),
    }


main()
