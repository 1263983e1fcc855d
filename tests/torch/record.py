"""Records what torch_xla sends for the programs and operations of this folder, for tests that run without torch.

    python record.py FOLDER

Writes HloModuleProtos as they arrived at the PJRT door: per program and mode the largest (NAME.MODE.pb), per group of operations
all (NAME.NUMBER.pb). Those that only make initial values are left out.
"""

import pathlib
import sys
import tempfile

import device_process
from operations import GROUPS
from programs import PROGRAMS

STEPS = 3
SMALLEST_BYTES = 1500


class Recorder:
    """A process on Stead that writes down every program it compiles."""

    def __init__(self, dumps):
        self._dumps = dumps
        self._seen = set()
        self._worker = device_process.Worker(device_process.STEAD | {"STEAD_DUMP_TO": str(dumps)})

    def record(self, **request):
        """The programs that were compiled for one request, in order."""
        self._worker.ask(**request)
        new = sorted(set(self._dumps.glob("*/program.pb")) - self._seen)
        self._seen.update(new)
        programs = [path.read_bytes() for path in new]
        return [program for program in programs if len(program) >= SMALLEST_BYTES]

    def close(self):
        self._worker.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        recorder = Recorder(scratch)
        results = str(scratch / "results.npz")
        recorded = {}
        for name in PROGRAMS:
            for mode in ("lazy", "compiled"):
                programs = recorder.record(do="run", program=name, mode=mode, steps=STEPS, results=results)
                recorded[f"{name}.{mode}"] = max(programs, key=len)
        for name in GROUPS:
            programs = recorder.record(do="operations", group=name, results=results)
            recorded |= {f"{name}.{number}": program for number, program in enumerate(programs)}
        recorder.close()
    for name, program in recorded.items():
        (folder / f"{name}.pb").write_bytes(program)
    print(f"{len(recorded)} programs, {sum(map(len, recorded.values()))} bytes")


if __name__ == "__main__":
    main()
