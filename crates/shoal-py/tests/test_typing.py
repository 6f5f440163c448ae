"""What an editor knows: signatures with names for completion, stubs that say what is there, types that check."""

import inspect
import json
import subprocess
import sys

import shoal
from shoal import _native

#: Keys that describe files, databases or brokers, which a frame does not have; ``set`` and ``**keys`` take them all the same.
ELSEWHERE = {
    "data": {"shape", "source", "separator", "encoding", "decimal", "sheet", "table", "query", "header", "names", "trim"},
    "output": {"path", "table", "report", "dead-letters", "max-dead-letters"},
    # Parameters of single algorithms.
    "algorithm": {
        "separate-distances", "choose", "mode", "prior", "prior-file", "learn", "strata", "publish", "drift", "max-open-groups",
        "max-wait", "reuse", "beta", "rules",
    },
}


def named(method):
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = inspect.signature(method).parameters.values()
    return {p.name.replace("_", "-") for p in parameters if p.kind not in kinds} - {"self"}


def test_every_key_of_a_policy_can_be_completed():
    schema = json.loads(_native.policy_schema())
    definitions = schema.get("$defs", schema.get("definitions", {}))

    def keys(section):
        found = schema["properties"][section]
        reference = json.dumps(found).split('"$ref": "', 1)
        if len(reference) == 2:
            found = definitions[reference[1].split('"', 1)[0].rsplit("/", 1)[1]]
        return set(found["properties"])

    for section in ("data", "privacy", "algorithm", "output", "utility"):
        assert named(getattr(shoal.Policy, section)) == keys(section) - ELSEWHERE.get(section, set()), section
    # Roles have a method each.
    roles = {"quasi-identifier": "quasi", "sensitive": "sensitive", "insensitive": "insensitive", "identifier": "identifier", "personal-k": "personal_k"}
    for role, method in roles.items():
        assert getattr(shoal.Policy(), method)("age")["columns"]["age"]["role"] == role
    assert set(roles) <= set(json.dumps(schema).replace('"', " ").split())


def test_stubs_say_what_the_native_module_has(tmp_path):
    # The stub of the native module against the module itself: names, arguments, defaults.
    checked = subprocess.run([sys.executable, "-m", "mypy.stubtest", "shoal._native", "--concise", "--ignore-disjoint-bases"], capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_types_are_known_to_whoever_uses_the_package(tmp_path):
    script = tmp_path / "uses.py"
    script.write_text(
        "import shoal\n"
        "def publish(frame: object) -> str:\n"
        '    policy = shoal.Policy().quasi("age", kind="integer", hierarchy=shoal.bands(5, 10)).sensitive("dx").k(10)\n'
        "    release = shoal.anonymize(frame, policy, previous=['first'])\n"
        "    again: shoal.Release = release.apply(frame)\n"
        "    holds: bool = bool(release.verify())\n"
        "    leaks: list[str] = again.leaks\n"
        '    shoal.Policy().quasi("age", kind="whole")  # wrong\n'
        "    shoal.anonymize(frame)  # wrong\n"
        '    return str(release.save("out")) + str(holds) + str(leaks)\n'
    )
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental", script], capture_output=True, text=True, cwd=tmp_path)
    wrong = [line.split(":")[1] for line in checked.stdout.splitlines() if "error" in line]
    assert wrong == ["8", "9"], checked.stdout + checked.stderr


def test_none_takes_a_key_away_and_what_is_not_named_stays():
    policy = shoal.Policy("sequences").data(id="patient", order=["year"]).privacy(k=4, beta=1.0, length=2).output(ranges="columns")
    other = policy.privacy(beta=None, c=0.7).data(order=None).output(ranges=None)
    assert other["privacy"] == {"k": 4, "length": 2, "c": 0.7}
    assert other["data"] == {"shape": "sequences", "id": "patient"}
    assert other["output"] == {}
    assert policy["privacy"]["beta"] == 1.0
