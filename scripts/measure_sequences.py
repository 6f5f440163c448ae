"""What scripts/measure-sequences measures. Only the standard library."""

import argparse
import os
import subprocess

import measure_knowledge
import visit_data
from measured_runs import Table, at, run

MAKE_DATA, DATA = os.environ["MAKE_DATA"], os.environ["DATA"]
ALGORITHMS = ("cbmsa", "cbmsa-baseline")

TABLE = Table(
    [
        ("IL", ("loss", "il"), ".4f", 1),
        ("LM", ("loss", "lm"), ".4f", 1),
        ("ARE", ("loss", "are"), ".3f", 1),
        ("events suppressed", ("loss", "events-suppressed"), ",.1f", 1),
        ("clusters", ("clusters",), ",.1f", 1),
        ("alignments, thousands", ("work", "alignments-computed"), ",.0f", 1000),
        ("skipped, thousands", ("work", "alignments-skipped"), ",.0f", 1000),
        ("anonymize, s", ("seconds", "anonymize"), ".2f", 1),
        ("total, s", ("seconds", "total"), ".2f", 1),
        ("peak, MiB", ("peak-memory-bytes",), ",.0f", 2**20),
    ]
)


def patients(sequences, seeds, ks, cs):
    """The paper's figures 2 to 4 on sets of made-up patients, means over the seeds."""
    policies = []
    for seed in seeds:
        folder = at(f"patients-{sequences}-{seed}")
        subprocess.run([MAKE_DATA, "patients", folder, str(sequences), "5", "3", str(seed)], check=True)
        policies.append(os.path.join(folder, "policy.toml"))
    name = f"Data_{sequences}_5_3, means over the seeds {seeds[0]} to {seeds[-1]}"
    known = {}

    def losses(k, c, first):
        for algorithm in ALGORITHMS:
            asked = (f"privacy.k={k}", f"privacy.c={c}", f"algorithm.name={algorithm}")
            if asked not in known:
                known[asked] = [run(policy, *asked) for policy in policies]
            TABLE.line((first, algorithm), known[asked])
            yield TABLE.mean(known[asked], "IL")

    print(f"\n### {name}, c = 0.7\n")
    TABLE.head("k", "algorithm")
    by_k = [tuple(losses(k, 0.7, k)) for k in ks]
    judge(by_k, "rises with k", lambda before, after: before < after)
    print(f"\n### {name}, k = 5\n")
    TABLE.head("c", "algorithm")
    by_c = [tuple(losses(5, c, c)) for c in cs]
    judge(by_c, "falls as c rises", lambda before, after: before >= after)


def judge(pairs, words, holds):
    """Says whether the losses of `cbmsa` and of the baseline are as in the paper's figures, and where they are not."""
    if any(None in pair for pair in pairs):
        print("\nSome runs were refused.")
        return
    answer("IL of cbmsa is below the baseline's everywhere", [p for p in pairs if p[0] >= p[1]])
    for algorithm, column in zip(ALGORITHMS, zip(*pairs)):
        steps = zip(column, column[1:])
        answer(f"IL of {algorithm} {words}", [step for step in steps if not holds(*step)])


def answer(claim, against):
    cases = ", ".join(f"{first:.4f} and {second:.4f}" for first, second in against)
    print(f"\n{claim}: {'NO, ' + cases if against else 'yes'}.", flush=True)


def public(sets, most):
    """Real and realistic visits, `cbmsa` only."""
    print("\n### Public data sets, c = 0.7\n")
    TABLE.head("data", "people", "visits", "ties in the order", "people with a sensitive visit", "k")
    for name, prepare in sets:
        made = prepare(DATA, at(prepare.__name__), most)
        facts = (name, f"{made.people:,}", f"{made.visits:,}", made.ties, f"{100 * made.sensitive:.1f} %", made.k)
        TABLE.line(facts, [run(made.policy)])


PUBLIC = {
    "synpuf": ("SynPUF", visit_data.synpuf),
    "synthea": ("Synthea", visit_data.synthea),
    "diabetes": ("Diabetes-130", visit_data.diabetes),
}


def main():
    parts = ("small", "large", *PUBLIC, *measure_knowledge.PARTS)
    words = argparse.ArgumentParser(prog="measure-sequences path/to/data", description="Figures for sequences.")
    words.add_argument("--quick", action="store_true", help="one small set, few k, 1,000 people of each public set")
    words.add_argument("--seeds", type=int, default=10, help="how many sets of 1,000 people (10)")
    words.add_argument("--large-seeds", type=int, default=3, help="how many sets of 10,000 people (3)")
    words.add_argument("--only", nargs="+", choices=parts, default=parts, help="only these parts")
    words.add_argument("--reduced", action="store_true", help="partial knowledge: fewer k, L and C, everybody")
    words.add_argument(
        "--support",
        nargs="+",
        choices=measure_knowledge.SUPPORTS,
        default=measure_knowledge.SUPPORTS,
        help="partial knowledge: who counts (both, one after the other)",
    )
    asked = words.parse_args()
    ks, cs = range(5, 55, 5), (0.5, 0.6, 0.7, 0.8, 0.9)
    if asked.quick:
        ks, cs, asked.seeds, asked.large_seeds = (5, 10, 25), (0.5, 0.7, 0.9), 1, 0
    for part, sequences, seeds in (("small", 1000, asked.seeds), ("large", 10000, asked.large_seeds)):
        if part in asked.only and seeds:
            patients(sequences, range(1, seeds + 1), ks, cs)
    sets = [PUBLIC[name] for name in PUBLIC if name in asked.only]
    if sets:
        public(sets, 1000 if asked.quick else None)
    figures = [part for part in measure_knowledge.PARTS if part in asked.only]
    if figures:
        measure_knowledge.measure(DATA, figures, asked.quick, asked.support, asked.reduced)


main()
