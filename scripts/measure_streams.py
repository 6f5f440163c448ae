"""What scripts/measure-streams measures. Only the standard library."""

import argparse
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections import Counter

import stream_data
from measured_runs import at
from measured_streams import best, castle, closed, fed, head, line, measure, mode, published, stream, verify

BENCH, DATA = os.environ["BENCH"], os.environ["DATA"]
ADULT_FILE = os.path.join(DATA, "adult/adult.data.gz")

SAU = {5: 0.006, 10: 0.146, 15: 0.345, 20: 0.501, 25: 0.601}
MONITORING = {
    "D1": ((), 2.59),
    "D2": (("sex=Female",), 1.47),
    "D3": (("sex=Female", "marital=Divorced"), 0.77),
}
MONITORED = (("paper", 10), ("uniform", 10), ("uniform", 9), ("calibrated", 9), ("uniform", 5), ("calibrated", 5))
# A line of the kernels' example.
KERNEL = re.compile(r"^  (\S.*\S) +([\d.]+) million/s(?:, mean +(\d+) ns, 99th percentile (\d+) ns)?", re.M)
KERNEL_BARS = {"hardened, uniform": 1.0, "hardened, calibrated": 1.0, "paper, 10000": 0.5, "paper, 100000": 0.5}


def sau(_quick):
    """Counterfeits on Adult."""
    made = stream_data.adult(DATA, at("adult"))
    print(f"\n### Adult, {made.tuples:,} tuples, {made.values} values, mode paper, each verified\n")
    head("l", "SAU, learned from 1,000", "dead letters", "SAU, all shares given", "bound", "bar", "IL", "verdict")
    for l, bar in SAU.items():
        learned, given = mode(l, made, "paper", 1000), mode(l, made, "paper")
        out, run = published(made, learned)
        found = measure(made, learned, out)
        other = measure(made, given, published(made, given)[0])["loss"]["sau"]
        value, bound = found["loss"]["sau"], found["sau-bound"]
        good = value <= bar + 0.02 and value >= bound
        dead = run.figures["dead-letters"]
        line(l, f"{value:.4f}", dead, f"{other:.4f}", f"{bound:.4f}", bar, f"{found['loss']['il']:.4f}", word(good))


def loss(quick):
    """IL by the number of quasi-identifiers and l."""
    counts = (3, 7) if quick else (1, 3, 5, 7)
    print("\n### IL of mode paper by l and the number of quasi-identifiers (of these alone: the last column)\n")
    head("quasi-identifiers", *(f"l = {l}" for l in SAU), "IL of the quasi-identifiers")
    for quasi in counts:
        made = stream_data.adult(DATA, at(f"adult-{quasi}"), quasi)
        found = []
        for l in SAU:
            sets = mode(l, made, "paper")
            found.append(measure(made, sets, published(made, sets)[0])["loss"])
        line(quasi, *(f"{one['il']:.4f}" for one in found), max(one["il-quasi"] for one in found))


def monitoring(_quick):
    """The paper's queries D1 to D3."""
    made = stream_data.adult(DATA, at("adult"))
    print("\n### Monitoring queries, 100 windows, `<=50K|Sales`: mean error / mean standard error\n")
    head("mode", "l", *(f"{name} (paper {paper})" for name, (_, paper) in MONITORING.items()))
    whole = []
    for name, l in MONITORED:
        sets, first = mode(l, made, name), (name if name == "paper" else f"hardened, {name}", l)
        out, _ = published(made, sets)
        cells, once, counts = [], [], []
        for conditions, _ in MONITORING.values():
            asked = ["--value", "<=50K|Sales", *(word for condition in conditions for word in ("--where", condition))]
            found = measure(made, sets, out, *asked, "--windows", "100")["monitoring"]["<=50K|Sales"]
            cells.append(f"{found['mean-absolute-error']:.2f} / {found['mean-standard-error']:.2f}")
            counts.append(found["mean-count"])
            found = measure(made, sets, out, *asked)["counts"][0]["counts"][0]
            once.append(f"{found['count']:.0f} ± {found['standard-error']:.0f}")
        line(*first, *cells)
        whole.append((*first, *once))
    line("no stream at all, the mean of all windows", "", *constants(made))
    line("true counts, mean", "", *(f"{count:.2f}" for count in counts))
    print("\nThe same over the whole stream as one window: estimate ± standard error\n")
    head("mode", "l", *MONITORING)
    for cells in whole:
        line(*cells)
    line("true counts", "", *(f"{100 * count:.0f}" for count in counts))


