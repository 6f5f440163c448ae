"""What scripts/compare-releases runs: the examples and made-up baskets, through everything that a release can be."""
import gzip
import os
import random
import shutil
from pathlib import Path
from typing import NamedTuple

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BASKETS = 2000
HERE = "{folder}"  # in an argument: the folder of the row and the build, which holds a key


class Step(NamedTuple):
    words: list
    stdin: Path = Path(os.devnull)
    stdout: str = os.devnull
    takes_release_key: bool = False


class Row(NamedTuple):
    label: str
    steps: list


class Rows:
    """Makes rows of policies in one folder."""

    def __init__(self, inputs):
        self.inputs, self.rows = inputs, []

    def add(self, label, *steps):
        self.rows.append(Row(label, list(steps)))

    def run(self, policy, *settings, out="out.csv", more=(), keyed=True):
        report = f"{Path(out).stem}.report"
        words = ["run", self.inputs / policy, "-o", out, "--report", report, "--force", "--allow-total-loss", *sets(settings), *more]
        return Step([str(word) for word in words], takes_release_key=keyed)

    def apply(self, data, out="second.csv"):
        return Step(["apply", "out.report", str(self.inputs / data), "-o", out, "--report", "second.report"])

    def stream(self, policy, source, *settings):
        words = ["stream", str(self.inputs / policy), "--status", "0", *sets((f"state.key-file={HERE}/secret.key", f"state.dir={HERE}/state", *settings))]
        return Step(words, stdin=self.inputs / source, stdout="out.csv")


def sets(settings):
    return [word for setting in settings for word in ("--set", setting)]


def rows(inputs, baskets):
    write_inputs(inputs)
    made = Rows(inputs)
    tables(made)
    people(made)
    sequences(made)
    transactions(made, "baskets", inputs / "baskets.dat")
    groups_and_later_baskets(made)
    if baskets:
        transactions(made, "given baskets", baskets)
    streams(made)
    return made.rows


def tables(made):
    adult = "adult/policy.toml"
    for name in ("ribbon", "mondrian", "sbc", "incognito", "datafly"):
        made.add(f"adult {name}", made.run(adult, f"algorithm.name={name}"))
    made.add("adult l-diversity", made.run(adult, 'privacy.l-diversity={ kind = "distinct", l = 2 }'))
    made.add("adult t-closeness", made.run(adult, "privacy.t-closeness=0.3"))
    made.add("adult star", made.run(adult, "algorithm.outliers=suppress", "output.suppressed=star"))
    made.add("adult ranges", made.run("adult/ranges.toml", "output.ranges=columns"))
    made.add("adult ranges, Parquet", made.run("adult/ranges.toml", "output.ranges=columns", out="out.parquet"))
    made.add("adult Parquet", made.run(adult, out="out.parquet"))
    transparent = ("algorithm.name=transparent", "privacy.transparent=true", 'privacy.l-diversity={ kind = "distinct", l = 3 }', f"algorithm.key-file={HERE}/secret.key")
    made.add("adult transparent", made.run("adult/occupations.toml", *transparent, keyed=False))
    made.add("adult impossible", made.run(adult, "privacy.k=40000"))
    made.add("adult unknown key", made.run(adult, "privacy.kk=4"))


def people(made):
    """The visits as a table with several rows of a person."""
    policy, mondrian = "patients/table.toml", "algorithm.name=mondrian"
    first = made.run(policy, mondrian, "data.source=fewer.csv")
    made.add("people", made.run(policy))
    made.add("people previous", first, made.run(policy, mondrian, out="second.csv", more=["--previous", "out.report"]))
    made.add("people reuse", first, made.run(policy, mondrian, out="second.csv", more=["--previous", "out.report", "--reuse-classes"]))
    made.add("people apply", first, made.apply("patients/visits.csv"))


def sequences(made):
    policy, fewer = "patients/policy.toml", "data.source=fewer.csv"
    for name in ("cbmsa", "cbmsa-baseline"):
        made.add(f"patients {name}", made.run(policy, f"algorithm.name={name}"))
    for name in ("fcla", "fcla-base1", "halt"):
        made.add(f"patients {name}", made.run(policy, f"algorithm.name={name}", "privacy.length=2"))
    made.add("patients previous", made.run(policy, fewer), made.run(policy, out="second.csv", more=["--previous", "out.report"]))
    made.add("patients apply", made.run(policy, fewer), made.apply("patients/visits.csv"))


