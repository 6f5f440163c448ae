"""Tables, transactions and sequences that are larger than one machine, on Apache Spark.

::

    import shoal.spark
    frame = spark.read.parquet("people/")
    release = shoal.spark.anonymize(frame, policy, "release/")
    release.found["promises"]

1. *Figures of the whole*: ranges of numbers, how many values each column has, how sensitive values are distributed.
2. *Parts*: a sample that is chosen by the content of records, not by their place, is cut at medians, the widest column first. Every worker then knows the part of a
   record without looking at any other. Parts are counted exactly; those that could not keep the promise alone are joined with a neighbour.
3. *Anonymize*: the same kernel as everywhere, on each part's Arrow batches. What holds in every part holds in all of them together, because no person is in two parts.
4. *Verify the whole*: what was written is read again, and Spark's own group-by counts crowds, people, values and records.
5. *Publish*: the folder gets its name and its ``_SUCCESS`` only then; otherwise it is removed.

``docs/scale.md`` has figures, and says what the cuts give away.
"""

from __future__ import annotations

import json
from typing import Any

from .._policy import Policy, PolicyLike, policy_of
from ._errors import broken, new_policy_error, of_workers
from ._job import LARGEST_PART
from ._knowledge import KnowledgeJob
from ._sequences import SequencesJob
from ._tables import TableJob
from ._transactions import TransactionsJob

__all__ = ["SparkRelease", "anonymize"]


class SparkRelease:
    """What was written, and what Spark found when it read it again."""

    def __init__(self, output: str, parts: int, found: dict[str, Any], policy: Policy):
        #: The folder of Parquet files.
        self.output = output
        #: How many parts the data were cut into.
        self.parts = parts
        #: What Spark counted in the published files: records, classes, promises, the loss (``ncp``).
        self.found = found
        #: The policy.
        self.policy = policy

    @property
    def leaks(self) -> list[str]:
        """What the promise does not cover, in plain words, and at the end what was not looked at."""
        return self.found["leaks"]

    def __repr__(self) -> str:
        return f"<shoal.spark.SparkRelease {self.output}: {json.dumps(self.found)}>"


def anonymize(
    frame: Any,
    policy: PolicyLike,
    output: str,
    *,
    part_records: int | None = None,
    largest_part: int = LARGEST_PART,
    overwrite: bool = False,
    allow_total_loss: bool = False,
) -> SparkRelease:
    """Anonymizes a Spark DataFrame and writes it to the folder ``output``, as Parquet.

    Tables, with k, a k of each person's own, people (``data.person``), l-diversity, t-closeness and beta-likeness; transactions with k^m for m up to 3; sequences with k
    and c, and with (k,beta)^L and (k,C)^L. What cannot be promised on a cluster is refused. ``part_records`` is the number of records in a part; of transactions, how many the driver holds at once.
    The release does not depend on the order of the input, its files, the number of workers, or on which of them fail; ``part_records`` does change it, and so does the secret
    key that each call draws (``policy.algorithm(key_file=…)`` names one that is kept). ``overwrite`` replaces a release of
    ours, and nothing else.

    The workers need this package; ``docs/scale.md`` says how ``spark-submit`` ships it.
    """
    policy = policy_of(policy)
    job = _job(policy)(frame, policy, output, overwrite)
    plan = job.plan(part_records if part_records is not None else job.default_records)
    released = job.released(plan, largest_part)
    try:
        with of_workers():
            job.write(released)
            found = job.verify(released)
        if found["ncp"] >= 1 and not allow_total_loss:
            hint = "lower k or the other promises, leave columns out, or give hierarchies; allow_total_loss=True releases it all the same"
            raise broken(job.nothing_left, hint)
        job.folder.publish(job.rows)
    except BaseException:
        job.folder.remove()
        raise
    finally:
        # Does nothing where it was not kept.
        released.unpersist()
    return SparkRelease(output, plan.parts, {**found, "parts": job.part_figures}, policy)


def _job(policy: Policy) -> Any:
    """What is done with the policy's shape."""
    shape = policy._keys.get("data", {}).get("shape", "table")
    jobs = {"table": TableJob, "sequences": SequencesJob, "transactions": TransactionsJob}
    if shape not in jobs:
        raise new_policy_error("data.shape", f"{shape} cannot be anonymized on Spark, only tables, transactions and sequences", "use shoal.anonymize on one machine")
    if shape == "sequences" and policy._keys.get("privacy", {}).get("length") is not None:
        return KnowledgeJob
    return jobs[shape]
