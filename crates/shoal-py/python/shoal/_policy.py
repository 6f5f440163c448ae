"""Policies: what each column is, and what is promised."""

from __future__ import annotations

import copy
import csv
import json
import os
from pathlib import Path
from typing import Any, Mapping, Sequence, Union

from . import _native
from ._hierarchies import Hierarchy

__all__ = ["Policy", "PolicyLike", "policy_of"]


class Policy:
    """What each column is, and what is promised. Every method gives a new policy, so that they can be chained.

    >>> import shoal
    >>> policy = shoal.Policy().quasi("age", hierarchy=shoal.bands(5, 10, 20)).sensitive("dx").k(10)
    >>> policy["privacy"]["k"]
    10

    Every key of the command line's policies can be set, also those without a method here: ``policy.set("privacy.t-closeness", 0.2)``.
    ``policy.to_toml()`` is a policy file.
    """

    def __init__(self, shape: str = "table"):
        self._keys: dict[str, Any] = {"version": 1, "data": {"shape": shape}}
        self._hierarchies: dict[str, Hierarchy] = {}
        self._item_lists: dict[str, list[list[str]]] = {}
        self._weights: dict[str, dict[str, float]] = {}
        self._folder = "."
        self._text: str | None = None
        #: What ``propose`` could not know, in words: look at these first.
        self.questions: list[str] = []
        #: What ``propose`` found of each column.
        self.columns: list[dict[str, Any]] = []

    # Roles

    def quasi(self, *names: str, hierarchy: Hierarchy | str | None = None, **keys: Any) -> Policy:
        """These columns are quasi-identifiers: what somebody may know of a person. They are published in crowds.

        ``kind`` is "integer", "decimal", "date" or "text"; other keys are those of a policy's ``[columns.NAME]``.
        """
        return self._role("quasi-identifier", names, hierarchy, keys)

    def sensitive(self, *names: str, **keys: Any) -> Policy:
        """These columns are what nobody should learn of a person. They are published as they are, or as promised."""
        return self._role("sensitive", names, None, keys)

    def insensitive(self, *names: str, **keys: Any) -> Policy:
        """Nobody knows these columns from elsewhere, and nobody is harmed by them. They are published as they are."""
        return self._role("insensitive", names, None, keys)

    def identifier(self, *names: str, **keys: Any) -> Policy:
        """These columns name people. They are not published."""
        return self._role("identifier", names, None, keys)

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

    def privacy(self, **keys: Any) -> Policy:
        """Other promises, as in a policy's ``[privacy]``: ``t_closeness=0.2``, ``l_diversity={"kind": "entropy", "l": 2}`` …"""
        return self._section("privacy", keys)

    def algorithm(self, name: str | None = None, **keys: Any) -> Policy:
        """The algorithm and its parameters, as in a policy's ``[algorithm]``."""
        return self._section("algorithm", {**({"name": name} if name else {}), **keys})

    def data(self, **keys: Any) -> Policy:
        """How the data are laid out, as in a policy's ``[data]``: ``person="id"``, ``missing=["?"]``, ``items="basket"`` …"""
        return self._section("data", keys)

    def output(self, **keys: Any) -> Policy:
        """What is published and how, as in a policy's ``[output]``."""
        return self._section("output", keys)

    def utility(self, **keys: Any) -> Policy:
        """What the release should be good for, as in a policy's ``[utility]``."""
        return self._section("utility", keys)

    def _section(self, section: str, keys: dict[str, Any]) -> Policy:
        new = self._copy()
        for key, value in keys.items():
            new._put([section, _dashed(key)], value)
        return new

    def set(self, key: str, value: Any) -> Policy:
        """Any key, dotted: ``policy.set("columns.age.weight", 2)``."""
        new = self._copy()
        new._put(key.split("."), value)
        return new

    def _put(self, path: list[str], value: Any) -> None:
        table = self._keys
        for part in path[:-1]:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise TypeError(f"{'.'.join(path)}: {part} has a value and no keys")
        dotted = ".".join(path)
        if value is None:
            table.pop(path[-1], None)
        elif dotted in ("privacy.constraints", "utility.constraints") and not isinstance(value, (str, os.PathLike)):
            name = f"memory:{dotted}"
            table[path[-1]], self._item_lists[name] = name, [[str(item) for item in items] for items in value]
        elif dotted == "utility.weights" and isinstance(value, Mapping):
            name = f"memory:{dotted}"
            table[path[-1]], self._weights[name] = name, {str(item): float(w) for item, w in value.items()}
        elif isinstance(value, Hierarchy):
            name = f"memory:{dotted}"
            table[path[-1]], self._hierarchies[name] = name, value
        else:
            table[path[-1]] = os.fspath(value) if isinstance(value, os.PathLike) else value

    # In and out

    @classmethod
    def from_toml(cls, text: str, folder: str | os.PathLike[str] = ".") -> Policy:
        """A policy from its text; paths in it are seen from ``folder``."""
        policy = cls()
        policy._keys = json.loads(_native.toml_to_json(text))
        policy._folder, policy._text = os.fspath(folder), text
        return policy

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Policy:
        """A policy file, as the command line reads it."""
        path = Path(path)
        return cls.from_toml(path.read_text("utf-8"), path.parent)

    @classmethod
    def from_dict(cls, keys: Mapping[str, Any]) -> Policy:
        """A policy that is a dict; hierarchies, constraints and weights in it may be objects of this package."""
        policy = cls()
        policy._keys = {}

        def put(path: list[str], value: Any) -> None:
            is_asset = ".".join(path) == "utility.weights"
            if isinstance(value, Mapping) and not is_asset:
                for key, below in value.items():
                    put([*path, str(key)], below)
            else:
                policy._put(path, value)

        put([], keys)
        policy._keys.setdefault("version", 1)
        policy._keys.setdefault("data", {}).setdefault("shape", "table")
        return policy

    def to_toml(self) -> str:
        """The text of a policy file. What ``propose`` wrote keeps its comments as long as nothing is changed.

        Hierarchies of this package are named ``memory:…`` there; ``Release.save`` writes them beside it.
        """
        return self._text if self._text is not None else _native.dict_to_toml(json.dumps(self._keys, default=_plain))

    def to_dict(self) -> dict[str, Any]:
        """The keys, as nested dicts."""
        return copy.deepcopy(self._keys)

    def full(self, data: Any = None) -> dict[str, Any]:
        """All keys with their defaults, checked as for a run."""
        return json.loads(_native.policy_to_json(self._native(data)))

    def __getitem__(self, section: str) -> Any:
        return copy.deepcopy(self._keys[section])

    def __repr__(self) -> str:
        return self.to_toml()

    def _copy(self) -> Policy:
        new = copy.deepcopy(self)
        # The text has the old keys.
        new._text = None
        return new

    def _native(self, arrow: Any) -> dict[str, Any]:
        """What the native module wants. Hierarchies of a kind are built from the column that uses them."""
        texts = {}
        data = self._keys.get("data", {})
        for name, hierarchy in self._hierarchies.items():
            column, spec = self._user_of(name)
            if column is None:
                continue
            if hierarchy._text is None and arrow is None:
                raise TypeError(f"the hierarchy of {column} is made from data: give them")
            missing = data.get("missing", [])
            texts[name] = hierarchy._of(arrow, column, [missing] if isinstance(missing, str) else missing, spec.get("format"))
        return self._native_with(texts)

    def _native_with(self, texts: dict[str, str]) -> dict[str, Any]:
        """The same where all hierarchies are texts already, by their names."""
        return {
            "text": self.to_toml(),
            "folder": self._folder,
            "hierarchies": texts,
            "item_lists": self._item_lists,
            "weights": self._weights,
            "distributions": {},
        }

    def _with_built(self, texts: Mapping[str, str]) -> Policy:
        new = copy.deepcopy(self)
        new._hierarchies.update({name: Hierarchy("groups", text=text) for name, text in texts.items()})
        return new

    def _files(self, output: str) -> dict[str, str]:
        """A policy file and what it names that is in memory, by their names. Nothing where lists of items are in memory, which are not written."""
        if self._item_lists or self._weights:
            return {}
        files = {}
        saved = self._copy()
        for number, (name, hierarchy) in enumerate(self._hierarchies.items(), 1):
            column, _ = self._user_of(name)
            if column is None or hierarchy._text is None:
                continue
            # Names of columns may hold what names of files may not.
            plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in column)
            place = f"hierarchies/{number}-{plain}.csv"
            files[place] = hierarchy._text
            table = saved._keys["columns"].get(column) or saved._keys["data"]
            table["hierarchy"] = place
        # Other files that it names are seen from its own folder, and not from this one.
        for column in saved._keys.get("columns", {}).values():
            if column.get("hierarchy") and column["hierarchy"] not in files:
                column["hierarchy"] = os.path.abspath(os.path.join(self._folder, column["hierarchy"]))
        saved._keys["data"].setdefault("source", "-")
        files["policy.toml"] = saved.to_toml()
        return files

    def _leaves_of(self, column: str) -> dict[str, list[str]]:
        """The values below each node of a column's hierarchy."""
        name = self._keys.get("columns", {}).get(column, {}).get("hierarchy")
        if name is None:
            return {}
        if name in self._hierarchies:
            text = self._hierarchies[name]._text or ""
        else:
            text = Path(self._folder, name).read_text("utf-8")
        leaves: dict[str, list[str]] = {}
        for row in csv.reader(text.splitlines(), delimiter=";"):
            for node in dict.fromkeys(row[1:]):
                leaves.setdefault(node, []).append(row[0])
        return leaves

    def _user_of(self, hierarchy: str) -> tuple[str | None, dict[str, Any]]:
        for name, column in self._keys.get("columns", {}).items():
            if column.get("hierarchy") == hierarchy:
                return name, column
        data = self._keys.get("data", {})
        if data.get("hierarchy") == hierarchy:
            return str(data.get("item", data.get("items", "item"))), {}
        return None, {}


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


def _dashed(key: str) -> str:
    return key.replace("_", "-")


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    raise TypeError(f"{type(value).__name__} cannot be in a policy")
