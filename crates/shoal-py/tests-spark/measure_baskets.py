"""The figures of docs/scale.md about transactions: one recoding for all, found with a part of them at a time, against a recoding of its own for each part.
scripts/measure-spark runs it.

python measure_baskets.py FOLDER (FILE.dat[.gz] | --zipf TRANSACTIONS ITEMS) [--parts 1 8 64] [--k 5] [--m 2] [--no-local]
"""

import argparse
import gzip
import json
import os
import random
import shutil
import time
from bisect import bisect
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
import shoal.spark
from cluster import cluster
from measure import cpu_seconds
from shoal.spark._items import members_of


def baskets(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt") as file:
        return [sorted(set(line.split())) for line in file]


def zipf(transactions, items, seed=1):
    """Items by Zipf's law, 8 draws each on average."""
    draw, weights = random.Random(seed), list(accumulate(1 / rank for rank in range(1, items + 1)))
    return [sorted({str(bisect(weights, draw.random() * weights[-1])) for _ in range(draw.randint(1, 15))}) for _ in range(transactions)]


def loss(rows, texts):
    """What these baskets lose: for each occurrence of an item how many items its text stands for, where they are several."""
    size = {text: len(members_of(text)) for row in texts for text in row}
    image = {item: text for text in size for item in members_of(text)}
    return sum(size[image[item]] for row in rows for item in row if size[image[item]] > 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--zipf", type=int, nargs=2)
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 8, 64])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--m", type=int, default=2)
    parser.add_argument("--no-local", action="store_true")
    given = parser.parse_args()
    work = given.folder / f"spark-{os.getpid()}"
    work.mkdir(parents=True)
    rows = baskets(given.file) if given.file else zipf(*given.zipf)
    items, occurrences = len({item for row in rows for item in row}), sum(map(len, rows))
    policy = shoal.Policy("transactions").data(items="items").privacy(k=given.k, m=given.m).output(groups="written-out")
    about = {"data": str(given.file.name if given.file else given.zipf), "transactions": len(rows), "items": items, "k": given.k, "m": given.m}
    try:
        pq.write_table(pa.table({"items": rows}), work / "baskets.parquet")
        for parts in given.parts if not given.no_local else []:
            # By content, as every cut here.
            cut = [[] for _ in range(parts)]
            for row in rows:
                cut[crc32(" ".join(row).encode()) % parts].append(row)
            lost, cpu = 0, time.process_time()
            for part in cut:
                lost += loss(part, shoal.anonymize(pa.table({"items": part}), policy).data["items"].to_pylist())
            print(json.dumps({**about, "parts": parts, "local ncp %": round(100 * lost / occurrences / items, 4), "cpu-seconds": round(time.process_time() - cpu, 1)}), flush=True)
        with cluster(work, os.environ["SHOAL_WHEEL"], memory="2g", spark_sql_shuffle_partitions="4") as spark:
            for parts in given.parts:
                began, cpu, own = time.time(), cpu_seconds(spark.shoal_workers), time.process_time()
                release = shoal.spark.anonymize(spark.read.parquet(str(work / "baskets.parquet")), policy, str(work / "out"), part_records=-(-len(rows) // parts), overwrite=True)
                figures = {"global ncp %": round(100 * release.found["ncp"], 4), **release.found["parts"], "seconds": round(time.time() - began, 1)}
                figures |= {"cpu-seconds of workers": round(cpu_seconds(spark.shoal_workers) - cpu, 1), "of the driver": round(time.process_time() - own, 1), "load": os.getloadavg()[0]}
                print(json.dumps({**about, "parts": parts, **figures}), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
