"""Similarity-based clustering (M. R. Sarrafi Aghdam's thesis, 2016): figure 4-2 and tables 4-1 and 4-2, on 5,000 tuples of Adult.

The ISP data of figures 4-3 and 4-4 are not public, and nothing stands in for them. The thesis ran Mondrian, Incognito and Datafly in the UTD Anonymization Toolbox: its hierarchies
are those of the thesis' appendix; two of its rules that our program does not have (Mondrian's regions, Incognito's choice) are modelled here, and their files are verified and measured by our
program like all others."""

import csv
import functools
import itertools
import os
from collections import Counter
from types import SimpleNamespace

import stream_data
from figures import Figure, options, write_table
from measured_runs import at, run
from measured_streams import measure, verify

QUASI = "age", "sex", "native-country"
K = 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100
# Tables 4-1 and 4-2 of the thesis: how many different combinations of quasi-identifiers were published, by k.
UNIQUE = {
    "SBC": {2: 582, 50: 100, 100: 50},
    "Mondrian": {2: 209, 50: 42, 100: 35},
    "Incognito": {2: 22, 50: 4, 100: 4},
    "Datafly": {2: 16, 50: 4, 100: 4},
}

# The configuration of the toolbox in the thesis' appendix: countries in the order of their codes, and intervals of codes and of years from the finest level to the coarsest. A bound that
# two intervals share belongs to the first, as in the toolbox.
COUNTRIES = (
    "United-States Outlying-US(Guam-USVI-etc) Canada Mexico Honduras Guatemala Nicaragua El-Salvador Ecuador Peru Columbia Caribbean Puerto-Rico Dominican-Republic Jamaica Cuba Haiti "
    "Trinadad&Tobago France England Ireland Scotland Holand-Netherlands Italy Greece Portugal Yugoslavia Hungary Germany Poland Philippines Thailand Cambodia Vietnam Laos India Japan "
    "China South Hong Taiwan Iran"
).split()
CODES = {
    "age": {str(years): years for years in range(101)},
    "sex": {"Female": 0, "Male": 1},
    "native-country": {name: code for code, name in enumerate(COUNTRIES)},
}
LEVELS = {
    "age": [
        [(low, low + 10) for low in range(0, 100, 10)],
        [(0, 20), (20, 50), (50, 70), (70, 100)],
        [(0, 50), (50, 100)],
        [(0, 100)],
    ],
    "sex": [[(0, 1)]],
    "native-country": [
        [(0, 2), (3, 7), (8, 10), (11, 17), (18, 22), (23, 25), (26, 29), (30, 34), (35, 35), (36, 40), (41, 41)],
        [(0, 7), (8, 17), (18, 29), (30, 41)],
        [(0, 41)],
    ],
}


def thesis_rows(complete=True):
    """The thesis' 5,000 tuples as far as we can tell: the first of Adult in which no value at all is missing, or only no country."""
    missing = lambda row: "?" in (row.values() if complete else [row["native-country"]])
    known = itertools.islice((row for row in stream_data.adult_rows(os.environ["DATA"]) if not missing(row)), 5000)
    return [tuple(row[name] for name in (*QUASI, "salary")) for row in known]


def path(name, value):
    """The intervals above a value, from the finest to the coarsest."""
    low = high = CODES[name][value]
    found = []
    for level in LEVELS[name]:
        low, high = next((a, b) for a, b in level if a <= low and high <= b)
        found.append(f"{name} {low} to {high}")
    return found


def prepare(rows, folder):
    """The tuples as a file, and two policies: without hierarchies, and with those of the thesis."""
    os.makedirs(at(folder), exist_ok=True)
    source = at(f"{folder}/tuples.csv")
    write_rows(source, rows)
    for name, values in zip(QUASI, zip(*rows)):
        with open(at(f"{folder}/{name}.csv"), "w") as file:
            file.writelines(";".join([value, *path(name, value)]) + "\n" for value in sorted(set(values), key=CODES[name].get))
    made = {}
    for policy, trees in (("plain", ()), ("trees", QUASI)):
        text = ["version = 1", "[data]", 'shape = "table"', 'source = "tuples.csv"']
        for name in QUASI:
            text += [f"[columns.{name}]", 'role = "quasi-identifier"', *(['kind = "integer"'] if name == "age" else [])]
            text += [f'hierarchy = "{name}.csv"'] if name in trees else []
        text += ["[columns.income]", 'role = "sensitive"', "[privacy]", "k = 2"]
        made[policy] = SimpleNamespace(policy=at(f"{folder}/{policy}.toml"), lines=source)
        with open(made[policy].policy, "w") as file:
            file.write("\n".join(text) + "\n")
    return made


