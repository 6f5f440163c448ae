"""Files of transactions, and what policies need beside them. Only the standard library."""

import gzip


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return file.read().splitlines()


def items_of(path):
    return sorted({item for line in lines(path) for item in line.split()}, key=lambda i: (len(i), i))


def policy(path, source):
    """A policy for a file with a transaction per line; what is promised is still to be set."""
    with open(path, "w") as file:
        file.write(f'version = 1\n[data]\nshape = "transactions"\nsource = "{source}"\n')
    return path


def even_tree(path, items, fan_out):
    """A hierarchy over items in order, every inner node above `fan_out` nodes of the level below."""
    levels = [[(i, i) for i in range(len(items))]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        groups = [below[i : i + fan_out] for i in range(0, len(below), fan_out)]
        levels.append([(group[0][0], group[-1][1]) for group in groups])
    with open(path, "w") as file:
        for i, item in enumerate(items):
            row, width = [item], 1
            for level in levels[1:-1]:
                width *= fan_out
                lo, hi = level[i // width]
                row.append(f"{items[lo]}..{items[hi]}")
            file.write(";".join(row + ["*"]) + "\n")
    return path


def neighbours(path, items, size):
    """Utility constraints: groups of this many neighbouring items."""
    return sets(path, [items[i : i + size] for i in range(0, len(items), size)])


def sets(path, itemsets):
    """A set of items per line."""
    with open(path, "w") as file:
        file.writelines(" ".join(items) + "\n" for items in itemsets)
    return path
