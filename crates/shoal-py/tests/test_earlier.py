"""Releases of the same people: held against each other, applied to grown data, saved and read by the command line and back."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from conftest import smallest_class

SHOAL = os.environ.get("SHOAL")
needs_the_command = pytest.mark.skipif(SHOAL is None, reason="SHOAL names no program")


def command(*arguments):
    return subprocess.run([SHOAL, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture
def grown(people):
    """Everybody, and ten more."""
    more = people.head(10).assign(name=[f"newcomer {n}" for n in range(10)])
    return pd.concat([people, more], ignore_index=True)


def test_a_second_release_is_held_against_the_first(people, policy, grown):
    first = shoal.anonymize(people, policy)
    # The same release again tells nothing new.
    assert shoal.anonymize(people, policy, previous=first).data.equals(first.data)
    # People who were together stay so, by the larger k of both.
    kept = shoal.anonymize(grown, policy.k(4), previous=[first])
    assert smallest_class(kept.data, ["age", "town"]) >= 5
    again = shoal.anonymize(grown, policy.output(suppressed="drop"), previous=[first], reuse_classes=True)
    assert smallest_class(again.data, ["age", "town"]) >= 5
    with pytest.raises(ValueError, match="previous"):
        shoal.anonymize(grown, policy, reuse_classes=True)
    with pytest.raises(TypeError, match="not a release"):
        shoal.anonymize(grown, policy, previous=[first.data])


def test_the_recoding_is_applied_to_grown_data(people, policy, grown):
    first = shoal.anonymize(people, policy)
    second = first.apply(grown)
    assert second.verify(grown) and second.attack(grown, previous=[first])
    # Whoever was there keeps the class: all that the first one says is said again, as often.
    columns = ["age", "town", "illness"]
    before, after = (release.data.value_counts(columns) for release in (first, second))
    assert (after.reindex(before.index, fill_value=0) >= before).all()
    assert smallest_class(second.data, ["age", "town"]) >= 5
    assert second.audit["applied-from"] == second.audit["previous"][0]["audit-hash"]
    # Frames of the kind that was given last.
    assert isinstance(first.apply(pl.from_pandas(grown)).data, pl.DataFrame)
    # A third one is held against both.
    third = second.apply(pd.concat([grown, people.tail(9).assign(name=[f"late {n}" for n in range(9)])]))
    assert len(third.audit["previous"]) == 2 and len(third) > len(people)
    # One who is gone would be found by comparing; the others of the class are left out, unless that is allowed.
    large = first.data.groupby(["age", "town"]).size().idxmax()
    low, high = map(int, large[0].strip("[]").split(","))
    region = {"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"], "*": list(people["town"])}
    members = people[people["age"].between(low, high) & people["town"].isin(region.get(large[1], [large[1]]))]
    # Of a class of more than k, so that the others could be published.
    found = False
    for name in members["name"]:
        without = grown[grown["name"] != name]
        careful, open_ = first.apply(without), first.apply(without, allow_absent=True)
        assert not any("not in this one" in leak for leak in careful.leaks)
        found |= len(careful) < len(open_) and any("not in this one" in leak for leak in open_.leaks)
    assert found


def test_hierarchies_that_are_rules_know_new_values(people, policy):
    first = shoal.anonymize(people, policy.quasi("age", hierarchy=shoal.bands(10, 20)))
    older = people.head(20).assign(name=[f"old {n}" for n in range(20)], age=[101, 103] * 10)
    second = first.apply(pd.concat([people, older]))
    assert second.verify(pd.concat([people, older])) and len(second) > len(first)
    assert {"[100, 109]", "[100, 119]", "*"} & set(second.data["age"])
    # A hierarchy of your own has no rule.
    abroad = older.assign(town="Basel")
    with pytest.raises(shoal.Error, match="Basel") as refused:
        first.apply(pd.concat([people, abroad]))
    assert "hierarchy" in refused.value.hint


def test_steps_that_the_data_chose_stay_when_values_are_added(policy):
    def aged(ages):
        return pd.DataFrame({"name": [f"person {age}" for age in ages], "age": ages, "town": "Ulm", "illness": "flu"})

    def rows(release):
        return list(csv.reader(release.policy._hierarchies["memory:age"]._text.splitlines(), delimiter=";"))

    # The first 50 ages are cut into bands of 2, 4, … years; all 120 would be cut into as many levels of 5, 10, … years.
    first = shoal.anonymize(aged(range(20, 70)), policy.quasi("age", hierarchy=shoal.bands()))
    second = first.apply(aged(range(20, 140)))
    third = second.apply(aged(range(20, 150)))
    assert ["70", "[70, 71]", "[68, 71]", "[64, 71]", "[64, 79]", "[64, 95]", "*"] in rows(second)
    assert rows(third)[: len(rows(second))] == rows(second) and rows(second)[: len(rows(first))] == rows(first)
    assert rows(third)[-1][:2] == ["149", "[148, 149]"] and third.verify(aged(range(20, 150)))


def test_two_releases_with_the_same_data_are_not_taken_for_each_other(people, policy, tmp_path):
    first = shoal.anonymize(people, policy)
    again = shoal.anonymize(people, policy, previous=first)
    assert again.data.equals(first.data)
    grown = pd.concat([people, people.head(20).assign(name=[f"newcomer {n}" for n in range(20)])])
    third = again.apply(grown)
    for release, name in ((first, "first"), (again, "again"), (third, "third")):
        release.save(tmp_path / name)
    places = [Path(named["audit"]) for named in json.loads((tmp_path / "third/audit.json").read_text())["previous"]]
    assert places == [tmp_path / "first/audit.json", tmp_path / "again/audit.json"]
    assert shoal.apply(tmp_path / "third", grown).verify()


def test_a_saved_release_has_the_rows_of_a_hierarchy_and_not_its_rule(people, policy, tmp_path):
    first = shoal.anonymize(people, policy.quasi("age", hierarchy=shoal.bands(10, 20)))
    first.save(tmp_path / "first")
    older = people.head(20).assign(name=[f"old {n}" for n in range(20)], age=[101, 103] * 10)
    assert first.apply(pd.concat([people, older])).verify()
    with pytest.raises(shoal.Error, match="101"):
        shoal.apply(tmp_path / "first", pd.concat([people, older]))


def test_values_that_would_rename_groups_are_not_added(people, policy):
    newcomers = people.head(10).assign(name=[f"newcomer {n}" for n in range(10)])
    # Among codes of four characters, `53*` would be `53**`.
    zips = people.assign(town=[f"53{n % 7}" for n in range(100)])
    released = shoal.anonymize(zips, policy.quasi("town", hierarchy=shoal.prefixes(2, 1)))
    with pytest.raises(shoal.Error, match="5310"):
        released.apply(pd.concat([zips, newcomers.assign(town="5310")]))
    # Bands that know tenths end at `[20.0, 29.9]`, which is another text for the same people.
    banded = shoal.anonymize(people, policy.quasi("age", kind="decimal", hierarchy=shoal.bands(10, 20)))
    with pytest.raises(shoal.Error, match="20.5"):
        banded.apply(pd.concat([people, newcomers.assign(age=20.5)]))


def test_transparent_releases_are_not_applied(people, policy):
    transparent = policy.privacy(transparent=True, l_diversity={"kind": "distinct", "l": 2}).algorithm("transparent")
    release = shoal.anonymize(people, transparent)
    with pytest.raises(shoal.Error, match="transparent"):
        release.apply(people)


def test_streams_are_not_applied(people, tmp_path):
    policy = (
        shoal.Policy("stream").data(person="name", source="-").identifier("name").quasi("age", kind="integer").identifier("town")
        .sensitive("illness", domain=["asthma", "cold", "flu"]).privacy(l=2)
    )
    (tmp_path / "policy.toml").write_text(policy.to_toml())
    with pytest.raises(shoal.Error, match="stream") as refused:
        shoal.apply(tmp_path / "policy.toml", people)
    assert "shoal.Stream" in refused.value.hint


def test_ranges_come_back_as_in_the_release_that_is_applied(people, policy, grown):
    first = shoal.anonymize(people, policy, ranges="interval")
    assert isinstance(first.apply(grown).data["age"].dtype, pd.IntervalDtype)
    # Polars has no intervals; the ends are there all the same.
    assert {"age_min", "age_max"} <= set(first.apply(pl.from_pandas(grown)).data.columns)
    assert first.apply(grown, ranges="text").data["age"].str.startswith("[").any()
    with pytest.raises(ValueError, match="columns"):
        first.apply(pl.from_pandas(grown), ranges="interval")


def test_transactions_and_sequences_are_applied():
    baskets = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread"], ["wine", "milk"]] * 4
    frame = pa.table({"who": [f"p{n}" for n in range(20)], "basket": baskets})
    policy = shoal.Policy("transactions").data(items="basket").identifier("who").privacy(k=4, m=2)
    first = shoal.anonymize(frame, policy)
    more = pa.table({"who": [f"q{n}" for n in range(10)], "basket": baskets[:10]})
    second = first.apply(pa.concat_tables([frame, more]))
    assert second.verify() and len(second) == 30
    # A single newcomer cannot hide and is left out.
    assert len(first.apply(pa.concat_tables([frame, more.slice(0, 1)]))) == 20

    towns = shoal.tree({"South": ["Ulm", "Passau"], "North": ["Kiel", "Bremen"]})
    rows = [(f"p{n}", day, town) for n in range(12) for day, town in enumerate(["Ulm", "Kiel"] if n % 2 else ["Passau", "Bremen"])]
    visits = pd.DataFrame(rows, columns=["who", "day", "town"])
    policy = (
        shoal.Policy("sequences").data(id="who", order=["day"]).identifier("who").identifier("day", kind="integer")
        .quasi("town", hierarchy=towns).privacy(k=3, length=2)
    )
    first = shoal.anonymize(visits, policy)
    second = first.apply(pd.concat([visits, visits.assign(who=visits["who"] + "b")]))
    assert second.verify() and len(second) > len(first)


def test_a_saved_release_is_applied(people, policy, grown, tmp_path):
    first = shoal.anonymize(people, policy.quasi("age", hierarchy=shoal.bands(10, 20)))
    expected = first.apply(grown)
    first.save(tmp_path / "first")
    second = shoal.apply(tmp_path / "first", grown)
    assert second.data.equals(expected.data)
    # A chain of saved releases knows where its beginning lies.
    second.save(tmp_path / "second")
    audit = json.loads((tmp_path / "second" / "audit.json").read_text())
    assert audit["previous"][0]["audit"] == str(tmp_path / "first" / "audit.json")
    third = shoal.apply(str(tmp_path / "second" / "audit.json"), grown)
    assert len(third.audit["previous"]) == 2
    # Saved after it was applied, it is still the one that is meant; moved, it must be given.
    expected.save(tmp_path / "third")
    assert shoal.apply(tmp_path / "third", grown).verify()
    (tmp_path / "first").rename(tmp_path / "moved")
    with pytest.raises(shoal.Error, match="not at") as lost:
        shoal.apply(tmp_path / "third", grown)
    assert "previous=[" in lost.value.hint
    assert shoal.apply(tmp_path / "third", grown, previous=tmp_path / "moved").verify()
    with pytest.raises(shoal.Error, match="audit"):
        shoal.apply(tmp_path, grown)


def test_a_release_of_a_folder_is_applied_after_the_folder_has_moved(people, policy, grown, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.anonymize(people, policy).save("first")
    second = shoal.apply("first", grown)
    more = pd.concat([grown, people.tail(9).assign(name=[f"late {n}" for n in range(9)])])
    expected = second.apply(more).data
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert second.apply(more).data.equals(expected)
    (tmp_path / "first").rename(tmp_path / "moved")
    with pytest.raises(shoal.Error, match="the published file is not there any more"):
        second.apply(more)
    # Whoever says where it lies by now has that place in the next audit.
    told = second.apply(more, previous=tmp_path / "moved")
    assert told.data.equals(expected) and len(told.audit["previous"]) == 2
    assert told.audit["previous"][0]["audit"] == str(tmp_path / "moved" / "audit.json")


def test_published_transactions_are_found_in_a_folder_that_has_moved(tmp_path):
    baskets = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread"], ["wine", "milk"]] * 4
    table = lambda names: pa.table({"who": names, "basket": baskets})
    frame, more, most = (pa.concat_tables([table([f"{group}{n}" for n in range(20)]) for group in groups]) for groups in ("a", "ab", "abc"))
    policy = shoal.Policy("transactions").data(items="basket").identifier("who").privacy(k=4, m=2)
    shoal.anonymize(frame, policy).save(tmp_path / "first")
    second = shoal.apply(tmp_path / "first", more)
    (tmp_path / "first").rename(tmp_path / "moved")
    # An audit of transactions does not hold what was published, which the third one is attacked together with.
    with pytest.raises(shoal.Error, match="not there any more") as lost:
        second.apply(most)
    assert "previous=[" in lost.value.hint
    assert len(second.apply(most, previous=tmp_path / "moved")) == 60
    # As the command line lays them out: the data beside the folder of the report.
    (tmp_path / "moved" / "data.parquet").rename(tmp_path / "data.parquet")
    assert len(second.apply(most, previous=tmp_path / "moved")) == 60
    # Other data under that name are not taken for them.
    pq.write_table(more, tmp_path / "data.parquet")
    with pytest.raises(shoal.Error, match="not the one that was published"):
        second.apply(most, previous=tmp_path / "moved")


@needs_the_command
def test_the_command_line_goes_on_from_what_python_saved_and_back(people, policy, grown, tmp_path):
    first = shoal.anonymize(people, policy)
    path = first.save(tmp_path / "first")
    # The digest in the report is the file's, so that whoever has both can compare them; the audit beside it is found.
    verified = command("verify", path)
    assert verified.returncode == 0, verified.stderr
    grown.to_csv(tmp_path / "grown.csv", index=False)
    applied = command("apply", tmp_path / "first", tmp_path / "grown.csv", "-o", tmp_path / "second.csv")
    assert applied.returncode == 0, applied.stderr
    expected = first.apply(grown).data.astype(str)
    assert pd.read_csv(tmp_path / "second.csv", dtype=str).values.tolist() == expected.values.tolist()
    # And Python from there.
    third = shoal.apply(tmp_path / "second.report", grown)
    assert third.data.astype(str).values.tolist() == expected.values.tolist()
    assert len(third.audit["previous"]) == 2


@needs_the_command
def test_saved_lists_constraints_and_weights_are_read_by_the_command_line(tmp_path):
    baskets = [["milk, fresh", "bread"], ["milk, fresh", 'be"er'], ["bread", 'be"er'], ["wine", "milk, fresh"]] * 5
    frame = pa.table({"who": [f"p{n}" for n in range(20)], "basket": baskets})
    policy = (
        shoal.Policy("transactions").data(items="basket").identifier("who").algorithm("pcta")
        .privacy(k=4, constraints=[['be"er'], ["wine", "milk, fresh"]]).utility(weights={"milk, fresh": 0.5})
    )
    release = shoal.anonymize(frame, policy)
    # CSV knows no lists, so Parquet is what is written by default.
    with pytest.raises(shoal.Error, match="lists") as refused:
        release.save(tmp_path / "csv", "csv")
    assert "parquet" in refused.value.hint and not (tmp_path / "csv").exists()
    path = release.save(tmp_path / "saved")
    assert path.suffix == ".parquet"
    verified = command("verify", path)
    assert verified.returncode == 0, verified.stderr
    more = pa.concat_tables([frame, pa.table({"who": [f"q{n}" for n in range(20)], "basket": baskets})])
    pq.write_table(more, tmp_path / "more.parquet")
    applied = command("apply", tmp_path / "saved", tmp_path / "more.parquet", "-o", tmp_path / "second.parquet")
    assert applied.returncode == 0, applied.stderr
