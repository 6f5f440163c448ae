"""The verbs of the command line, on frames."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

import shoal
from conftest import ROOT, smallest_class


def test_a_release_is_verified_measured_attacked_and_explained(people, policy):
    release = shoal.anonymize(people, policy)
    assert release.verify() and release.verify(people)
    assert 0 < release.loss < 1
    measured = release.measure(people)
    assert abs(json.loads(json.dumps(measured))["loss"]["ncp"] - release.loss) < 1e-9
    assert release.attack(people)
    assert release.explain(people, column="age")
    assert release.leaks and all(isinstance(leak, str) for leak in release.leaks)
    assert "iframe" in release._repr_html_() and "loss" in repr(release)


def test_the_verifier_notices_a_broken_release(people, policy):
    release = shoal.anonymize(people, policy)
    broken = release.data.copy()
    broken.loc[0, "age"] = "[18, 19]"
    verdict = shoal.verify(broken, release.policy)
    assert not verdict and not verdict.holds
    # The right classes with a wrong illness are wrong, too.
    wrong = release.data.copy()
    wrong.loc[0, "illness"] = "cold" if wrong.loc[0, "illness"] != "cold" else "flu"
    assert shoal.verify(wrong, release.policy)
    assert not shoal.verify(wrong, release.policy, people)


def test_the_release_is_the_one_of_the_command_line(people, policy, tmp_path):
    shoal_command = os.environ.get("SHOAL")
    if shoal_command is None:
        pytest.skip("SHOAL names no program")
    people.to_csv(tmp_path / "people.csv", index=False)
    towns = "Ulm;South;*\nPassau;South;*\nFüssen;South;*\nKiel;North;*\nBremen;North;*\nHusum;North;*\n"
    (tmp_path / "towns.csv").write_text(towns)
    text = policy.set("columns.town.hierarchy", "towns.csv").data(source="people.csv").output(path="out.csv").to_toml()
    (tmp_path / "policy.toml").write_text(text)
    subprocess.run([shoal_command, "run", tmp_path / "policy.toml"], check=True, capture_output=True)
    from_file = pd.read_csv(tmp_path / "out.csv", dtype=str)
    from_memory = shoal.anonymize(people, tmp_path / "policy.toml").data.astype(str)
    assert from_file.values.tolist() == from_memory.values.tolist()


def test_saved_data_are_what_was_verified(people, policy, tmp_path):
    release = shoal.anonymize(people, policy)
    for format in ("csv", "parquet"):
        path = release.save(tmp_path / format, format)
        read = pd.read_csv(path, dtype=str) if format == "csv" else pd.read_parquet(path)
        assert read.astype(str).values.tolist() == release.data.astype(str).values.tolist()
        assert oct((path.parent / "audit.json").stat().st_mode)[-3:] == "600"
        assert sorted(p.name for p in path.parent.iterdir()) == ["audit.html", "audit.json", "audit.people.parquet", f"data.{format}", "hierarchies", "policy.toml", "report.html", "report.json"]
        # It names every value of the original.
        assert oct((path.parent / "hierarchies" / "1-town.csv").stat().st_mode)[-3:] == "600"
        if os.environ.get("SHOAL"):
            verify = [os.environ["SHOAL"], "verify", path, "--policy", path.parent / "policy.toml"]
            subprocess.run(verify, check=True, capture_output=True)
        with pytest.raises(shoal.Error, match="exists already"):
            release.save(tmp_path / format, format)
    # What others get does not hold what only the publisher may know.
    assert release.audit["key"] not in (tmp_path / "csv" / "report.json").read_text()


def test_a_proposed_policy_runs(people):
    policy = shoal.propose(people)
    roles = {column["name"]: column["role"] for column in policy.columns}
    assert roles["name"] == "identifier" and roles["age"] == "quasi-identifier"
    assert policy.to_toml().count("#") > 5
    assert shoal.anonymize(people, policy.k(3)).verify(people)


def test_policies_from_a_dict_a_file_and_toml(people, policy, key_file, tmp_path):
    towns = shoal.tree({"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"]})
    as_dict = {
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "kind": "integer"},
            "town": {"role": "quasi-identifier", "hierarchy": towns},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"k": 5},
        "algorithm": {"key-file": key_file},
    }
    expected = shoal.anonymize(people, policy).data
    assert shoal.anonymize(people, as_dict).data.equals(expected)
    flat = policy.set("columns.town.hierarchy", None)
    (tmp_path / "policy.toml").write_text(flat.to_toml())
    for given in (flat, flat.to_toml(), tmp_path / "policy.toml", str(tmp_path / "policy.toml")):
        assert smallest_class(shoal.anonymize(people, given).data, ["age", "town"]) >= 5
    # Methods give new policies.
    assert policy.k(9)["privacy"]["k"] == 9 and policy["privacy"]["k"] == 5


def test_hierarchies_are_built_from_the_column(people):
    policy = shoal.Policy().identifier("name", "illness", "town").quasi("age", hierarchy=shoal.bands(5, 10, 20)).k(5)
    ages = set(shoal.anonymize(people, policy).data["age"])
    assert all(low % 5 == 0 for low in (int(age[1:].split(",")[0]) for age in ages if age.startswith("[")))


def test_errors_have_text_place_and_hint(people, policy):
    with pytest.raises(shoal.PolicyError) as raised:
        shoal.anonymize(people, policy.set("privacy.kk", 3))
    assert "kk" in str(raised.value) and raised.value.place and "hint" in str(raised.value)
    with pytest.raises(shoal.PromiseError) as raised:
        shoal.anonymize(people, policy.k(1000))
    assert raised.value.message and raised.value.hint
    with pytest.raises(shoal.Error, match="no column|not have|lack"):
        shoal.anonymize(people.drop(columns="age"), policy)
    # Nothing but `*` is refused, unless it is asked for.
    every = pd.DataFrame({"town": [f"t{n}" for n in range(6)]})
    flat = shoal.Policy().quasi("town", hierarchy=shoal.flat()).k(6)
    with pytest.raises(shoal.PromiseError, match="nothing|lost|useless|all"):
        shoal.anonymize(every, flat)
    assert set(shoal.anonymize(every, flat, allow_total_loss=True).data["town"]) == {"*"}


def test_comparison(people, policy):
    compared = shoal.compare(people, policy, k=[2, 5, 1000], algorithms=["mondrian", "ribbon"])
    assert compared.frame.shape[0] == 6
    losses = {(row["algorithm"], row["k"]): row["loss"] for row in compared.rows if row["loss"] is not None}
    assert losses["ribbon", 2] <= losses["ribbon", 5] and len(losses) == 4
    assert all(row["why"] for row in compared.rows if row["k"] == 1000)
    import matplotlib

    matplotlib.use("Agg")
    assert compared.plot().get_xlabel() == "k"
    varied = shoal.compare(people, policy, k=[2, 5], vary={"algorithm.remainder": ["nearest", "last"]}, algorithms=["sbc"])
    assert varied.frame["algorithm.remainder"].tolist() == ["nearest", "last"] * 2
    assert len(varied.plot().get_legend().get_texts()) == 2 and "algorithm.remainder" in varied._repr_html_()


def test_transparent_policies_are_not_tried_out_however_they_are_asked_for(people, policy, tmp_path):
    diverse = policy.privacy(l_diversity={"kind": "distinct", "l": 2})
    keys = {"algorithm.key-file": [str(tmp_path / "one"), str(tmp_path / "two")]}
    for tried, vary in (
        (diverse.privacy(transparent=True), {}),
        (diverse, {"privacy.transparent": [True]}),
        (diverse, {"privacy.transparent": [False, True], **keys}),
        (diverse, {"privacy": [{"k": 5, "transparent": True, "l-diversity": {"kind": "distinct", "l": 2}}]}),
    ):
        told = []
        with pytest.raises(ValueError, match="transparent"):
            shoal.compare(people, tried, vary=vary, progress=lambda *stage: told.append(stage))
        # Before anything was tried, so that no key was made.
        assert not told and not list(tmp_path.iterdir())


def test_progress_is_told_and_may_cancel(policy):
    frame = pd.DataFrame({"name": range(60_000), "age": [n % 97 for n in range(60_000)], "town": ["Ulm", "Kiel"] * 30_000, "illness": ["flu"] * 60_000})
    told = []
    shoal.anonymize(frame, policy, progress=lambda stage, done, total: told.append(stage))
    assert told

    class Enough(Exception):
        pass

    def stop(stage, done, total):
        raise Enough

    with pytest.raises(Enough):
        shoal.anonymize(frame, policy, progress=stop)
    assert shoal.anonymize(frame, policy, progress=True)


def test_the_interpreter_goes_on_while_shoal_works(policy):
    frame = pd.DataFrame({"name": range(50_000), "age": [(n * n) % 91 for n in range(50_000)], "town": ["Ulm", "Kiel"] * 25_000, "illness": ["flu"] * 50_000})
    ticks = []
    ended = threading.Event()

    def tick():
        while not ended.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    shoal.anonymize(frame, policy)
    ended.set()
    thread.join()
    # With the lock held there would be a tick before and one after.
    assert len(ticks) > 3


def test_ctrl_c_ends_the_work(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        "import random, sys, pandas as pd, shoal\n"
        "r = random.Random(1)\n"
        "frame = pd.DataFrame({f'c{i}': [r.randint(0, 10**6) for _ in range(60_000)] for i in range(12)})\n"
        "policy = shoal.Policy()\n"
        "for name in frame.columns: policy = policy.quasi(name, kind='integer')\n"
        "print('begins', flush=True)\n"
        "try:\n"
        "    shoal.anonymize(frame, policy.k(5).algorithm(seconds=600))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted'); sys.exit(0)\n"
        "sys.exit(3)\n"
    )
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "interrupted\n")


def test_a_forked_child_can_work(people, policy):
    import multiprocessing

    expected = shoal.anonymize(people, policy).data
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_anonymize, (people, policy)).equals(expected)


def _anonymize(people, policy):
    return shoal.anonymize(people, policy).data


def test_the_shipped_example(tmp_path):
    adult = ROOT / "examples" / "adult"
    policy = shoal.Policy.from_file(adult / "policy.toml")
    source = adult / policy["data"]["source"]
    frame = pd.read_csv(source, header=None if policy["data"].get("header") is False else "infer", names=policy["data"].get("names"), dtype=str, skipinitialspace=True, sep=policy["data"].get("separator", ","))
    release = shoal.anonymize(frame, policy)
    quasi = [name for name, column in policy["columns"].items() if column["role"] == "quasi-identifier"]
    assert smallest_class(release.data, quasi) >= policy["privacy"]["k"]


def test_what_is_not_installed_is_said(people, policy, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="progress=True needs tqdm: pip install tqdm"):
        shoal.anonymize(people, policy, progress=True)
    compared = shoal.compare(people, policy)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install shoal\\[plot\\]"):
        compared.plot()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install shoal\\[pandas\\]"):
        shoal.anonymize(people, policy)


def test_keys_of_transparent_policies_come_from_their_file(people, policy, tmp_path):
    key = tmp_path / "key"
    transparent = policy.privacy(transparent=True, l_diversity={"kind": "distinct", "l": 2}).algorithm("transparent", key_file=str(key))
    first = shoal.anonymize(people, transparent)
    # Made by the first run, for nobody else to read, and used by the second.
    assert oct(key.stat().st_mode)[-3:] == "600"
    assert shoal.anonymize(people, transparent).data.equals(first.data)


def test_a_release_is_repeated_by_its_key_and_other_calls_draw_their_own(tmp_path):
    people = pd.DataFrame({"age": [30, 31, 32] * 7, "illness": [f"illness {n}" for n in range(21)]})
    policy = shoal.Policy().quasi("age", kind="integer").sensitive("illness").k(4).algorithm("sbc")
    first = shoal.anonymize(people, policy)
    first.save(tmp_path / "first")
    shuffled = people.sample(frac=1, random_state=3)
    for key_of in (first, tmp_path / "first", tmp_path / "first" / "audit.json"):
        assert shoal.anonymize(shuffled, policy, key_of=key_of).data.equals(first.data)
    assert not all(shoal.anonymize(people, policy).data.equals(first.data) for _ in range(5))
    assert first.audit["release-key"] not in json.dumps(first.report)
