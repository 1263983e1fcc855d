"""Processes with torch_xla on a device of their own: which device there is is decided once per process."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The roads to a device, as environment variables.
XLA_CPU = {"PJRT_DEVICE": "CPU"}
STEAD = {"PJRT_DEVICE": "STEAD"}


def environment_only(plugin):
    """The road without the Python package."""
    return {
        "PJRT_DEVICE": "LIBRARY",
        "PJRT_DYNAMIC_PLUGINS": "1",
        "PJRT_LIBRARY_PATH": str(plugin),
        "XLA_REGISTER_INSTALLED_PLUGINS": "0",
    }


_DECIDING = ("PJRT_", "XLA_", "JAX_")


def environment(road):
    # What the test's own environment says about devices must not reach the program.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_DECIDING)}
    return inherited | {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "2"} | road


def run_python(program, road, timeout=300):
    """Runs the text of a program and returns the finished process."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment(road), cwd=HERE, capture_output=True, text=True, timeout=timeout, check=False)


class Worker:
    """worker.py on one device."""

    def __init__(self, road):
        self._process = subprocess.Popen(
            [sys.executable, "worker.py"],
            **{"env": environment(road), "cwd": HERE, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True},
        )

    def ask(self, **request):
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with status {self._process.wait()} on {request}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        self._process.stdin.close()
        self._process.wait()