def constants(made):
    """The mean error of answering every window with the mean of all, which needs no stream."""
    with open(made.lines) as file:
        tuples = [json.loads(text) for text in file]
    width = -(-len(tuples) // 100)
    for conditions, _ in MONITORING.values():
        wanted = [condition.split("=", 1) for condition in ("salary=<=50K", "occupation=Sales", *conditions)]
        counts = [0] * 100
        for number, row in enumerate(tuples):
            counts[number // width] += all(row[name] == value for name, value in wanted)
        mean = sum(counts) / 100
        yield f"{sum(abs(count - mean) for count in counts) / 100:.2f}"


def kernels(quick):
    """The kernels in memory, on one core."""
    tuples, runs = (100_000, 1) if quick else (5_000_000, 3)
    print(f"\n### In memory, {tuples:,} tuples, l = 10, one core, best of {runs}\n")
    found = {}
    for _ in range(runs):
        command = ["taskset", "-c", "0", BENCH, "algorithms", "delay_free", ADULT_FILE, str(tuples)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for name, speed, *times in KERNEL.findall(text):
            found[name] = max(found.get(name, []), [float(speed), *times])
    head("kernel", "million tuples/s", "bar", "mean ns", "p99 ns", "× reading alone", "verdict")
    for name, (speed, mean, p99) in found.items():
        bar = KERNEL_BARS.get(name)
        times = f"{found['reading alone'][0] / speed:.1f}"
        line(name, f"{speed:.2f}", bar or "", mean, p99, times, word(speed >= bar) if bar else "")


def command(quick):
    """The whole command, from a pipe of NDJSON to NDJSON."""
    made = stream_data.adult(DATA, at("adult"))
    sizes, runs = ((100_000,), 1) if quick else ((1_000_000, 5_000_000), 3)
    asked = [
        ("hardened, uniform, l = 10", mode(10, made, "uniform")),
        ("hardened, calibrated, l = 9", mode(9, made, "calibrated")),
        ("paper, l = 10", mode(10, made, "paper")),
    ]
    print(f"\n### Whole command, a pipe to nowhere, best of {runs}\n")
    floors = speed_table(made, sizes, runs)
    for name, sets in asked:
        for tuples in sizes:
            described(name, best(runs, made, sets, tuples), 150_000, floors[tuples])
        described(f"{name}, one core", best(runs, made, sets, sizes[0], pin=True), 150_000, floors[sizes[0]])
        out = at("many.ndjson")
        run = stream(made, sets, sizes[0], out=out)
        verify(made, sets, out)
        described(f"{name}, to a file, verified, one run", run, 150_000, floors[sizes[0]])
    with_state(made, mode(10, made, "paper"), sizes[0], floors[sizes[0]])


def crowd_command(quick):
    """The whole command with CASTLE, on rows that repeat."""
    made, sizes = stream_data.adult_numbers(DATA, at("numbers")), (100_000,) if quick else (1_000_000, 5_000_000)
    print("\n### Whole command, CASTLE, k = 10, δ = 100, a pipe to nowhere, one run each\n")
    floors = speed_table(made, sizes, 1)
    few = sizes[0]
    for reuse in (False, True):
        name = f"castle, reuse = {'true' if reuse else 'false'}"
        asked = castle(10, 100, reuse=reuse)
        for tuples in sizes:
            described(name, stream(made, asked, tuples), 20_000, floors[tuples])
        described(f"{name}, one core", stream(made, asked, few, pin=True), 20_000, floors[few])
        paper = castle(10, 100, "paper", reuse)
        described(f"{name}, the paper's rules", stream(made, paper, few), 20_000, floors[few])
        with_state(made, asked, few, floors[few])


def speed_table(made, sizes, runs):
    """The head of a table of speeds, and how long it takes only to move or to count the same bytes."""
    figures = "tuples/s", "bar", "per CPU second", "mean µs", "p99 µs", "peak MiB"
    head("what", "tuples", *figures, "× `cat`", "× `wc -l`", "verdict")
    floor = lambda words, tuples: min(fed(words, made, tuples).seconds for _ in range(runs))
    return {tuples: [floor(words, tuples) for words in (["cat"], ["wc", "-l"])] for tuples in sizes}


def with_state(made, sets, tuples, floors):
    folder = tempfile.mkdtemp(dir=at(""))
    described("the same with a state folder, one run", stream(made, [*sets, f"state.dir={folder}"], tuples), None, floors)


def described(name, run, bar, floors):
    figures = run.figures
    micros = [f"{figures[key] * 1e6:.2f}" for key in ("mean-seconds-per-tuple", "p99-seconds-per-tuple")]
    cells = [f"{run.speed:,.0f}", f"{bar:,}" if bar else "", f"{run.speed_cpu:,.0f}", *micros, f"{run.peak / 2**20:.1f}"]
    cells += [f"{run.seconds / floor:.0f}" for floor in floors]
    line(name, f"{run.tuples:,}", *cells, word(run.speed >= bar) if bar else "")


def growth(quick):
    """Cost and memory as the stream grows."""
    made = stream_data.adult(DATA, at("adult"))
    sizes = (10**4, 10**5) if quick else (10**5, 10**6, 10**7)
    print("\n### Cost and memory as the stream grows, l = 10, whole command\n")
    head("mode", "tuples", "µs a tuple", "CPU µs a tuple", "peak MiB", "groups open", "given up", "SAU")
    for name in ("uniform", "paper"):
        for tuples in sizes:
            run = best(3 if tuples < 10**7 else 1, made, mode(10, made, name), tuples)
            kernel = [run.figures.get(key, "") for key in ("groups-open", "groups-given-up")]
            kernel += [f"{run.figures['sau']:.4f}" if "sau" in run.figures else ""]
            micros = f"{1e6 / run.speed:.2f}", f"{1e6 / run.speed_cpu:.2f}"
            line(name, f"{tuples:,}", *micros, f"{run.peak / 2**20:.1f}", *kernel)


def crowds(quick):
    """CASTLE on the six numeric columns of Adult."""
    made = stream_data.adult_numbers(DATA, at("numbers"))
    print("\n### CASTLE on six numeric columns of Adult, each verified\n")
    head("reuse", "δ", "rules", "k", "IL", "bar", "suppressed", "crowds", "tuples per CPU second", "verdict")
    for reuse, delta, bar in ((r, *d) for r in (False, True) for d in ((100, 0.18), (1000, 0.114))):
        for rules in ("nearest", "paper"):
            for k in (10,) if quick else (5, 10, 50):
                sets = castle(k, delta, rules, reuse)
                out, run = published(made, sets)
                il = measure(made, sets, out)["loss"]["il-quasi"]
                asked = bar if k == 10 else None
                figures = [run.figures["suppressed"], run.figures["classes"], f"{run.speed_cpu:,.0f}"]
                line(reuse, delta, rules, k, f"{il:.4f}", asked or "", *figures, word(il <= asked) if asked else "")
    if quick:
        return
    print("\nThe kernel alone (`shoal-bench algorithms castle`), one core:\n")
    command = ["taskset", "-c", "0", BENCH, "algorithms", "castle", ADULT_FILE]
    print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print("Rows that do not repeat, k = 10, whole command:\n")
    head("tuples", "reuse", "rules", "δ", "tuples/s", "per CPU second", "peak MiB", "IL", "crowds")
    for tuples in (100_000, 1_000_000):
        moved = stream_data.adult_numbers(DATA, at(f"moved-{tuples}"), tuples)
        settings = ((r, *d) for r in (False, True) for d in (("nearest", 100), ("nearest", 1000), ("paper", 100)))
        for reuse, rules, delta in settings:
            sets = castle(10, delta, rules, reuse)
            out, run = published(moved, sets)
            il = measure(moved, sets, out)["loss"]["il-quasi"]
            speeds = f"{run.speed:,.0f}", f"{run.speed_cpu:,.0f}"
            line(f"{tuples:,}", reuse, rules, delta, *speeds, f"{run.peak / 2**20:.1f}", f"{il:.4f}", run.figures["classes"])
    for reuse in (False, True):
        run = stream(moved, castle(10, 100, reuse=reuse), 3_000_000)
        speeds = f"{run.speed:,.0f}", f"{run.speed_cpu:,.0f}"
        peak = f"{run.peak / 2**20:.1f}"
        line("3,000,000 (thrice the same)", reuse, "nearest", 100, *speeds, peak, "", run.figures["classes"])


def crowds_of_names(quick):
    """CASTLE where columns are published as sets of names."""
    tuples = 60_000 if quick else 200_000
    made = stream_data.adult_names(DATA, at("names"), tuples)
    print(f"\n### CASTLE on age and eight columns of names, {tuples:,} tuples, k = 10, δ = 100, whole command\n")
    head("reuse", "run", "tuples per CPU second", "bar", "IL", "verdict")
    for reuse in (False, True):
        sets = castle(10, 100, reuse=reuse)
        il = measure(made, sets, published(made, sets)[0])["loss"]["il-quasi"]
        for number in range(1 if quick else 3):
            run = stream(made, sets)
            good = run.speed_cpu >= 50_000
            line(reuse, number + 1, f"{run.speed_cpu:,.0f}", "50,000", f"{il:.4f}", word(good))


def other(_quick):
    """Charging sessions and hospital stays."""
    for title, prepare in (("Boulder EV sessions", stream_data.ev_sessions), ("SynPUF stays", stream_data.synpuf_stays)):
        made = prepare(DATA, at(prepare.__name__))
        print(f"\n### {title}: {made.tuples:,} tuples, {made.values} values, the commonest {100 * made.largest:.1f} %\n")
        counts = "(estimate − true)/SE, root mean square", "the five commonest: estimate ± SE (true)"
        head("mode, l = 5", "values from", "tuples/s", "dead letters", "SAU (bound)", "IL", *counts)
        for name in ("paper", "uniform", "calibrated"):
            for prior in ("file", 5000):
                # What was learned is kept in the state folder, where `measure` looks for it.
                state = [] if prior == "file" else [f"state.dir={tempfile.mkdtemp(dir=at(''))}"]
                # Values that were not learned cannot be hidden: some two of a hundred stays.
                sets = [*mode(5, made, name, prior), *state, "output.max-dead-letters=0.05"]
                out, run = published(made, sets)
                found = measure(made, sets, out)
                source = "all" if prior == "file" else f"the first {prior:,}"
                figures = [f"{run.speed:,.0f}", run.figures["dead-letters"]]
                figures.append(f"{found['loss']['sau']:.4f} ({found['sau-bound']:.4f})" if name == "paper" else "")
                line(name, source, *figures, f"{found['loss']['il']:.4f}", *counted(found))


def adversary(_quick):
    """How often somebody guesses right who learns from the published lines alone."""
    made = stream_data.adult(DATA, at("adult"))
    by_stratum = at("strata.csv")
    rows = Counter()
    with open(made.lines) as file:
        for text in file:
            row = json.loads(text)
            rows[f"{row['salary']}|{row['occupation']}", row["sex"], row["age"]] += 1
    with open(by_stratum, "w") as file:
        file.write("value,sex,age,count\n")
        file.writelines(f"{value},{sex},{age},{count}\n" for (value, sex, age), count in sorted(rows.items()))
    strata = ["algorithm.strata=[\"sex\",\"age\"]", f"algorithm.prior-file={by_stratum}"]
    modes = {
        "paper": mode(5, made, "paper"),
        "uniform": mode(5, made, "uniform"),
        "calibrated": mode(5, made, "calibrated"),
        "conditional, exact": [*mode(5, made, "conditional")[:-1], *strata, "algorithm.publish=exact"],
        "conditional, stratum": [*mode(5, made, "conditional")[:-1], *strata, "algorithm.publish=stratum"],
    }
    print(f"\n### An adversary who learns from the lines: Adult, {made.tuples:,} tuples, l = 5\n")
    head("mode", "right", "of the surest tenth", "above 0.99 sure", "of them right", "IL of the quasi-identifiers")
    for number, (name, sets) in enumerate(modes.items()):
        # A key belongs to one design.
        with open(at(f"key{number}"), "w", opener=closed) as file:
            file.write(hashlib.sha256(f"measured {number}".encode()).hexdigest() + "\n")
        sets = [*sets, f"state.key-file={at(f'key{number}')}"]
        found = measure(made, sets, published(made, sets)[0])
        guesses, right = found["adversary"], found["adversary"]["right"]
        shares = [f"{100 * right[share]:.2f} %" for share in ("all", "surest-tenth")]
        line(name, *shares, guesses["nearly-certain"], right["nearly-certain"], f"{found['loss']['il-quasi']:.3f}")


def counted(found):
    """How many standard errors the counts of all values are off, and the counts of the five commonest."""
    estimates = {count["value"]: (count["count"], count["standard-error"]) for count in found["counts"][0]["counts"]}
    truths = {value: true["mean-count"] for value, true in found["monitoring"].items()}
    known = [(truths[value], *estimates[value]) for value in truths if estimates[value][1] > 0]
    off = (sum(((estimate - true) / error) ** 2 for true, estimate, error in known) / len(known)) ** 0.5
    shown = sorted(truths, key=truths.get, reverse=True)[:5]
    yield f"{off:.2f}"
    yield "; ".join("{} {:.0f} ± {:.0f} ({:.0f})".format(value, *estimates[value], truths[value]) for value in shown)


def word(good):
    return "met" if good else "MISSED"


PARTS = {part.__name__: part for part in (sau, loss, monitoring, kernels, command, growth, crowd_command, crowds, crowds_of_names, other, adversary)}


def main():
    words = argparse.ArgumentParser(prog="measure-streams path/to/data", description="Figures for streams.")
    words.add_argument("--quick", action="store_true", help="short streams, one run each")
    words.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="only these parts")
    asked = words.parse_args()
    for name in asked.only:
        PARTS[name](asked.quick)


main()
