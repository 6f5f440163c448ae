"""Hierarchies: how the values of a quasi-identifier become coarser."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence, Union

from . import _native

__all__ = [
    "Hierarchy", "bands", "prefixes", "dates", "countries", "icd9", "icd10", "isco", "education", "flat", "tree",
]


class Hierarchy:
    """How values become coarser. Made by :func:`bands`, :func:`prefixes`, :func:`tree` and the others of this module."""

    def __init__(self, kind: str, steps: Sequence[str] | None = None, text: str | None = None):
        self._kind = kind
        self._steps = None if not steps else [str(step) for step in steps]
        self._text = text

    def _of(self, arrow: Any, column: str, missing: Sequence[str], format: str | None) -> str:
        """The text of a hierarchy file for the values of a column."""
        if self._text is not None:
            return self._text
        return _native.build_hierarchy(arrow, column, self._kind, self._steps, list(missing), format)

    def __repr__(self) -> str:
        return f"<hierarchy of {self._kind}{': ' + ', '.join(self._steps) if self._steps else ''}>"


def bands(*widths: Union[int, float]) -> Hierarchy:
    """Numbers become ranges of these widths, each a multiple of the one before; without any the data choose.

    >>> bands(5, 10, 20)
    <hierarchy of intervals: 5, 10, 20>
    """
    return Hierarchy("intervals", [repr(width) for width in widths])


def prefixes(*keep: int) -> Hierarchy:
    """Codes lose characters from the right; ``keep`` says how many stay on each level: ``prefixes(3, 2)`` for zips."""
    return Hierarchy("prefixes", [str(kept) for kept in keep])


def dates(*steps: str) -> Hierarchy:
    """Dates become months, quarters, years …: ``dates("month", "year")``."""
    return Hierarchy("dates", steps)


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
    return Hierarchy("groups", text="".join(";".join(map(_field, row)) + "\n" for row in filled))


def _rows(groups: Any, above: list[str]) -> Iterable[list[str]]:
    if isinstance(groups, Mapping):
        for name, below in groups.items():
            yield from _rows(below, [str(name), *above])
    else:
        for value in groups:
            yield [str(value), *above, "*"]


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ';"\n\r') else text
