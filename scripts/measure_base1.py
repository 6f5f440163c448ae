"""What scripts/measure-base1 measures: `fcla` against `fcla-base1` for each L, k and count. Only the standard library."""

import argparse
import itertools
import json
import os
import subprocess

import visit_data
from measured_runs import KILLED, REFUSED, SHOAL, at, figure, within

MAKE_DATA, DATA = os.environ["MAKE_DATA"], os.environ["DATA"]
LENGTHS, CROWDS, SUPPORTS = (1, 2, 3, 4, 8), (5, 10), ("compatible", "paper")
STOP = 120  # CPU seconds


# At most this share of a crowd may have a sensitive value.
SHARE = "privacy.c=0.7"


def files(people):
    """The policies that are tried, by name, and what else they need; data sets are cut to so many people."""
    for name, prepare, sets in (
        ("SynPUF", visit_data.synpuf_knowledge, [SHARE]),
        ("Synthea", visit_data.synthea, []),
        ("Diabetes-130", visit_data.diabetes_knowledge, [SHARE]),
        ("MSNBC", visit_data.msnbc, []),
    ):
        yield name, prepare(DATA, at(prepare.__name__), people).policy, sets
    yield "examples/patients", os.path.join("examples", "patients", "policy.toml"), []
    for events in (5, 14):
        folder = at(f"patients-{events}")
        subprocess.run([MAKE_DATA, "patients", folder, str(people), str(events), "3", "1"], check=True)
        yield f"patients, {events} events", os.path.join(folder, "policy.toml"), []


def loss(policy, sets, algorithm, length, k, support):
    """InfLoss of a verified run; a text where there is none."""
    asked = [f"algorithm.name={algorithm}", f"privacy.length={length}", f"privacy.k={k}", f"privacy.support={support}"]
    options = [word for key_value in (*sets, *asked) for word in ("--set", key_value)]
    command = [SHOAL, "--quiet", "--json", "run", policy, *options, "-o", at("out.csv"), "--force", "--report", at("report")]
    done, _ = within(command, STOP)
    if done.returncode == KILLED:
        return "stopped"
    if done.returncode == REFUSED:
        return "refused"
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return figure(json.loads(done.stdout), ("loss", "inf-loss"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1000, help="how many people of each data set are taken")
    asked = parser.parse_args()
    print("InfLoss of fcla / fcla-base1\n")
    print("| data | count | k | " + " | ".join(f"L = {length}" for length in LENGTHS) + " |")
    print("|---" * (3 + len(LENGTHS)) + "|", flush=True)
    above = []
    for name, policy, sets in files(asked.people):
        for support, k in itertools.product(SUPPORTS, CROWDS):
            cells = []
            for length in LENGTHS:
                pair = [loss(policy, sets, algorithm, length, k, support) for algorithm in ("fcla", "fcla-base1")]
                cells.append(" / ".join(value if isinstance(value, str) else f"{value:.3f}" for value in pair))
                # Nothing published is a loss of 1.
                numbers = [1 if isinstance(value, str) else value for value in pair]
                if numbers[0] > numbers[1]:
                    above.append(f"{name}, {support}, k = {k}, L = {length}")
            print(f"| {name} | {support} | {k} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nfcla is above fcla-base1 in: {'; '.join(above) or 'none'}.")


main()
