"""A model that is trained on what would be published."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import shoal
from shoal.sklearn import Anonymizer
from conftest import ROOT, smallest_class


def test_accuracy_on_adult_is_close_to_that_on_the_original():
    adult = ROOT / "examples" / "adult"
    policy = shoal.Policy.from_file(adult / "policy.toml")
    data = policy["data"]
    frame = pd.read_csv(adult / data["source"], header=None if data.get("header") is False else "infer", names=data.get("names"), sep=data.get("separator", ","), skipinitialspace=True)
    target = "salary-class" if "salary-class" in frame.columns else frame.columns[-1]
    y = frame[target].astype("category").cat.codes
    features = [name for name in ("age", "education", "marital-status", "sex", "workclass") if name in frame.columns]
    X = frame[features]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=1)
    quasi = shoal.Policy()
    for name in features:
        quasi = quasi.quasi(name, kind="integer" if name == "age" else "text")

    def accuracy(encoder):
        model = make_pipeline(encoder, StandardScaler(with_mean=False), LogisticRegression(max_iter=2000))
        return model.fit(train, y_train).score(test, y_test)

    names = [name for name in features if name != "age"]
    one_hot = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), names), remainder="passthrough")
    anonymizer = Anonymizer(quasi.k(10))
    exact, private = accuracy(one_hot), accuracy(anonymizer)
    guess = max(np.mean(y_test), 1 - np.mean(y_test))
    print(f"accuracy: original {exact:.4f}, k = 10 {private:.4f}, the more frequent class {guess:.4f}")
    assert smallest_class(anonymizer.release_.data, features) >= 10
    # Not better than the original by more than chance, and clearly better than a guess.
    assert guess + 0.03 < private <= exact + 0.01
    assert private > exact - 0.05


def test_rows_stay_in_their_order_and_names_fit():
    X = pd.DataFrame({"age": [20, 60, 22, 62, 24, 64], "town": ["a", "c", "b", "c", "a", "b"]})
    anonymizer = Anonymizer(shoal.Policy().quasi("age", kind="integer").quasi("town").k(3))
    encoded = anonymizer.fit_transform(X)
    assert encoded.shape == (6, 4)
    assert list(anonymizer.get_feature_names_out()) == ["age", "town=a", "town=b", "town=c"]
    # The young are rows 0, 2 and 4; their range is 20 to 24.
    assert set(encoded[[0, 2, 4], 0]) == {22.0} and set(encoded[[1, 3, 5], 0]) == {62.0}
    assert np.allclose(encoded[:, 1:].sum(axis=1), 1)
    assert anonymizer.transform(X.head(1)).tolist() == [[20.0, 1.0, 0.0, 0.0]]
