"""Ranges of a release as pandas' intervals."""

from __future__ import annotations

import decimal
from typing import Any

from ._policy import Policy

__all__ = ["with_intervals"]


def with_intervals(frame: Any, policy: Policy) -> Any:
    """Two columns of ends become one of pandas' intervals, where an interval can hold all of them exactly; otherwise they stay two columns."""
    import pandas as pd

    for name, spec in policy._keys.get("columns", {}).items():
        low, high = f"{name}_min", f"{name}_max"
        if low not in frame.columns or high not in frame.columns or name in frame.columns:
            continue
        ends = _ends(frame[low], frame[high], spec)
        if ends is not None:
            at = frame.columns.get_loc(low)
            frame = frame.drop(columns=[low, high])
            frame.insert(at, name, pd.arrays.IntervalArray.from_arrays(*ends, closed="both"))
    return frame


def _ends(low: Any, high: Any, spec: dict[str, Any]) -> tuple[Any, Any] | None:
    """Both ends as one type that intervals may have; none where there is none that is exact."""
    import pandas as pd

    # An interval without one of its ends is none of pandas'.
    if not low.isna().equals(high.isna()):
        return None
    both = pd.concat([low, high], ignore_index=True)
    read = _dates(both, spec) if spec.get("kind") == "date" else _numbers(both)
    # Without a kind the data have chosen it.
    if read is None and "kind" not in spec:
        read = _dates(both, spec)
    return None if read is None else (read[: len(low)], read[len(low) :].reset_index(drop=True))


def _dates(texts: Any, spec: dict[str, Any]) -> Any:
    """Texts of dates, or Python's dates, as points in time; they are of the format in the policy."""
    import pandas as pd

    format = spec.get("format", "%Y-%m-%d")
    # That of the points in time of a frame has as many digits of a second as there are.
    format = "ISO8601" if format.startswith("%Y-%m-%dT%H:%M:%S%.f") else format
    known = texts.dropna().astype(str)
    try:
        # Dates of Python are written as in ISO 8601.
        moments = pd.to_datetime(known, format="ISO8601" if pd.api.types.infer_dtype(texts, skipna=True) == "date" else format)
    except ValueError:
        # A notation that pandas does not know, or a date that it cannot hold.
        return None
    # Several offsets from UTC in one column have no type of their own.
    return moments.reindex(texts.index) if moments.dtype.kind == "M" else None


def _numbers(numbers: Any) -> Any:
    """Numbers as whole ones or floats, whichever is exact. Intervals have no whole numbers with nulls."""
    import pandas as pd

    read = numbers.dropna()
    said = read.tolist()
    if not pd.api.types.is_numeric_dtype(numbers):
        try:
            said, read = [decimal.Decimal(text) for text in said], pd.to_numeric(read)
        except (ValueError, decimal.InvalidOperation):
            return None
    is_whole = pd.api.types.is_integer_dtype(read) and not numbers.hasnans
    # Of whole numbers, intervals have NumPy's and not those of pandas.
    read = read.astype(str(read.dtype).lower() if is_whole else "float64")
    return read.reindex(numbers.index) if all(map(_says, read.tolist(), said)) else None


def _says(number: int | float, said: Any) -> bool:
    """Whether a number is what was published: a float is what its shortest text says."""
    return decimal.Decimal(str(number)) == said if isinstance(said, decimal.Decimal) else number == said
