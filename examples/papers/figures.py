"""The figures of docs/papers.md: each is a CSV file with what was measured and a plot of it."""

import argparse
import csv
import os
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend must be chosen before)

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.normpath(os.path.join(HERE, "..", "..", "docs", "papers"))
MARKS = "os^Dv*Xp"

# The same figures give the same bytes, letters stay letters, and the ground is white where the page is dark.
plt.rcParams.update(
    {"svg.hashsalt": "shoal", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "legend.frameon": False}
)


def options(description):
    """What every file of this folder can be told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="little data, and nothing is written into docs/")
    return parser.parse_args()


def folder(quick):
    """Where results go: a trial run shows that everything works, and must not replace what was measured."""
    path = tempfile.mkdtemp() if quick else DOCS
    os.makedirs(path, exist_ok=True)
    return path


def write_table(name, title, head, rows, quick):
    """Writes docs/papers/NAME.csv, for a figure or where there is none; its path."""
    path = os.path.join(folder(quick), f"{name}.csv")
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    print(f"{title}: {path}", flush=True)
    return path


class Figure:
    """A figure of a paper as we measured it: series of points, written to docs/papers/NAME.csv and NAME.svg."""

    def __init__(self, name, title, across, up, log_across=False, log_up=False):
        self.name, self.title, self.across, self.up = name, title, across, up
        self.log_across, self.log_up = log_across, log_up
        self.series = {}

    def add(self, label, x, y):
        """A point; `None` where a run was refused: the line then has a gap."""
        self.series.setdefault(label, []).append((x, y))

    def write(self, quick):
        points = [(label, x, "" if y is None else f"{y:.6g}") for label, series in self.series.items() for x, y in series]
        path = write_table(self.name, self.title, ("series", self.across, self.up), points, quick)
        self.plot(path.removesuffix(".csv") + ".svg")

    def plot(self, path):
        figure, axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
        # Names along the lower axis stand in the order in which they came, numbers where they belong.
        for (label, points), mark in zip(self.series.items(), MARKS * 2):
            heights = [float("nan") if y is None else y for _, y in points]
            axes.plot([x for x, _ in points], heights, marker=mark, label=label, linewidth=1.2, markersize=4)
        axes.set(title=self.title, xlabel=self.across, ylabel=self.up)
        axes.set_xscale("log") if self.log_across else None
        axes.set_yscale("log") if self.log_up else None
        # From 0 on, unless something lies below: logarithms of small losses do.
        if not self.log_up and all(y is None or y >= 0 for points in self.series.values() for _, y in points):
            axes.set_ylim(0, 1.04 * axes.get_ylim()[1])
        self.mark_points(axes)
        axes.grid(alpha=0.3)
        # Beside the lines, where it hides none of them.
        figure.legend(loc="outside right upper")
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)

    def mark_points(self, axes):
        """Numbers along the lower axis stand where something was measured, unless these are too many to read."""
        numbers = sorted({x for points in self.series.values() for x, _ in points if not isinstance(x, str)})
        if 0 < len(numbers) <= 12:
            axes.set_xticks(numbers, [f"{x:g}" for x in numbers])
            axes.xaxis.minorticks_off()
