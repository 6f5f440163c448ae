"""Runs of shoal, each of them verified, and tables of what their reports say. Only the standard library."""

import json
import os
import resource
import shutil
import subprocess
import tempfile

SHOAL = os.environ["SHOAL"]
WORK = tempfile.TemporaryDirectory()
REFUSED = 1  # how a run ends whose promise cannot be kept
KILLED = -9  # how a process ends that has used up its CPU seconds


def at(name):
    """A path in a folder that is gone when all is done."""
    return os.path.join(WORK.name, name)


def run(policy, *sets, stop=None, original=None, again=True):
    """Runs a policy and verifies what it published; returns the audit with `cpu-seconds` of the run (user and system, all
    cores), or why there is none: the message of a refusal, or that the run was stopped after `stop` CPU seconds.
    Where promises are about people, only the `original` says whose what is, and verifying `again` needs it."""
    options = [word for key_value in sets for word in ("--set", key_value)]
    out, report = at("out.csv"), at("report")
    # The report of an earlier run would be read, and may be a hundred times as large.
    shutil.rmtree(report, ignore_errors=True)
    command = [SHOAL, "--quiet", "run", policy, *options, "-o", out, "--report", report, "--force"]
    done, cpu = within(command, stop)
    if done.returncode == KILLED:
        return f"stopped after {stop} CPU s"
    if done.returncode == REFUSED:
        return done.stderr.strip().splitlines()[0]
    if done.returncode != 0:
        raise SystemExit(f"{policy} {sets}: the run ended with {done.returncode}\n{done.stderr}")
    beside = ["--original", original] if original else []
    verify = [SHOAL, "--quiet", "verify", out, "--policy", policy, *beside, *options]
    # What is not verified here, or stopped, has been verified by the run already.
    if again and (done := within(verify, stop)[0]).returncode not in (0, KILLED):
        raise SystemExit(f"{policy} {sets}: what was published does not verify\n{done.stdout}{done.stderr}")
    with open(os.path.join(report, "audit.json")) as file:
        return {**json.load(file), "cpu-seconds": cpu}


def within(command, stop):
    """Runs a command for at most this many CPU seconds, which do not depend on what else the machine does; what it said
    and how many it took."""

    def limit():
        if stop is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (stop, stop))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Table:
    """A Markdown table of reports; its figures are a heading, where it is in a report, how it is written and what it
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
