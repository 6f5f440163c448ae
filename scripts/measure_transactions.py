"""What scripts/measure-transactions measures. Only the standard library."""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

import transaction_data
from transaction_data import items_of

SHOAL, DATA = os.environ["SHOAL"], os.environ["DATA"]
WORK = tempfile.TemporaryDirectory()


def at(name):
    return os.path.join(WORK.name, name)


def run(source, *sets, timeout=900):
    """Runs and verifies a policy; returns the report, or the message of a refusal."""
    policy = transaction_data.policy(at("policy.toml"), source)
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


def main():
    bms1 = os.path.join(DATA, "bms_webview/BMS-WebView-1.dat")
    bms2 = os.path.join(DATA, "bms_webview/BMS-WebView-2.dat.gz")
    items1, items2 = items_of(bms1), items_of(bms2)
    transaction_data.even_tree(at("tree1.csv"), items1, 5)

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
            transaction_data.neighbours(at("utility.txt"), items, size)
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
    transaction_data.sets(at("icd.txt"), groups.values())
    known = set(codes)
    with gzip.open(os.path.join(DATA, "synpuf/synpuf_inpatient_visits_s01-10.csv.gz"), "rt") as file:
        visits = {tuple(sorted(set(row["icd9_all"].split(";")) & known)) for row in csv.DictReader(file)}
    transaction_data.sets(at("visits.txt"), sorted(filter(None, visits)))
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
