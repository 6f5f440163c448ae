"""The verbs: anonymize, apply, check, verify, measure, attack, explain, propose."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _native
from ._frames import as_arrow, kind_of
from ._policy import Policy, PolicyLike, policy_of
from ._progress import Progress, shown
from ._release import EarlierRelease, Release, Releases, Verdict, as_native, given_releases

__all__ = ["anonymize", "apply", "attack", "check", "explain", "measure", "propose", "verify"]


def anonymize(
    data: Any,
    policy: PolicyLike,
    *,
    previous: Releases = (),
    reuse_classes: bool = False,
    key_of: EarlierRelease | None = None,
    progress: Progress = None,
    ranges: str | None = None,
    allow_total_loss: bool = False,
) -> Release:
    """Anonymizes a frame: pandas, Polars, PyArrow, or anything with ``__arrow_c_stream__``.

    ``policy`` is a :class:`Policy`, a dict, the path of a policy file, or TOML. ``ranges`` is "text" (``[20, 29]``), "columns" (``age_min``,
    ``age_max``) or "interval" (pandas: ``Interval``, and columns where none holds the ends exactly); without it the policy says. Where the promise cannot be kept,
    :class:`PromiseError` is raised and nothing is released.

    >>> import pandas as pd, shoal
    >>> people = pd.DataFrame({"age": [34, 36, 41, 47, 52, 58], "illness": ["flu", "cold", "flu", "asthma", "flu", "cold"]})
    >>> release = shoal.anonymize(people, shoal.Policy().quasi("age", kind="integer").sensitive("illness").k(3))
    >>> sorted(set(release.data["age"]))
    ['[34, 41]', '[47, 58]']

    Two releases of the same people can tell more than each alone. ``previous`` are earlier ones, :class:`Release`\\ s or the folders that they were saved
    to: the new one holds together with all of them (tables), or is refused. People who were together are published among themselves, and
    newcomers too; who cannot be is left out. ``reuse_classes`` has no effect any more.

    Who of several people with the same quasi-identifiers goes where is dealt by a secret key. Each call draws one; ``key_of`` takes that of an
    earlier release, and ``policy.algorithm(key_file=…)`` that of a file: then the same records and policy give the same bytes.
    """
    policy, given = policy_of(policy), given_releases(previous)
    if reuse_classes and not given:
        raise ValueError("reuse_classes is about earlier releases: give them in previous")
    return _run(data, policy, ranges, given, progress, allow_total_loss=allow_total_loss, reuse_classes=reuse_classes, key=_key_of(key_of))


def _key_of(release: EarlierRelease | None) -> str | None:
    """The key of a release in hexadecimal digits."""
    if release is None:
        return None
    return str(release.audit["release-key"]) if isinstance(release, Release) else _native.key_of_release(release)


def apply(
    release: EarlierRelease,
    data: Any,
    *,
    policy: PolicyLike | None = None,
    previous: Releases = (),
    progress: Progress = None,
    ranges: str | None = None,
    allow_absent: bool = False,
    allow_total_loss: bool = False,
) -> Release:
    """The recoding of an earlier release on new or grown data, verified, and attacked together with the earlier release.

    ``release`` is a :class:`Release`, or the folder or ``audit.json`` of one that was saved or that the command line has made. People who were there
    stay among themselves, and newcomers among newcomers; whoever cannot be hidden is left out. ``policy`` is the
    release's own where none is given. ``previous`` are further releases of the same people, which the earlier one was not compared
    with itself. ``ranges`` is as in :func:`anonymize`; without it ranges come back as in the release. ``allow_absent=True`` also publishes those
    who were together with a few people that are gone. Tables, transactions and sequences; a stream goes on by itself.

    Hierarchies that are rules (:func:`bands`, :func:`dates` and others) learn the new values of a column, in the steps that they had in the earlier
    release. One that was saved has the rows of its hierarchies and not the rules: there a new value is an error, as of any hierarchy file.

    >>> import pandas as pd, shoal
    >>> people = pd.DataFrame({"name": list("abcdef"), "age": [34, 36, 41, 47, 52, 58]})
    >>> first = shoal.anonymize(people, shoal.Policy().identifier("name").quasi("age", kind="integer").k(3))
    >>> more = pd.DataFrame({"name": list("xyz"), "age": [35, 38, 40]})
    >>> second = first.apply(pd.concat([people, more]))
    >>> second.data["age"].value_counts().to_dict()
    {'[34, 41]': 6, '[47, 58]': 3}
    """
    given = given_releases(previous)
    if isinstance(release, Release):
        # The native release holds the audits of all that it was held against; those in memory also have data, and know where they were saved since.
        given += release._previous
        # Others than pandas have no intervals, and get the two columns that the release's policy asks for.
        if ranges is None and release._ranges == "interval" and kind_of(data).name == "pandas":
            ranges = "interval"
    if policy is not None:
        own = policy_of(policy)
    else:
        own = release.policy if isinstance(release, Release) else _policy_of_release(release)
    options = {"applied": True, "allow_absent": allow_absent, "allow_total_loss": allow_total_loss}
    return _run(data, own, ranges, [*given, release], progress, **options)


def _policy_of_release(release: str | os.PathLike[str]) -> Policy:
    """The policy of a saved release, for other data."""
    found = _native.policy_of_release(release)
    return Policy.from_toml(found["text"], found["folder"])._without_places()._with_hierarchies(found["hierarchies"])


def _run(
    data: Any, policy: Policy, ranges: str | None, previous: list[EarlierRelease], progress: Progress, **options: Any
) -> Release:
    if ranges is not None:
        if ranges not in ("text", "columns", "interval"):
            raise ValueError('ranges is "text", "columns" or "interval"')
        policy = policy.output(ranges="text" if ranges == "text" else "columns")
    # The release's policy must mean the same files also where the working directory is another one by then.
    policy = policy._seen_from_anywhere()
    kind = kind_of(data)
    if ranges == "interval" and kind.name != "pandas":
        raise ValueError('ranges="interval" is for pandas; others have no such type: use "columns"')
    arrow = as_arrow(data)
    policy = policy._timed(arrow)
    if options.get("applied"):
        policy = policy._grown(arrow)
    # Hierarchies that are made from the data stay what they are, also where the release is verified without them.
    policy = policy._built(arrow)
    with shown(progress) as callback:
        native = _native.anonymize(arrow, policy._native(arrow), callback, previous=as_native(previous), **options)
    return Release(native, policy, kind.read_as(arrow), ranges or "text", previous)


def check(data: Any, policy: PolicyLike, progress: Progress = None) -> dict[str, Any]:
    """What a run would do: how each column is read, who is unique, whether the promise can be kept. Changes nothing."""
    arrow = as_arrow(data)
    with shown(progress) as callback:
        return json.loads(_native.check(arrow, policy_of(policy)._native(arrow), callback))


def verify(published: Any, policy: PolicyLike, original: Any = None, progress: Progress = None) -> Verdict:
    """Do these data keep the policy's promise? With the original also: are they true of it? Works on any data, ours or not."""
    source = None if original is None else as_arrow(original)
    arrow = as_arrow(published)
    policy = policy_of(policy)
    with shown(progress) as callback:
        holds, found = _native.verify(arrow, policy._native(source), source, callback)
    return Verdict(holds, json.loads(found))


