"""Publish data about people without giving the people away, with proof.

>>> import pandas as pd, shoal
>>> people = pd.DataFrame({
...     "age": [34, 36, 41, 47, 52, 58, 63, 39],
...     "town": ["Ulm", "Passau", "Ulm", "Kiel", "Bremen", "Kiel", "Bremen", "Ulm"],
...     "illness": ["flu", "cold", "flu", "asthma", "flu", "cold", "flu", "asthma"],
... })
>>> towns = shoal.tree({"South": ["Ulm", "Passau"], "North": ["Kiel", "Bremen"]})
>>> policy = shoal.Policy().quasi("age", kind="integer").quasi("town", hierarchy=towns).sensitive("illness").k(3)
>>> release = shoal.anonymize(people, policy)
>>> bool(release.verify())
True
>>> sorted(release.data["town"].unique())
['North', 'South']

``release.leaks`` says what the promise does not cover. ``shoal.propose(people)`` writes a first policy.
"""

from ._compare import Comparison, compare
from ._hierarchies import (
    Hierarchy, bands, countries, dates, education, flat, icd9, icd10, isco, prefixes, tree,
)
from ._native import Error, PolicyError, PromiseError
from ._policy import Policy
from ._release import Release, Verdict
from ._stream import Stream
from ._verbs import anonymize, apply, attack, check, explain, measure, propose, verify

__all__ = [
    "Comparison", "Error", "Hierarchy", "Policy", "PolicyError", "PromiseError", "Release", "Stream", "Verdict",
    "anonymize", "apply", "attack", "bands", "check", "compare", "countries", "dates", "education", "explain", "flat", "icd10",
    "icd9", "isco", "measure", "prefixes", "propose", "tree", "verify",
]


def __getattr__(name: str):
    # scikit-learn and Spark are loaded by whoever uses them.
    if name in ("sklearn", "spark"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
