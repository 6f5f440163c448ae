"""Frames of every kind, in and out. Arrow streams are what they have in common."""

from __future__ import annotations

from typing import Any, Iterable

from . import _native
from ._errors import needed, new_error
from ._hierarchies import _rows_of
from ._tuples import float_text, nanoseconds

__all__ = ["Kind", "as_arrow", "as_given", "kind_of", "own_copy"]


class Kind:
    """What a frame is, and the types of its columns, so that a release can be given back alike. No value of the frame is in it but the order of
    categories that were declared to have one."""

    def __init__(self, name: str, types: dict[str, Any], read: dict[str, Any] | None = None):
        self.name = name
        self.types = types
        #: The types of Arrow that the columns of a pandas frame were read as: they know what Python's objects are, texts or dates, decimals, bytes.
        self.read = read or {}

    def read_as(self, arrow: Any) -> Kind:
        """The same, with what its columns were read as."""
        return Kind(self.name, self.types, {field.name: field.type for field in arrow.schema}) if self.name == "pandas" else self

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
    """What an Arrow stream holds, as a frame of this kind. A column has its type again where every published text is what a value of that type says: never
    another text, since those are what was verified."""
    if kind.name == "polars":
        return _as_polars(stream, kind)
    pa = needed("pyarrow", "this kind of frame", "pip install pyarrow, or use Polars")
    table = pa.table(stream).unify_dictionaries()
    if kind.name == "pyarrow":
        return _as_pyarrow(table, kind)
    return _as_pandas(table, kind)


def own_copy(frame: Any, kind: Kind) -> Any:
    """A frame that may be changed while this one stays. Those of PyArrow cannot be changed."""
    return frame.copy() if kind.name == "pandas" else frame.clone() if kind.name == "polars" else frame


def _texts_are(texts: Iterable[str], values: Any) -> bool:
    """Whether these texts are those that Shoal reads from a frame's column ``value``, which has no nulls."""
    expected = set(texts)
    if not expected:
        return True
    # A hierarchy of one step names every value by its text.
    rows, _ = _native.build_hierarchy(values, "value", "flat")
    return {row[0] for row in _rows_of(rows)} == expected


def _as_pyarrow(table: Any, kind: Kind) -> Any:
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        wanted, column = kind.types.get(field.name), table.column(at)
        is_coded = wanted is not None and pa.types.is_dictionary(wanted)
        column = _as_type(column, wanted.value_type if is_coded else wanted)
        # The codes are ours: those of the original would tell how many values there were.
        table = table.set_column(at, field.name, column.dictionary_encode() if is_coded else column)
    return table


def _as_type(column: Any, wanted: Any) -> Any:
    """A column of Arrow as this type, or as it was published where a value does not fit: `[20, 29]` is a text. Never a dictionary."""
    import pyarrow as pa

    plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if wanted is None or plain.type == wanted:
        return plain
    if pa.types.is_null(wanted):
        return pa.chunked_array([pa.nulls(len(plain))]) if plain.null_count == len(plain) else plain
    try:
        if pa.types.is_nested(plain.type):
            lists = plain.cast(wanted)
            return lists if lists.cast(plain.type).equals(plain) else plain
        if pa.types.is_integer(plain.type) and pa.types.is_integer(wanted):
            return plain.cast(wanted)
        # By the different texts, of which there are few in what was generalized.
        coded = plain.dictionary_encode().combine_chunks()
        texts = _arrow_texts(coded.dictionary)
        if _is_text(wanted):
            return pa.chunked_array([texts.take(coded.indices).cast(wanted)])
        typed = _arrow_values(texts, wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OverflowError):
        # What was generalized does not fit, or Arrow does not read this type from texts.
        return plain
    if not _texts_are(texts.to_pylist(), pa.table({"value": typed})):
        return plain
    return pa.chunked_array([typed.take(coded.indices)])


def _is_text(kind: Any) -> bool:
    """Whether a type holds texts as they are; bytes hold them in UTF-8."""
    import pyarrow as pa

    kinds = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())
    return any(kind == text for text in kinds)


def _arrow_texts(values: Any) -> Any:
    """The texts of published values, without nulls."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        return pa.array([float_text(value) for value in values.to_pylist()], pa.string())
    return values.cast(pa.string())


def _arrow_values(texts: Any, wanted: Any) -> Any:
    """What texts say, in this type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_time(wanted):
        # Arrow reads moments, and no times.
        moments = pc.binary_join_element_wise("1970-01-01T", texts, "")
        return moments.cast(pa.timestamp(wanted.unit)).cast(wanted)
    if pa.types.is_duration(wanted):
        found = [nanoseconds(text) for text in texts.to_pylist()]
        if None in found:
            raise pa.ArrowInvalid("no duration")
        return pa.array(found, pa.duration("ns")).cast(wanted)
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, texts.cast(wanted.storage_type))
    return texts.cast(wanted)


def _as_pandas(table: Any, kind: Kind) -> Any:
    import pandas as pd

    columns = {name: _pandas_column(table.column(name), kind.types.get(name), kind.read.get(name)) for name in table.column_names}
    return pd.DataFrame(columns)