def measure(original: Any, published: Any, policy: PolicyLike, progress: Progress = None) -> dict[str, Any]:
    """What published data lose against their original, and what they still risk."""
    source = as_arrow(original)
    with shown(progress) as callback:
        return json.loads(_native.measure(source, as_arrow(published), policy_of(policy)._native(source), callback))


def attack(
    original: Any, published: Any, policy: PolicyLike, progress: Progress = None, previous: Releases = ()
) -> Verdict:
    """Plays the adversary, who may have earlier releases of the same people, too. It holds where nobody got further than promised."""
    source, given = as_arrow(original), as_native(given_releases(previous))
    with shown(progress) as callback:
        holds, found = _native.attack(source, as_arrow(published), policy_of(policy)._native(source), callback, given)
    return Verdict(holds, json.loads(found))


def explain(
    original: Any, published: Any, policy: PolicyLike, progress: Progress = None, **about: Any
) -> dict[str, Any]:
    """Why published data are as coarse as they are."""
    asked = [(key.rstrip("_"), str(value)) for key, value in about.items() if value is not None]
    known = ("row", "class", "column", "item", "person")
    if len(asked) > 1 or any(what not in known for what, _ in asked):
        raise TypeError(f"give one of {', '.join(known)}")
    source = as_arrow(original)
    with shown(progress) as callback:
        given = policy_of(policy)._native(source)
        return json.loads(_native.explain(source, as_arrow(published), given, asked[0] if asked else None, callback))


def propose(data: Any, shape: str = "table") -> Policy:
    """A first policy for data that nobody has described yet. Roles are guesses: review them, ``policy.questions`` first."""
    text, found = _native.propose(as_arrow(data), shape)
    policy = Policy.from_toml(text)
    found = json.loads(found)
    # The source is where the data are: here they are in memory.
    policy._keys["data"].pop("source", None)
    policy.questions, policy.columns = found["questions"], found["columns"]
    return policy
