"""A master and workers of a real Spark on this machine, each as a user starts it. The workers have no Shoal but what is shipped to them."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession


@contextmanager
def cluster(folder, wheel, workers=2, memory="700m", cores=1, **settings):
    """A session; ``session.shoal_workers`` are the processes of its workers, each with this many cores."""
    home, folder = Path(pyspark.__file__).parent, Path(folder)
    shipped = folder / "shoal.zip"
    # A wheel is a zip file, and Spark unpacks what is called so.
    shutil.copy(wheel, shipped)
    environment = dict(os.environ, SPARK_HOME=str(home), SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_DIRS=str(folder), PYSPARK_PYTHON=sys.executable)
    # What the driver has must not be what the workers find.
    environment.pop("PYTHONPATH", None)
    port, processes = _free_port(), []

    def start(name, *arguments):
        with open(folder / f"{name}.log", "wb") as log:
            command = [home / "bin" / "spark-class", *arguments]
            processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True, cwd=folder))

    session = None
    try:
        start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        for number in range(workers):
            work = ["--cores", str(cores), "--memory", "8g", "--host", "127.0.0.1", "--webui-port", "0", "--work-dir", str(folder / f"work{number}")]
            start(f"worker{number}", "org.apache.spark.deploy.worker.Worker", f"spark://127.0.0.1:{port}", *work)
        # A worker that asks before the master listens to workers asks again after some ten seconds. By then a session would have all its executors on the others, and tests that kill one of
        # this worker's would find none.
        for number, process in enumerate(processes[1:]):
            _wait_until_logged(folder / f"worker{number}.log", "Successfully registered with master", process)
        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
        builder = (
            SparkSession.builder.master(f"spark://127.0.0.1:{port}")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.memory", "1g")
            .config("spark.executor.memory", memory)
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.local.dir", str(folder))
            .config("spark.archives", f"{shipped}#shoal-package")
            .config("spark.executorEnv.PYTHONPATH", "shoal-package")
        )
        for name, value in settings.items():
            builder = builder.config(name.replace("_", "."), value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        session.shoal_workers = [process.pid for process in processes[1:]]
        yield session
    finally:
        if session is not None:
            session.stop()
        for process in processes:
            kill(process.pid)
            process.wait()


def kill(pid):
    """The process and those that it has started, which are in its group."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _wait_until_logged(log, words, process):
    for _ in range(1800):
        if words in log.read_text(errors="replace"):
            return
        assert process.poll() is None, f"the process has ended:\n{log.read_text(errors='replace')}"
        time.sleep(0.1)
    raise AssertionError(f"not said: {words}:\n{log.read_text(errors='replace')}")


def _free_port():
    """Below those that the system hands out by itself, of which one would soon be the end of any connection."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as listening:
            try:
                listening.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
