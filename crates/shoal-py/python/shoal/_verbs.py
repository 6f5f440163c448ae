"""The verbs: anonymize, check, verify, measure, attack, explain, propose."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

from . import _native
from ._frames import Kind, as_arrow, as_given, kind_of
from ._policy import Policy, PolicyLike, policy_of
from ._progress import Progress, shown

__all__ = ["Release", "Verdict", "anonymize", "attack", "check", "explain", "measure", "propose", "verify"]


class Verdict:
    """What was found, and whether the promise holds. It is true where it holds: ``if shoal.verify(…): …``"""

    def __init__(self, holds: bool, found: dict[str, Any]):
        #: Whether the promise holds.
        self.holds = holds
        #: Everything that was found.
        self.found = found

    def __bool__(self) -> bool:
        return self.holds

    def __getitem__(self, key: str) -> Any:
        return self.found[key]

    def __repr__(self) -> str:
        return f"<{'holds' if self.holds else 'does not hold'}: {json.dumps(self.found, ensure_ascii=False)[:500]}>"


class Release:
    """Data that were anonymized, and the proof. Nobody gets one unless the promise was verified on its data."""

    def __init__(self, native: Any, policy: Policy, kind: Kind, ranges: str):
        self._native = native
        self._kind = kind
        self._ranges = ranges
        self._frame: Any = None
        #: The policy.
        self.policy = policy
        #: What may be shown to others: the promise, what was found, losses and risks.
        self.report: dict[str, Any] = json.loads(native.report)

    @property
    def data(self) -> Any:
        """The published data, as a frame of the kind that was given. Rows are in an order that says nothing of the original's."""
        if self._frame is None:
            frame = as_given(self._native, self._kind)
            self._frame = _with_intervals(frame, self.policy) if self._ranges == "interval" else frame
        return self._frame

    @property
    def audit(self) -> dict[str, Any]:
        """What must stay with you: exact figures, the key, the recoding."""
        return json.loads(self._native.audit)

    @property
    def leaks(self) -> list[str]:
        """What the promise does not cover, in plain words."""
        return [leak["text"] for leak in self.report.get("leaks", [])]

    @property
    def loss(self) -> float:
        """The share of information that was lost (NCP, from 0 to 1)."""
        return self.audit["loss"]["ncp"]

    def verify(self, original: Any = None, progress: Progress = None) -> Verdict:
        """Verifies the data once more; with the original also that they are true of it."""
        return verify(self._native, self.policy, original, progress)

    def measure(self, original: Any, progress: Progress = None) -> dict[str, Any]:
        """What was lost, and what is still at risk."""
        return measure(original, self._native, self.policy, progress)

    def attack(self, original: Any, progress: Progress = None) -> Verdict:
        """What somebody finds out who knows everybody's quasi-identifiers; it holds where no bound was beaten."""
        return attack(original, self._native, self.policy, progress)

    def explain(self, original: Any, progress: Progress = None, **about: Any) -> dict[str, Any]:
        """Why the data are as coarse as they are; ``row=3``, ``class_=2``, ``column="age"``, ``item="beer"`` or ``person="…"``."""
        return explain(original, self._native, self.policy, progress, **about)

    def save(self, folder: str | os.PathLike[str], format: str = "csv", force: bool = False) -> Path:
        """Writes ``data.csv`` (or ``.parquet``), ``report.json`` and ``report.html``, which may be given to others, and files that only you may read:
        ``audit.json``, ``audit.html``, and ``policy.toml`` with its hierarchies, which name every value of the original.
        The data are read back and compared with what was verified before the file gets its name. ``shoal verify data.csv --policy policy.toml``
        verifies them again.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"data.{format}"
        _native.save_data(self._native, path, force)
        _write(folder / "report.json", self._native.report + "\n", 0o644)
        _write(folder / "report.html", self._native.report_page, 0o644)
        _write(folder / "audit.json", self._native.audit + "\n", 0o600)
        _write(folder / "audit.html", self._native.audit_page, 0o600)
        for name, text in self.policy._files(f"data.{format}").items():
            (folder / name).parent.mkdir(exist_ok=True)
            _write(folder / name, text, 0o600)
        return path

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The published data as an Arrow stream, without a copy."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        promises = self.report.get("promises", [])
        said = "; ".join(f"{p.get('name')}: asked {p.get('asked')}, found {p.get('found')}" for p in promises)
        # From the edition for others: a notebook that is handed on holds this text.
        loss = self.report.get("loss", {}).get("ncp")
        lost = "" if loss is None else f", loss {100 * loss:.1f} %"
        return f"<shoal.Release: {len(self)} records{lost}, {said}>"

    def _repr_html_(self) -> str:
        # The page is a document of its own, with its style and script; in a frame it cannot touch the notebook, nor the notebook it.
        page = html.escape(self._native.report_page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0"></iframe>'


def anonymize(
    data: Any,
    policy: PolicyLike,
    *,
    progress: Progress = None,
    ranges: str | None = None,
    allow_total_loss: bool = False,
) -> Release:
    """Anonymizes a frame: pandas, Polars, PyArrow, or anything with ``__arrow_c_stream__``.

    ``policy`` is a :class:`Policy`, a dict, the path of a policy file, or TOML. ``ranges`` is "text" (``[20, 29]``), "columns" (``age_min``,
    ``age_max``) or "interval" (pandas: ``Interval``); without it the policy says. Where the promise cannot be kept,
    :class:`PromiseError` is raised and nothing is released.

    >>> import pandas as pd, shoal
    >>> people = pd.DataFrame({"age": [34, 36, 41, 47, 52, 58], "illness": ["flu", "cold", "flu", "asthma", "flu", "cold"]})
    >>> release = shoal.anonymize(people, shoal.Policy().quasi("age", kind="integer").sensitive("illness").k(3))
    >>> sorted(set(release.data["age"]))
    ['[34, 41]', '[47, 58]']
    """
    policy = policy_of(policy)
    if ranges is not None:
        if ranges not in ("text", "columns", "interval"):
            raise ValueError('ranges is "text", "columns" or "interval"')
        policy = policy.output(ranges="text" if ranges == "text" else "columns")
    kind = kind_of(data)
    if ranges == "interval" and kind.name != "pandas":
        raise ValueError('ranges="interval" is for pandas; others have no such type: use "columns"')
    arrow = as_arrow(data)
    with shown(progress) as callback:
        given = policy._native(arrow)
        native = _native.anonymize(arrow, given, callback, allow_total_loss)
    # Hierarchies that were made from the data stay what they are, also where the release is verified without them.
    return Release(native, policy._with_built(given["hierarchies"]), kind, ranges or "text")


def check(data: Any, policy: PolicyLike, progress: Progress = None) -> dict[str, Any]:
    """What a run would do: how each column is read, who is unique, whether the promise can be kept. Changes nothing."""
    arrow = as_arrow(data)
    with shown(progress) as callback:
        return json.loads(_native.check(arrow, policy_of(policy)._native(arrow), callback))


def verify(published: Any, policy: PolicyLike, original: Any = None, progress: Progress = None) -> Verdict:
    """Do these data keep the policy's promise? With the original also: are they true of it? Works on any data, ours or not."""
    source = None if original is None else as_arrow(original)
    arrow = as_arrow(published)
    policy = policy_of(policy)
    with shown(progress) as callback:
        holds, found = _native.verify(arrow, policy._native(source), source, callback)
    return Verdict(holds, json.loads(found))