def write_rows(file_path, rows):
    with open(file_path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([(*QUASI, "income"), *rows])


def ours(made, algorithm, k, *sets):
    """Loss in % and the number of classes of a run of our program, verified."""
    found = run(made.policy, f"privacy.k={k}", f"algorithm.name={algorithm}", *sets)
    return 100 * found["loss"]["ncp"], found["classes"]


def modelled(made, rows, k):
    """The same of rows that a model below has published: verified and measured by our program, too."""
    out, asked = at("modelled.csv"), [f"privacy.k={k}"]
    write_rows(out, rows)
    verify(made, asked, out)
    return 100 * measure(made, asked, out)["loss"]["ncp"], len({row[:-1] for row in rows})


def toolbox_mondrian(rows, k, shrink=False, male_first=False):
    """Mondrian by the toolbox's rules: a region starts as the whole domain of the configuration (ages 0 to 100, not those that occur), is cut at the median of the widest column that
    can be cut, and is published as it is, unless it is to `shrink` to the tuples inside. Columns are as wide as their codes differ; Female is 0 and Male 1, or the other way round."""
    codes_of = {**CODES, "sex": {"Male": 0, "Female": 1}} if male_first else CODES
    code = lambda row, column: codes_of[QUASI[column]][row[column]]
    whole = [levels[-1][0] for levels in LEVELS.values()]
    waiting, done = [(whole, rows)], []
    while waiting:
        region, inside = waiting.pop()
        cuts = []
        for column, ((low, high), (least, most)) in enumerate(zip(region, whole)):
            codes = sorted(code(row, column) for row in inside)
            median = codes[(len(codes) - 1) // 2]
            below = sum(one <= median for one in codes)
            # What is up to the median goes one way and the rest the other: nothing is left where the median is the highest code.
            # A region of one code has no width, and cannot be cut.
            if min(below, len(codes) - below) >= k and high > low:
                cuts.append(((high - low) / (most - least), -column, median))
        if not cuts:
            done.append((region, inside))
            continue
        # The widest; the first of several.
        _, column, median = max(cuts)
        column = -column
        low, high = region[column]
        for bounds, lower in (((low, median), True), ((median, high), False)):
            half = [row for row in inside if (code(row, column) <= median) == lower]
            waiting.append(([*region[:column], bounds, *region[column + 1 :]], half))
    known = [set(values) for values in zip(*rows)][:-1]
    recoded = []
    for region, inside in done:
        # The lower bound of a region belongs to it only where nothing was cut off there.
        covered = [
            [value for value in values if low + (low > least) <= codes_of[name][value] <= high]
            for name, (low, high), (least, _), values in zip(QUASI, region, whole, known)
        ]
        recoded += as_class(list(zip(*inside))[:-1] if shrink else covered, inside)
    return recoded


def as_class(values, members):
    """The members as published: ages as the range of these values, the others as the set of them."""
    cells = []
    for name, found in zip(QUASI, map(set, values)):
        ages = sorted(map(int, found)) if name == "age" else []
        several = f"[{ages[0]}, {ages[-1]}]" if ages else "{" + ", ".join(sorted(found)) + "}"
        cells.append(several if len(found) > 1 else found.pop())
    return [(*cells, row[-1]) for row in members]


def toolbox_incognito(rows, k):
    """Incognito by the toolbox's rule: of all generalizations that keep k, the one with the most classes; the lowest among equals. Nobody is left out."""
    points, best, classes = Counter(row[:-1] for row in rows), None, 0
    heights = [range(len(levels) + 1) for levels in LEVELS.values()]
    for levels in sorted(itertools.product(*heights), key=sum):
        sizes = Counter()
        for point, count in points.items():
            sizes[recoded(point, levels)] += count
        if min(sizes.values()) >= k and len(sizes) > classes:
            best, classes = levels, len(sizes)
    return [(*recoded(row[:-1], best), row[-1]) for row in rows]


@functools.lru_cache(maxsize=None)
def recoded(point, levels):
    return tuple([value, *path(name, value)][level] for name, value, level in zip(QUASI, point, levels))


def literal_sbc(rows, k, order):
    """The thesis' algorithm, word for word and slowly, on tuples sorted by these columns (`None`: as in the file), which the thesis leaves open. It shares nothing with the program's."""
    ages = [int(row[0]) for row in rows]
    countries, span = sorted({row[2] for row in rows}), max(ages) - min(ages)
    waiting = sorted(rows, key=lambda row: [int(row[column]) if column == 0 else row[column] for column in order]) if order else rows
    # Equal tuples are one point, and those that come first leave first.
    points = {}
    for number, row in enumerate(waiting):
        points.setdefault(row[:-1], []).append(number)
    table, left, classes = Counter(row[1:3] for row in rows), set(range(len(rows))), []
    for number, seed in enumerate(waiting):
        if number not in left or len(left) < k:
            continue
        counts = {country: table[seed[1], country] for country in countries}
        if sum(counts.values()) < k:
            counts = {country: sum(table[sex, country] for sex in CODES["sex"]) for country in countries}
        others = sorted(set(countries) - {seed[2]}, key=lambda name: (abs(counts[name] - counts[seed[2]]), -counts[name], name))
        index = {name: place for place, name in enumerate([seed[2], *others])}

        def distance(point):
            age, sex, country = point
            return abs(int(age) - int(seed[0])) / span + (sex != seed[1]) + index[country] / (len(countries) - 1)

        members = []
        for point in sorted((point for point, numbers in points.items() if numbers), key=lambda one: (distance(one), points[one][0])):
            taken = points[point][: k - len(members)]
            points[point] = points[point][len(taken) :]
            table[point[1:]] -= len(taken)
            members += taken
            if len(members) == k:
                break
        left -= set(members)
        classes.append(members)
    # Fewer than k are left: they join the last class.
    classes[-1] += left
    classes = [[waiting[number] for number in members] for members in classes]
    return [row for members in classes for row in as_class(list(zip(*members))[:-1], members)]


def figure_4_2(made, rows, ks, quick):
    """Loss and utility of the four algorithms of the thesis as it ran them, and of ours."""
    loss = Figure("sbc-fig4-2a", "Figure 4-2 (a): loss by k", "k", "total NCP, %")
    utility = Figure("sbc-fig4-2b", "Figure 4-2 (b): utility by k", "k", "utility, %")
    fair = Figure("sbc-fig4-2-fair", "The same tuples, Mondrian with tight ranges", "k", "total NCP, %")
    classes = {}
    for k in ks:
        found = {
            "SBC": ours(made["plain"], "sbc", k),
            "Mondrian": modelled(made["plain"], toolbox_mondrian(rows, k), k),
            "Incognito": modelled(made["trees"], toolbox_incognito(rows, k), k),
            "Datafly": ours(made["trees"], "datafly", k),
            "ribbon (ours)": ours(made["plain"], "ribbon", k),
        }
        for name, (lost, count) in found.items():
            loss.add(name, k, lost)
            utility.add(name, k, 100 - lost)
            classes[name, k] = count
        fair.add("SBC", k, found["SBC"][0])
        fair.add("SBC, sorted by age", k, modelled(made["plain"], literal_sbc(rows, k, (0, 1, 2)), k)[0])
        fair.add("Mondrian", k, ours(made["plain"], "mondrian", k)[0])
        fair.add("ribbon (ours)", k, found["ribbon (ours)"][0])
    for figure in (loss, utility, fair):
        figure.write(quick)
    return classes


def figure_mondrian(made, rows, ks, quick):
    """What makes the toolbox's Mondrian lose a third, one difference at a time."""
    figure = Figure("sbc-mondrian", "Where the toolbox's Mondrian loses", "k", "total NCP, %")
    variants = {
        "as in the thesis": {},
        "regions shrink": {"shrink": True},
        "Male coded before Female": {"male_first": True},
        "both": {"shrink": True, "male_first": True},
    }
    for k in ks:
        for name, variant in variants.items():
            figure.add(name, k, modelled(made["plain"], toolbox_mondrian(rows, k, **variant), k)[0])
        figure.add("Shoal's Mondrian", k, ours(made["plain"], "mondrian", k)[0])
    figure.write(quick)


def tables(classes, made, ks, quick):
    """Tables 4-1 and 4-2, and the same on the other tuples that the thesis may have used."""
    rows = thesis_rows(complete=False)[: len(made["rows"])]
    other = prepare(rows, "country-known")
    lines = []
    for name, known in UNIQUE.items():
        for k in (k for k in known if k in ks):
            again = {
                "SBC": lambda: ours(other["plain"], "sbc", k),
                "Mondrian": lambda: modelled(other["plain"], toolbox_mondrian(rows, k), k),
                "Incognito": lambda: modelled(other["trees"], toolbox_incognito(rows, k), k),
                "Datafly": lambda: ours(other["trees"], "datafly", k),
            }[name]()
            lines.append((name, k, known[k], classes[name, k], again[1]))
    head = "algorithm", "k", "thesis", "no value missing", "no country missing"
    write_table("sbc-tables4", "Tables 4-1 and 4-2", head, lines, quick)


def orders(made, rows, ks, quick):
    """What the order of the tuples does to SBC, which the thesis sorts without saying how."""
    names = {"file": None, "sex, country, age (ours)": (1, 2, 0), "age, sex, country": (0, 1, 2), "sex, age, country": (1, 0, 2), "country, sex, age": (2, 1, 0)}
    lines = []
    for name, order in names.items():
        for k in ks:
            lost, count = modelled(made["plain"], literal_sbc(rows, k, order), k)
            lines.append((name, k, f"{lost:.4f}", count))
    write_table("sbc-orders", "SBC by the order of the tuples", ("order", "k", "total NCP, %", "classes"), lines, quick)


def main():
    quick = options(__doc__).quick
    rows = thesis_rows()[: 1000 if quick else 5000]
    made = {**prepare(rows, "complete"), "rows": rows}
    ks = (2, 50) if quick else K
    tables(figure_4_2(made, rows, ks, quick), made, ks, quick)
    figure_mondrian(made, rows, ks, quick)
    orders(made, rows, (50,) if quick else (2, 50, 100), quick)


main()
