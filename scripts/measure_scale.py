"""What scripts/measure-scale measures. Only the standard library."""

import argparse
import itertools
import json
import math
import os
import random
import subprocess

from measured_runs import at, figure, run

MAKE_DATA = os.environ["MAKE_DATA"]
# Two points for each power of ten.
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
# Below this many CPU seconds the start of the program and the reading of hierarchies are most of the time.
TELLING = 0.3


def people(rows):
    folder = at(f"people-{rows}")
    if not os.path.exists(folder):
        subprocess.run([MAKE_DATA, "people", folder, str(rows), "1"], check=True)
    return os.path.join(folder, "policy.toml")


def patients(events):
    def made(rows):
        folder = at(f"patients-{events}-{rows}")
        if not os.path.exists(folder):
            subprocess.run([MAKE_DATA, "patients", folder, str(rows), str(events), "3", "1"], check=True)
        return os.path.join(folder, "policy.toml")

    return made


def baskets(items):
    """Baskets of some items each, of which a few are frequent and most are rare (Zipf)."""

    def made(rows):
        policy = at(f"baskets-{items}-{rows}.toml")
        if not os.path.exists(policy):
            draw = random.Random(rows)
            names = range(items)
            sums = list(itertools.accumulate(1 / (rank + 1) for rank in names))
            with open(policy.replace(".toml", ".dat"), "w") as file:
                for _ in range(rows):
                    basket = set(draw.choices(names, cum_weights=sums, k=1 + draw.randrange(7)))
                    file.write(" ".join(map(str, sorted(basket))) + "\n")
            with open(policy, "w") as file:
                source = os.path.basename(policy).replace(".toml", ".dat")
                file.write(f'version = 1\n[data]\nshape = "transactions"\nsource = "{source}"\n[privacy]\nk = 5\nm = 2\n')
        return policy

    return made


# What is measured: a name, the data, and what the policy is told beside.
MEASURED = [
    *((name, people, [f"algorithm.name={name}"]) for name in ("ribbon", "mondrian", "sbc", "datafly", "incognito")),
    *((name, baskets(5_000), [f"algorithm.name={name}"]) for name in ("pcta", "coat")),
    ("pcta, 40,000 items", baskets(40_000), ["algorithm.name=pcta"]),
    ("coat, 40,000 items", baskets(40_000), ["algorithm.name=coat"]),
    ("cbmsa, 5 events", patients(5), ["algorithm.name=cbmsa"]),
    ("cbmsa, 14 events", patients(14), ["algorithm.name=cbmsa"]),
    ("fcla, 5 events, L = 3", patients(5), ["algorithm.name=fcla", "privacy.length=3"]),
    ("fcla, 14 events, L = 8", patients(14), ["algorithm.name=fcla", "privacy.length=8"]),
    ("halt, 5 events, L = 3", patients(5), ["algorithm.name=halt", "privacy.length=3"]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000, help="the largest number of records, people or transactions")
    parser.add_argument("--stop", type=int, default=300, help="an algorithm is not tried on more after a run of so many CPU seconds")
    parser.add_argument("--only", nargs="*", help="names, or how they begin")
    parser.add_argument("--json", help="a file for all figures")
    asked = parser.parse_args()
    found = {}
    print("| algorithm | records | CPU s | peak, MiB | loss, % |\n|---|---|---|---|---|", flush=True)
    for name, made, sets in MEASURED:
        if asked.only and not any(name.startswith(only) for only in asked.only):
            continue
        found[name] = grow(name, made, sets, asked)
    print("\n| algorithm | time grows as n to the | memory as n to the | between |\n|---|---|---|---|")
    for name, points in found.items():
        telling = [point for point in points if point["cpu"] >= TELLING]
        print(f"| {name} | {exponent(telling, 'cpu')} | {exponent(telling, 'memory')} | {span(telling)} |")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump(found, file, indent=1)


def grow(name, made, sets, asked):
    """Measures one algorithm on more and more records, until it takes too long."""
    points = []
    for size in SIZES:
        if size > asked.most:
            break
        # Twice what is asked for: the next size has three times as many records.
        report = run(made(size), *sets, stop=2 * asked.stop, again=False)
        if isinstance(report, str):
            print(f"| {name} | {size:,} | {report} | | |", flush=True)
            break
        loss = next((figure(report, ("loss", measure)) for measure in ("ncp", "lm") if measure in report["loss"]), 0)
        points.append({"n": size, "cpu": report["cpu-seconds"], "memory": report["peak-memory-bytes"], "loss": loss})
        memory = report["peak-memory-bytes"] / 2**20
        print(f"| {name} | {size:,} | {report['cpu-seconds']:.2f} | {memory:,.0f} | {100 * loss:.3f} |", flush=True)
        if report["cpu-seconds"] > asked.stop:
            break
    return points


def exponent(points, what):
    """The slope of the line through the logarithms that fits best."""
    if len(points) < 2:
        return "–"
    xs, ys = [math.log(point["n"]) for point in points], [math.log(point[what]) for point in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)
    return f"{slope:.2f}"


def span(points):
    return f"{points[0]['n']:,} and {points[-1]['n']:,}" if points else "–"


main()
