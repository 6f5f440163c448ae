"""Public data sets as streams: lines of JSON in order of time, the counts of their sensitive values, and a policy. Only the
standard library."""

import csv
import gzip
import itertools
import json
import os
import random
from collections import Counter
from datetime import datetime
from typing import NamedTuple


class Prepared(NamedTuple):
    """A stream that is ready to run."""

    policy: str
    lines: str
    """The file of the tuples."""
    prior: str
    """The file of all values and their counts; none where nothing is sensitive."""
    tuples: int
    values: int
    largest: float
    """The share of the commonest value."""


ADULT = (
    "age workclass fnlwgt education education-num marital occupation relationship race sex capital-gain capital-loss hours "
    "native-country salary"
).split()
ADULT_QUASI = "age education workclass marital race sex native-country".split()
ADULT_NUMBERS = "age fnlwgt education-num capital-gain capital-loss hours".split()
ADULT_NAMES = "workclass education marital occupation relationship race sex native-country".split()


def adult(data, folder, quasi=7):
    """Adult in the order of the file, the first n quasi-identifiers of the paper; salary and occupation are one
    sensitive value, an unknown occupation is one more."""
    roles = {name: "quasi-identifier" for name in ADULT_QUASI[:quasi]}
    rows = [{**row, "age": int(row["age"])} for row in adult_rows(data)]
    return write(folder, rows, {**roles, "salary": "sensitive", "occupation": "sensitive"}, {"age": "integer"})


def adult_numbers(data, folder, tuples=None):
    """The six numeric columns of Adult. With `tuples`, that many of them: the file again and again with every number moved a little,
    so that hardly a row comes twice."""
    rows = [{name: int(row[name]) for name in ADULT_NUMBERS} for row in adult_rows(data)]
    if tuples:
        drawn = random.Random(6)
        rows = (moved(row, drawn) for row in itertools.islice(itertools.cycle(rows), tuples))
    return write(folder, rows, dict.fromkeys(ADULT_NUMBERS, "quasi-identifier"), dict.fromkeys(ADULT_NUMBERS, "integer"))


def adult_names(data, folder, tuples):
    """Age and eight columns of names, which are published as sets: the file again and again, every row with one name of another row and
    its age moved a little, so that rows do not just repeat."""
    rows, drawn = adult_rows(data), random.Random(7)

    def mixed(row):
        name = drawn.choice(ADULT_NAMES)
        return {**row, "age": max(0, int(row["age"]) + drawn.randint(-2, 2)), name: drawn.choice(rows)[name]}

    roles = dict.fromkeys(["age", *ADULT_NAMES], "quasi-identifier")
    return write(folder, (mixed(row) for row in itertools.islice(itertools.cycle(rows), tuples)), roles, {"age": "integer"})


def ev_sessions(data, folder):
    """Charging sessions in Boulder by their start; what they drew, in steps of 2 kWh, is sensitive."""
    rows = []
    for row in read(data, "ev_charging/boulder_ev_charging.csv.gz"):
        start = datetime.strptime(row["Start_Date___Time"], "%m/%d/%Y %H:%M")
        step = min(int(float(row["Energy__kWh_"]) // 2), 15)
        rows.append(
            {
                "start": start,
                "zip": row["Zip_Postal_Code"],
                "station": row["Station_Name"],
                "date": f"{start:%Y-%m-%d}",
                "hour": start.hour,
                "energy": f"{2 * step}-{2 * step + 2}" if step < 15 else "30 and more",
            }
        )
    rows.sort(key=lambda row: row["start"])
    roles = {**dict.fromkeys(("zip", "station", "date", "hour"), "quasi-identifier"), "energy": "sensitive"}
    return write(folder, rows, roles, {"date": "date", "hour": "integer"})


def synpuf_stays(data, folder):
    """Hospital stays in order of admission; the three-character group of the main diagnosis is sensitive. Those without a
    diagnosis lack the field."""
    rows = sorted(read(data, "synpuf/synpuf_inpatient_visits_s01-10.csv.gz"), key=lambda row: row["admission_date"])
    for row in rows:
        row["diagnosis"] = row["primary_icd9"][:3]
    numbers = dict.fromkeys(("birth_year", "length_of_stay"), "integer")
    quasi = ("birth_year", "sex", "race", "state", "length_of_stay")
    roles = {"patient_id": "identifier", **dict.fromkeys(quasi, "quasi-identifier"), "diagnosis": "sensitive"}
    return write(folder, rows, roles, numbers, person="patient_id")


def adult_rows(data):
    with gzip.open(os.path.join(data, "adult/adult.data.gz"), "rt") as file:
        return [dict(zip(ADULT, line.strip().split(", "))) for line in file if line.strip()]


def moved(row, drawn):
    """A row like this one; gains and losses by a twentieth at most, so that none stays none."""
    reach = {"age": 2, "fnlwgt": 5000, "education-num": 1, "hours": 3}
    reach |= {name: row[name] // 20 for name in ("capital-gain", "capital-loss")}
    return {name: max(0, value + drawn.randint(-reach[name], reach[name])) for name, value in row.items()}


def read(data, name):
    with gzip.open(os.path.join(data, name), "rt", newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def write(folder, rows, roles, kinds, person=None):
    """Writes tuples.ndjson, prior.csv and policy.toml; a field without a value is left out."""
    os.makedirs(folder, exist_ok=True)
    lines, prior, policy = (os.path.join(folder, name) for name in ("tuples.ndjson", "prior.csv", "policy.toml"))
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    counts, tuples = Counter(), 0
    with open(lines, "w") as file:
        for row in rows:
            file.write(json.dumps({name: row[name] for name in roles if row[name] != ""}, separators=(",", ":")) + "\n")
            counts["|".join(row[name] for name in sensitive)] += all(row[name] for name in sensitive)
            tuples += 1
    counts = {value: count for value, count in counts.items() if count and sensitive}
    with open(prior, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerows([("value", "count"), *sorted(counts.items())])
    text = ["version = 1", "", "[data]", 'shape = "stream"', 'source = "-"']
    text += [f'person = "{person}"'] if person else []
    for name, role in roles.items():
        text += ["", f"[columns.{name}]", f'role = "{role}"', f'kind = "{kinds.get(name, "text")}"']
    with open(policy, "w") as file:
        file.write("\n".join(text) + "\n")
    largest = max(counts.values(), default=0) / tuples
    return Prepared(policy, lines, prior if sensitive else "", tuples, len(counts), largest)
