"""The conditions that Spark's verification computes, against those of the kernel's verifier, which shares no code with them."""

import random

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal._hierarchies import Hierarchy
from shoal.spark._axes import leaves_of
from shoal.spark._conditions import MISSING, Condition, Values, conditions_of, dealt

TREE = shoal.tree({"lungs": ["flu", "cold", "asthma"], "other": {"joints": ["gout"], "skin": ["acne", "burn"]}})
ILLNESSES = ["flu", "cold", "asthma", "gout", "acne", "burn"]


def crowds(seed, values):
    draw = random.Random(seed)
    return [[draw.choice(values[: draw.randint(1, len(values))]) for _ in range(draw.randint(2, 9))] for _ in range(draw.randint(1, 6))]


def uses(condition, values, groups):
    """Per crowd, with everybody in the file as everybody."""
    ids = [sorted({values.ids[value] for value in group}) for group in groups]
    counts = [[sum(values.ids[value] == one for value in group) for one in of] for group, of in zip(groups, ids)]
    everybody = np.zeros(values.count)
    for of, n in zip(ids, counts):
        everybody[of] += n
    starts = np.cumsum([0, *map(len, ids[:-1])])
    return condition.use(values, starts, np.concatenate(ids), np.concatenate(counts), everybody / everybody.sum())


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "kind, privacy",
    [
        ("text", {"l_diversity": {"kind": "distinct", "l": 2}}),
        ("text", {"l_diversity": {"kind": "frequency", "l": 2}}),
        ("text", {"l_diversity": {"kind": "entropy", "l": 1.8}}),
        ("text", {"l_diversity": {"kind": "recursive", "l": 2, "c": 1.5}}),
        ("text", {"t_closeness": {"t": 0.4, "distance": "equal"}}),
        ("text", {"t_closeness": {"t": 0.4, "distance": "hierarchical"}}),
        ("integer", {"t_closeness": {"t": 0.2, "distance": "ordered"}}),
        ("text", {"beta_likeness": {"beta": 1.0, "kind": "basic"}}),
        ("text", {"beta_likeness": {"beta": 1.0, "kind": "enhanced"}}),
    ],
)
def test_they_are_what_the_kernels_verifier_finds(seed, kind, privacy):
    groups = crowds(seed, ILLNESSES if kind == "text" else [1, 2, 3, 5, 8, 13])
    rows = [(f"c{number}", value) for number, group in enumerate(groups) for value in group]
    table = pa.table({"q": [row[0] for row in rows], "s": [row[1] for row in rows]})
    policy = shoal.Policy().quasi("q").sensitive("s", kind=kind).k(2).privacy(**privacy)
    is_tree = "hierarchical" in str(privacy)
    if is_tree:
        policy = policy.set("columns.s.hierarchy", TREE)
    verdict = shoal.verify(table, policy)
    (condition,) = conditions_of(policy.full(table))
    different = sorted({row[1] for row in rows})
    values = Values("s", {"kind": kind}, [], different, leaves_of(TREE._text) if is_tree else {})
    assert (max(uses(condition, values, groups)) <= 1 + 1e-9) == verdict.holds
    found = next(promise["found"] for promise in verdict["promises"] if promise["name"] == condition.rule)
    worst = max(uses(condition, values, groups))
    if condition.rule == "t-closeness":
        assert worst * condition.parameters["t"] == pytest.approx(found)
    elif condition.rule in ("distinct-l-diversity", "entropy-l-diversity"):
        assert condition.parameters["l"] / worst == pytest.approx(found)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(
    "condition, numbers",
    [
        (Condition("s", "t-closeness", t=0.3, distance="equal"), False),
        (Condition("s", "t-closeness", t=0.3, distance="ordered"), True),
        (Condition("s", "t-closeness", t=0.3, distance="hierarchical"), False),
        (Condition("s", "beta-likeness", beta=1.5, kind="basic"), False),
        (Condition("s", "beta-likeness", beta=1.5, kind="enhanced"), False),
    ],
)
def test_what_a_part_promises_is_enough_for_the_whole(seed, condition, numbers):
    """Every crowd of a part that keeps the part's own condition, with the part as everybody, keeps the one of the whole."""
    draw = random.Random(seed)
    domain = [1, 2, 3, 5, 8, 13] if numbers else ILLNESSES
    everybody = np.array([draw.random() for _ in domain])
    everybody /= everybody.sum()
    spec = {"kind": "integer"} if numbers else {}
    whole = Values("s", spec, [], domain, {} if numbers else leaves_of(TREE._text))
    part = draw.choices(domain, [everybody[whole.ids[value]] for value in domain], k=40)
    ids = np.array(sorted({whole.ids[value] for value in part}))
    counts = np.array([sum(whole.ids[value] == one for value in part) for one in ids])
    asked = condition.of_part(whole, ids, counts, everybody)
    key, parameters = next(iter(asked.items()))
    if parameters.get("t") == 0 or parameters.get("beta", 1) <= 0:
        return
    own = Condition("s", condition.rule, **parameters)
    own_values = Values("s", spec, [], sorted(set(part)), {} if numbers else leaves_of(TREE._text))
    tried = 0
    for crowd in [part, *(draw.sample(part, draw.randint(3, 20)) for _ in range(60))]:
        own_shares = np.zeros(own_values.count)
        for value in part:
            own_shares[own_values.ids[value]] += 1 / len(part)

        def use(of, values, shares):
            present = np.array(sorted({values.ids[value] for value in crowd}))
            n = np.array([sum(values.ids[value] == one for value in crowd) for one in present])
            return of.use(values, np.array([0]), present, n, shares)[0]

        if use(own, own_values, own_shares) <= 1:
            tried += 1
            assert use(condition, whole, everybody) <= 1 + 1e-9
    # All of a part together keeps the part's own condition.
    assert tried >= 1


