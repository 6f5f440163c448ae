"""What a release gives away beside its data: metadata, orders, buffers, representations, files."""

import copy
import io
import json
import pickle
import stat

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal

#: What is left out, what only one person has, and what somebody has written beside the data; none of it may be found in what is published.
SECRETS = [b"person 17", b"Hamelin", b"internal note"]


@pytest.fixture
def people(people):
    """With one from a town that nobody else is from."""
    people.loc[17, "town"] = "Hamelin"
    return people


@pytest.fixture
def policy(policy):
    towns = shoal.tree({"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum", "Hamelin"]})
    return policy.quasi("town", hierarchy=towns)


@pytest.fixture
def table(people):
    """A frame with metadata, and a dictionary whose order is that of the first records."""
    people = people.astype({"town": "category", "illness": "category"})
    people.attrs["note"] = "internal note"
    table = pa.Table.from_pandas(people, preserve_index=True).replace_schema_metadata({"note": "internal note"})
    town = table.schema.get_field_index("town")
    return table.set_column(town, pa.field("town", table.schema.field(town).type, metadata={"note": "internal note"}), table.column(town))


def clean(bytes_):
    return not any(secret in bytes_ for secret in SECRETS)


def buffers_of(array):
    """All buffers of an array as they are, with what lies before and behind a slice, and those of its dictionary."""
    found = [buffer.to_pybytes() for buffer in array.buffers() if buffer is not None]
    return found + (buffers_of(array.dictionary) if pa.types.is_dictionary(array.type) else [])


def test_no_metadata_and_no_index_come_back(table, people, policy):
    out = shoal.anonymize(table.drop_columns("__index_level_0__") if "__index_level_0__" in table.column_names else table, policy)
    assert out.data.schema.metadata is None and pa.table(out).schema.metadata is None
    assert all(field.metadata is None for field in out.data.schema)
    people.attrs["note"] = "internal note"
    people.index = pd.Index(people["name"], name="who")
    data = shoal.anonymize(people, policy).data
    assert data.attrs == {} and data.index.equals(pd.RangeIndex(len(data))) and data.index.name is None


def test_buffers_hold_nothing_of_the_original(table, policy):
    table = table.select(["name", "age", "town", "illness"])
    # A slice: its buffers still hold the records that were cut off.
    for given in (table, table.slice(20, 60), pl.from_arrow(table.slice(10))):
        release = shoal.anonymize(given, policy)
        for column in pa.table(release).columns:
            assert all(clean(buffer) for chunk in column.chunks for buffer in buffers_of(chunk)), column
        published = release.data if isinstance(release.data, pa.Table) else release.data.to_arrow()
        sink = io.BytesIO()
        pq.write_table(published, sink)
        assert clean(sink.getvalue())
        stream = io.BytesIO()
        with pa.ipc.new_stream(stream, published.schema) as writer:
            writer.write_table(published)
        assert clean(stream.getvalue())
    # Nor do the frames, when somebody pickles them.
    assert clean(pickle.dumps(shoal.anonymize(table.to_pandas(), policy).data))
    assert clean(pickle.dumps(shoal.anonymize(pl.from_arrow(table), policy).data))


def test_the_order_of_categories_and_dictionaries_is_not_that_of_the_records(people, policy):
    # The first record decides the first entry of all of these.
    first = pd.concat([people[people["illness"] == "flu"], people[people["illness"] != "flu"]], ignore_index=True)
    last = first.iloc[::-1].reset_index(drop=True)

    def dictionaries(frame):
        order = list(dict.fromkeys(frame["illness"]))
        categories = frame.assign(illness=pd.Categorical(frame["illness"], categories=order))
        arrow = pa.table({**{name: frame[name].tolist() for name in frame}, "illness": pa.array(frame["illness"]).dictionary_encode()})
        polars = pl.from_pandas(frame).with_columns(pl.col("illness").cast(pl.Categorical))
        out = shoal.anonymize(arrow, policy)
        yield shoal.anonymize(categories, policy).data["illness"].cat.categories.tolist()
        yield [chunk.dictionary.to_pylist() for chunk in out.data.column("illness").chunks]
        yield [chunk.dictionary.to_pylist() for chunk in pa.table(out).column("illness").chunks]
        yield shoal.anonymize(polars, policy).data.to_arrow().column("illness").chunk(0).dictionary.to_pylist()

    assert list(dictionaries(first)) == list(dictionaries(last))


