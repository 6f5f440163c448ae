"""Public data sets of visits, as sequences: a CSV file, hierarchies and a policy each. Only the standard library."""

import csv
import gzip
import os
import random
from collections import Counter
from datetime import date
from typing import NamedTuple


class Column(NamedTuple):
    """A column of the prepared file; `tree` are the lines of its hierarchy, if it has one."""

    name: str
    role: str
    kind: str = "text"
    format: str = ""
    tree: tuple = ()


class Prepared(NamedTuple):
    """A data set that is ready to run, and what there is to know about it."""

    policy: str
    k: int
    people: int
    visits: int
    ties: int
    """Visits whose order column has the same value as that of an earlier visit of the same person."""
    sensitive: float
    """The share of people with a highly sensitive visit."""
    sensitive_visits: float
    """The share of visits that are highly sensitive."""


def synpuf(data, folder, most=None):
    """Stays of Medicare's synthetic patients, for (k,c)."""
    rows, ties = stays(data, least=1, most=most)
    columns = [
        *STAY,
        Column("year", QI, "integer", tree=spans(numbers(rows, "year"), 2007, [2])),
        Column("state", QI, tree=STATE_TREE),
        Column("birth_year", QI, "integer", tree=spans(numbers(rows, "birth_year"), 0, [5, 10, 20])),
        Column("length_of_stay", QI, "integer", tree=cuts(rows, "length_of_stay", *STAY_DAYS)),
        Column("chapter", "sensitive"),
    ]
    return write(folder, columns, rows, ties, STAY_ORDER, SENSITIVE_CHAPTERS, k=10)


def synpuf_knowledge(data, folder, most=None):
    """Stays of those patients who have several, for (k,β)^L and (k,C)^L: `beta` or `c` is still to be set. The place is
    the state; a county's number means something only together with its state."""
    rows, ties = dated_stays(data, least=2, most=most)
    columns = [*STAY, *place_and_amounts(rows), Column("chapter", "sensitive")]
    return write(folder, columns, rows, ties, STAY_ORDER, RARE_CHAPTERS, k=5, promise="length = 3")


def synpuf_like(data, folder, people):
    """As many people as are asked for, like those of SynPUF who have several stays: these themselves, then copies of them in
    which each value of state, days, length of stay and payment is, with a probability of 0.15, that of another stay. Stays
    with a missing value are left out, and people are in a random order, so that a part of them is like the whole."""
    rows, ties = dated_stays(data, least=2, most=None)
    stays_of = {}
    for row in rows:
        if row["length_of_stay"]:
            stays_of.setdefault(row["patient_id"], []).append(row)
    everybody, draw = sorted(stays_of), random.Random(1)
    draw.shuffle(everybody)
    whole = [row for person in everybody for row in stays_of[person]]
    made = []
    for number in range(people):
        copy, place = divmod(number, len(everybody))
        for row in stays_of[everybody[place]]:
            row = {**row, "patient_id": number}
            for name in ("state", "days", "length_of_stay", "payment") if copy else ():
                if draw.random() < 0.15:
                    row[name] = draw.choice(whole)[name]
            made.append(row)
    columns = [*STAY, *place_and_amounts(rows), Column("chapter", "sensitive")]
    return write(folder, columns, made, ties, STAY_ORDER, RARE_CHAPTERS, k=5)


def msnbc(data, folder, most=None):
    """Sessions of a news site: the category of each page in turn, neighbouring ones below one node; nothing is sensitive."""
    with open(os.path.join(data, "msnbc/msnbc_31790.txt")) as file:
        sessions = [line.split() for line in file][:most]
    rows = [{"session": at, "page": page, "category": category} for at, pages in enumerate(sessions) for page, category in enumerate(pages)]
    tree = [[number, f"pages {(number - 1) // 4 * 4 + 1} to {(number - 1) // 4 * 4 + 4}", "*"] for number in range(1, 18)]
    columns = [
        Column("session", "identifier", "integer"),
        Column("page", "identifier", "integer"),
        Column("category", QI, tree=tree),
    ]
    return write(folder, columns, rows, 0, ["page"], [], k=5, promise="length = 3")


