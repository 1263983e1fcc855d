"""The device that torch_xla sees, the roads to it, and what it says to programs that it cannot run."""

import device_process

import stead

STEP = """
import torch, torch_xla
x = torch.arange(6.0, device=torch_xla.device()).reshape(2, 3)
y = x.t() @ x + 1
torch_xla.sync()
print(torch_xla.runtime.device_type(), torch_xla.runtime.global_runtime_device_count(), y.cpu().tolist())
"""
VALUES = "[[10.0, 13.0, 16.0], [13.0, 18.0, 23.0], [16.0, 23.0, 30.0]]"


def output_of(program, road):
    done = device_process.run_python(program, road)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_named_device_is_one():
    assert output_of(STEP, device_process.STEAD) == f"STEAD 1 {VALUES}"


def test_environment_variables_alone():
    assert output_of(STEP, device_process.environment_only(stead.library_path())) == f"LIBRARY 1 {VALUES}"


# torch_xla drops donation on this road.
def test_programs_as_stablehlo():
    assert output_of(STEP, device_process.STEAD | {"XLA_STABLEHLO_COMPILE": "1"}) == f"STEAD 1 {VALUES}"


def test_memory_is_told():
    program = """
import torch, torch_xla, torch_xla.core.xla_model as xm
x = torch.ones(1 << 20, device=torch_xla.device())
torch_xla.sync(); xm.wait_device_ops()
memory = xm.get_memory_info(torch_xla.device())
print(memory["bytes_used"] >= 4 << 20, memory["bytes_limit"] > 1 << 28)
"""
    assert output_of(program, device_process.STEAD) == "True True"


def test_missing_library_is_no_trouble_for_other_devices():
    assert output_of(STEP, device_process.XLA_CPU | {"STEAD_PLUGIN": "/nowhere.so"}) == f"CPU 1 {VALUES}"


def test_missing_library_is_named_to_programs_that_ask_for_it():
    done = device_process.run_python(STEP, device_process.STEAD | {"STEAD_PLUGIN": "/nowhere.so"})
    assert done.returncode != 0 and "no Stead plugin at /nowhere.so" in done.stderr


def test_an_operation_that_is_missing_is_named_in_python():
    program = """
import torch, torch_xla
from torch_xla.experimental.stablehlo_custom_call import stablehlo_custom_call
x = torch.randn(4, 4, device=torch_xla.device())
try:
    result = stablehlo_custom_call([x], "known_to_nobody", [[4, 4]], [torch.float32])
    torch_xla.sync()
except Exception as error:
    print(type(error).__name__, error)
"""
    output = output_of(program, device_process.STEAD)
    assert output.startswith("ValueError") and "`known_to_nobody`" in output
