"""Frames of every kind, in and out. Arrow streams are what they have in common."""

from __future__ import annotations

from typing import Any

__all__ = ["Kind", "as_arrow", "kind_of", "as_given"]


class Kind:
    """What a frame is, and the types of its columns, so that a release can be given back alike."""

    def __init__(self, name: str, types: dict[str, Any]):
        self.name = name
        self.types = types

    def __repr__(self) -> str:
        return f"Kind({self.name!r})"


def kind_of(frame: Any) -> Kind:
    """The kind of a frame. Whatever has ``__arrow_c_stream__`` is taken; what is not known comes back as PyArrow."""
    module = type(frame).__module__.split(".")[0]
    if module == "pandas":
        return Kind("pandas", dict(frame.dtypes))
    if module == "polars":
        if hasattr(frame, "collect"):
            raise TypeError("a Polars LazyFrame has no data yet: give frame.collect()")
        return Kind("polars", dict(frame.schema))
    if module == "pyarrow":
        return Kind("pyarrow", {field.name: field.type for field in frame.schema})
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
        return Kind("pyarrow", {})
    raise TypeError(
        f"{type(frame).__name__} is not a frame: give a pandas or Polars DataFrame, a PyArrow Table, "
        "or anything else with __arrow_c_stream__"
    )


def as_arrow(frame: Any) -> Any:
    """The same data as an object that hands out an Arrow stream. Columns are not copied."""
    if kind_of(frame).name != "pandas":
        return frame
    import pyarrow as pa

    names = [str(name) for name in frame.columns]
    if len(set(names)) != len(names):
        raise ValueError("two columns have the same name: rename one of them")
    if any(name != column for name, column in zip(names, frame.columns)):
        frame = frame.set_axis(names, axis="columns")
    # The index is not part of the data: it often numbers people.
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_given(stream: Any, kind: Kind) -> Any:
    """What an Arrow stream holds, as a frame of this kind and with its types where values still fit them."""
    if kind.name == "polars":
        return _as_polars(stream, kind)
    import pyarrow as pa

    table = pa.table(stream).unify_dictionaries()
    if kind.name == "pyarrow":
        return _as_pyarrow(table, kind)
    return _as_pandas(table, kind)


def _as_pyarrow(table: Any, kind: Kind) -> Any:
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        wanted = kind.types.get(field.name)
        if wanted is None and pa.types.is_dictionary(field.type):
            wanted = field.type.value_type
        elif wanted is not None and pa.types.is_dictionary(wanted) and pa.types.is_dictionary(field.type):
            continue
        if wanted is None or wanted == field.type:
            continue
        column = _cast(table.column(at), wanted, field)
        table = table.set_column(at, field.name, column)
    return table


def _cast(column: Any, wanted: Any, field: Any) -> Any:
    import pyarrow as pa

    plain = column.cast(field.type.value_type) if pa.types.is_dictionary(field.type) else column
    # A cast that would change a value is refused by PyArrow: 1.5 does not become 1. What was generalized does not fit the old type any more: `[20, 29]` stays a text.
    try:
        return plain.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return plain


def _as_pandas(table: Any, kind: Kind) -> Any:
    import pandas as pd
    import pyarrow as pa

    columns = {}
    for field, column in zip(table.schema, table.columns):
        wanted = kind.types.get(field.name)
        # A category dtype lists its categories: only those that are published may be there.
        if isinstance(wanted, pd.CategoricalDtype):
            columns[field.name] = column.to_pandas().astype("category")
            continue
        arrow = pa.array(pd.Series([], dtype=wanted)).type if wanted is not None else None
        if arrow is not None and not pa.types.is_null(arrow) and arrow != field.type:
            column = _cast(column, arrow, field)
        elif pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        # Types that NumPy does not have (Int64 with nulls, times with zones) know how to read Arrow.
        if column.type == arrow and hasattr(wanted, "__from_arrow__"):
            columns[field.name] = pd.Series(wanted.__from_arrow__(column))
        else:
            series = column.to_pandas()
            exact = column.type == arrow and wanted is not None and not series.hasnans
            columns[field.name] = series.astype(wanted) if exact else series
    return pd.DataFrame(columns)


def _as_polars(stream: Any, kind: Kind) -> Any:
    import polars as pl

    frame = pl.DataFrame(stream)
    for name, dtype in frame.schema.items():
        wanted = kind.types.get(name)
        column = frame.get_column(name)
        is_category = dtype in (pl.Categorical, pl.Enum) or isinstance(dtype, (pl.Categorical, pl.Enum))
        if is_category:
            column = column.cast(pl.String)
        if wanted is not None and column.dtype != wanted:
            # An Enum lists its categories, of which only those that are published may be there.
            target = pl.Categorical if isinstance(wanted, (pl.Categorical, pl.Enum)) else wanted
            try:
                column = column.cast(target)
            except (pl.exceptions.InvalidOperationError, pl.exceptions.ComputeError):
                pass
        frame = frame.with_columns(column.alias(name))
    return frame
