"""Runs of shoal, each of them verified, and tables of what their reports say. Only the standard library."""

import json
import os
import subprocess
import tempfile

SHOAL = os.environ["SHOAL"]
WORK = tempfile.TemporaryDirectory()
REFUSED = 1  # how a run ends whose promise cannot be kept


def at(name):
    """A path in a folder that is gone when all is done."""
    return os.path.join(WORK.name, name)


def run(policy, *sets, stop=None):
    """Runs a policy and verifies what it published; returns the report, or why there is none: the message of a refusal,
    or that the run was stopped after `stop` seconds."""
    options = [word for key_value in sets for word in ("--set", key_value)]
    out, report = at("out.csv"), at("report")
    command = [SHOAL, "--quiet", "run", policy, *options, "-o", out, "--report", report, "--force"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=stop)
    except subprocess.TimeoutExpired:
        return f"stopped after {stop} s"
    if done.returncode == REFUSED:
        return done.stderr.strip().splitlines()[0]
    if done.returncode != 0:
        raise SystemExit(f"{policy} {sets}: the run ended with {done.returncode}\n{done.stderr}")
    verify = [SHOAL, "--quiet", "verify", out, "--policy", policy, *options]
    done = subprocess.run(verify, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{policy} {sets}: what was published does not verify\n{done.stdout}{done.stderr}")
    with open(os.path.join(report, "audit.json")) as file:
        return json.load(file)


class Table:
    """A Markdown table of reports; its figures are a heading, where it stands in a report, how it is written and what it
    is divided by."""

    def __init__(self, figures):
        self.figures = figures

    def head(self, *first):
        titles = [*first, *(title for title, *_ in self.figures)]
        print("| " + " | ".join(titles) + " |")
        print("|" + "---|" * len(titles))

    def line(self, first, reports):
        """The means over some runs, or why there is no report of one of them."""
        cells = next(([report] for report in reports if isinstance(report, str)), None)
        if cells is None:
            means = [(self.mean(reports, title), style, unit) for title, _, style, unit in self.figures]
            cells = ["–" if value is None else format(value / unit, style) for value, style, unit in means]
        print("| " + " | ".join([*map(str, first), *cells]) + " |", flush=True)

    def mean(self, reports, title):
        """The mean of a figure over reports; `None` where one of them lacks it."""
        path = next(path for heading, path, *_ in self.figures if heading == title)
        values = [figure(report, path) for report in reports]
        return None if None in values else sum(values) / len(values)


def figure(report, path):
    for key in path:
        report = report.get(key) if isinstance(report, dict) else None
    return report
