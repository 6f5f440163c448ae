"""How published items are written and read: ``a`` for one item, ``(a,b)`` for "a, or b, or both", ``(12,)`` for a group of a dictionary (docs/groups.md). Written
for Spark's verification from the description of the format, and with no code of the kernel's."""

from __future__ import annotations

import re
from typing import Iterator

__all__ = ["ascending", "dictionary_of", "group_number", "members_of", "original_items", "published_text", "reads_back", "split"]

_WHOLE = re.compile(r"[+-]?[0-9]+")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?!")')
_NUMBER = re.compile(r"\(([0-9]+),\)")


def ascending(text: str) -> tuple[int, int, bytes]:
    """The order of items: whole numbers by value and before everything else, other texts by their bytes."""
    if _WHOLE.fullmatch(text) and -(1 << 63) <= int(text) < 1 << 63:
        return 0, int(text), text.encode()
    return 1, 0, text.encode()


def published_text(members: list[str], separator: str | None) -> str:
    """The text of these items, which are in order; ``separator`` is what they are joined with, where they are in one cell."""
    if len(members) > 1:
        return f"({','.join(map(_member, members))})"
    (item,) = members
    # Somebody would read no item, a group, the number of a group, or an item in quotes.
    mistaken = not item or _group(item) is not None or _in_quotes(item) is not None
    if not mistaken and (separator is None or reads_back(item, separator)):
        return item
    return _quoted(item)


def _member(item: str) -> str:
    return item if item and item.strip() == item and not any(mark in item for mark in ',()"') else _quoted(item)


def _quoted(item: str) -> str:
    return '"' + item.replace('"', '""') + '"'


def members_of(text: str) -> list[str]:
    """The items that a published text stands for."""
    group = _group(text)
    if group is not None:
        return group
    item = _in_quotes(text)
    return [text if item is None else item]


def _group(text: str) -> list[str] | None:
    if not (len(text) >= 2 and text.startswith("(") and text.endswith(")")):
        return None
    members = []
    for piece in split(text[1:-1], ","):
        if piece.startswith('"'):
            item = _in_quotes(piece)
            if item is None:
                return None
            members.append(item)
        else:
            members.append(piece)
    return members if len(members) > 1 else None


def _in_quotes(text: str) -> str | None:
    """What stands between quotes that go from the first character to the last; quotes inside are doubled."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return None
    inside = text[1:-1]
    return inside.replace('""', '"') if '"' not in inside.replace('""', "") else None


def split(line: str, separator: str) -> Iterator[str]:
    """The pieces between separators that are outside of groups and quotes, which open at the start of a piece only."""
    start = 0
    while True:
        grouped = line.startswith("(", start)
        quotes = grouped or line.startswith('"', start)
        if not quotes:
            end = line.find(separator, start)
        else:
            end, depth, quoted = -1, 0, False
            for at in range(start, len(line)):
                char = line[at]
                if char == '"':
                    quoted = not quoted
                elif char == "(" and grouped and not quoted:
                    depth += 1
                elif char == ")" and not quoted:
                    depth = max(depth - 1, 0)
                elif char == separator and depth == 0 and not quoted:
                    end = at
                    break
        if end < 0:
            yield line[start:]
            return
        yield line[start:end]
        start = end + 1


def original_items(line: str, separator: str) -> Iterator[str]:
    """The items of a cell of an original: a parenthesis means nothing there, and an item may be in quotes from its beginning to the next separator."""
    rest: str | None = line
    while rest is not None:
        rest = rest.lstrip(" \t")
        item, rest = _quoted_at_start(rest, separator) or _plain_at_start(rest, separator)
        rest = rest[1:] if rest else None
        if item:
            yield item


def _plain_at_start(text: str, separator: str) -> tuple[str, str]:
    item, found, rest = text.partition(separator)
    return item.rstrip(" \t"), found + rest


def _quoted_at_start(text: str, separator: str) -> tuple[str, str] | None:
    """The item in quotes with which a text begins, and what follows: a separator or nothing."""
    if (found := _QUOTED.match(text)) is None:
        return None
    rest = text[found.end() :]
    # With a blank as separator the blanks after the item are separators themselves.
    rest = rest if separator == " " else rest.lstrip(" \t")
    return (found[1].replace('""', '"'), rest) if rest[:1] in ("", separator) else None


def reads_back(text: str, separator: str) -> bool:
    """Whether a published text is read as itself between others."""
    other = "y" if separator == "x" else "x"
    sides = ([text, other], [other, text])
    return text.strip() == text and not any(end in text for end in "\r\n") and all(list(split(separator.join(side), separator)) == side for side in sides)


def group_number(text: str) -> int | None:
    """The number in ``(12,)``."""
    found = _NUMBER.fullmatch(text)
    return int(found[1]) if found and str(int(found[1])) == found[1] else None


def dictionary_of(groups: list[list[str]]) -> list[str]:
    """The one dictionary of these groups, written out, in the order of their numbers, which count from 1: groups follow their first members."""
    return [published_text(group, None) for group in sorted(groups, key=lambda group: ascending(group[0]))]
