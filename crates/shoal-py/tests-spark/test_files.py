"""The names of files and of the folder. Nothing that was verified may be lost by giving them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shoal
import shoal.spark
from shoal.spark import _tables
from shoal.spark._files import Folder, lies_in, plain_names
from shoal.spark._tables import TableJob
from shoal.spark._verify import digests
from test_spark import POLICY, hashes, people


def test_two_files_never_get_one_name():
    assert plain_names(["part-00000-ab-c000.zstd.parquet", "part-00001-ab-c000.zstd.parquet"])["part-00001-ab-c000.zstd.parquet"] == "part-00001.zstd.parquet"
    with pytest.raises(shoal.PromiseError, match="several files.*nothing was released"):
        plain_names(["part-00000-ab-c000.zstd.parquet", "part-00000-ab-c001.zstd.parquet"])


def test_a_session_that_splits_files_loses_no_row(spark, tmp_path):
    spark.conf.set("spark.sql.files.maxRecordsPerFile", "100")
    try:
        release = shoal.spark.anonymize(spark.createDataFrame(people(600)), POLICY, str(tmp_path / "out"), part_records=600)
    finally:
        spark.conf.unset("spark.sql.files.maxRecordsPerFile")
    assert pq.read_table(tmp_path / "out").num_rows == release.found["records-out"] == 600


def test_rows_are_counted_again_before_the_folder_gets_its_name(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(Folder, "_count", lambda folder: 599)
    with pytest.raises(shoal.PromiseError, match="600 rows were verified.*have 599"):
        shoal.spark.anonymize(spark.createDataFrame(people(600)), POLICY, str(tmp_path / "out"), part_records=600)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_the_data_are_read_from_is_not_replaced(spark, tmp_path):
    name = "of 100%25 people"
    spark.createDataFrame(people(600)).write.parquet(str(tmp_path / name))
    frame = spark.read.parquet(str(tmp_path / name))
    with pytest.raises(shoal.Error, match="the data are read from"):
        shoal.spark.anonymize(frame.where("age > 0"), POLICY, str(tmp_path / name), overwrite=True)
    assert pq.read_table(tmp_path / name).num_rows == 600


def released(spark, folder, records=300, seed=1):
    """A release of ours in this folder."""
    shoal.spark.anonymize(spark.createDataFrame(people(records, seed)), POLICY, str(folder))
    return hashes(folder)


def test_a_folder_that_cached_data_are_read_from_is_not_replaced(spark, tmp_path):
    """Of what is cached Spark's inputFiles knows no file, and a subquery is not looked at either."""
    before = released(spark, tmp_path / "out")
    (tmp_path / "link").symlink_to(tmp_path / "out")
    frame = spark.read.parquet(str(tmp_path / "out"))
    policy = shoal.Policy().quasi("age", "income", "town").sensitive("illness").insensitive("points").k(2)
    cached = frame.where("illness is not null").cache()
    frame.createOrReplaceTempView("others")
    in_subquery = spark.createDataFrame(people(300)).drop("name").where("illness >= (select min(illness) from others)")
    linked = spark.read.parquet(str(tmp_path / "link"))
    try:
        assert cached.count() == 300 and cached.inputFiles() == []
        for given in (cached, in_subquery, linked.cache(), spark.read.format("parquet").load(str(tmp_path / "out")).groupBy(*frame.columns).count().drop("count").cache()):
            with pytest.raises(shoal.Error, match="the data are read from"):
                shoal.spark.anonymize(given, policy, str(tmp_path / "out"), overwrite=True)
    finally:
        spark.catalog.clearCache()
        spark.catalog.dropTempView("others")
    assert hashes(tmp_path / "out") == before


@pytest.mark.parametrize("names", [["_SUCCESS", "part-00000-4b3e3f2a-c000.zstd.parquet"], ["_SUCCESS", "precious.csv"], ["part-00000.zstd.parquet"], []], ids=["spark's", "others", "unfinished", "empty"])
def test_only_a_release_is_replaced(spark, tmp_path, names):
    (tmp_path / "out").mkdir()
    for name in names:
        (tmp_path / "out" / name).write_text("precious")
    with pytest.raises(shoal.Error, match="is no release of Shoal's") as raised:
        shoal.spark.anonymize(spark.createDataFrame(people(20)), POLICY, str(tmp_path / "out"), overwrite=True)
    assert "another name" in raised.value.hint and sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)