@pytest.mark.parametrize("one, two", [("HIV", "hiv "), ("7", "07"), ("7.0", "7"), ("Straße", "STRASSE"), ("-0", "0"), ("HIV\u200b", "HIV"), ("H\u00adI\u200eV", "hiv"), ("HIV  1", "HIV\u00a01"), ("\uff28IV", "HIV"), ("HIV" + "\u200b \u2060\xa0" * 5, " \ufeff" * 5 + "hiv"), ("7" + "\u200b " * 5, "07")])
def test_values_that_look_alike_are_one(one, two):
    values = Values("s", {}, ["", "?"], [one, two, "other", None, "?"], {})
    assert values.ids[one] == values.ids[two] != values.ids["other"]
    assert values.ids[None] == values.ids["?"] == MISSING and values.count == 2


@pytest.mark.parametrize(
    "text",
    [
        "flu;lungs;*\ncold;lungs;*\ngout;*\nacne;skin;*\n",
        " flu ; lungs ; * \ncold;lungs;*\ngout;gout;*\nacne;skin;*\n",
        '"flu",lungs,*\ncold,lungs,*\ngout,gout,*\nacne,"skin",*\n',
    ],
)
def test_a_hierarchy_is_read_as_the_kernel_reads_it(text):
    groups = [["flu", "flu", "cold"], ["gout", "gout", "acne"], ["acne", "flu", "gout"]]
    condition = Condition("s", "t-closeness", t=0.3, distance="hierarchical")

    def used(hierarchy):
        return uses(condition, Values("s", {}, [], ["acne", "cold", "flu", "gout"], leaves_of(hierarchy)), groups)

    assert used(text) == pytest.approx(used("flu;lungs;*\ncold;lungs;*\ngout;gout;*\nacne;skin;*\n"))
    assert max(used(text)) > 1
    table = pa.table({"q": [f"c{number}" for number, group in enumerate(groups) for _ in group], "s": [value for group in groups for value in group]})
    policy = shoal.Policy().quasi("q").sensitive("s").k(2).privacy(t_closeness={"t": 0.3, "distance": "hierarchical"})
    verdict = shoal.verify(table, policy.set("columns.s.hierarchy", Hierarchy("groups", text=text)))
    found = next(promise["found"] for promise in verdict["promises"] if promise["name"] == "t-closeness")
    assert max(used(text)) * 0.3 == pytest.approx(found)


