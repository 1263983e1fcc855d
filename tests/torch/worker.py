"""The process of one device: runs programs as it is told on standard input and answers on standard output, a line of JSON each.

    {"do": "run", "program": NAME, "mode": "lazy" or "compiled", "steps": N, "results": PATH}
        runs N steps; writes what they returned, and the state after them, to PATH; answers with facts about donation
    {"do": "operations", "group": NAME, "results": PATH}     writes what a group of operations.py gives
    {"do": "time", "steps": N}     answers with the seconds of each of N more steps of that program
    {"do": "start", "program": NAME, "mode": ..., "scale": N}      makes a program to be timed

An answer {"error": TEXT} says that the program raised; the process goes on, though torch_xla may not.
"""

import contextlib
import json
import os
import sys
import time
import traceback

import numpy as np
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.metrics as metrics
from operations import GROUPS
from programs import PROGRAMS

WARM_UP_STEPS = 3


def pointers(tensors):
    xm.wait_device_ops()
    return [torch_xla._XLAC._unsafe_buffer_pointer(tensor) for tensor in tensors]


def total_of(metric):
    data = metrics.metric_data(metric)
    return int(data[1]) if data else 0


class Run:
    """A program in one of the two ways to run it."""

    def __init__(self, name, mode, scale=1):
        torch.manual_seed(0)
        self.program = PROGRAMS[name](torch_xla.device(), scale)
        self.function = self.program.step if mode == "lazy" else self.compiled()
        torch_xla.sync()
        metrics.clear_all()

    def compiled(self):
        def step():
            for tensor in self.program.donated:
                torch.ops.xla.dynamo_set_buffer_donor_(tensor, True)
            return self.program.step()

        return torch.compile(step, backend="openxla")

    def step(self):
        result = self.function()
        torch_xla.sync()
        return result

    def timed_step(self):
        start = time.perf_counter()
        self.step()
        xm.wait_device_ops()
        return time.perf_counter() - start


def as_array(tensor):
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def run(request):
    """Facts about donation: per tensor of the state whether its storage stayed where it was once the program is warm."""
    current = Run(request["program"], request["mode"])
    results, kept = [], [True] * len(current.program.state)
    for number in range(request["steps"]):
        before = pointers(current.program.state)
        results.append(current.step())
        if number >= WARM_UP_STEPS:
            kept = [ok and old == new for ok, old, new in zip(kept, before, pointers(current.program.state), strict=True)]
    arrays = {f"result {number}": as_array(result) for number, result in enumerate(results)}
    arrays |= {f"state {number}": as_array(tensor) for number, tensor in enumerate(current.program.state)}
    np.savez(request["results"], **arrays)
    donated = current.program.state if request["mode"] == "lazy" else current.program.donated
    is_donated = [any(tensor is other for other in donated) for tensor in current.program.state]
    return {
        "kept": [ok for ok, counts in zip(kept, is_donated, strict=True) if counts],
        "alias_count": total_of("InputOutputAliasCount"),
    }


def operations(request):
    torch.manual_seed(0)
    results = GROUPS[request["group"]](torch_xla.device())
    torch_xla.sync()
    np.savez(request["results"], **{f"result {number}": as_array(result) for number, result in enumerate(results)})
    return {}


class Session:
    def __init__(self):
        self.current = None

    def start(self, request):
        self.current = Run(request["program"], request["mode"], request["scale"])
        for _ in range(WARM_UP_STEPS):
            self.current.timed_step()
        return {}

    def time(self, request):
        return {"seconds": [self.current.timed_step() for _ in range(request["steps"])]}

    def answer(self, request):
        tasks = {"run": run, "operations": operations, "start": self.start, "time": self.time}
        return tasks[request["do"]](request)


def main():
    # Whatever libraries print must not be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    session = Session()
    for line in sys.stdin:
        try:
            answer = session.answer(json.loads(line))
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
