"""Delay-free anonymization of streams (Kim, Sung and Chung, J. Biomedical Informatics 50, 2014): figures 3 to 10.

Adult is the paper's own data set. Its medical stream (NPS, one day of Korean patients) is not public: 57,336 hospital stays of CMS's synthetic DE-SynPUF stand in for it, in order of admission. ABM-n, the
accumulation-based method with δ = 10^n, is `castle` with the paper's rules. A tuple's time until it leaves is computed from two things that do not depend on what else the machine does: the CPU
seconds per tuple, and how many further tuples came before it left."""

import json
import os
import statistics
from collections import Counter, defaultdict
from typing import NamedTuple

import stream_data
from figures import Figure, options, write_table
from measured_runs import at
from measured_streams import castle, measure, mode, published, stream

DATA = os.environ["DATA"]
L = 5, 10, 15, 20, 25
# The trees of ARX for the categorical columns of Adult.
TREES = {"workclass": "workclass", "marital": "marital-status", "race": "race", "sex": "sex", "native-country": "native-country"}
START = {}  # The CPU seconds of starting the program, once they are measured.
WINDOWS = 100


class Source(NamedTuple):
    """A data set of the paper, or what stands in for it."""

    name: str
    rows: list
    quasi: list
    """The quasi-identifiers in the paper's order: Adult-5 has the first five."""
    sensitive: list
    integers: list
    trees: dict
    """The files of the taxonomy trees; a column without one is published as ranges or sets."""

    def prepare(self, quasi=None, tuples=None):
        """A stream of the first tuples with the first quasi-identifiers; each tuple carries its number, which stands first in what is published."""
        names = self.quasi[:quasi]
        roles = {"number": "insensitive", **dict.fromkeys(names, "quasi-identifier"), **dict.fromkeys(self.sensitive, "sensitive")}
        rows = ({"number": f"{number:08}", **row} for number, row in enumerate(self.rows[:tuples]))
        return stream_data.write(at(f"{self.name}-{quasi}-{tuples}"), rows, roles, dict.fromkeys(self.integers, "integer"))

    def value(self, row):
        return "|".join(row[name] for name in self.sensitive)


def adult():
    """As in the paper's table 1: education is a number, an unknown value is a value."""
    rows = [{**row, "age": int(row["age"]), "education": int(row["education-num"])} for row in stream_data.adult_rows(DATA)]
    trees = {name: tree(name, known) for name, known in TREES.items()}
    return Source("Adult", rows, stream_data.ADULT_QUASI, ["salary", "occupation"], ["age", "education"], trees)


def tree(name, known):
    """A tree of ARX's, and beside its values the unknown one, which theirs lack."""
    with open(os.path.join(DATA, f"adult/adult_hierarchy_{known}.csv")) as file:
        lines = file.read().splitlines()
    unknown = ";".join(["?", *["Unknown"] * (lines[0].count(";") - 1), "*"])
    with open(at(f"tree-{name}.csv"), "w") as file:
        file.write("\n".join([*lines, unknown]) + "\n")
    return file.name


def stays():
    """For the paper's table 2: year of birth (age), length of stay, sex, state (location of the hospital), race (admission route), and the whole ICD-9 code of the main diagnosis (disease)."""
    rows = [row for row in stream_data.read(DATA, "synpuf/synpuf_inpatient_visits_s01-10.csv.gz") if row["primary_icd9"]]
    rows.sort(key=lambda row: row["admission_date"])
    for row in rows:
        # Without a letter 01890 and 1890, two diseases, would be the same number.
        row["disease"] = f"ICD {row['primary_icd9']}"
    quasi = ["birth_year", "length_of_stay", "sex", "state", "race"]
    return Source("Stays", rows, quasi, ["disease"], ["birth_year", "length_of_stay"], {})


class Measured(NamedTuple):
    micros: float
    """CPU microseconds from a tuple's arrival until it leaves, if tuples come as fast as they are taken."""
    wait: float
    """How many further tuples came before it left, in the mean."""
    quasi_loss: float
    values_loss: float
    """The sensitive attribute's loss (equation 6): of the values in the tuple's class or group."""
    published_loss: float
    """The same where a value that is published beside its tuple loses nothing."""
    columns: int

    @property
    def loss(self):
        """Equation 7."""
        return (self.columns * self.quasi_loss + self.values_loss) / (self.columns + 1)

    @property
    def loss_as_published(self):
        return (self.columns * self.quasi_loss + self.published_loss) / (self.columns + 1)


def methods(l=10):
    """The methods of figures 3 to 6: their settings for a prepared stream, and how long a tuple may wait."""
    found = {"DF": (lambda made: mode(l, made, "paper"), 0)}
    for n in range(1, 5):
        found[f"ABM-{n}"] = (lambda made, delta=10**n: [*castle(l, delta, "paper", reuse=True), f"privacy.l={l}"], 10**n)
    return found


