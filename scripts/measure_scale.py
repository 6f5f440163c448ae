"""What scripts/measure-scale measures. Only the standard library."""

import argparse
import csv
import itertools
import json
import math
import os
import random
import subprocess

import measured_streams
import stream_data
import transaction_data
import visit_data
from measured_runs import KILLED, REFUSED, SHOAL, at, figure, within

MAKE_DATA = os.environ["MAKE_DATA"]
# Two points for each power of ten.
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
# Below this many CPU seconds the start of the program and the reading of hierarchies are most of the time.
TELLING = 0.3


def people(rows):
    folder = at(f"people-{rows}")
    if not os.path.exists(folder):
        subprocess.run([MAKE_DATA, "people", folder, str(rows), "1"], check=True)
    return without_report(os.path.join(folder, "policy.toml"))


def without_report(policy):
    """Pages and audits grow with the records, and adversaries try only what is small: neither is part of what is measured here."""
    with open(policy) as file:
        text = "".join(line for line in file if not line.startswith("report ="))
    with open(policy, "w") as file:
        file.write(text)
    return policy


def patients(events):
    def made(rows):
        folder = at(f"patients-{events}-{rows}")
        if not os.path.exists(folder):
            subprocess.run([MAKE_DATA, "patients", folder, str(rows), str(events), "3", "1"], check=True)
        return without_report(os.path.join(folder, "policy.toml"))

    return made


def stays(rows):
    """People like those of SynPUF who have several stays; only where the data set is there."""
    folder = at(f"stays-{rows}")
    if not os.path.exists(folder):
        visit_data.synpuf_like(SYNPUF["data"], folder, rows)
    return os.path.join(folder, "policy.toml")


SYNPUF = {}


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


def tree(items):
    """A hierarchy over the items of baskets, five nodes below each, for those who need one."""
    path = transaction_data.even_tree(at(f"tree-{items}.csv"), [str(item) for item in range(items)], 5)
    return f"data.hierarchy={path}"


def groups(rows):
    """Utility constraints: neighbouring items of the baskets may be published as one; what does not fit is left out."""
    with open(baskets(5_000)(rows).replace(".toml", ".dat")) as file:
        items = sorted(set(file.read().split()), key=int)
    path = transaction_data.neighbours(at(f"groups-{rows}.txt"), items, 50)
    return [f"utility.constraints={path}", "utility.max-suppressed=1"]


def workers(rows):
    """The same people; what they work as is sensitive, since one of two salaries is too frequent to be hidden among three."""
    policy = people(rows)
    with open(policy) as file:
        text = file.read().replace('role = "quasi-identifier"\nhierarchy = "hierarchies/occupation.csv"', 'role = "sensitive"')
    text = text.replace('[columns.salary-class]\nrole = "sensitive"', '[columns.salary-class]\nrole = "insensitive"')
    with open(policy.replace("policy.toml", "workers.toml"), "w") as file:
        file.write(text)
    return file.name


def tuples(rows):
    """The same people one after the other; what they work as is sensitive."""
    folder = at(f"tuples-{rows}")
    if os.path.exists(folder):
        return PREPARED[rows]
    with open(os.path.join(os.path.dirname(people(rows)), "people.csv"), newline="") as file:
        quasi = ("sex", "birth", "race", "marital-status", "education", "zip", "workclass")
        roles = {**dict.fromkeys(quasi, "quasi-identifier"), "occupation": "sensitive"}
        kinds = {"birth": "date", "zip": "integer"}
        given = ({**row, "zip": int(row["zip"])} for row in csv.DictReader(file))
        PREPARED[rows] = stream_data.write(folder, given, roles, kinds)
    return PREPARED[rows]


PREPARED = {}


def settings(rows, asked):
    """The settings of a stream: those of `castle` are the same for every stream, a design belongs to its values."""
    return asked if isinstance(asked, list) else asked(tuples(rows))


def batch(made, sets):
    """What a run on a file costs and loses; a text where it was refused or stopped."""

    def measured(rows, stop):
        told = sets(rows) if callable(sets) else sets
        command = [SHOAL, "--quiet", "--json", "run", made(rows), *measured_streams.options(told), "-o", os.devnull]
        # The run verifies what it publishes, which is part of what is measured.
        done, cpu = within(command, stop)
        if done.returncode == KILLED:
            return f"stopped after {stop} CPU s"
        if done.returncode == REFUSED:
            return json.loads(done.stdout)["error"]["message"]
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
        report = json.loads(done.stdout)
        losses = (figure(report, ("loss", measure)) for measure in ("ncp", "lm") if measure in report["loss"])
        loss, memory = next(losses, 0), report["peak-memory-bytes"]
        return {"n": rows, "cpu": cpu, "memory": memory, "loss": loss}

    return measured


