"""Runs of `shoal stream`, fed from a file again and again, their settings, and what is said of what they publish. Only the standard
library."""

import hashlib
import json
import os
import subprocess
import threading
import time
from typing import NamedTuple

from measured_runs import SHOAL, at


class Streamed(NamedTuple):
    """A stream that has ended."""

    figures: dict
    """What the command says."""
    tuples: int
    seconds: float
    """From the start of the process to its end."""
    cpu: float
    """The seconds it was computing, on all cores."""
    peak: int
    """The most memory it held, in bytes."""

    @property
    def speed(self):
        return self.tuples / self.seconds

    @property
    def speed_cpu(self):
        return self.tuples / self.cpu


def closed(path, flags):
    """Opens a file that nobody else may read: Shoal refuses other keys."""
    return os.open(path, flags, 0o600)


def mode(l, made, name, prior="file"):
    """The settings of a delay-free stream; the shares of the values come from a file of all of them, or are learned from
    the first tuples, as many as given. The key is always the same, so that a second run gives the same figures."""
    # What a file of a key was used for is noted beside it, and another design refused: so each design has its own.
    design = hashlib.sha256(repr((l, made.policy, made.tuples, name, prior)).encode()).hexdigest()
    with open(at(f"key-{design[:16]}"), "w", opener=closed) as file:
        file.write(hashlib.sha256(b"measured").hexdigest() + "\n")
    sets = [f"privacy.l={l}", "algorithm.name=delay-free", f"state.key-file={file.name}"]
    if name != "paper":
        # Uniform designs are measured on data that are not uniform: the stream would stop.
        sets += [f"algorithm.prior={name}", "algorithm.drift=warn"]
    sets.append(f"algorithm.mode={'paper' if name == 'paper' else 'hardened'}")
    return [*sets, f"algorithm.prior-file={made.prior}" if prior == "file" else f"algorithm.learn={prior}"]


def castle(k, delta, rules="nearest", reuse=False):
    """The settings of a stream whose tuples wait for a crowd."""
    sets = ["algorithm.name=castle", f"privacy.k={k}", f"algorithm.delta={delta}", f"algorithm.rules={rules}"]
    # Off unless asked for: then every tuple leaves with its whole crowd.
    return [*sets, f"algorithm.reuse={'true' if reuse else 'false'}"]


def stream(made, sets, tuples=None, out=os.devnull, pin=False):
    """Streams the tuples of a prepared data set, again and again until there are `tuples` of them."""
    command = [SHOAL, "--quiet", "--json", "stream", made.policy, *options(sets)]
    return fed(command, made, tuples or made.tuples, out, pin)


def best(runs, *asked, **named):
    """The fastest of this many runs."""
    return max((stream(*asked, **named) for _ in range(runs)), key=lambda run: run.speed)


def fed(command, made, tuples, out=os.devnull, pin=False):
    """Runs a command that reads this many lines from a pipe; `pin` keeps it on one core, and the process that feeds it on another."""
    with open(made.lines, "rb") as file:
        blob = file.read()
    started = time.perf_counter()
    with open(out, "wb") as output, open(at("told"), "w+") as told:
        command = ["taskset", "-c", "0", *command] if pin else command
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=told)
        feeder = threading.Thread(target=feed, args=(child.stdin, blob, made.tuples, tuples, pin))
        feeder.start()
        peak, done, usage = 0, 0, None
        while not done:
            peak = max(peak, high_water(child.pid))
            time.sleep(0.002 if tuples < 10**6 else 0.02)
            done, status, usage = os.wait4(child.pid, os.WNOHANG)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        feeder.join()
        told.seek(0)
        text = told.read()
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {child.returncode}\n{text}")
    figures = json.loads(text) if text.startswith("{") else {}
    return Streamed(figures, tuples, seconds, usage.ru_utime + usage.ru_stime, peak)


def feed(pipe, blob, lines, wanted, pin):
    if pin:
        os.sched_setaffinity(0, {1})
    try:
        for _ in range(wanted // lines):
            pipe.write(blob)
        pipe.writelines(blob.splitlines(keepends=True)[: wanted % lines])
        pipe.close()
    except BrokenPipeError:
        pass  # The command has ended; its exit code says why.


def high_water(pid):
    """The most memory that a process has held so far; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return sum(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    except OSError:
        return 0


def published(made, sets):
    """Streams the whole data set once and verifies what comes out; the file and the run."""
    out = at("published.ndjson")
    run = stream(made, sets, out=out)
    verify(made, sets, out)
    return out, run


def verify(made, sets, out):
    command = [SHOAL, "--quiet", "verify", out, "--policy", made.policy, *options(sets)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{made.policy} {sets}: what was published does not verify\n{done.stdout}{done.stderr}")


def measure(made, sets, out, *asked):
    """What `shoal measure` says of a published stream beside its original."""
    command = [SHOAL, "--quiet", "--json", "measure", made.lines, out, "--policy", made.policy, *options(sets), *asked]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def options(sets):
    return [word for key_value in sets for word in ("--set", key_value)]


def head(*titles):
    print("| " + " | ".join(titles) + " |")
    print("|" + "---|" * len(titles))


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
