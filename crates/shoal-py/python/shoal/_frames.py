"""Frames of every kind, in and out. Arrow streams are what they have in common."""

from __future__ import annotations

from typing import Any, Iterable

from . import _native
from ._errors import needed, new_error

__all__ = ["Kind", "as_arrow", "kind_of", "as_given"]


class Kind:
    """What a frame is, and the types of its columns, so that a release can be given back alike. No value of the frame is in it but the order of
    categories that were declared to have one."""

    def __init__(self, name: str, types: dict[str, Any]):
        self.name = name
        self.types = types

    def read_as(self, arrow: Any) -> Kind:
        """The same, with what the Python objects of a pandas frame are: dates, decimals, bytes."""
        if self.name != "pandas":
            return self
        import pyarrow as pa

        plain = lambda kind: pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
        objects = {f.name: f.type for f in arrow.schema if self.types.get(f.name) == object and not plain(f.type)}
        return Kind(self.name, {**self.types, **objects})

    def __repr__(self) -> str:
        return f"Kind({self.name!r})"


class Categories:
    """That a column has categories. Their order is kept where somebody has declared it; otherwise it is often that of the first records, which must not come back."""

    def __init__(self, order: Iterable[Any] | None):
        self.order = None if order is None else list(order)

    def published(self, values: Iterable[Any]) -> list[Any] | None:
        """The declared categories that are published, in their order; none where there is no order, or other values are published."""
        values = set(values)
        if self.order is None or not values <= set(self.order):
            return None
        return [value for value in self.order if value in values]


def kind_of(frame: Any) -> Kind:
    """The kind of a frame. Whatever has ``__arrow_c_stream__`` is taken; what is not known comes back as PyArrow."""
    library = _library_of(frame)
    if library == "pandas" and hasattr(frame, "columns"):
        return Kind("pandas", {str(name): _pandas_type(dtype) for name, dtype in frame.dtypes.items()})
    if library == "polars" and hasattr(frame, "collect"):
        raise TypeError("a Polars LazyFrame has no data yet: give frame.collect()")
    if library == "polars" and hasattr(frame, "columns"):
        return Kind("polars", {name: _polars_type(dtype) for name, dtype in frame.schema.items()})
    if library == "pyarrow" and hasattr(frame, "schema"):
        return Kind("pyarrow", {field.name: field.type for field in frame.schema})
    if library is None and (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
        return Kind("pyarrow", {})
    one = "" if library is None else "give a frame with this column: "
    raise TypeError(
        f"{type(frame).__name__} is not a frame: {one}give a pandas or Polars DataFrame, a PyArrow Table, "
        "or anything else with __arrow_c_stream__"
    )


def _library_of(frame: Any) -> str | None:
    """The library that an object is of. Subclasses, as GeoPandas has them, are of the library whose class they extend: an index is no column there either."""
    modules = (parent.__module__.split(".")[0] for parent in type(frame).__mro__)
    return next((module for module in modules if module in ("pandas", "polars", "pyarrow")), None)


def _pandas_type(dtype: Any) -> Any:
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        return Categories(dtype.categories if dtype.ordered else None)
    return dtype


def _polars_type(dtype: Any) -> Any:
    import polars as pl

    if isinstance(dtype, pl.Enum):
        return Categories(dtype.categories)
    return Categories(None) if dtype == pl.Categorical else dtype


def as_arrow(frame: Any) -> Any:
    """The same data as an object that hands out an Arrow stream, as often as it is asked. Columns are not copied."""
    kind = kind_of(frame)
    if kind.name == "polars":
        return frame
    if kind.name == "pyarrow":
        # A stream that can be read once would be empty for whoever reads second.
        return frame if hasattr(frame, "num_rows") else _native.hold(frame)
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise new_error(f"two columns have the same name: {', '.join(twice)}", "rename one of them: a policy knows columns by their names")
    if any(name != column for name, column in zip(names, frame.columns)):
        frame = frame.set_axis(names, axis="columns")
    pa = needed("pyarrow", "a pandas frame", "pip install shoal[pandas]")
    try:
        # The index is not part of the data: it often numbers people.
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise _unreadable(frame) from None


def _unreadable(frame: Any) -> Exception:
    """Which column cannot be read, and what to do."""
    import pyarrow as pa

    for name in frame.columns:
        try:
            pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            # The first line: some of these texts quote all values.
            why = str(error).splitlines()[0][:200]
            hint = f'make it one type: frame["{name}"] = frame["{name}"].astype(str)'
            return new_error(f"column `{name}` has values that Arrow cannot hold in one column: {why}", hint, f"column {name}")
    return new_error("the frame cannot be given as an Arrow table", "give its columns plain types")


def as_given(stream: Any, kind: Kind) -> Any:
    """What an Arrow stream holds, as a frame of this kind and with its types where values still fit them."""
    if kind.name == "polars":
        return _as_polars(stream, kind)
    pa = needed("pyarrow", "this kind of frame", "pip install pyarrow, or use Polars")
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
    if pa.types.is_null(wanted):
        return pa.chunked_array([pa.nulls(len(plain))]) if plain.null_count == len(plain) else plain
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
        if isinstance(wanted, Categories):
            columns[field.name] = _as_category(column.to_pandas(), wanted)
            continue
        if isinstance(wanted, pa.DataType):
            columns[field.name] = _cast(column, wanted, field).to_pandas()
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
            if arrow is not None and pa.types.is_duration(arrow):
                series = _as_durations(series)
            # Texts that were Python objects stay so; pandas 3 would have a type of its own for them.
            exact = wanted == object or (column.type == arrow and wanted is not None and not series.hasnans)
            columns[field.name] = series.astype(wanted) if exact else series
    return pd.DataFrame(columns)


def _as_durations(series: Any) -> Any:
    """Texts of durations, which Arrow writes and does not read."""
    import pandas as pd

    try:
        return pd.to_timedelta(series)
    except ValueError:
        return series


def _as_category(series: Any, wanted: Categories) -> Any:
    """A category dtype lists its categories: only those that are published may be there, in an order that says nothing of the original's."""
    import pandas as pd

    values = series.dropna().unique().tolist()
    declared = wanted.published(values)
    return series.astype(pd.CategoricalDtype(sorted(values) if declared is None else declared, ordered=declared is not None))


def _as_polars(stream: Any, kind: Kind) -> Any:
    import polars as pl

    frame = pl.DataFrame(stream)
    for name, dtype in frame.schema.items():
        wanted = kind.types.get(name)
        column = frame.get_column(name)
        if dtype == pl.Categorical or isinstance(dtype, (pl.Categorical, pl.Enum)):
            column = column.cast(pl.String)
        if isinstance(wanted, Categories):
            # An Enum lists its categories, of which only those that are published may be there.
            declared = wanted.published(column.drop_nulls().unique().to_list())
            wanted = pl.Categorical if declared is None else pl.Enum(declared)
        if wanted is not None and column.dtype != wanted:
            try:
                column = column.cast(wanted)
            except (pl.exceptions.InvalidOperationError, pl.exceptions.ComputeError):
                pass
        frame = frame.with_columns(column.alias(name))
    return frame