@pytest.mark.parametrize("leaves", [{}, {"flu": ["lungs", "*"], "cold": ["lungs", "*"]}, {"flu": ["lungs"], "cold": ["lungs"], "gout": ["other"], "acne": ["other"]}])
def test_what_a_tree_does_not_hold_together_is_far_apart(leaves):
    """The distance is that of equally distant values where there is no tree, and never less than in a tree that has everything."""
    groups = [["flu", "cold"], ["gout", "acne"]]
    values = Values("s", {}, [], ["acne", "cold", "flu", "gout"], leaves)
    assert uses(Condition("s", "t-closeness", t=0.5, distance="hierarchical"), values, groups) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize(
    "format, dates",
    [
        ("%D", ["12/01/19", "01/02/20", "11/30/20"]),
        ("%F %T", ["2019-12-01 23:00:00", "2020-01-02 00:00:00", "2020-01-02 00:00:01"]),
        ("%e %b %Y", ["9 Jan 2020", "10 Jan 2020", "1 Feb 2020"]),
        # Of texts with an offset the moment counts.
        ("%Y-%m-%d %H:%M %z", ["2020-01-01 10:00 +0900", "2020-01-01 09:00 +0100", "2020-01-01 08:30 +0000"]),
        # Python's own reader knows neither.
        ("%H:%M:%S%.f %F", ["10:00:00.25 2020-01-02", "10:00:00.5 2020-01-02", "09:00:00 2020-01-03"]),
        ("%F %T%:z", ["2020-01-02 10:00:00+09:00", "2020-01-02 09:00:00+01:00", "2020-01-02 08:30:00+00:00"]),
    ],
)
def test_dates_ascend_in_every_notation(format, dates):
    values = Values("s", {"kind": "date", "format": format}, ["?"], [*reversed(dates), None, "?", f" {dates[0]}\u200b"], {})
    assert [values.ids[date] for date in dates] == [0, 1, 2] and values.ids[f" {dates[0]}\u200b"] == 0 and values.ids["?"] == values.ids[None] == MISSING
    # The kernel has the same order.
    crowd = pa.table({"q": ["a"] * 3, "s": [dates[0], dates[0], dates[1]]})
    table = pa.concat_tables([crowd, pa.table({"q": ["b"] * 3, "s": [dates[1], dates[2], dates[2]]})])
    policy = shoal.Policy().quasi("q").sensitive("s", kind="date", format=format).k(2).privacy(t_closeness={"t": 0.3, "distance": "ordered"})
    found = next(promise["found"] for promise in shoal.verify(table, policy)["promises"] if promise["name"] == "t-closeness")
    groups = [[dates[0], dates[0], dates[1]], [dates[1], dates[2], dates[2]]]
    used = uses(Condition("s", "t-closeness", t=0.3, distance="ordered"), Values("s", {"kind": "date", "format": format}, [], dates, {}), groups)
    assert max(used) * 0.3 == pytest.approx(found)


def test_values_without_a_place_are_refused():
    with pytest.raises(shoal.PolicyError, match="no dates in the notation %Y-%m-%d") as raised:
        Values("s", {"kind": "date"}, ["?"], ["02.01.2020", None, "?"], {})
    assert raised.value.key == "columns.s.kind" and "02.01.2020" not in str(raised.value)
    with pytest.raises(shoal.PolicyError, match="no numbers"):
        Values("s", {"kind": "decimal"}, ["?"], ["1.0", "two", "3"], {})


