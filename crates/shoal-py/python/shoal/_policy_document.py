"""The keys of a policy and the objects that they name: read from TOML, dicts and files, written again, and handed to the native module."""

from __future__ import annotations

import copy
import csv
import json
import os
from pathlib import Path
from typing import Any, Callable, Mapping, TypeVar

from . import _native
from ._hierarchies import Hierarchy

__all__ = ["PolicyDocument"]

#: The class of the policy at hand: whoever changes a :class:`Policy` gets one.
P = TypeVar("P", bound="PolicyDocument")


class PolicyDocument:
    """A policy as nested keys. Hierarchies, lists of items and weights that are in memory are named ``memory:…`` there."""

    def __init__(self, shape: str = "table"):
        self._keys: dict[str, Any] = {"version": 1, "data": {"shape": shape}}
        self._hierarchies: dict[str, Hierarchy] = {}
        self._item_lists: dict[str, list[list[str]]] = {}
        self._weights: dict[str, dict[str, float]] = {}
        #: The folder that the paths among its keys are seen from.
        self._folder = "."
        #: The text that it was read from, as long as nothing is changed.
        self._text: str | None = None

    @classmethod
    def from_toml(cls: type[P], text: str, folder: str | os.PathLike[str] = ".") -> P:
        """A policy from its text; paths in it are seen from ``folder``."""
        policy = cls()
        policy._keys = json.loads(_native.toml_to_json(text))
        policy._folder, policy._text = os.fspath(folder), text
        return policy

    @classmethod
    def from_file(cls: type[P], path: str | os.PathLike[str]) -> P:
        """A policy file, as the command line reads it."""
        path = Path(path)
        return cls.from_toml(path.read_text("utf-8"), path.parent)

    @classmethod
    def from_dict(cls: type[P], keys: Mapping[str, Any]) -> P:
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
        return self._text if self._text is not None else _native.dict_to_toml(json.dumps(self._keys, default=_toml_value))

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

    def set(self: P, key: str, value: Any) -> P:
        """Any key, dotted: ``policy.set("columns.age.weight", 2)``; ``None`` takes it away."""
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

    def _copy(self: P) -> P:
        new = copy.deepcopy(self)
        # The text has the old keys.
        new._text = None
        return new

    def _without_places(self: P) -> P:
        """The same for other data, which are in memory."""
        new = self._copy()
        new._keys["data"].pop("source", None)
        for key in ("path", "table", "report"):
            new._keys.get("output", {}).pop(key, None)
        return new

    def _with_hierarchies(self: P, texts: Mapping[str, str]) -> P:
        """The same with what is in the hierarchy files that it names."""
        new = copy.deepcopy(self)
        new._hierarchies.update({name: Hierarchy("groups", text=text) for name, text in texts.items()})
        return new

    def _seen_from_anywhere(self: P) -> P:
        """The same with paths that do not depend on the working directory."""
        new = copy.deepcopy(self)
        new._folder = os.path.abspath(self._folder)
        return new

    def _native(self, arrow: Any) -> dict[str, Any]:
        """What the native module wants. Hierarchies of a kind are built from the column that uses them."""
        built = self if arrow is None else self._timed(arrow)._built(arrow)
        texts = {}
        for name, hierarchy in built._hierarchies.items():
            column, _ = built._user_of(name)
            if column is None:
                continue
            if hierarchy._text is None:
                raise TypeError(f"the hierarchy of {column} is made from data: give them")
            texts[name] = hierarchy._text
        return built._native_with(texts)

    def _timed(self: P, arrow: Any) -> P:
        """The same, with the format of dates that are points in time in the frame: how their texts look is known there."""
        times = _native.timestamps(arrow)
        new = copy.deepcopy(self)
        for name, column in new._keys.get("columns", {}).items():
            built = self._hierarchies.get(column.get("hierarchy"))
            is_date = column.get("kind") == "date" or (built is not None and built._kind == "dates")
            if is_date and name in times and "format" not in column:
                column["format"] = "%Y-%m-%dT%H:%M:%S%.f" + ("Z" if times[name] else "")
                column.setdefault("kind", "date")
                new._text = None
        return new

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

    def _built(self: P, arrow: Any) -> P:
        """The same with hierarchies that are built from the columns that use them."""
        return self._with_each(lambda hierarchy, *column: hierarchy._built(arrow, *column))

    def _grown(self: P, arrow: Any) -> P:
        """The same for data that have values which those of the release did not have, as far as hierarchies are rules."""
        return self._with_each(lambda hierarchy, *column: hierarchy._grown(arrow, *column))

    def _with_each(self: P, changed: Callable[..., Hierarchy]) -> P:
        """The same with what ``changed`` makes of each hierarchy that is used: of it, its column, the texts of missing values, and the format of dates."""
        new = copy.deepcopy(self)
        for name, hierarchy in self._hierarchies.items():
            column, spec = self._user_of(name)
            if column is not None:
                new._hierarchies[name] = changed(hierarchy, column, self._missing(), spec.get("format"))
        return new

    def _missing(self) -> list[str]:
        missing = self._keys.get("data", {}).get("missing", [])
        return [missing] if isinstance(missing, str) else list(missing)

    def _saved(self, folder: Path, output: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        """The policy of a release that is saved in ``folder``: what the native module wants of it, and its files by their names."""
        saved, files = self._copy(), []
        between = _separator(saved._keys["data"])
        given = saved._native_with({})
        given.update(folder=os.path.abspath(folder), item_lists={}, weights={})

        def write(table: dict[str, Any], key: str, kind: str, place: str) -> None:
            name = table.get(key)
            if name is None:
                return
            if kind == "hierarchies" and name in self._hierarchies:
                text = self._hierarchies[name]._text or ""
                given["hierarchies"][place] = text
            elif kind == "item_lists" and name in self._item_lists:
                sets = self._item_lists[name]
                text = "".join(between.join(map(_quoted, items)) + "\n" for items in sets)
                given["item_lists"][place] = sets
            elif kind == "weights" and name in self._weights:
                weights = self._weights[name]
                text = "".join(f"{_quoted(item)}{between}{weight}\n" for item, weight in weights.items())
                given["weights"][place] = weights
            else:
                # A file: the policy is seen from another folder now.
                table[key] = os.path.abspath(os.path.join(self._folder, name))
                return
            table[key] = place
            files.append((place, text))

        for column, spec in saved._keys.get("columns", {}).items():
            # Names of columns may hold what names of files may not.
            plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in column)
            write(spec, "hierarchy", "hierarchies", f"hierarchies/{len(files) + 1}-{plain}.csv")
        data, output_keys = saved._keys["data"], saved._keys.setdefault("output", {})
        write(data, "hierarchy", "hierarchies", "hierarchies/items.csv")
        for section in ("privacy", "utility"):
            write(saved._keys.get(section, {}), "constraints", "item_lists", f"{section}-constraints.txt")
        write(saved._keys.get("utility", {}), "weights", "weights", "weights.txt")
        for section, key in (("privacy", "population"), ("algorithm", "prior-file"), ("algorithm", "key-file")):
            write(saved._keys.get(section, {}), key, "", "")
        source = data.setdefault("source", "-")
        if source != "-" and not source.startswith(("postgres:", "postgresql:")):
            data["source"] = os.path.abspath(os.path.join(self._folder, source))
        for key in ("table", "report"):
            output_keys.pop(key, None)
        output_keys["path"] = output
        given["text"] = saved.to_toml()
        return given, [*files, ("policy.toml", given["text"])]

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


def _separator(data: Mapping[str, Any]) -> str:
    """What separates items in the files that list them."""
    return str(data.get("item-separator", ";"))[:1] if "items" in data else " "


def _quoted(item: str) -> str:
    return '"' + item.replace('"', '""') + '"'


def _toml_value(value: Any) -> Any:
    """A value of NumPy, or a set, as what a policy file can hold."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, (set, frozenset, tuple)):
        return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
    raise TypeError(f"{type(value).__name__} cannot be in a policy")