def transactions(made, label, source):
    items = sorted({item for line in source.read_text().splitlines() for item in line.split()})
    folder = made.inputs / label.replace(" ", "-")
    folder.mkdir()
    blocks = [items[at : at + 50] for at in range(0, len(items), 50)]
    (folder / "utility.txt").write_text("".join(" ".join(block) + "\n" for block in blocks))
    (folder / "items.csv").write_text("".join(f"{item};g{at};*\n" for at, block in enumerate(blocks) for item in block))
    policy = f'version = 1\n[data]\nshape = "transactions"\nsource = "{source}"\n[privacy]\nk = 5\nm = 2\n'
    (folder / "policy.toml").write_text(policy)

    def run(name, *settings):
        made.add(f"{label} {name}", made.run(folder / "policy.toml", f"algorithm.name={name}", *settings, out="out.dat"))

    run("pcta")
    run("coat")
    run("upcta", f"utility.constraints={folder / 'utility.txt'}", "utility.max-suppressed=1")
    run("apriori", f"data.hierarchy={folder / 'items.csv'}")


def groups_and_later_baskets(made):
    policy, fewer = "baskets/policy.toml", f"data.source={made.inputs / 'fewer.dat'}"
    made.add("baskets dictionary", made.run(policy, "output.groups=dictionary", out="out.dat"))
    first = made.run(policy, fewer, out="out.dat")
    made.add("baskets previous", first, made.run(policy, out="second.dat", more=["--previous", "out.report"]))
    made.add("baskets apply", first, made.apply("baskets.dat", out="second.dat"))


def streams(made):
    made.add("stream delay-free", made.stream("adult/stream.toml", "adult.csv",))
    strata = ("algorithm.prior=conditional", 'algorithm.strata=["sex", "age"]', "algorithm.publish=stratum")
    made.add("stream conditional", made.stream("adult/stream.toml", "adult.csv", *strata))
    made.add("stream paper", made.stream("adult/paper.toml", "adult.csv"))
    made.add("stream castle", made.stream("adult/castle.toml", "adult.csv"))


def write_inputs(inputs):
    inputs.mkdir()
    for example in ("adult", "patients"):
        shutil.copytree(EXAMPLES / example, inputs / example, ignore=shutil.ignore_patterns("report", "state", "*.k*.*"))
    (inputs / "adult.csv").write_bytes(gzip.decompress((inputs / "adult" / "adult.csv.gz").read_bytes()))
    policy = (inputs / "adult" / "policy.toml").read_text()
    (inputs / "adult" / "ranges.toml").write_text(policy.replace('hierarchy = "hierarchies/age.csv"', ""))
    occupations = policy.replace('role = "sensitive"', 'role = "insensitive"')
    (inputs / "adult" / "occupations.toml").write_text(occupations.replace('role = "quasi-identifier"\nhierarchy = "hierarchies/occupation.csv"', 'role = "sensitive"'))
    stream = (inputs / "adult" / "stream.toml").read_text()
    shown, rest = stream.split("[privacy]")
    (inputs / "adult" / "paper.toml").write_text(shown + '[privacy]\nl = 5\n[algorithm]\nname = "delay-free"\nmode = "paper"\n')
    (inputs / "adult" / "castle.toml").write_text(shown + '[privacy]\nk = 5\nl = 2\n[algorithm]\nname = "castle"\n')
    (inputs / "patients" / "table.toml").write_text(VISITS_AS_TABLE)
    header, *visits = (inputs / "patients" / "visits.csv").read_text().splitlines()
    patients = list(dict.fromkeys(visit.split(",")[0] for visit in visits))
    early = set(patients[: len(patients) * 9 // 10])
    (inputs / "patients" / "fewer.csv").write_text("\n".join([header, *(visit for visit in visits if visit.split(",")[0] in early)]) + "\n")
    drawn = [basket(random.Random(number)) for number in range(BASKETS)]
    (inputs / "baskets.dat").write_text("\n".join(drawn) + "\n")
    (inputs / "fewer.dat").write_text("\n".join(drawn[: BASKETS * 9 // 10]) + "\n")


def write_key(path):
    path.write_text("888696c38e895dd742b8494f449219c12a256a16d0841b93813c841a298df92c\n")
    path.chmod(0o600)


def basket(draw):
    """Up to nine of a hundred items, some of them rare."""
    return " ".join(sorted({f"item{int(100 * draw.random() * draw.random())}" for _ in range(draw.randint(1, 9))}))


VISITS_AS_TABLE = """
version = 1
[data]
shape = "table"
source = "visits.csv"
person = "patient"
[columns.patient]
role = "identifier"
[columns.visit]
role = "identifier"
[columns.AdmYr]
role = "quasi-identifier"
kind = "integer"
[columns.ZIP]
role = "quasi-identifier"
hierarchy = "hierarchies/ZIP.csv"
[columns.DSFC]
role = "quasi-identifier"
kind = "integer"
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 5
"""