def test_a_value_that_was_not_there_before_is_not_quoted():
    with pytest.raises(shoal.PromiseError, match="did not have before") as raised:
        Values("s", {}, [], ["flu", "cold"], {}).id_of("HIV")
    assert "HIV" not in str(raised.value)


def test_what_is_not_a_number_is_missing_where_the_policy_says_so():
    raw = [2.0, float("nan"), None, 1.0]
    with pytest.raises(shoal.PolicyError, match="no numbers"):
        Values("s", {"kind": "decimal"}, ["?"], raw, {})
    values = Values("s", {"kind": "decimal"}, ["?", "NaN"], raw, {})
    assert values.id_of(float("nan")) == values.ids[None] == MISSING and values.texts == ["1", "2"]


@pytest.mark.parametrize("seed", range(50))
def test_people_with_several_values_are_looked_at_with_the_one_that_mixes_least(seed):
    draw = random.Random(seed)
    people = [[{draw.choice(ILLNESSES) for _ in range(draw.randint(1, 3))} for _ in range(draw.randint(1, 7))] for _ in range(draw.randint(1, 4))]
    counts = [[n for one in ILLNESSES if (n := sum(one in values for values in crowd))] for crowd in people]
    starts = np.cumsum([0, *map(len, counts[:-1])])
    new_starts, found = dealt(starts, np.concatenate(counts), [len(crowd) for crowd in people])
    for at, crowd in enumerate(people):
        of_crowd = found[new_starts[at] : (new_starts[at + 1] if at + 1 < len(people) else len(found))]
        slow, left = [], len(crowd)
        for n in sorted(counts[at], reverse=True):
            slow += [min(n, left)] * (left > 0)
            left -= min(n, left)
        assert of_crowd.tolist() == slow and sum(slow) == len(crowd)
    # The condition is what the kernel's verifier finds, which knows whose each record is from the original.
    rows = [(f"c{at}", f"p{at}-{who}", value) for at, crowd in enumerate(people) for who, values in enumerate(crowd) for value in sorted(values)]
    table = pa.table({"q": [row[0] for row in rows], "who": [row[1] for row in rows], "s": [row[2] for row in rows]})
    for asked in ({"kind": "distinct", "l": 2}, {"kind": "entropy", "l": 1.8}, {"kind": "frequency", "l": 2}, {"kind": "recursive", "l": 2, "c": 1.5}):
        policy = shoal.Policy().quasi("q").identifier("who").sensitive("s").data(person="who", known_rows="one").k(2).privacy(l_diversity=asked)
        (condition,) = conditions_of(policy.full(table))
        values = Values("s", {}, [], sorted(set(table["s"].to_pylist())), {})
        worst = condition.use(values, new_starts, np.zeros(len(found), dtype=int), found, None).max()
        verdict = shoal.verify(table.drop_columns(["who"]), policy, table)
        promise = next(one for one in verdict["promises"] if one["name"] == condition.rule)
        assert (worst <= 1 + 1e-9) == promise["holds"], asked


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "kind, privacy",
    [
        ("text", {"t_closeness": {"t": 0.4, "distance": "equal"}}),
        ("text", {"t_closeness": {"t": 0.4, "distance": "hierarchical"}}),
        ("integer", {"t_closeness": {"t": 0.3, "distance": "ordered"}}),
        ("text", {"beta_likeness": {"beta": 0.8, "kind": "basic"}}),
        ("text", {"beta_likeness": {"beta": 0.8, "kind": "enhanced"}}),
    ],
)
def test_people_are_compared_with_everybody_as_the_kernels_verifier_does(seed, kind, privacy):
    draw, domain = random.Random(seed), ILLNESSES if kind == "text" else [1, 2, 3, 5, 8, 13]
    # Some people are in two crowds, and have a value in both.
    rows = [(f"c{draw.randint(0, 2)}", f"p{draw.randint(0, 11)}", draw.choice(domain[: draw.randint(1, 6)])) for _ in range(40)]
    table = pa.table({"q": [row[0] for row in rows], "who": [row[1] for row in rows], "s": [row[2] for row in rows]})
    policy = shoal.Policy().quasi("q").identifier("who").sensitive("s", kind=kind).data(person="who", known_rows="one").k(2).privacy(**privacy)
    is_tree = "hierarchical" in str(privacy)
    policy = policy.set("columns.s.hierarchy", TREE) if is_tree else policy
    (condition,) = conditions_of(policy.full(table))
    values = Values("s", {"kind": kind}, [], sorted(set(table["s"].to_pylist())), leaves_of(TREE._text) if is_tree else {})
    crowd_names = sorted({row[0] for row in rows})
    members = [len({who for q, who, _ in rows if q == name}) for name in crowd_names]
    having = [{one: len({who for q, who, s in rows if q == name and values.ids[s] == one}) for one in range(values.count)} for name in crowd_names]
    pairs = [[(one, n) for one, n in of.items() if n] for of in having]
    starts = np.cumsum([0, *map(len, pairs[:-1])])
    ids, counts = (np.array([pair[at] for of in pairs for pair in of]) for at in (0, 1))
    totals = np.array([len({who for _, who, s in rows if values.ids[s] == one}) for one in range(values.count)])
    worst = condition.use_of_people(values, starts, ids, counts, members, totals, len({row[1] for row in rows})).max()
    verdict = shoal.verify(table.drop_columns(["who"]), policy, table)
    promise = next(one for one in verdict["promises"] if one["name"] == condition.rule)
    assert (worst <= 1 + 1e-9) == promise["holds"]
    if condition.rule == "t-closeness":
        assert worst * condition.parameters["t"] == pytest.approx(promise["found"])


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(
    "condition, numbers",
    [
        (Condition("s", "t-closeness", t=0.5, distance="ordered"), True),
        (Condition("s", "t-closeness", t=0.5, distance="hierarchical"), False),
        (Condition("s", "beta-likeness", beta=1.5, kind="enhanced"), False),
    ],
)
def test_what_a_part_of_people_promises_is_enough_for_the_whole(seed, condition, numbers):
    """The same as for records, where people have several values."""
    draw, domain = random.Random(seed), [1, 2, 3, 5, 8, 13] if numbers else ILLNESSES
    leaves = {} if numbers else leaves_of(TREE._text)
    whole = Values("s", {"kind": "integer"} if numbers else {}, [], domain, leaves)
    everybody = [{draw.choice(domain) for _ in range(draw.randint(1, 3))} for _ in range(120)]
    part = [values & set(domain[: draw.randint(4, 6)]) or {domain[0]} for values in everybody[:50]]
    everybody = part + everybody[50:]
    own_values = Values("s", {"kind": "integer"} if numbers else {}, [], sorted(set().union(*part)), leaves)

    def count(people, values):
        return np.array([sum(any(values.ids.get(value) == one for value in of) for of in people) for one in range(values.count)], dtype=float)

    def use(of, crowd, values, all_people):
        counts = count(crowd, values)
        ids = np.flatnonzero(counts)
        return of.use_of_people(values, np.array([0]), ids, counts[ids], [len(crowd)], count(all_people, values), len(all_people))[0]

    counts = count(part, whole)
    ids = np.flatnonzero(counts)
    ((_, parameters),) = condition.of_part(whole, ids, counts[ids], count(everybody, whole), len(part), len(everybody)).items()
    if parameters.get("t") == 0 or parameters.get("beta", 1) <= 0:
        return
    own = Condition("s", condition.rule, **parameters)
    for crowd in [part, *(draw.sample(part, draw.randint(3, 25)) for _ in range(60))]:
        if use(own, crowd, own_values, part) <= 1:
            assert use(condition, crowd, whole, everybody) <= 1 + 1e-9