def measure(original: Any, published: Any, policy: PolicyLike, progress: Progress = None) -> dict[str, Any]:
    """What published data lose against their original, and what they still risk."""
    source = as_arrow(original)
    with shown(progress) as callback:
        return json.loads(_native.measure(source, as_arrow(published), policy_of(policy)._native(source), callback))


def attack(original: Any, published: Any, policy: PolicyLike, progress: Progress = None) -> Verdict:
    """Plays the adversary. It holds where nobody got further than promised."""
    source = as_arrow(original)
    with shown(progress) as callback:
        holds, found = _native.attack(source, as_arrow(published), policy_of(policy)._native(source), callback)
    return Verdict(holds, json.loads(found))


def explain(
    original: Any, published: Any, policy: PolicyLike, progress: Progress = None, **about: Any
) -> dict[str, Any]:
    """Why published data are as coarse as they are."""
    asked = [(key.rstrip("_"), str(value)) for key, value in about.items() if value is not None]
    known = ("row", "class", "column", "item", "person")
    if len(asked) > 1 or any(what not in known for what, _ in asked):
        raise TypeError(f"give one of {', '.join(known)}")
    source = as_arrow(original)
    with shown(progress) as callback:
        given = policy_of(policy)._native(source)
        return json.loads(_native.explain(source, as_arrow(published), given, asked[0] if asked else None, callback))


def propose(data: Any, shape: str = "table") -> Policy:
    """A first policy for data that nobody has described yet. Roles are guesses: review them, ``policy.questions`` first."""
    text, found = _native.propose(as_arrow(data), shape)
    policy = Policy.from_toml(text)
    found = json.loads(found)
    # The source is where the data are: here they are in memory.
    policy._keys["data"].pop("source", None)
    policy.questions, policy.columns = found["questions"], found["columns"]
    return policy


def _with_intervals(frame: Any, policy: Policy) -> Any:
    """Two columns of ends become one of pandas' intervals, where both ends are there."""
    import pandas as pd

    for name in policy._keys.get("columns", {}):
        low, high = f"{name}_min", f"{name}_max"
        if low in frame.columns and high in frame.columns and name not in frame.columns:
            at = frame.columns.get_loc(low)
            ends = pd.arrays.IntervalArray.from_arrays(frame[low], frame[high], closed="both")
            frame = frame.drop(columns=[low, high])
            frame.insert(at, name, ends)
    return frame


def _write(path: Path, text: str, mode: int) -> None:
    unnamed = path.with_name(f".{os.getpid()}.{path.name}")
    descriptor = os.open(unnamed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unnamed, path)
    except BaseException:
        unnamed.unlink(missing_ok=True)
        raise
