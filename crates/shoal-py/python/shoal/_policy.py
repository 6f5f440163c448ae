"""Policies as a person types them: what each column is, and what is promised."""

from __future__ import annotations

import os
from typing import Any, Iterable, Literal, Mapping, Sequence, Union

from ._hierarchies import Hierarchy
from ._policy_document import PolicyDocument

__all__ = ["Policy", "PolicyLike", "policy_of"]

#: How the values of a column are read.
Kind = Literal["integer", "decimal", "date", "text"]
#: What is done with a record that has no value here.
Missing = Literal["category", "suppress", "error"]


class _Unchanged:
    """Stands for keys that a call does not name. ``None`` cannot: it takes a key away."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Any = _Unchanged()


class Policy(PolicyDocument):
    """What each column is, and what is promised. Every method gives a new policy, so that they can be chained.

    >>> import shoal
    >>> policy = shoal.Policy().quasi("age", hierarchy=shoal.bands(5, 10, 20)).sensitive("dx").k(10)
    >>> policy["privacy"]["k"]
    10

    Every key of the command line's policies can be set, also those without a method here: ``policy.set("privacy.t-closeness", 0.2)``.
    ``policy.to_toml()`` is a policy file.
    """

    def __init__(self, shape: str = "table"):
        super().__init__(shape)
        #: What ``propose`` could not know, in words: look at these first.
        self.questions: list[str] = []
        #: What ``propose`` found of each column.
        self.columns: list[dict[str, Any]] = []

    # Roles

    def quasi(
        self,
        *names: str,
        hierarchy: Hierarchy | str | None = None,
        kind: Kind | None = None,
        format: str | None = None,
        missing: Missing | None = None,
        weight: float | None = None,
        **keys: Any,
    ) -> Policy:
        """These columns are quasi-identifiers: what somebody may know of a person. They are published in crowds.

        ``kind`` is "integer", "decimal", "date" (with ``format``, for example ``"%d.%m.%Y"``) or "text"; ``missing`` is "category", "suppress" or
        "error"; ``weight`` is the column's share in the loss. Other keys are those of a policy's ``[columns.NAME]``.
        """
        return self._role("quasi-identifier", names, hierarchy, {**_given(kind=kind, format=format, missing=missing, weight=weight), **keys})

    def sensitive(
        self,
        *names: str,
        kind: Kind | None = None,
        hierarchy: Hierarchy | str | None = None,
        l_diversity: Mapping[str, Any] | None = None,
        t_closeness: float | Mapping[str, Any] | None = None,
        beta_likeness: float | Mapping[str, Any] | None = None,
        sensitive_values: Sequence[str] | None = None,
        c: float | None = None,
        domain: Sequence[str] | None = None,
        **keys: Any,
    ) -> Policy:
        """These columns are what nobody should learn of a person. They are published as they are, or as promised.

        ``l_diversity``, ``t_closeness`` and ``beta_likeness`` are promises about these columns alone; ``domain`` are all values that a stream may have.
        """
        own = _given(
            kind=kind, l_diversity=l_diversity, t_closeness=t_closeness, beta_likeness=beta_likeness,
            sensitive_values=sensitive_values, c=c, domain=domain,
        )
        return self._role("sensitive", names, hierarchy, {**own, **keys})

    def insensitive(self, *names: str, kind: Kind | None = None, **keys: Any) -> Policy:
        """Nobody knows these columns from elsewhere, and nobody is harmed by them. They are published as they are."""
        return self._role("insensitive", names, None, {**_given(kind=kind), **keys})

    def identifier(self, *names: str, kind: Kind | None = None, **keys: Any) -> Policy:
        """These columns name people. They are not published."""
        return self._role("identifier", names, None, {**_given(kind=kind), **keys})

    def personal_k(self, name: str, **keys: Any) -> Policy:
        """This column says how large a crowd each person wants. It is not published."""
        return self._role("personal-k", [name], None, keys)

    def _role(self, role: str, names: Sequence[str], hierarchy: Hierarchy | str | None, keys: dict[str, Any]) -> Policy:
        if not names:
            raise TypeError("give the name of a column")
        new = self._copy()
        for name in names:
            column = new._keys.setdefault("columns", {}).setdefault(name, {})
            column["role"] = role
            column.update({_dashed(key): value for key, value in keys.items()})
            if isinstance(hierarchy, Hierarchy):
                # Under a name that no file has by accident.
                column["hierarchy"] = f"memory:{name}"
                new._hierarchies[f"memory:{name}"] = hierarchy
            elif hierarchy is not None:
                column["hierarchy"] = str(hierarchy)
        return new

    # Promises

    def k(self, k: int) -> Policy:
        """Everybody is one of at least ``k``."""
        return self.privacy(k=k)

    def privacy(
        self,
        *,
        k: int | None = UNCHANGED,
        l_diversity: Mapping[str, Any] | None = UNCHANGED,
        t_closeness: float | Mapping[str, Any] | None = UNCHANGED,
        beta_likeness: float | Mapping[str, Any] | None = UNCHANGED,
        transparent: bool | None = UNCHANGED,
        preset: str | None = UNCHANGED,
        population: str | None = UNCHANGED,
        sampling_fraction: float | None = UNCHANGED,
        m: int | None = UNCHANGED,
        complete: bool | None = UNCHANGED,
        constraints: Iterable[Sequence[str]] | str | None = UNCHANGED,
        share: float | None = UNCHANGED,
        c: float | None = UNCHANGED,
        sensitive_items: Sequence[str] | None = UNCHANGED,
        sensitive_values: Sequence[str] | None = UNCHANGED,
        beta: float | None = UNCHANGED,
        length: int | None = UNCHANGED,
        support: str | None = UNCHANGED,
        l: int | None = UNCHANGED,
        **keys: Any,
    ) -> Policy:
        """What is promised, as in a policy's ``[privacy]``; everything that is given must hold. ``None`` takes a promise away, as it does with every key below.

        Tables: ``k``, ``l_diversity={"kind": "entropy", "l": 2}``, ``t_closeness=0.2``, ``beta_likeness=2``, ``transparent``. Transactions: ``k`` and ``m``,
        ``complete``, ``constraints=[["beer"], …]`` or ``share``; ``sensitive_items`` are secrets that the report speaks of. Sequences: ``k`` with ``c`` and ``sensitive_values``, or with ``length`` and
        ``beta`` or ``c``. Streams: ``l``, or ``k``.
        """
        own = _changed(
            k=k, l_diversity=l_diversity, t_closeness=t_closeness, beta_likeness=beta_likeness, transparent=transparent, preset=preset,
            population=population, sampling_fraction=sampling_fraction, m=m, complete=complete, constraints=constraints, share=share,
            sensitive_items=sensitive_items, c=c, sensitive_values=sensitive_values, beta=beta, length=length, support=support, l=l,
        )
        return self._section("privacy", {**own, **keys})

    def algorithm(
        self,
        name: str | None = None,
        *,
        seed: int | None = UNCHANGED,
        max_suppressed: float | None = UNCHANGED,
        seconds: float | None = UNCHANGED,
        rounds: int | None = UNCHANGED,
        remainder: str | None = UNCHANGED,
        objective: str | None = UNCHANGED,
        outliers: str | Mapping[str, Any] | None = UNCHANGED,
        key_file: str | os.PathLike[str] | None = UNCHANGED,
        delta: int | None = UNCHANGED,
        **keys: Any,
    ) -> Policy:
        """The algorithm and its parameters, as in a policy's ``[algorithm]``: "ribbon", "mondrian", "sbc" … for tables, "pcta" … for transactions, "cbmsa" … for sequences,
        "delay-free" and "castle" for streams. Without a name it is the default of the shape."""
        own = _given(name=name) | _changed(
            seed=seed, max_suppressed=max_suppressed, seconds=seconds, rounds=rounds, remainder=remainder,
            objective=objective, outliers=outliers, key_file=key_file, delta=delta,
        )
        return self._section("algorithm", {**own, **keys})

    def data(
        self,
        *,
        person: str | None = UNCHANGED,
        known_rows: str | None = UNCHANGED,
        missing: Sequence[str] | str | None = UNCHANGED,
        id: str | None = UNCHANGED,
        order: Sequence[str] | None = UNCHANGED,
        ties: str | None = UNCHANGED,
        items: str | None = UNCHANGED,
        item: str | None = UNCHANGED,
        item_separator: str | None = UNCHANGED,
        hierarchy: Hierarchy | str | None = UNCHANGED,
        format: str | None = UNCHANGED,
        **keys: Any,
    ) -> Policy:
        """How the data are laid out, as in a policy's ``[data]``.

        ``person`` is the column that says whose a record is, ``known_rows`` whether an attacker knows "all" rows of a person or "one", ``missing`` the texts that stand for no value. Transactions: ``items``, a column of lists, or
        ``format="long"`` with ``id`` and ``item``, and ``hierarchy``. Sequences: ``id`` and ``order``.
        """
        own = _changed(
            person=person, known_rows=known_rows, missing=[missing] if isinstance(missing, str) else missing, id=id, order=order, ties=ties, items=items,
            item=item, item_separator=item_separator, hierarchy=hierarchy, format=format,
        )
        return self._section("data", {**own, **keys})

    def output(
        self,
        *,
        suppressed: str | None = UNCHANGED,
        ranges: str | None = UNCHANGED,
        groups: str | None = UNCHANGED,
        keep_order: bool | None = UNCHANGED,
        **keys: Any,
    ) -> Policy:
        """What is published and how, as in a policy's ``[output]``: ``suppressed`` is "drop" or "star", ``ranges`` "text" or "columns"."""
        return self._section("output", {**_changed(suppressed=suppressed, ranges=ranges, groups=groups, keep_order=keep_order), **keys})

    def utility(
        self,
        *,
        constraints: Iterable[Sequence[str]] | str | None = UNCHANGED,
        max_suppressed: float | None = UNCHANGED,
        weights: Mapping[str, float] | str | None = UNCHANGED,
        **keys: Any,
    ) -> Policy:
        """What the release should be good for, as in a policy's ``[utility]``: sets of items that may be published as one, and what each item is worth."""
        return self._section("utility", {**_changed(constraints=constraints, max_suppressed=max_suppressed, weights=weights), **keys})

    def _section(self, section: str, keys: dict[str, Any]) -> Policy:
        new = self._copy()
        for key, value in keys.items():
            new._put([section, _dashed(key)], value)
        return new


PolicyLike = Union[Policy, Mapping[str, Any], str, "os.PathLike[str]"]


def policy_of(policy: PolicyLike) -> Policy:
    """A policy from a builder, a dict, the path of a file, or its TOML."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return Policy.from_dict(policy)
    if isinstance(policy, str) and ("\n" in policy or "=" in policy):
        return Policy.from_toml(policy)
    if isinstance(policy, (str, os.PathLike)):
        return Policy.from_file(policy)
    raise TypeError(f"{type(policy).__name__} is not a policy: give a shoal.Policy, a dict, a path or TOML")


def _changed(**keys: Any) -> dict[str, Any]:
    """The keys that were named, also those that are taken away by ``None``."""
    return {key: value for key, value in keys.items() if value is not UNCHANGED}


def _given(**keys: Any) -> dict[str, Any]:
    """The keys of a column that have a value."""
    return {key: value for key, value in keys.items() if value is not None}


def _dashed(key: str) -> str:
    return key.replace("_", "-")
