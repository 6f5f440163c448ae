"""What scripts/measure-transactions measures. Only the standard library."""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

SHOAL, DATA = os.environ["SHOAL"], os.environ["DATA"]
WORK = tempfile.TemporaryDirectory()


def at(name):
    return os.path.join(WORK.name, name)


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return file.read().splitlines()


def items_of(path):
    return sorted({item for line in lines(path) for item in line.split()}, key=lambda i: (len(i), i))


def run(source, *sets, timeout=900):
    """Runs and verifies a policy; returns the report, or the message of a refusal."""
    policy = at("policy.toml")
    with open(policy, "w") as file:
        file.write(f'version = 1\n[data]\nshape = "transactions"\nsource = "{source}"\n')
    options = [word for key_value in sets for word in ("--set", key_value)]
    out, report = at("out.txt"), at("report")
    command = [SHOAL, "--quiet", "run", policy, *options, "-o", out, "--report", report, "--force"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[0]
    verify = [SHOAL, "--quiet", "verify", out, "--policy", policy, *options]
    subprocess.run(verify, check=True, capture_output=True)
    with open(os.path.join(report, "audit.json")) as file:
        return json.load(file)


def show(name, report):
    if isinstance(report, str):
        print(f"{name:34} {report}")
        return
    loss, seconds = report["loss"], report["seconds"]
    print(
        f"{name:34} NCP {100 * loss['ncp']:7.3f} %  ARE {loss['are']:8.3f}  UL 2^{loss['ul-log2']:9.2f}  "
        f"suppressed {loss['items-suppressed']:5}  largest {max(map(int, loss['generalized-items'])):5}  "
        f"anonymize {seconds['anonymize']:7.2f} s  total {seconds['total']:7.2f} s  "
        f"peak {report['peak-memory-bytes'] / 2**20:6.0f} MiB"
    )
    sys.stdout.flush()


def even_tree(items, fan_out, path):
    """A hierarchy over items in order, every inner node above `fan_out` nodes of the level below."""
    levels, width = [[(i, i) for i in range(len(items))]], 1
    while len(levels[-1]) > 1:
        below = levels[-1]
        groups = [below[i : i + fan_out] for i in range(0, len(below), fan_out)]
        levels.append([(group[0][0], group[-1][1]) for group in groups])
    with open(path, "w") as file:
        for i, item in enumerate(items):
            row, width = [item], 1
            for level in levels[1:-1]:
                width *= fan_out
                lo, hi = level[i // width]
                row.append(f"{items[lo]}..{items[hi]}")
            file.write(";".join(row + ["*"]) + "\n")


def main():
    bms1 = os.path.join(DATA, "bms_webview/BMS-WebView-1.dat")
    bms2 = os.path.join(DATA, "bms_webview/BMS-WebView-2.dat.gz")
    items1, items2 = items_of(bms1), items_of(bms2)
    even_tree(items1, 5, at("tree1.csv"))

    print("== BMS1, k^2")
    for k in (2, 5, 10, 25, 50):
        base = (f"privacy.k={k}", "privacy.m=2")
        for algorithm in ("pcta", "coat"):
            for objective in ("ncp", "ul"):
                sets = (f"algorithm.name={algorithm}", f"algorithm.objective={objective}")
                show(f"k={k} {algorithm} {objective}", run(bms1, *base, *sets))
        tree = f"data.hierarchy={at('tree1.csv')}"
        show(f"k={k} apriori", run(bms1, *base, "algorithm.name=apriori", tree))

    print("== larger: BMS2 k=5 m=2; BMS1 k=5 m=3")
    for objective in ("ncp", "ul"):
        show(f"BMS2 pcta {objective}", run(bms2, "privacy.k=5", "privacy.m=2", f"algorithm.objective={objective}"))
    show("BMS2 coat ncp", run(bms2, "privacy.k=5", "privacy.m=2", "algorithm.name=coat"))
    show("BMS1 m=3 pcta ncp", run(bms1, "privacy.k=5", "privacy.m=3"))

    print("== utility constraints of neighbouring items, k=5, m=2, at most 15 % suppressed")
    for name, source, items in (("BMS1", bms1, items1), ("BMS2", bms2, items2)):
        for size in (25, 50, 125, 250, 500):
            with open(at("utility.txt"), "w") as file:
                for i in range(0, len(items), size):
                    file.write(" ".join(items[i : i + size]) + "\n")
            for algorithm in ("upcta", "coat"):
                for objective in ("ncp", "ul"):
                    sets = (
                        "privacy.k=5",
                        "privacy.m=2",
                        f"utility.constraints={at('utility.txt')}",
                        "utility.max-suppressed=0.15",
                        f"algorithm.name={algorithm}",
                        f"algorithm.objective={objective}",
                    )
                    show(f"{name} UR {size} {algorithm} {objective}", run(source, *sets))

    print("== SynPUF: constraints = codes of one visit, utility = three-digit groups, at most 2 % suppressed")
    patients = os.path.join(DATA, "synpuf/synpuf_icd9_per_patient_s01-10.txt.gz")
    codes = items_of(patients)
    groups = {}
    for code in codes:
        groups.setdefault(code[:3], []).append(code)
    with open(at("icd.txt"), "w") as file:
        for group in groups.values():
            file.write(" ".join(group) + "\n")
    known = set(codes)
    with gzip.open(os.path.join(DATA, "synpuf/synpuf_inpatient_visits_s01-10.csv.gz"), "rt") as file:
        visits = {tuple(sorted(set(row["icd9_all"].split(";")) & known)) for row in csv.DictReader(file)}
    with open(at("visits.txt"), "w") as file:
        for visit in sorted(visits):
            if visit:
                file.write(" ".join(visit) + "\n")
    for k in (2, 5, 10, 25):
        for algorithm in ("upcta", "coat"):
            sets = (
                f"privacy.k={k}",
                f"privacy.constraints={at('visits.txt')}",
                f"utility.constraints={at('icd.txt')}",
                "utility.max-suppressed=0.02",
                f"algorithm.name={algorithm}",
            )
            show(f"SynPUF k={k} {algorithm}", run(patients, *sets))


main()