def synpuf_dates(data, folder, most=None):
    """The same of those who have six stays or more, with the days of admission and discharge instead of year and state."""
    rows, ties = dated_stays(data, least=6, most=most)
    days = [Column(name, QI, tree=calendar(rows, name)) for name in ("admitted", "discharged")]
    columns = [*STAY, *days, *amounts(rows), Column("chapter", "sensitive")]
    return write(folder, columns, rows, ties, STAY_ORDER, RARE_CHAPTERS, k=5, promise="length = 3")


def dated_stays(data, least, most):
    """Stays with the days since the first one of their calendar year, and payments in thousands."""
    rows, ties = stays(data, least, most)
    first = {}
    for row in rows:
        day = date.fromisoformat(row["admission_date"])
        since = first.setdefault((row["patient_id"], day.year), day)
        row["days"] = (day - since).days
        row["payment"] = int(float(row["payment"]) // 1000)
        row["admitted"], row["discharged"] = day.isoformat(), date.fromisoformat(row["discharge_date"]).isoformat()
    return rows, ties


def place_and_amounts(rows):
    year = Column("year", QI, "integer", tree=spans(numbers(rows, "year"), 2007, [2]))
    return [year, Column("state", QI, tree=STATE_TREE), *amounts(rows)]


def amounts(rows):
    return [
        Column("days", QI, "integer", tree=spans(range(366), 0, [10, 30, 90, 180])),
        Column("length_of_stay", QI, "integer", tree=cuts(rows, "length_of_stay", *STAY_DAYS)),
        Column("payment", QI, "integer", tree=cuts(rows, "payment", *PAYMENTS)),
    ]


def stays(data, least, most):
    """The hospital stays of those patients who have at least `least`, and how many ties there are. Their day of
    admission orders them; where two begin on one day, the one that ends earlier comes first, then the one that stands
    first in the file."""
    rows = read(data, "synpuf/synpuf_inpatient_visits_s01-10.csv.gz", "patient_id", most, least)
    for row in rows:
        row["state"] = STATES[int(row["state"])]
        row["chapter"] = chapter(row["primary_icd9"][:3])
    return rows, number(rows, "patient_id", ("admission_date",), ("admission_date", "discharge_date"))


def synthea(data, folder, most=None):
    """Encounters of Synthea's patients, ordered by their day, then by time of day and place in the file."""
    rows = read(data, "synthea/synthea_visits.csv.gz", "patient_id", most)
    for row in rows:
        row["date"] = row["start"][:10]
        row["birth_year"] = row["birth_date"][:4]
        row["reason"] = row["reason_description"] or "none given"
    ties = number(rows, "patient_id", ("date",), ("start",))
    zips = sorted({row["zip"] for row in rows if row["zip"]})
    columns = [
        Column("patient_id", "identifier"),
        Column("visit", "identifier", "integer"),
        Column("date", "identifier", "date", "%Y-%m-%d"),
        Column("year", QI, "integer", tree=spans(numbers(rows, "year"), 0, [2, 10, 20])),
        Column("birth_year", QI, "integer", tree=spans(numbers(rows, "birth_year"), 0, [5, 10, 20])),
        Column("zip", QI, tree=[[z, f"{z[:4]}*", f"{z[:3]}**", "*"] for z in zips]),
        Column("class", QI, tree=CLASS_TREE),
        Column("reason", "sensitive"),
    ]
    reasons = sorted({row["reason"] for row in rows})
    sensitive = [r for r in reasons if any(word in r.lower() for word in SENSITIVE_WORDS)]
    return write(folder, columns, rows, ties, ["date", "visit"], sensitive, k=5)


def diabetes(data, folder, most=None):
    """Encounters of diabetics in 130 hospitals, for (k,c)."""
    rows = encounters(data, most)
    ties = repeated(rows, ("patient_nbr", "encounter_id"))
    columns = [*ENCOUNTER, kinds(rows, "race"), *profile(rows), Column("chapter", "sensitive")]
    return write(folder, columns, rows, ties, ["encounter_id"], SENSITIVE_CHAPTERS, k=5)


def diabetes_knowledge(data, folder, most=None):
    """Encounters of those patients who have three to seven, for (k,β)^L and (k,C)^L: `beta` or `c` is still to be set."""
    rows = encounters(data, most, least=3, greatest=7)
    ties = repeated(rows, ("patient_nbr", "encounter_id"))
    columns = [*ENCOUNTER, *profile(rows), Column("chapter", "sensitive")]
    return write(folder, columns, rows, ties, ["encounter_id"], RARE_CHAPTERS, k=5, promise="length = 3")


def encounters(data, most, least=1, greatest=None):
    """The encounters of those patients who have so many; there is no date, but the encounters' numbers rise with time."""
    rows = read(data, "diabetes130/diabetic_data.csv.gz", "patient_nbr", most, least, greatest)
    for row in rows:
        first, end = row["age"].strip("[)").split("-")
        row["age"] = f"{first}-{int(end) - 1}"
        whole = row["diag_1"].split(".")[0]
        row["chapter"] = chapter(whole.zfill(3) if whole.isdigit() else whole[:3])
    return rows


def profile(rows):
    """What encounters of diabetics say about a person, beside the race."""
    ages = [f"{first}-{first + 9}" for first in range(0, 100, 10)]
    return [
        kinds(rows, "gender"),
        Column("age", QI, tree=[[age, f"{i // 2 * 20}-{i // 2 * 20 + 19}", "*"] for i, age in enumerate(ages)]),
        Column("time_in_hospital", QI, "integer", tree=cuts(rows, "time_in_hospital", [1, 3, 5, 8, 11], [1, 5, 8])),
    ]


def kinds(rows, name):
    """A column of names that have nothing but `*` above them."""
    return Column(name, QI, tree=[[value, "*"] for value in sorted({row[name] for row in rows} - {"?"})])


QI = "quasi-identifier"

STAY = (
    Column("patient_id", "identifier"),
    Column("visit", "identifier", "integer"),
    Column("admission_date", "identifier", "date", "%Y%m%d"),
)
ENCOUNTER = Column("patient_nbr", "identifier"), Column("encounter_id", "identifier", "integer")
STAY_ORDER = ["admission_date", "visit"]
STAY_DAYS = [0, 4, 8, 15, 31], [0, 8, 31]
# In thousands of dollars; corrections of earlier payments go down to -10.
PAYMENTS = [-10, 2, 4, 6, 8, 10, 15, 20, 30, 40], [-10, 4, 8, 15, 30]

# Infectious diseases hold HIV, hepatitis and tuberculosis; mental disorders hold addictions.
SENSITIVE_CHAPTERS = ["infectious", "neoplasms", "mental"]
# The paper of FCLA protects about 8 % of the visits: these are 8.0 %.
RARE_CHAPTERS = ["mental", "skin", "blood", "congenital", "pregnancy"]
SENSITIVE_WORDS = (
    ("pregnancy", "fetus", "ovum", "miscarriage")
    + ("neoplasm", "malignant", "cancer", "carcinoma")
    + ("overdose", "alzheimer", "stress disorder", "attention deficit", "depress", "suicid", "seizure")
)

# The first code of each chapter of ICD-9.
CHAPTERS = [
    (1, "infectious"),
    (140, "neoplasms"),
    (240, "endocrine"),
    (280, "blood"),
    (290, "mental"),
    (320, "nervous"),
    (390, "circulatory"),
    (460, "respiratory"),
    (520, "digestive"),
    (580, "genitourinary"),
    (630, "pregnancy"),
    (680, "skin"),
    (710, "musculoskeletal"),
    (740, "congenital"),
    (760, "perinatal"),
    (780, "symptoms"),
    (800, "injury"),
]

# Medicare numbers the states by the alphabet; 54 stands for everything else.
STATES = dict(
    enumerate(
        "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH "
        "OK OR PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY other".split(),
        1,
    )
)

# The divisions and regions of the Census Bureau.
DIVISIONS = [
    ("New England", "Northeast", "CT ME MA NH RI VT"),
    ("Middle Atlantic", "Northeast", "NJ NY PA"),
    ("East North Central", "Midwest", "IL IN MI OH WI"),
    ("West North Central", "Midwest", "IA KS MN MO NE ND SD"),
    ("South Atlantic", "South", "DE DC FL GA MD NC SC VA WV"),
    ("East South Central", "South", "AL KY MS TN"),
    ("West South Central", "South", "AR LA OK TX"),
    ("Mountain", "West", "AZ CO ID MT NV NM UT WY"),
    ("Pacific", "West", "AK CA HI OR WA"),
    ("outside", "outside", "PR VI other"),
]
STATE_TREE = [[state, division, region, "*"] for division, region, states in DIVISIONS for state in states.split()]

CLASS_TREE = [
    ["wellness", "planned", "*"],
    ["ambulatory", "planned", "*"],
    ["outpatient", "planned", "*"],
    ["urgentcare", "urgent", "*"],
    ["emergency", "urgent", "*"],
    ["inpatient", "inpatient", "*"],
]


def read(data, name, person, most, least=1, greatest=None):
    """The rows of those people who have at least `least`, and at most `greatest` where that is given; with `most`, only of the first
    `most` people."""
    with gzip.open(os.path.join(data, name), "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    counts = Counter(row[person] for row in rows)
    people = [name for name, count in counts.items() if least <= count <= (greatest or count)]
    kept = set(people[:most])
    return [row for row in rows if row[person] in kept]


def chapter(code):
    """The chapter of ICD-9 that a code of three characters belongs to."""
    if not code.isdigit():
        return {"V": "supplementary", "E": "external causes"}.get(code[:1], "unknown")
    return [name for first, name in CHAPTERS if first <= int(code)][-1]


def number(rows, person, order, keys):
    """Sorts the rows by person and `keys` (equal ones stay as they are) and counts each person's visits in the new
    column `visit`. Returns how many visits have the same values in `order` as an earlier one of the same person."""
    rows.sort(key=lambda row: [row[key] for key in (person, *keys)])
    counts = {}
    for row in rows:
        counts[row[person]] = counts.get(row[person], 0) + 1
        row["visit"] = counts[row[person]]
    return repeated(rows, (person, *order))


def repeated(rows, keys):
    return len(rows) - len({tuple(row[key] for key in keys) for row in rows})


def spans(values, origin, widths):
    """A line for each number between the least and the greatest value; level by level intervals of these widths, each a
    multiple of the one before, the first of them from `origin`."""
    lines = []
    for value in range(min(values), max(values) + 1):
        starts = [(value - (value - origin) % width, width) for width in widths]
        lines.append([value, *(f"{start}-{start + width - 1}" for start, width in starts), "*"])
    return lines


def calendar(rows, name):
    """A line for each day that occurs: its month and its year."""
    return [[day, day[:7], day[:4], "*"] for day in sorted({row[name] for row in rows})]


def numbers(rows, name):
    return [int(row[name]) for row in rows if str(row[name])]


def cuts(rows, name, *levels):
    """A line for each number up to the greatest value; level by level intervals that start at these numbers."""
    last = max(numbers(rows, name))

    def interval(value, starts):
        start = max(s for s in starts if s <= value)
        end = min((s - 1 for s in starts if s > value), default=last)
        return f"{start}-{min(end, last)}"

    return [[value, *(interval(value, starts) for starts in levels), "*"] for value in range(levels[0][0], last + 1)]


def write(folder, columns, rows, ties, order, sensitive_values, k, promise="c = 0.7"):
    """Writes visits.csv (a missing value is `?`), a hierarchy for each column that has one, and policy.toml."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "visits.csv"), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(column.name for column in columns)
        out.writerows([str(row[column.name]) or "?" for column in columns] for row in rows)
    person, sensitive = columns[0].name, columns[-1].name
    text = ["version = 1", "", "[data]", 'shape = "sequences"', 'source = "visits.csv"']
    text += [f'id = "{person}"', f"order = [{quoted(order)}]"]
    for column in columns:
        text += ["", f"[columns.{column.name}]", f'role = "{column.role}"', f'kind = "{column.kind}"']
        if column.format:
            text.append(f'format = "{column.format}"')
        if column.tree:
            text.append(f'hierarchy = "{column.name}.csv"')
            with open(os.path.join(folder, f"{column.name}.csv"), "w") as file:
                file.writelines(";".join(map(str, line)) + "\n" for line in column.tree)
    present = {row[sensitive] for row in rows}
    values = [value for value in sensitive_values if value in present]
    text += ["", "[privacy]", f"k = {k}", promise, f"sensitive-values = [{quoted(values)}]"]
    policy = os.path.join(folder, "policy.toml")
    with open(policy, "w") as file:
        file.write("\n".join(text) + "\n")
    people = {row[person] for row in rows}
    struck = [row[person] for row in rows if row[sensitive] in values]
    shares = len(set(struck)) / len(people), len(struck) / len(rows)
    return Prepared(policy, k, len(people), len(rows), ties, *shares)


def quoted(texts):
    return ", ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts)
