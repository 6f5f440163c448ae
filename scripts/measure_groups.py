"""Two processes that share a topic, against one, and killed. See scripts/measure-groups."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import secrets
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request

import confluent_kafka
import kafka

PARTITIONS = 8
MODES = {
    "hardened": '[privacy]\nl = 5\n[algorithm]\nprior = "uniform"\n',
    "paper": '[privacy]\nl = 5\n[algorithm]\nmode = "paper"\n',
    "castle": '[privacy]\nk = 10\nl = 3\n[algorithm]\nname = "castle"\ndelta = 200\n',
}
POLICY = """version = 1
[data]
shape = "stream"
source = "kafka://{servers}/visits?group=measured&balance=partitions"
person = "who"
[output]
path = "kafka://{servers}/released"
[columns.who]
role = "identifier"
[columns.number]
role = "insensitive"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
{domain}
[state]
dir = "state"
key-file = "key"
{mode}"""


class Broker:
    """A broker with the two topics, and a policy for them, in a folder of their own."""

    def __init__(self, mode):
        environment = os.environ | {"SHOAL_BROKER": str(PARTITIONS), "SHOAL_TOPICS": "visits,released"}
        command = [os.environ["GROUPS_TEST"], "--exact", "a_broker_for_measurements", "--nocapture"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        line = next(line for line in self.process.stdout if line.startswith("broker at "))
        self.servers = line.split()[-1]
        self.folder = tempfile.TemporaryDirectory()
        self.policy = pathlib.Path(self.folder.name) / "policy.toml"
        domain = "" if mode == "castle" else "domain = " + json.dumps([f"i{n}" for n in range(20)])
        self.policy.write_text(POLICY.format(servers=self.servers, mode=MODES[mode], domain=domain))
        key = pathlib.Path(self.folder.name) / "key"
        key.touch(0o600)
        key.write_text(secrets.token_hex(32))
        self.producer = confluent_kafka.Producer({"bootstrap.servers": self.servers, "linger.ms": 20})
        self.looker = confluent_kafka.Consumer({"bootstrap.servers": self.servers, "group.id": "looks"})
        self.sent = 0
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def made(self, count):
        """So many further tuples, with their keys."""
        for n in range(self.sent, self.sent + count):
            person = f"p{random.randrange(5000)}"
            tuple_ = {"who": person, "number": n, "age": random.randrange(90), "zip": random.randrange(1000)}
            tuple_["illness"] = f"i{random.randrange(20)}"
            yield person, json.dumps(tuple_, separators=(",", ":"))

    def send(self, count):
        self.put(self.made(count))

    def put(self, tuples):
        for person, text in tuples:
            while True:
                try:
                    self.producer.produce("visits", text, key=person)
                    break
                except BufferError:
                    self.producer.poll(0.1)
            self.sent += 1
        self.producer.flush()

    def ends(self, topic):
        """How many messages each partition of the topic has."""
        return [self.end(topic, n) for n in range(PARTITIONS)]

    def end(self, topic, partition):
        return self.looker.get_watermark_offsets(confluent_kafka.TopicPartition(topic, partition))[1]

    def wait_for_messages(self, limit=180):
        """Until partition p of the sink has as many messages as that of the source. One question at a time: on two cores, asking for all
        partitions again and again would take what the two processes are to have."""
        end = time.time() + limit
        for partition, messages in enumerate(self.ends("visits")):
            while self.end("released", partition) < messages:
                assert time.time() < end, [process.log() for process in self.processes]
                time.sleep(0.02)

    def start(self, *options):
        process = Shoal([os.environ["SHOAL"], "stream", str(self.policy), "--metrics", "127.0.0.1:0", *options])
        self.processes.append(process)
        return process

    def wait_for(self, what, processes, limit=180):
        end = time.time() + limit
        while not what([process.metrics() for process in processes]):
            assert time.time() < end, [process.log() for process in processes]
            time.sleep(0.05)

    def released(self):
        """The lines of the sink by partition, read by a client that shares no code with the one in shoal."""
        # The version is said because the mock cluster does not answer when it is asked for it.
        consumer = kafka.KafkaConsumer(bootstrap_servers=self.servers, api_version=(2, 1, 0), enable_auto_commit=False)
        partitions = [kafka.TopicPartition("released", n) for n in range(PARTITIONS)]
        consumer.assign(partitions)
        consumer.seek_to_beginning(*partitions)
        ends = consumer.end_offsets(partitions)
        lines = collections.defaultdict(list)
        while any(consumer.position(partition) < ends[partition] for partition in partitions):
            for partition, messages in consumer.poll(500, max_records=5000).items():
                for message in messages:
                    lines[partition.partition] += message.value.decode().splitlines()
        consumer.close()
        return lines


class Shoal:
    """A process of the group."""

    def __init__(self, command):
        self.errors = tempfile.NamedTemporaryFile("r", suffix=".log")
        with open(self.errors.name, "w") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        self.address = None
        self.last = {}

    def log(self):
        return pathlib.Path(self.errors.name).read_text()

    def metrics(self):
        """What it says of itself; what it said last where it does not answer."""
        assert self.process.poll() in (None, -signal.SIGKILL), self.log()
        if self.address is None:
            found = re.search(r"http://\S+/metrics", self.log())
            if not found:
                return self.last
            self.address = found.group()
        try:
            with urllib.request.urlopen(self.address, timeout=2) as answer:
                lines = [line.split() for line in answer.read().decode().splitlines() if line[0] != "#"]
            self.last = {name: float(value) for name, value in lines}
        except OSError:
            pass
        return self.last

    def cpu(self):
        return cpu(self.process.pid)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def cpu(pid):
    """Seconds of user and system time."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def total(name):
    return lambda metrics: sum(one.get(name, 0) for one in metrics)


