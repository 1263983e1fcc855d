"""The program of pytorch/xla#8385 in our own words: a Pallas kernel that adds 1 to its operand in place, called through torch_xla.

    python plus_one.py [ROWS]

torch_xla sends the kernel as a `tpu_custom_call` and says nothing of an alias, neither that the kernel keeps the promise that
JAX's `input_output_aliases` made. Prints one line of JSON per way to call it: whether the values are right, and whether the
tensor kept its storage. The way `undonated` is the control: nothing was given away, so the operand must stay as it was.
"""

import json
import sys

import jax
import jax.numpy as jnp
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from jax.experimental import pallas
from torch.library import custom_op

COLUMNS, BLOCKS, CALLS = 2048, 16, 3


def add_one(operand, result):
    result[...] = operand[...] + 1


def kernel_body(rows):
    """The kernel as the text that a `tpu_custom_call` carries, taken from what JAX lowers for a TPU."""
    block = pallas.BlockSpec((rows // BLOCKS, COLUMNS), lambda number: (number, 0))
    shape = jax.ShapeDtypeStruct((rows, COLUMNS), jnp.int32)
    call = pallas.pallas_call(add_one, shape, grid=(BLOCKS,), in_specs=[block], out_specs=block, input_output_aliases={0: 0})
    module = jax.jit(call).trace(shape).lower(lowering_platforms=("tpu",)).compiler_ir()
    return next(config for config in custom_call_configurations(module.operation) if config)


def custom_call_configurations(operation):
    if operation.name == "stablehlo.custom_call":
        yield operation.attributes["backend_config"].value
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from custom_call_configurations(inner.operation)


def pointer(tensor):
    xm.wait_device_ops()
    return torch_xla._XLAC._unsafe_buffer_pointer(tensor)


def main(rows):
    body = kernel_body(rows)

    @custom_op("stead_test::plus_one", mutates_args=())
    def plus_one(tensor: torch.Tensor) -> torch.Tensor:
        return torch_xla._XLAC._xla_tpu_custom_call([tensor], body, [list(tensor.shape)], [tensor.dtype])[0]

    @plus_one.register_fake
    def _(tensor):
        return torch.empty_like(tensor)

    def lazy(tensor):
        tensor.copy_(torch.ops.stead_test.plus_one(tensor))
        torch_xla.sync()

    @torch.compile(backend="openxla")
    def compiled(tensor):
        torch.ops.xla.dynamo_set_buffer_donor_(tensor, True)
        tensor.copy_(torch.ops.stead_test.plus_one(tensor))

    for name, function in (("lazy", lazy), ("compiled", compiled)):
        tensor = torch.zeros(rows, COLUMNS, dtype=torch.int32, device=torch_xla.device())
        torch_xla._XLAC._set_buffer_donation(tensor, True)
        torch_xla.sync()
        pointers = [pointer(tensor)]
        for _ in range(CALLS):
            function(tensor)
            torch_xla.sync()
            pointers.append(pointer(tensor))
        print(json.dumps({"way": name, "values right": bool((tensor.cpu() == CALLS).all()), "kept": len(set(pointers)) == 1}))

    operand = torch.zeros(rows, COLUMNS, dtype=torch.int32, device=torch_xla.device())
    torch_xla.sync()
    result = torch.ops.stead_test.plus_one(operand)
    torch_xla.sync()
    values_right = bool((operand.cpu() == 0).all() and (result.cpu() == 1).all())
    print(json.dumps({"way": "undonated", "values right": values_right, "kept": pointer(operand) == pointer(result)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8192)
