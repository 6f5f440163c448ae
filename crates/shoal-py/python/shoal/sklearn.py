"""A model trained on what would be published: a transformer for scikit-learn's pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._policy import PolicyLike, policy_of
from ._release import Release
from ._verbs import anonymize

__all__ = ["Anonymizer"]

#: The column by which rows find their way back. It exists only inside ``fit_transform``.
_ROW = "__shoal_row__"


class Anonymizer(TransformerMixin, BaseEstimator):
    """Encodes records as a reader of the release sees them, in numbers that any model takes.

    While training (``fit_transform``), the records are anonymized and every record is replaced by what is published of it: a range by its middle, a
    set or a node of a hierarchy by equal shares of its values (0.5 and 0.5 where it is one of two), ``*`` by equal shares of all. Records that are
    left out count as ``*``. Later records (``transform``) are what they are: a number, and 1 for their value. So a model learns from what would be
    published and is applied to people who are known.

    Records are anonymized twice: once with the numbers of their rows, which the model is trained on, and once as they are, which is ``release_``. Both keep the
    same promises, but some algorithms (``sbc``) may group records differently in the two.

    What ``fit_transform`` returns has the order of the records that were given and is for the model alone; what may be published is
    ``release_.data``. A pickled model has no ``release_``, but the values of the columns that it was fitted on, as every encoder of scikit-learn does.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.linear_model import LogisticRegression
    >>> import pandas as pd, shoal
    >>> X = pd.DataFrame({"age": [20, 22, 24, 60, 62, 64], "town": ["a", "b", "a", "c", "c", "b"]})
    >>> policy = shoal.Policy().quasi("age", kind="integer").quasi("town").k(3)
    >>> model = make_pipeline(shoal.sklearn.Anonymizer(policy), LogisticRegression()).fit(X, [0, 0, 0, 1, 1, 1])
    >>> [int(label) for label in model.predict(X)]
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(self, policy: PolicyLike, allow_total_loss: bool = False):
        self.policy = policy
        self.allow_total_loss = allow_total_loss

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> np.ndarray:
        X = _frame(X)
        policy = policy_of(self.policy)
        roles = {name: column.get("role") for name, column in policy._keys.get("columns", {}).items()}
        self.features_ = [name for name in X.columns if roles.get(name) != "identifier"]
        self.numbers_ = [name for name in self.features_ if pd.api.types.is_numeric_dtype(X[name])]
        self.values_ = {
            name: sorted(X[name].dropna().astype(str).unique()) for name in self.features_ if name not in self.numbers_
        }
        # The row number is nobody's secret here: nothing of this frame is published.
        numbered = X.assign(**{_ROW: np.arange(len(X))})
        inside = policy.insensitive(_ROW, kind="integer")
        private = anonymize(numbered, inside, allow_total_loss=self.allow_total_loss)
        published = private.data.set_index(private.data[_ROW].astype(int)).drop(columns=_ROW)
        leaves = {name: private.policy._leaves_of(name) for name in self.values_}
        #: What may be published.
        self.release_: Release = anonymize(X, policy, allow_total_loss=self.allow_total_loss)
        return self._encode(published.reindex(np.arange(len(X))), leaves)

    def __getstate__(self) -> Any:
        # A model is pickled to be used elsewhere; a release holds what must stay here and is saved by itself.
        return {name: value for name, value in super().__getstate__().items() if name != "release_"}

    def transform(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "features_")
        return self._encode(_frame(X), {})

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self, "features_")
        names = []
        for name in self.features_:
            names += [name] if name in self.numbers_ else [f"{name}={value}" for value in self.values_[name]]
        return np.asarray(names, dtype=object)

    def _encode(self, frame: pd.DataFrame, leaves: dict[str, dict[str, list[str]]]) -> np.ndarray:
        blocks = []
        for name in self.features_:
            texts = frame[name]
            if name in self.numbers_:
                blocks.append(self._middles(name, texts))
            else:
                blocks.append(self._shares(name, texts, leaves.get(name, {})))
        return np.hstack(blocks) if blocks else np.empty((len(frame), 0))

    def _middles(self, name: str, column: pd.Series) -> np.ndarray:
        middles = {text: _middle(text) for text in column.unique()}
        numbers = column.map(middles).astype(float)
        if not hasattr(self, "means_"):
            self.means_: dict[str, float] = {}
        # What says nothing is as good as the mean of what is said while training.
        self.means_.setdefault(name, float(np.nan_to_num(numbers.mean())))
        return numbers.fillna(self.means_[name]).to_numpy().reshape(-1, 1)

    def _shares(self, name: str, column: pd.Series, leaves: dict[str, list[str]]) -> np.ndarray:
        values = self.values_[name]
        place = {value: at for at, value in enumerate(values)}
        rows = {}
        for text in column.unique():
            key = None if pd.isna(text) else str(text)
            members = [key] if key in place else leaves.get(key) or _members(key)
            at = [place[member] for member in members or [] if member in place]
            row = np.zeros(len(values))
            # Nothing that is known says nothing: all values are equally likely.
            row[at if at else slice(None)] = 1 / (len(at) or max(len(values), 1))
            rows[text] = row
        missing = np.full(len(values), 1 / max(len(values), 1))
        return np.vstack([rows.get(text, missing) for text in column]) if len(column) else np.empty((0, len(values)))


def _frame(X: Any) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X.reset_index(drop=True)
    raise TypeError("give a pandas DataFrame: a policy names columns")


def _middle(text: Any) -> float:
    if isinstance(text, (int, float, np.number)):
        return float(text)
    text = str(text)
    if text.startswith("[") and text.endswith("]") and "," in text:
        low, high = text[1:-1].split(",", 1)
        try:
            return (float(low) + float(high)) / 2
        except ValueError:
            return float("nan")
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _members(text: str | None) -> list[str] | None:
    """The members of a published set ``{a, b}``; members with commas or quotes are quoted as in CSV."""
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return None
    import csv

    return next(csv.reader([text[1:-1]], skipinitialspace=True), [])