def test_declared_orders_of_categories_are_kept_and_unused_ones_are_not_told(people, policy):
    order = ["none", "flu", "cold", "asthma", "a rare one nobody has"]
    categories = people.assign(illness=pd.Categorical(people["illness"], categories=order, ordered=True))
    kept = shoal.anonymize(categories, policy).data["illness"].dtype
    assert kept.ordered and kept.categories.tolist() == ["flu", "cold", "asthma"]
    enum = pl.from_pandas(people).with_columns(pl.col("illness").cast(pl.Enum(order)), pl.col("town").cast(pl.Enum(sorted(set(people["town"])))))
    data = shoal.anonymize(enum, policy).data
    assert data.schema["illness"].categories.to_list() == ["flu", "cold", "asthma"]
    # Generalized: other values than were declared, so no order.
    assert data.schema["town"] == pl.Categorical


def test_a_release_shows_and_pickles_nothing_of_the_original(people, policy):
    release = shoal.anonymize(people, policy)
    shown = [repr(release), str(release), release._repr_html_(), repr(release.policy), repr(release._kind), json.dumps(release.report)]
    key = release.audit["key"]
    for text in shown:
        assert clean(text.encode()) and key not in text
    # It holds the key by which people are recognized, and who is in which class.
    for attempt in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="save"):
            attempt(release)
    # Figures of the original are for the publisher; what a notebook shows is what the published data show.
    assert release.audit["loss"]["ncp"] == release.loss
    assert "records-in" in release.audit and "records-in" not in release.report
    assert "seed" not in release.report and "input-hash" not in release.report


def test_files_for_others_hold_nothing_but_the_data_and_the_rest_is_closed(people, policy, tmp_path):
    release = shoal.anonymize(people, policy.quasi("age", hierarchy=shoal.bands(10, 30)))
    for format in ("csv", "parquet"):
        folder = tmp_path / format
        release.save(folder, format)
        open_ = {f"data.{format}", "report.json", "report.html"}
        for file in folder.rglob("*"):
            if file.is_dir():
                continue
            closed = stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
            assert closed != (file.name in open_), file
            if file.name in open_:
                assert clean(file.read_bytes()), file
        # Whoever has both can see that they belong together.
        import hashlib

        digest = hashlib.sha256((folder / f"data.{format}").read_bytes()).hexdigest()
        assert json.loads((folder / "report.json").read_text())["output-sha256"] == digest
        assert digest in (folder / "report.html").read_text()


def test_a_folder_of_another_release_is_not_replaced(people, policy, tmp_path):
    release = shoal.anonymize(people, policy)
    release.save(tmp_path / "out")
    before = (tmp_path / "out" / "audit.json").read_bytes()
    # The same folder with another name of the data would replace the audit of a release that others may have by now.
    with pytest.raises(shoal.Error, match="reports of another release|exists already"):
        release.save(tmp_path / "out", "parquet")
    assert (tmp_path / "out" / "audit.json").read_bytes() == before
    assert not (tmp_path / "out" / "data.parquet").exists()
    # A policy that somebody has written by hand is not replaced either.
    own = tmp_path / "project"
    own.mkdir()
    (own / "policy.toml").write_text("# mine")
    with pytest.raises(shoal.Error, match="exists already") as refused:
        release.save(own)
    assert "force=True" in refused.value.hint
    assert sorted(path.name for path in own.iterdir()) == ["policy.toml"] and (own / "policy.toml").read_text() == "# mine"
    release.save(tmp_path / "out", force=True)


def test_a_fitted_model_is_pickled_without_its_release(people, policy):
    from shoal.sklearn import Anonymizer

    X = people[["age", "town"]]
    quasi = shoal.Policy().quasi("age", kind="integer").quasi("town").k(5)
    fitted = Anonymizer(quasi).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert not hasattr(again, "release_") and hasattr(fitted, "release_")
    assert (again.transform(X) == fitted.transform(X)).all()
    assert fitted.release_.audit["key"].encode() not in pickle.dumps(fitted)