@pytest.mark.parametrize("name", ["of [all]", "a{b,c}", "what?", "*", "in [1]/out"])
def test_a_name_that_spark_reads_as_a_pattern_is_refused_at_the_start(spark, tmp_path, name):
    with pytest.raises(shoal.Error, match="pattern of names") as raised:
        shoal.spark.anonymize(spark.createDataFrame(people(20)), POLICY, str(tmp_path / name))
    assert raised.value.hint and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("breaks", ["the old one is moved", "the new one is moved", "it is said to be done"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_the_old_release_is_back_whatever_breaks(spark, tmp_path, breaks, error):
    """Also where what was asked for had been done when the error came, as with Ctrl-C."""
    before = released(spark, tmp_path / "out")
    folder = Folder(spark.range(3), str(tmp_path / "out"), True)
    spark.range(3).write.parquet(folder.staged)

    class Breaking:
        """A file system that does what it is asked to, and then fails."""

        def __init__(self, real):
            self.real = real

        def __getattr__(self, name):
            return getattr(self.real, name)

        def rename(self, old, new):
            done = self.real.rename(old, new)
            step = "the old one is moved" if ".replaced-" in new.getName() else "the new one is moved" if ".unverified-" in old.getName() else ""
            if step == breaks:
                raise error("now")
            return done

        def create(self, path):
            made = self.real.create(path)
            if breaks == "it is said to be done":
                made.close()
                raise error("now")
            return made

    folder._fs = Breaking(folder._fs)
    with pytest.raises(error):
        try:
            folder.publish(3)
        finally:
            folder.remove()
    assert hashes(tmp_path / "out") == before and (tmp_path / "out" / "_SUCCESS").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_could_not_be_deleted_is_said(spark, tmp_path):
    folder = Folder(spark.range(3), str(tmp_path / "out"), False)
    spark.range(3).write.parquet(folder.staged)

    class Refusing:
        """A file system that deletes nothing and says so quietly."""

        def __init__(self, real):
            self.real = real

        def __getattr__(self, name):
            return getattr(self.real, name)

        def delete(self, path, whole):
            return False

    folder._fs = Refusing(folder._fs)
    with pytest.warns(UserWarning, match="not verified could not be deleted.*unverified-"):
        folder.remove()


@pytest.mark.parametrize(
    "file, lies",
    [("file:///a/b%20c/part-0", True), ("file:/a/b%20c/d=1/part-0", True), ("file:///a/b%20cd/part-0", False), ("hdfs://server/a/b%20c/part-0", False), ("file:///a/part-0", False)],
)
def test_where_files_lie(file, lies):
    assert lies_in("file:/a/b%20c", [file]) == lies


def test_a_release_stays_published_where_the_old_folder_cannot_be_deleted(spark, tmp_path):
    released(spark, tmp_path / "out")
    folder = Folder(spark.range(3), str(tmp_path / "out"), True)
    spark.range(3).write.parquet(folder.staged)

    class Stubborn:
        """A file system that deletes no folder that was replaced."""

        def __init__(self, real):
            self.real = real

        def __getattr__(self, name):
            return getattr(self.real, name)

        def delete(self, path, whole):
            if ".replaced-" in path.getName():
                raise OSError("busy")
            return self.real.delete(path, whole)

    folder._fs = Stubborn(folder._fs)
    with pytest.warns(UserWarning, match="is published.*could not be deleted"):
        folder.publish(3)
    assert pq.read_table(tmp_path / "out").num_rows == 3 and (tmp_path / "out" / "_SUCCESS").exists()


def test_digests_notice_what_moves_between_columns_and_lists(spark):
    def digest(rows):
        return spark.createDataFrame(rows, "a string, b string, c array<int>").agg(*digests([F.col("a"), F.col("b")], [F.col("c")])).first()

    one = digest([("x", None, [1, 2])])
    assert one == digest([("x", None, [1, 2])]) and one != digest([(None, "x", [1, 2])])
    assert digest([("x", "y", None)]) != digest([("x", "y", [])])


def test_a_column_that_may_not_be_published_is_noticed(spark, tmp_path, monkeypatch):
    write = TableJob.write

    def with_another(job, released):
        job.published = [*job.published, "extra"]
        write(job, released.withColumn("extra", F.lit("secret")))
        job.published = job.published[:-1]

    monkeypatch.setattr(TableJob, "write", with_another)
    with pytest.raises(shoal.PromiseError, match="columns .*extra.* may be published"):
        shoal.spark.anonymize(spark.createDataFrame(people(300)), POLICY, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_the_number_of_files_follows_from_what_is_published(spark, tmp_path, monkeypatch):
    """1,001 records went in, of which one is left out; a second file would say so."""
    monkeypatch.setattr(_tables, "FILE_RECORDS", 1_000)
    table = people(1_001)
    table = table.set_column(3, "town", pa.array([None, *table["town"].to_pylist()[1:]]))
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY.set("columns.town.missing", "suppress"), str(tmp_path / "out"))
    assert release.found["records-out"] == 1_000 and len(list((tmp_path / "out").glob("part-*"))) == 1