def speed(mode, processes, tuples):
    """Tuples a second of so many processes, which have their partitions before the tuples come; and CPU seconds."""
    with Broker(mode) as broker:
        shoals = [broker.start() for _ in range(processes)]
        share = PARTITIONS // processes
        broker.wait_for(lambda all: all_own(all, share), shoals)
        # So that nobody starts cold.
        broker.send(2000)
        all_there = lambda all: total("shoal_tuples_total")(all) >= broker.sent
        broker.wait_for(all_there, shoals)
        made = list(broker.made(tuples))
        # They are stopped while the topic is filled, for less time than the group would miss them: filling takes a core, too.
        for shoal in shoals:
            shoal.process.send_signal(signal.SIGSTOP)
        broker.put(made)
        before, of_broker = [shoal.cpu() for shoal in shoals], cpu(broker.process.pid)
        for shoal in shoals:
            shoal.process.send_signal(signal.SIGCONT)
        start = time.time()
        if mode == "castle":
            broker.wait_for(all_there, shoals)
        else:
            # A message is a tuple; the broker counts them at once, and figures are half a second old.
            broker.wait_for_messages()
        seconds = time.time() - start
        used = sum(shoal.cpu() for shoal in shoals) - sum(before)
        return tuples / seconds, used / tuples, (cpu(broker.process.pid) - of_broker) / tuples


def all_own(metrics, share):
    return all(one.get("shoal_partitions_owned") == share for one in metrics)


def measure_speed(mode, tuples, rounds):
    rates = {1: [], 2: []}
    for round in range(rounds):
        # In turns, so that what else the machine does meets both.
        for processes in (1, 2):
            rate, used, of_broker = speed(mode, processes, tuples)
            rates[processes].append(rate)
            load = os.getloadavg()[0]
            print(
                f"{mode}, {processes} process(es): {rate:,.0f} tuples/s, {used * 1e6:.1f} µs of CPU a tuple, "
                f"broker {of_broker * 1e6:.1f} µs (load {load:.1f})",
                flush=True,
            )
    ratio = statistics.median(two / one for one, two in zip(rates[1], rates[2]))
    print(f"{mode}: two processes are {ratio:.2f} times as fast as one (median of {rounds})", flush=True)


def measure_kills(mode, kills):
    with Broker(mode) as broker:
        shoals = [broker.start(), broker.start()]
        owned = lambda metrics: total("shoal_partitions_owned")(metrics) == PARTITIONS
        broker.wait_for(owned, shoals)
        for kill in range(kills):
            # Records keep coming; the moment is any: in the middle of work, of a rebalance or of a recovery.
            moment = time.time() + random.uniform(0.1, 9)
            while time.time() < moment:
                broker.send(50)
                time.sleep(0.05)
            place = random.randrange(2)
            shoals[place].kill()
            shoals[place] = broker.start()
            print(f"{mode}: kill {kill + 1} of {kills} after {broker.sent} tuples", flush=True)
        broker.send(500)
        broker.wait_for(owned, shoals)
        last = [broker.start("--idle-exit", "10")]
        for shoal in shoals:
            # The last one ends the stream: what waits for a crowd leaves then.
            shoal.process.terminate()
            assert shoal.process.wait(60) == 0, shoal.log()
        assert last[0].process.wait(240) == 0, last[0].log()
        lines = broker.released()
        numbers = [json.loads(line)["number"] for of in lines.values() for line in of if '"number"' in line]
        counted = collections.Counter(numbers)
        lost = broker.sent - len(counted)
        doubled = sum(count - 1 for count in counted.values())
        print(f"{mode}: {kills} kills, {broker.sent} tuples, {lost} lost, {doubled} doubled", flush=True)
        assert lost == 0 and doubled == 0
        for partition, of in sorted(lines.items()):
            file = pathlib.Path(broker.folder.name) / f"released-{partition}.ndjson"
            file.write_text("\n".join(of) + "\n")
            command = [os.environ["SHOAL"], "verify", str(file), "--policy", str(broker.policy)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(f"{mode}: the promise holds in all {len(lines)} partitions", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["speed", "kills"], help="both unless said")
    parser.add_argument("--mode", action="append", choices=list(MODES))
    parser.add_argument("--tuples", type=int, default=300_000, help="mock topics keep 5 MB a partition: some 300,000 at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    arguments = parser.parse_args()
    for mode in arguments.mode or MODES:
        if arguments.what in (None, "speed"):
            measure_speed(mode, arguments.tuples, arguments.rounds)
        if arguments.what in (None, "kills"):
            measure_kills(mode, arguments.kills)


main()
