"""Runs an HLO module on XLA:CPU, as a second opinion about what the module means."""

import jax
import numpy as np
from jaxlib import _jax, xla_client


def run_module_on_xla(module, arguments):
    """The results of the entry computation of a jaxlib HloModule for numpy arrays, in order."""
    device = jax.devices("cpu")[0]
    program = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    executable = device.client.compile_and_load(program, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(result) for result in executable.execute([jax.device_put(argument, device) for argument in arguments])]
