"""``spark-submit`` as docs/scale.md says, in client mode. In a file that comes before test_spark.py, whose last test leaves too few cores for two."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pyspark

JOB = """
import sys
import shoal, shoal.spark
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
people = spark.range(600).selectExpr("cast(id % 60 as int) as age", "concat('illness ', id % 7) as illness")
policy = shoal.Policy().quasi("age", kind="integer").sensitive("illness").k(5)
release = shoal.spark.anonymize(people, policy, sys.argv[1], part_records=300)
assert release.parts == 2, release
"""


def test_a_job_is_submitted_with_the_wheel_as_an_archive(spark, tmp_path):
    shutil.copy(os.environ["SHOAL_WHEEL"], tmp_path / "shoal.zip")
    (tmp_path / "job.py").write_text(JOB)
    home = Path(pyspark.__file__).parent
    environment = dict(os.environ, SPARK_HOME=str(home), SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    ours = ["--master", spark.sparkContext.master, "--conf", "spark.cores.max=1", "--conf", "spark.executor.memory=700m", "--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.ui.enabled=false"]
    # As docs/scale.md has it.
    documented = ["--archives", "shoal.zip#shoal-package", "--conf", "spark.executorEnv.PYTHONPATH=shoal-package", "job.py"]
    command = [home / "bin" / "spark-submit", *ours, *documented, str(tmp_path / "out")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "out" / "_SUCCESS").exists() and pq.read_table(tmp_path / "out").num_rows == 600