def _pandas_column(column: Any, wanted: Any, read: Any) -> Any:
    """A column of Arrow that was read as this type, from this type of pandas."""
    import pandas as pd
    import pyarrow as pa

    read = read.value_type if read is not None and pa.types.is_dictionary(read) else read
    column = _as_type(column, None if read is None or pa.types.is_null(read) else read)
    if isinstance(wanted, Categories):
        return _as_category(_pandas_series(column), wanted)
    if wanted == object:
        # Texts that were Python objects stay so; pandas 3 would have a type of its own for them.
        return column.to_pandas(integer_object_nulls=True).astype(object)
    # Types that NumPy does not have (Int64 with nulls, times with zones) know how to read Arrow.
    if column.type == read and hasattr(wanted, "__from_arrow__"):
        return pd.Series(wanted.__from_arrow__(column))
    series = _pandas_series(column)
    return series.astype(wanted) if column.type == read and wanted is not None and not series.hasnans else series


def _pandas_series(column: Any) -> Any:
    """Whole numbers with nulls in a type that holds both: NumPy would make floats of them, which are not exact."""
    import pandas as pd
    import pyarrow as pa

    if not pa.types.is_integer(column.type) or column.null_count == 0:
        return column.to_pandas()
    dtype = pd.UInt64Dtype() if pa.types.is_uint64(column.type) else pd.Int64Dtype()
    return pd.Series(dtype.__from_arrow__(column))


def _as_category(series: Any, wanted: Categories) -> Any:
    """A category dtype lists its categories: only those that are published may be there, in an order that says nothing of the original's."""
    import pandas as pd

    values = series.dropna().unique().tolist()
    declared = wanted.published(values)
    categories = sorted(values) if declared is None else declared
    if series.dtype.kind in "mM":
        categories = pd.Index(categories, dtype=series.dtype)
    return series.astype(pd.CategoricalDtype(categories, ordered=declared is not None))


def _as_polars(stream: Any, kind: Kind) -> Any:
    import polars as pl

    frame = pl.DataFrame(stream)
    for name, dtype in frame.schema.items():
        wanted = kind.types.get(name)
        column = frame.get_column(name)
        if dtype == pl.Categorical or isinstance(dtype, (pl.Categorical, pl.Enum)):
            column = column.cast(pl.String)
        if isinstance(wanted, Categories):
            column = _polars_column(column, pl.String)
            # An Enum lists its categories, of which only those that are published may be there.
            declared = wanted.published(column.drop_nulls().unique().to_list())
            column = column.cast(pl.Categorical if declared is None else pl.Enum(declared))
        elif wanted is not None:
            column = _polars_column(column, wanted)
        frame = frame.with_columns(column.alias(name))
    return frame


def _polars_column(column: Any, wanted: Any) -> Any:
    """A column of Polars as this type, or as it was published where a value does not fit."""
    import polars as pl

    if column.dtype == wanted:
        return column
    if wanted == pl.Null:
        return pl.Series(column.name, [None] * len(column)) if column.null_count() == len(column) else column
    try:
        if column.dtype.is_nested():
            lists = column.cast(wanted)
            return lists if lists.cast(column.dtype).equals(column) else column
        if column.dtype.is_integer() and wanted.is_integer():
            return column.cast(wanted)
        texts = _polars_texts(column)
        typed = _polars_values(texts, wanted)
    except (pl.exceptions.InvalidOperationError, pl.exceptions.ComputeError, OverflowError):
        # What was generalized does not fit, or Polars does not read this type from texts.
        return column
    if wanted == pl.String:
        return typed
    if typed.null_count() != column.null_count():
        return column
    values = pl.DataFrame({"value": typed.drop_nulls().unique()})
    return typed if _texts_are(texts.drop_nulls().unique().to_list(), values) else column


def _polars_texts(column: Any) -> Any:
    """The texts of published values; nulls stay."""
    import polars as pl

    if not column.dtype.is_float():
        return column.cast(pl.String)
    texts = [None if value is None else float_text(value) for value in column.to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


def _polars_values(texts: Any, wanted: Any) -> Any:
    """What texts say, in this type; a cast reads no dates and times in every version of Polars."""
    import polars as pl

    if wanted == pl.Date:
        return texts.str.to_date("%Y-%m-%d")
    if wanted == pl.Time:
        return texts.str.to_time("%H:%M:%S%.f")
    if wanted == pl.Datetime:
        ending = "" if wanted.time_zone is None else "Z"
        moments = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f" + ending, time_unit=wanted.time_unit)
        return moments if wanted.time_zone is None else moments.dt.replace_time_zone("UTC").dt.convert_time_zone(wanted.time_zone)
    if wanted == pl.Duration:
        # A text that is no duration becomes a null, which the caller looks for.
        found = [None if text is None else nanoseconds(text) for text in texts.to_list()]
        return pl.Series(texts.name, found, dtype=pl.Int64).cast(pl.Duration("ns")).cast(wanted)
    return texts.cast(wanted)