def stream(asked):
    """What a stream costs; every line is verified before it leaves. Its loss is not measured."""

    def measured(rows, _stop):
        streamed = measured_streams.stream(tuples(rows), settings(rows, asked))
        return {"n": rows, "cpu": streamed.cpu, "memory": streamed.peak, "loss": None}

    return measured


# At most a third of a class may have one value.
SHARES = ["privacy.l-diversity.kind=frequency", "privacy.l-diversity.l=3"]

# What is measured where SynPUF is there.
STAYS = {
    "cbmsa, like SynPUF": ["algorithm.name=cbmsa"],
    "fcla, like SynPUF, L = 3": ["algorithm.name=fcla", "privacy.length=3"],
}

# What is measured: a name, and how it is done for a number of records.
MEASURED = [
    *((name, batch(people, [f"algorithm.name={name}"])) for name in ("ribbon", "mondrian", "sbc", "datafly", "incognito")),
    ("transparent, l = 3", batch(workers, ["privacy.transparent=true", *SHARES])),
    *((name, batch(baskets(5_000), [f"algorithm.name={name}"])) for name in ("pcta", "coat")),
    ("upcta, groups of 50", batch(baskets(5_000), lambda rows: ["algorithm.name=upcta", *groups(rows)])),
    ("apriori", batch(baskets(5_000), lambda _rows: ["algorithm.name=apriori", tree(5_000)])),
    ("pcta, 40,000 items", batch(baskets(40_000), ["algorithm.name=pcta"])),
    ("coat, 40,000 items", batch(baskets(40_000), ["algorithm.name=coat"])),
    ("cbmsa, 5 events", batch(patients(5), ["algorithm.name=cbmsa"])),
    ("cbmsa, 14 events", batch(patients(14), ["algorithm.name=cbmsa"])),
    ("cbmsa-baseline, 5 events", batch(patients(5), ["algorithm.name=cbmsa-baseline"])),
    ("fcla, 5 events, L = 3", batch(patients(5), ["algorithm.name=fcla", "privacy.length=3"])),
    ("fcla, 14 events, L = 8", batch(patients(14), ["algorithm.name=fcla", "privacy.length=8"])),
    ("fcla-base1, 5 events, L = 3", batch(patients(5), ["algorithm.name=fcla-base1", "privacy.length=3"])),
    ("halt, 5 events, L = 3", batch(patients(5), ["algorithm.name=halt", "privacy.length=3"])),
    *((name, batch(stays, sets)) for name, sets in STAYS.items()),
    ("castle", stream(measured_streams.castle(10, 100))),
    ("castle, classes used again", stream(measured_streams.castle(10, 100, reuse=True))),
    ("delay-free, hardened", stream(lambda made: measured_streams.mode(5, made, "calibrated"))),
    ("delay-free, paper", stream(lambda made: measured_streams.mode(5, made, "paper"))),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000, help="the largest number of records, people or transactions")
    parser.add_argument("--stop", type=int, default=300, help="an algorithm is not tried on more after a run of so many CPU seconds")
    parser.add_argument("--only", nargs="*", help="names, or how they begin")
    parser.add_argument("--data", help="the folder with synpuf/, for people like those there; without it these are passed over")
    parser.add_argument("--json", help="a file for all figures")
    asked = parser.parse_args()
    SYNPUF["data"] = asked.data
    found = {}
    print("| algorithm | records | CPU s | peak, MiB | loss, % |\n|---|---|---|---|---|", flush=True)
    for name, measured in MEASURED:
        if asked.only and not any(name.startswith(only) for only in asked.only):
            continue
        if name in STAYS and not asked.data:
            continue
        found[name] = grow(name, measured, asked)
    print("\n| algorithm | time grows as n to the | memory as n to the | between |\n|---|---|---|---|")
    for name, points in found.items():
        telling = [point for point in points if point["cpu"] >= TELLING]
        print(f"| {name} | {exponent(telling, 'cpu')} | {exponent(telling, 'memory')} | {span(telling)} |")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump(found, file, indent=1)


def grow(name, measured, asked):
    """Measures one algorithm on more and more records, until it takes too long."""
    points = []
    for size in SIZES:
        if size > asked.most:
            break
        # Twice what is asked for: the next size has three times as many records.
        point = measured(size, 2 * asked.stop)
        if isinstance(point, str):
            print(f"| {name} | {size:,} | {point} | | |", flush=True)
            break
        points.append(point)
        memory, loss = point["memory"] / 2**20, "" if point["loss"] is None else f"{100 * point['loss']:.3f}"
        print(f"| {name} | {size:,} | {point['cpu']:.2f} | {memory:,.0f} | {loss} |", flush=True)
        if point["cpu"] > asked.stop:
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
