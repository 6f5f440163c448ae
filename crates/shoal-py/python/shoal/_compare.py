"""Which setting loses least."""

from __future__ import annotations

import itertools
import secrets
import time
from typing import Any, Iterator, Mapping, Sequence

from ._errors import needed
from ._frames import Kind, as_arrow, kind_of
from ._policy import Policy, PolicyLike, policy_of
from ._progress import Progress, shown
from . import _native
from ._release import Release

__all__ = ["Comparison", "compare"]


class Comparison:
    """What several settings lose. ``frame`` has a row a setting; ``plot()`` draws it."""

    def __init__(self, rows: list[dict[str, Any]], kind: Kind, varied: Sequence[str] = ()):
        #: A dict a setting.
        self.rows = rows
        self._varied = list(varied)
        self._kind = kind

    @property
    def frame(self) -> Any:
        """The rows, as a frame of the kind that was given."""
        if self._kind.name == "polars":
            import polars as pl

            return pl.DataFrame(self.rows)
        if self._kind.name == "pandas":
            import pandas as pd

            return pd.DataFrame(self.rows)
        import pyarrow as pa

        return pa.Table.from_pylist(self.rows)

    def plot(self, ax: Any = None) -> Any:
        """Loss by k, a line an algorithm. Needs matplotlib."""
        plt = needed("matplotlib.pyplot", "a plot", "pip install shoal[plot]")

        ax = ax if ax is not None else plt.subplots()[1]
        done = [row for row in self.rows if row["loss"] is not None]
        label = lambda row: ", ".join([row["algorithm"], *(f"{key} = {row[key]}" for key in self._varied)])
        for name in dict.fromkeys(map(label, done)):
            points = sorted((row["k"] or 0, 100 * row["loss"]) for row in done if label(row) == name)
            ax.plot(*zip(*points), marker="o", label=name)
        ax.set(xlabel="k", ylabel="loss in % (NCP)")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return "\n".join(str(row) for row in self.rows)

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(key)}</th>" for key in self.rows[0]) if self.rows else ""
        cells = lambda row: "".join(f"<td>{escape(str(value))}</td>" for value in row.values())
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{cells(row)}</tr>' for row in self.rows)}</table>"


def compare(
    data: Any,
    policy: PolicyLike,
    *,
    k: Sequence[int] | None = None,
    algorithms: Sequence[str] | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    progress: Progress = None,
) -> Comparison:
    """Runs every combination of ``k``, ``algorithms`` and ``vary`` to its verified end and says what each loses. Nothing is released. ``vary`` are other keys of
    the policy with their values: ``vary={"privacy.t-closeness": [0.1, 0.2]}``.

    A combination whose promise cannot be kept has no loss and says why. A policy with ``transparent`` is refused: whoever tries several of its
    random choices and keeps the best has chosen by looking at sensitive values.
    """
    policy = policy_of(policy)
    vary = vary or {}
    settings = list(_settings(policy, k, algorithms, vary))
    # All of them before the first is tried: a run with a key file makes the key.
    if any(tried._keys.get("privacy", {}).get("transparent") for _, tried in settings):
        raise ValueError("a policy with transparent = true cannot be tried out: run it once")
    arrow, kind = as_arrow(data), kind_of(data)
    # One for all: settings are compared, and not keys. A release draws its own.
    key = secrets.token_hex(32)
    rows = []
    for setting, tried in settings:
        started = time.perf_counter()
        row: dict[str, Any] = {**setting, "loss": None, "records": None, "seconds": None, "why": None}
        try:
            with shown(progress) as callback:
                native = _native.anonymize(arrow, tried._native(arrow), callback, True, False, key=key)
            release = Release(native, tried, kind, "text")
            row.update(algorithm=release.report.get("algorithm", row["algorithm"]), loss=release.loss, records=len(release))
        except _native.PromiseError as error:
            row["why"] = error.message
        row["seconds"] = round(time.perf_counter() - started, 3)
        rows.append(row)
    return Comparison(rows, kind, list(vary))


def _settings(
    policy: Policy, k: Sequence[int] | None, algorithms: Sequence[str] | None, vary: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[dict[str, Any], Policy]]:
    """Every combination: what a row says of it, and its policy."""
    default_k = [policy._keys.get("privacy", {}).get("k")]
    default_algorithm = [policy._keys.get("algorithm", {}).get("name")]
    for each_k, name, *others in itertools.product(k or default_k, algorithms or default_algorithm, *vary.values()):
        tried = policy if each_k is None else policy.k(each_k)
        tried = tried if name is None else tried.algorithm(name)
        varied = dict(zip(vary, others))
        for key, value in varied.items():
            tried = tried.set(key, value)
        yield {"algorithm": name or "default", "k": each_k, **varied}, tried
