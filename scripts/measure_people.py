"""What scripts/measure-people measures. Only the standard library.

SynPUF has 57,390 stays of 32,520 patients. The same policy is run twice, once as if each stay were another person's and
once with `data.person`."""

import csv
import gzip
import os
import sys

from measured_runs import at, run

VISITS = os.path.join(os.environ["DATA"], "synpuf/synpuf_inpatient_visits_s01-10.csv.gz")
PERSON = 'person = "patient_id"\n'
QUASI = ("birth_year", "sex", "race", "state", "year", "length_of_stay")
NUMBERS = ("birth_year", "year", "length_of_stay")


def columns():
    with gzip.open(VISITS, "rt") as file:
        return next(csv.reader(file))


def policy(name, shape, person, rest):
    path = at(name)
    with open(path, "w") as file:
        file.write(f'version = 1\n[data]\nshape = "{shape}"\nsource = "{VISITS}"\n{person}{rest}')
    return path


def tables():
    roles = ""
    for name in columns():
        # The other columns are neither known nor published.
        role = "quasi-identifier" if name in QUASI else "identifier"
        kind = 'kind = "integer"\n' if name in NUMBERS else ""
        roles += f'[columns.{name}]\nrole = "{role}"\n{kind}'
    print("\n### Tables: birth year, sex, race, state, year, length of stay; k = 10\n")
    print("| | rows: NCP % | CPU s | people: NCP % | CPU s |\n|---|---|---|---|---|")
    for algorithm in ("ribbon", "mondrian", "sbc", "incognito", "datafly"):
        cells = []
        for person in ("", PERSON):
            made = policy("people.toml", "table", person, roles)
            # With six coarse columns and nothing else published, many assignments of rows to stays are possible, and `verify`
            # looks at one of them, which need not have as many people in each class as the true one.
            report = run(made, "privacy.k=10", f"algorithm.name={algorithm}", again=not person)
            cells += [report] if isinstance(report, str) else [f"{100 * report['loss']['ncp']:.3f}", f"{report['cpu-seconds']:.2f}"]
        print(f"| `{algorithm}` | " + " | ".join(cells) + " |", flush=True)


def transactions():
    roles = "".join(f'[columns.{name}]\nrole = "identifier"\n' for name in columns() if name != "icd9_all")
    print("\n### Transactions: the diagnoses of a stay; m = 2\n")
    figures = "NCP % | ARE | items suppressed | smallest crowd | CPU s"
    print(f"| k | | rows: {figures} | people: {figures} |\n|" + "---|" * 12)
    for k in (5, 10):
        for algorithm in ("pcta", "coat"):
            cells = []
            for person in ("", PERSON):
                made = policy("people.toml", "transactions", f'items = "icd9_all"\n{person}', roles)
                report = run(made, f"privacy.k={k}", "privacy.m=2", f"algorithm.name={algorithm}", original=VISITS)
                cells += [report] if isinstance(report, str) else described(report)
            print(f"| {k} | `{algorithm}` | " + " | ".join(cells) + " |", flush=True)


def described(report):
    loss, crowd = report["loss"], report["risk"]["smallest-crowd"]["after"]
    return [
        f"{100 * loss['ncp']:.3f}",
        f"{loss['are']:.3f}",
        f"{loss['items-suppressed']:,}",
        str(crowd),
        f"{report['cpu-seconds']:.2f}",
    ]


for part in sys.argv[1:] or ("tables", "transactions"):
    {"tables": tables, "transactions": transactions}[part]()