def delay_free(made, sets, columns, runs=3):
    """A method that lets every tuple leave at once; the quickest of some runs, since each takes a fraction of a second."""
    out, _ = published(made, sets)
    found = measure(made, sets, out)["loss"]
    micros = min(seconds_of(stream(made, sets)) for _ in range(runs)) * 1e6 / made.tuples
    lost = (columns + 1) * found["il"] - columns * found["il-quasi"]
    return Measured(micros, 0, found["il-quasi"], lost, lost, columns)


def accumulating(source, made, sets, columns, delta, trees=True):
    """A method that lets tuples wait; its categories are generalized along trees where there are some, as in the paper, or to sets."""
    if trees:
        sets = [*sets, *(f"columns.{name}.hierarchy={source.trees[name]}" for name in source.quasi[:columns] if name in source.trees)]
    out, run = published(made, sets)
    found = measure(made, sets, out)["loss"]
    wait, values_loss, suppressed = left(out, source.sensitive, delta, made.tuples)
    micros = seconds_of(run) * 1e6 / made.tuples * (1 + wait)
    return Measured(micros, wait, found["il-quasi"], values_loss, suppressed, columns)


def seconds_of(run):
    """The CPU seconds of a stream without those of starting the program."""
    return run.cpu - START["seconds"]


def left(out, sensitive, delta, tuples):
    """The mean number of tuples that came before one left, the mean loss of the sensitive attribute, and the share of tuples of which nothing is shown.

    What leaves together contains the oldest tuple that waits, whose time is up after δ further ones; the lines of a message are sorted, here by number. So a line with the number of the oldest begins a message."""
    gone, oldest, now, waited, last = bytearray(tuples + 1), 0, 0, 0, tuples - 1
    classes, sizes, suppressed = defaultdict(set), Counter(), 0
    with open(out) as file:
        for text in file:
            row = json.loads(text)
            shown = row["number"] != "*"
            if shown:
                number = int(row.pop("number"))
                value = tuple(row.pop(name) for name in sensitive)
                box = tuple(row.values())
                classes[box].add(value)
                sizes[box] += 1
            else:
                suppressed += 1
                if oldest + delta >= last:
                    continue  # Which of those that leave at the end it was does not matter.
                # Before, it is the one whose time is up.
                number = oldest
            if number == oldest or oldest + delta >= last:
                now = min(oldest + delta, last)
            if gone[number] or not 0 <= now - number <= delta:
                raise SystemExit(f"{out}: tuple {number} left twice, or not between its arrival and {delta} tuples later")
            waited, gone[number] = waited + now - number, 1
            while gone[oldest]:
                oldest += 1
    waited += sum(last - number for number in range(tuples) if not gone[number])
    lost = sum(sizes[box] * (len(values) - 1) / len(values) for box, values in classes.items())
    return waited / tuples, (lost + suppressed) / tuples, suppressed / tuples


def figures_3_and_4(source, panel, counts, quick):
    """Time and loss by the number of quasi-identifiers."""
    time = Figure(f"df-fig3{panel}", f"Figure 3 ({panel}): time per tuple, {source.name}", "quasi-identifiers", "CPU µs until it leaves", log_up=True)
    loss = Figure(f"df-fig4{panel}", f"Figure 4 ({panel}): information loss, {source.name}", "quasi-identifiers", "IL (equation 7)")
    readings = Figure("df-fig4-readings", "Figure 4 (a), read in other ways", "quasi-identifiers", "IL")
    lines = []
    for count in counts:
        made = source.prepare(count)
        for name, (settings, delta) in methods().items():
            found = accumulating(source, made, settings(made), count, delta) if delta else delay_free(made, settings(made), count)
            time.add(name, count, found.micros)
            loss.add(name, count, found.loss)
            if count == counts[-1]:
                lines.append(described(source, name, found))
            if name in ("DF", "ABM-2") and source.trees:
                kind = ", trees" if delta else ""
                readings.add(f"{name}{kind}", count, found.loss)
                if delta:
                    sets = accumulating(source, made, settings(made), count, delta, trees=False)
                    readings.add(f"{name}, sets", count, sets.loss)
                    readings.add(f"{name}, trees, values as published", count, found.loss_as_published)
                    readings.add(f"{name}, sets, values as published", count, sets.loss_as_published)
        hardened = delay_free(made, mode(10, made, "uniform"), count)
        time.add("DF, hardened (ours)", count, hardened.micros)
        nearest = accumulating(source, made, [*castle(10, 100, reuse=False), "privacy.l=10"], count, 100)
        time.add("castle (ours), δ = 100", count, nearest.micros)
        loss.add("castle (ours), δ = 100", count, nearest.loss)
    lines += [described(source, "DF, hardened (ours)", hardened), described(source, "castle (ours), δ = 100", nearest)]
    # What it costs that nobody leaves alone into a class that is out already.
    for name, rules, reuse in (("ABM-2, no reuse", "paper", False), ("castle (ours), δ = 100, reuse", "nearest", True)):
        found = accumulating(source, made, [*castle(10, 100, rules, reuse), "privacy.l=10"], count, 100)
        lines.append(described(source, name, found))
    for figure in (time, loss, *([readings] if source.trees else [])):
        figure.write(quick)
    return lines


