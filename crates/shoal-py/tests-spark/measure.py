"""The figures of docs/scale.md: made-up people on one or two workers, by parts. scripts/measure-spark runs it.

python measure.py FOLDER ROWS [--workers 2] [--parts 8] [--k 10] [--algorithm ribbon] [--closeness 0.2] [--likeness 2] [--own-bounds] [--memory 3g] [--kill] [--one-machine]
"""

import argparse
import hashlib
import json
import os
import shutil
import threading
import time
from pathlib import Path

from pyspark.sql import functions as F

import shoal
import shoal.spark
from cluster import cluster, kill
from shoal.spark._tables import TableJob

TOWNS = shoal.tree({f"country {c}": {f"region {c}{r}": [f"town {c}{r}{t}" for t in range(10)] for r in range(8)} for c in range(5)})
JOBS = shoal.tree({f"branch {b}": [f"job {b}{j}" for j in range(8)] for b in range(6)})


def policy(given):
    made = shoal.Policy().quasi("age", "income", kind="integer").quasi("sex").quasi("town", hierarchy=TOWNS).quasi("job", hierarchy=JOBS)
    conditions = {"t_closeness": given.closeness, "beta_likeness": given.likeness}
    return made.sensitive("illness").k(given.k).algorithm(given.algorithm).privacy(**{name: bound for name, bound in conditions.items() if bound is not None})


def people(spark, rows):
    """Every column is a hash of the record's number, so that any number of them can be made again. Incomes and illnesses go with age, jobs with towns."""

    def uniform(name):
        return F.pmod(F.xxhash64(F.lit(name), F.col("id")), F.lit(1_000_000)) / 1e6

    bell = (uniform("a") + uniform("b") + uniform("c")) / 3
    country, job = F.floor(5 * uniform("d") * uniform("e")), F.floor(8 * uniform("j"))
    made = spark.range(0, rows, 1, 16).withColumn("age", F.floor(100 * bell).cast("int"))
    made = made.withColumn("income", F.least(F.lit(200), F.floor(-30 * F.log(1 - uniform("i") * 0.999) * (0.5 + F.col("age") / 90))).cast("int"))
    made = made.withColumn("sex", F.when(uniform("s") < 0.5, "f").otherwise("m"))
    made = made.withColumn("country", country.cast("int"))
    town = F.concat(F.lit("town "), F.col("country"), F.floor(8 * uniform("f")), F.floor(10 * uniform("g") * uniform("h")))
    branch = F.pmod(F.col("country") + F.floor(3 * uniform("k")), F.lit(6)).cast("int")
    made = made.withColumn("town", town).withColumn("job", F.concat(F.lit("job "), branch, job))
    illness = F.concat(F.lit("illness "), F.floor(20 * uniform("l") * (0.4 + F.col("age") / 160)).cast("int"))
    return made.withColumn("illness", illness).select("age", "income", "sex", "town", "job", "illness")


def cpu_seconds(pids):
    """Of all processes in the sessions of these, also of those that have ended and were waited for."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) in pids:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def shuffle_bytes(spark):
    """What all executors have written to be read by others."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(executors.apply(at).totalShuffleWrite() for at in range(executors.size()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=int, nargs="*", default=[0])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--algorithm", default="ribbon")
    parser.add_argument("--closeness", type=float)
    parser.add_argument("--likeness", type=float)
    parser.add_argument("--own-bounds", action="store_true", help="parts are not told who everybody is, and promise more")
    parser.add_argument("--memory", default="3g")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--one-machine", action="store_true")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    source, work = given.folder / f"people-{given.rows}", given.folder / f"spark-{os.getpid()}"
    work.mkdir()
    TableJob.tells_everybody = not given.own_bounds
    times = watch()
    try:
        with cluster(work, os.environ["SHOAL_WHEEL"], given.workers, given.memory, spark_sql_shuffle_partitions="8") as spark:
            if not source.exists():
                people(spark, given.rows).write.parquet(str(source))
            for parts in given.parts:
                asked = {"part_records": given.rows // parts, "largest_part": given.rows} if parts else {}
                output = given.folder / f"out-{given.rows}-{parts}-{given.workers}"
                shutil.rmtree(output, ignore_errors=True)
                times.clear()
                if given.kill:
                    threading.Thread(target=kill_in_the_middle, args=(spark, times), daemon=True).start()
                began, cpu, shuffled = time.time(), cpu_seconds(spark.shoal_workers), shuffle_bytes(spark)
                release = shoal.spark.anonymize(spark.read.parquet(str(source)), policy(given), str(output), **asked)
                seconds = time.time() - began
                bytes_of = b"".join(path.read_bytes() for path in sorted(output.glob("*.parquet")))
                figures = {
                    "rows": given.rows, "workers": given.workers, "parts": release.found["parts"], "algorithm": given.algorithm, "k": given.k, "t": given.closeness, "beta": given.likeness, "own bounds": given.own_bounds,
                    "seconds": round(seconds, 1), "rows/s": round(given.rows / seconds), "cpu-seconds": round(cpu_seconds(spark.shoal_workers) - cpu, 1),
                    "stages": {name: round(value, 1) for name, value in times.items()}, "ncp": release.found["ncp"], "classes": release.found["classes"],
                    "smallest": release.found["promises"][0]["found"], "bytes": len(bytes_of), "sha256": hashlib.sha256(bytes_of).hexdigest()[:16], "load": os.getloadavg(),
                    "shuffle-bytes": shuffle_bytes(spark) - shuffled,
                }
                print(json.dumps(figures), flush=True)
                if not given.keep:
                    shutil.rmtree(output)
        if given.one_machine:
            import pyarrow.parquet as pq

            table, began = pq.read_table(source), time.time()
            cpu = time.process_time()
            release = shoal.anonymize(table, policy(given))
            print(json.dumps({"rows": given.rows, "one machine": release.loss, "seconds": round(time.time() - began, 1), "cpu-seconds": round(time.process_time() - cpu, 1)}), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def watch():
    """The seconds of each step of a run."""
    times = {}
    for name in ("__init__", "plan", "write", "verify"):
        step = getattr(TableJob, name)

        def timed(*arguments, step=step, name=name, **keywords):
            began = time.time()
            try:
                return step(*arguments, **keywords)
            finally:
                times[{"__init__": "figures"}.get(name, name)] = time.time() - began

        setattr(TableJob, name, timed)
    return times


def kill_in_the_middle(spark, times):
    """Kills a worker when a third of the parts are done."""
    tracker = spark.sparkContext.statusTracker()
    while "write" not in times:
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if "plan" in times and stage and stage.numTasks > 8 and stage.numCompletedTasks >= stage.numTasks // 3:
                kill(spark.shoal_workers[0])
                times["killed after"] = stage.numCompletedTasks
                return
        time.sleep(0.05)


if __name__ == "__main__":
    main()
