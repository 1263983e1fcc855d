"""The in-place Pallas kernel of pytorch/xla#8385: right values, the storage kept, no copies, and a remark that says why."""

import json
import subprocess
import sys

import device_process

STEAD_TOOL = device_process.HERE.parent.parent / ".venv" / "bin" / "stead"


def stead_tool(*arguments):
    return subprocess.run([STEAD_TOOL, *arguments], capture_output=True, text=True, check=True).stdout


def test_kernel_runs_in_place(tmp_path):
    environment = device_process.environment(device_process.STEAD) | {"STEAD_DUMP_TO": str(tmp_path)}
    command = [sys.executable, "plus_one.py", "1024"]
    done = subprocess.run(command, env=environment, cwd=device_process.HERE, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ways = {line["way"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert all(line["values right"] for line in ways.values()), ways
    assert {name: line["kept"] for name, line in ways.items()} == {"lazy": True, "compiled": True, "undonated": False}

    kernels = [path for path in tmp_path.glob("*/program.pb") if b"tpu_custom_call" in path.read_bytes()]
    donated = [path for path in kernels if "buffer_donor" in stead_tool("convert", path).splitlines()[0]]
    assert len(donated) == 2
    for path in donated:
        report = stead_tool("explain", path)
        assert "plan   0 copies" in report
        assert "reads each block before it writes it" in report
        final = next(path.parent.glob("*-in-place.hlo")).read_text()
        assert " copy(" not in final and "input_output_alias={ {0}: (0, {}, may-alias) }" in final
