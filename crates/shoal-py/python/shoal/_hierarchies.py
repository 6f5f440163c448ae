"""Hierarchies: how the values of a quasi-identifier become coarser."""

from __future__ import annotations

import csv
import io
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _native

__all__ = [
    "Hierarchy", "bands", "prefixes", "dates", "countries", "icd9", "icd10", "isco", "education", "flat", "tree",
]


class Hierarchy:
    """How values become coarser. Made by :func:`bands`, :func:`prefixes`, :func:`tree` and the others of this module."""

    def __init__(self, kind: str, steps: Sequence[str] | None = None, text: str | None = None):
        self._kind = kind
        #: None where the data choose; no step at all, from the value to ``*``, is a choice as well.
        self._steps = None if steps is None else [str(step) for step in steps]
        self._text = text

    def _built(self, arrow: Any, column: str, missing: Sequence[str], format: str | None) -> Hierarchy:
        """The same with the text of a hierarchy file for the values of a column, and with the steps that they chose."""
        if self._text is not None:
            return self
        text, steps = _native.build_hierarchy(arrow, column, self._kind, self._steps, list(missing), format)
        return Hierarchy(self._kind, steps, text)

    def _grown(self, arrow: Any, column: str, missing: Sequence[str], format: str | None) -> Hierarchy:
        """What was built by a rule, with the values that a column has by now, in the steps of the first time. Where the rule says anything else of the values that
        were known, nothing is added, and a value that is not there is an error, as of any hierarchy: among longer codes ``53*`` is called ``53**``, and two names
        for the same people do not fit into one hierarchy."""
        if self._text is None or self._kind == "groups":
            return self
        old = _rows_of(self._text)
        known = [row[0] for row in old]
        text, _ = _native.build_hierarchy(arrow, column, self._kind, self._steps, list(missing), format, known)
        rows = {row[0]: row for row in _rows_of(text)}
        if any(rows.pop(row[0], row) != row for row in old) or not rows:
            return self
        return Hierarchy(self._kind, self._steps, _text(old + list(rows.values())))

    def __repr__(self) -> str:
        return f"<hierarchy of {self._kind}{': ' + ', '.join(self._steps) if self._steps else ''}>"


def bands(*widths: Union[int, float]) -> Hierarchy:
    """Numbers become ranges of these widths, each a multiple of the one before; without any the data choose.

    >>> bands(5, 10, 20)
    <hierarchy of intervals: 5, 10, 20>
    """
    return Hierarchy("intervals", [repr(width) for width in widths] or None)


def prefixes(*keep: int) -> Hierarchy:
    """Codes lose characters from the right; ``keep`` says how many stay on each level: ``prefixes(3, 2)`` for zips."""
    return Hierarchy("prefixes", [str(kept) for kept in keep] or None)


def dates(*steps: str) -> Hierarchy:
    """Dates become months, quarters, years …: ``dates("month", "year")``."""
    return Hierarchy("dates", steps or None)


def countries() -> Hierarchy:
    """Countries become regions and continents."""
    return Hierarchy("countries")


def icd9() -> Hierarchy:
    """Diagnoses in ICD-9-CM become categories, blocks and chapters."""
    return Hierarchy("icd9")


def icd10() -> Hierarchy:
    """Diagnoses in ICD-10 become categories, blocks and chapters."""
    return Hierarchy("icd10")


def isco() -> Hierarchy:
    """Occupations in ISCO become groups."""
    return Hierarchy("isco")


def education() -> Hierarchy:
    """Levels of education become coarser ones."""
    return Hierarchy("education")


def flat() -> Hierarchy:
    """A value is published, or ``*``."""
    return Hierarchy("flat")


def tree(groups: Mapping[str, Any] | Iterable[Sequence[str]]) -> Hierarchy:
    """A hierarchy of your own: a dict of groups (nested as deep as you like), or rows from the value to ``*``.

    >>> tree({"South": ["Ulm", "Passau"], "North": ["Kiel", "Bremen"]})
    <hierarchy of groups>
    """
    rows = list(_rows(groups, [])) if isinstance(groups, Mapping) else [list(map(str, row)) for row in groups]
    depth = max((len(row) for row in rows), default=0)
    # Values of shallow groups are repeated, so that all rows have the same length.
    filled = [row if len(row) == depth else [row[0]] * (depth - len(row)) + row for row in rows]
    return Hierarchy("groups", text=_text(filled))


def _rows(groups: Any, above: list[str]) -> Iterable[list[str]]:
    if isinstance(groups, Mapping):
        for name, below in groups.items():
            yield from _rows(below, [str(name), *above])
    else:
        for value in groups:
            yield [str(value), *above, "*"]


def _rows_of(text: str) -> list[list[str]]:
    # With the ends of lines as they are: a value in quotes may hold one.
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))


def _text(rows: Iterable[Sequence[str]]) -> str:
    return "".join(";".join(map(_field, row)) + "\n" for row in rows)


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ';"\n\r') else text
