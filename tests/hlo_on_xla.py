"""Runs an HLO module on XLA:CPU, as a second opinion about what the module means."""

import re

import jax
import numpy as np
from jaxlib import _hlo, _jax, xla_client


def run_module_on_xla(module, arguments):
    """The results of the entry computation of a jaxlib HloModule for numpy arrays, in order."""
    device = jax.devices("cpu")[0]
    program = _jax.mlir.hlo_to_stablehlo(_without_fusions(module).as_serialized_hlo_module_proto())
    executable = device.client.compile_and_load(program, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(result) for result in executable.execute([jax.device_put(argument, device) for argument in arguments])]


def _without_fusions(module):
    """The same module with calls in the place of fusions, which XLA:CPU takes from its own passes only (it aborts on ours)."""
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    text = re.sub(r" fusion\((.*?)\), kind=\w+, calls=", r" call(\1), to_apply=", module.to_string(options))
    return _hlo.hlo_module_from_text(text.replace(", is_scheduled=true", "", 1))
