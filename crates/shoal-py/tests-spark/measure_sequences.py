"""What (k,beta)^L loses in parts: SynPUF-like people on two workers, against one machine. scripts/measure-spark --sequences runs it.

python measure_sequences.py FOLDER DATA PEOPLE [--parts 8] [--k 5] [--beta 2] [--length 3] [--support compatible]
"""

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

import shoal
import shoal.spark
from cluster import cluster
from measure import cpu_seconds

sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))
import visit_data  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("data", type=Path, help="the folder with synpuf/")
    parser.add_argument("people", type=int)
    parser.add_argument("--parts", type=int, nargs="*", default=[8])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--beta", type=float, default=2.0)
    parser.add_argument("--length", type=int, default=3)
    parser.add_argument("--support", default="compatible")
    parser.add_argument("--no-one-machine", action="store_true")
    given = parser.parse_args()
    work = given.folder / f"spark-{os.getpid()}"
    work.mkdir(parents=True)
    try:
        prepared = visit_data.synpuf_like(str(given.data), str(work / "data"), given.people)
        policy = shoal.Policy.from_file(prepared.policy).data(source=None).privacy(c=None, sensitive_values=None, k=given.k, beta=given.beta, length=given.length, support=given.support)
        texts = pa.csv.ConvertOptions(column_types={name: pa.string() for name in policy._keys["columns"]})
        table = pa.csv.read_csv(work / "data" / "visits.csv", convert_options=texts)
        asked = {"people": prepared.people, "events": table.num_rows, "k": given.k, "beta": given.beta, "L": given.length, "support": given.support}
        if not given.no_one_machine:
            began, cpu = time.time(), time.process_time()
            release = shoal.anonymize(table, policy)
            out = pa.table(release.data)
            people = len(out.column(policy._keys["data"]["id"]).unique())
            print(json.dumps({**asked, "one machine": release.audit["loss"], "events-out": out.num_rows, "persons-out": people, "seconds": round(time.time() - began, 1), "cpu-seconds": round(time.process_time() - cpu, 1)}), flush=True)
        with cluster(work, os.environ["SHOAL_WHEEL"], 2, "2g", spark_sql_shuffle_partitions="8") as spark:
            frame = spark.createDataFrame(table)
            for parts in given.parts:
                began, cpu = time.time(), cpu_seconds(spark.shoal_workers)
                release = shoal.spark.anonymize(frame, policy, str(work / "out"), part_records=table.num_rows // parts, overwrite=True)
                figures = {"found": release.found, "seconds": round(time.time() - began, 1), "cpu-seconds": round(cpu_seconds(spark.shoal_workers) - cpu, 1), "load": os.getloadavg()}
                print(json.dumps({**asked, "parts": parts, **figures}), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
