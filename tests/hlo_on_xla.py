"""Runs HLO text on XLA:CPU, as a second opinion about what a module means."""

import jax
import numpy as np
from jaxlib import _hlo, _jax, xla_client


def run_hlo_on_xla(text, arguments):
    """The results of the entry computation of `text` for numpy arrays, in order."""
    device = jax.devices("cpu")[0]
    module = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    executable = device.client.compile_and_load(
        _jax.mlir.hlo_to_stablehlo(module), xla_client.DeviceList((device,)), xla_client.CompileOptions()
    )
    return [np.asarray(result) for result in executable.execute([jax.device_put(argument, device) for argument in arguments])]