def described(source, name, found):
    parts = found.micros / (1 + found.wait), found.wait, found.micros, found.quasi_loss, found.values_loss, found.loss, found.loss_as_published
    return (source.name, name, *(f"{part:.5g}" for part in parts))


def figures_5_and_6(source, panel, quasi, sizes, quick):
    """Time and loss by the number of records."""
    title = f"{source.name}-{quasi}"
    time = Figure(f"df-fig5{panel}", f"Figure 5 ({panel}): time per tuple, {title}", "records", "CPU µs until it leaves", log_up=True)
    loss = Figure(f"df-fig6{panel}", f"Figure 6 ({panel}): information loss, {title}", "records", "IL (equation 7)")
    for size in sizes:
        made = source.prepare(quasi, size)
        for name, (settings, delta) in methods().items():
            found = accumulating(source, made, settings(made), quasi, delta) if delta else delay_free(made, settings(made), quasi)
            time.add(name, made.tuples, found.micros)
            loss.add(name, made.tuples, found.loss)
    time.write(quick)
    loss.write(quick)


def figures_7_and_8(sources, tuples, quick):
    """DF by l: time, loss, and uncertainty as the stream goes on."""
    time = Figure("df-fig7a", "Figure 7 (a): time per tuple by l", "l", "CPU µs per tuple")
    loss = Figure("df-fig7b", "Figure 7 (b): information loss by l", "l", "IL (equation 7)")
    lines = []
    for panel, source in zip("ab", sources):
        curve = Figure(f"df-fig8{panel}", f"Figure 8 ({panel}): uncertainty, {source.name}", "T, tuples", "SAU (equation 8)")
        made, count = source.prepare(tuples=tuples), len(source.quasi)
        for l in L:
            sets = mode(l, made, "paper")
            found = delay_free(made, sets, count, runs=15)
            time.add(source.name, l, found.micros)
            loss.add(source.name, l, found.loss)
            out, run = published(made, sets)
            points = list(uncertainty(out, made.tuples // 50))
            for number, value in points:
                curve.add(f"l = {l}", number, value)
            figures = run.figures["sau"], run.figures["sau-bound"], 1 - 1 / l
            lines.append((source.name, l, *(f"{figure:.4f}" for figure in figures), settled(points), *announced(out)))
        curve.write(quick)
    time.write(quick)
    loss.write(quick)
    head = "data", "l", "SAU at the end", "no method below", "without late validation", "within 0.02 of the end from T", "groups", "lines per tuple"
    write_table("df-sau", "Uncertainty at the end", head, lines, quick)


def uncertainty(out, step):
    """SAU after every so many tuples: of the values announced so far, those that nobody has made true."""
    announced = came = 0
    with open(out) as file:
        for text in file:
            row = json.loads(text)
            if "value" in row:
                announced += row["count"]
                continue
            came += 1
            if came % step == 0:
                yield came, (announced - came) / announced


def announced(out):
    """How many groups there are, and how many lines were published for each tuple."""
    groups, lines, tuples = set(), 0, 0
    with open(out) as file:
        for text in file:
            row = json.loads(text)
            groups.add(row["group"])
            lines, tuples = lines + 1, tuples + ("value" not in row)
    return len(groups), f"{lines / tuples:.3f}"


def settled(points):
    """From which point on SAU stays within 0.02 of what it is at the end."""
    far = [number for number, value in points if abs(value - points[-1][1]) > 0.02]
    return max(far, default=0)


class Query(NamedTuple):
    """A monitoring query: which values, which other conditions, and the mean error that the paper gives."""

    name: str
    values: set
    where: dict
    paper: float


def queries(source):
    """The paper's three of a data set. Its list of epidemic diseases is not in the paper: here the first chapter of ICD-9, infectious and parasitic diseases."""
    if source.name == "Adult":
        sales = {"<=50K|Sales"}
        sex, marital = {"sex": "Female"}, {"marital": "Divorced"}
        return [Query("D1", sales, {}, 2.59), Query("D2", sales, sex, 1.47), Query("D3", sales, {**sex, **marital}, 0.77)]
    epidemic = {row["disease"] for row in source.rows if "001" <= row["primary_icd9"][:3] <= "139"}
    place = {"state": "05"}
    return [Query("M1", epidemic, {}, 0.58), Query("M2", epidemic, place, 0.47), Query("M3", epidemic, {**place, "sex": "1"}, 0.42)]


def monitored(source, made, out, sets, query):
    """The true and the estimated counts of all windows."""
    asked = ["--windows", str(WINDOWS)]
    asked += [word for value in sorted(query.values) for word in ("--value", value)]
    asked += [word for condition in query.where.items() for word in ("--where", "=".join(condition))]
    estimates = [0.0] * WINDOWS
    for window in measure(made, sets, out, *asked)["counts"]:
        estimates[window["window"]] = sum(count["count"] for count in window["counts"])
    truths, width = [0] * WINDOWS, -(-made.tuples // WINDOWS)
    for number, row in enumerate(source.rows[: made.tuples]):
        fits = source.value(row) in query.values and all(row[name] == value for name, value in query.where.items())
        truths[number // width] += fits
    return truths, estimates


def error(truths, estimates):
    return sum(abs(true - estimate) for true, estimate in zip(truths, estimates)) / len(truths)


def figures_9_and_10(source, figure, tuples, quick):
    """The monitoring queries at l = 10."""
    made, lines = source.prepare(tuples=tuples), []
    modes = {"paper": mode(10, made, "paper"), "hardened, uniform": mode(10, made, "uniform")}
    outs = {}
    for number, (name, sets) in enumerate(modes.items()):
        outs[name] = at(f"monitored-{number}")
        os.replace(published(made, sets)[0], outs[name])
    for panel, query in zip("abc", queries(source)):
        plot = Figure(f"df-fig{figure}{panel}", f"Figure {figure} ({panel}): query {query.name}", "window", "tuples")
        errors, followed = {}, []
        for name, sets in modes.items():
            truths, estimates = monitored(source, made, outs[name], sets, query)
            errors[name] = error(truths, estimates)
            followed.append(statistics.correlation(truths, estimates))
            if name == "paper":
                for window in range(WINDOWS):
                    plot.add("original", window, truths[window])
                    plot.add("DF", window, estimates[window])
        plot.write(quick)
        mean = sum(truths) / WINDOWS
        constant = error(truths, [mean] * WINDOWS)
        figures = *errors.values(), constant, mean, *followed
        lines.append((query.name, query.paper, *(f"{figure:.3f}" for figure in figures)))
    return lines


def by_length(source, lengths, quick):
    """The errors of D1 to D3 by the number of tuples in a window, which the paper does not give."""
    plot = Figure("df-fig9-length", "Queries D1 to D3: mean error by window size", "tuples per window", "mean error of a count")
    for length in lengths:
        made = source.prepare(tuples=length)
        sets = mode(10, made, "paper")
        out, _ = published(made, sets)
        for query in queries(source):
            truths, estimates = monitored(source, made, out, sets, query)
            width = -(-length // WINDOWS)
            plot.add(f"{query.name}, DF", width, error(truths, estimates))
            plot.add(f"{query.name}, mean of all windows", width, error(truths, [sum(truths) / WINDOWS] * WINDOWS))
    plot.write(quick)


def main():
    quick = options(__doc__).quick
    tuples = 3000 if quick else None
    sources = adult(), stays()
    if quick:
        sources = [source._replace(rows=source.rows[:tuples]) for source in sources]
    START["seconds"] = min(stream(sources[0].prepare(), castle(10, 100), 1).cpu for _ in range(5))
    lines = []
    for source, panel, quasi, sizes in zip(sources, "ab", (5, 4), ((5000, 10000, 20000, 30000), (10000, 20000, 40000, 57336))):
        counts = range(1, len(source.quasi) + 1)
        lines += figures_3_and_4(source, panel, counts[-1:] if quick else counts, quick)
        figures_5_and_6(source, panel, quasi, (1000,) if quick else sizes, quick)
    head = "data", "method", "CPU µs per tuple", "mean wait, tuples", "µs until it leaves", "loss of the quasi-identifiers", "loss of the sensitive value", "IL (equation 7)", "IL, values as published"
    write_table("df-methods", "All quasi-identifiers, l = 10", head, lines, quick)
    figures_7_and_8(sources, tuples, quick)
    lines = [line for source, figure in zip(sources, (9, 10)) for line in figures_9_and_10(source, figure, tuples, quick)]
    head = "query", "paper", "DF", "hardened, uniform", "mean of all windows", "true count, mean", "correlation of DF with the truth", "of hardened"
    write_table("df-queries", "Mean errors of the monitoring queries", head, lines, quick)
    by_length(sources[0], (1000,) if quick else (5000, 10000, 14000, 20000, 26000, 32561), quick)


main()
