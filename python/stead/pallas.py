"""Pallas kernels on Stead's devices: `pl.pallas_call` inside `jax.jit`, lowered by the rule for TPUs and read by Stead.

    import stead.pallas
    stead.pallas.enable()

From then on a `pallas_call` that is lowered for a Stead device carries its kernel in Mosaic form, which Stead compiles to
loops. Programs for other backends, the built-in CPU among them, are lowered as before, and so are calls with
`interpret=True`. What was compiled before stays as it is.

Without this module the same is had per program: `jax.jit(f).trace(x).lower(lowering_platforms=("tpu",)).compile()`.
"""

import contextlib

from jax._src.pallas import pallas_call as _pallas_call
from jax._src.pallas.mosaic import tpu_info as _tpu_info
from jax.interpreters import mlir

__all__ = ["disable", "enable", "enabled"]

_platform = "cpu"  # what Stead's client calls itself
_is_enabled = False
_is_registered = False


def _is_stead(context):
    backend = context.module_context.get_backend(optional=True)
    return backend is not None and "stead" in backend.platform_version.lower()


def _lowering(context, *operands, interpret, **parameters):
    if not _is_enabled or interpret or not _is_stead(context):
        return _pallas_call._pallas_call_lowering(context, *operands, interpret=interpret, **parameters)
    if parameters["jaxpr"].constvars:
        raise ValueError("a kernel cannot use arrays that are not its arguments: pass them as operands")
    # Imported late: it needs the TPU dialect of jaxlib.
    from jax._src.pallas.mosaic import pallas_call_registration

    return pallas_call_registration.pallas_call_tpu_lowering_rule(context, *operands, interpret=interpret, **parameters)


def _describe_devices():
    """Some rules ask how many lanes the chip has; kernels for Stead are written as for a TPU v5e, the smallest."""
    import jax

    for device in jax.devices("stead"):
        _tpu_info.registry.setdefault(device.device_kind, lambda: _tpu_info.get_tpu_info_for_chip(_tpu_info.ChipVersion.TPU_V5E, 1))


def enable():
    """Lets Stead's devices run `pallas_call` from now on."""
    global _is_enabled, _is_registered
    if not _is_registered:
        mlir.register_lowering(_pallas_call.pallas_call_p, _lowering, platform=_platform)
        _describe_devices()
        _is_registered = True
    _is_enabled = True


def disable():
    """Gives `pallas_call` back to JAX; what has been compiled stays."""
    global _is_enabled
    _is_enabled = False


@contextlib.contextmanager
def enabled():
    """`with stead.pallas.enabled(): ...`: as `enable`, until the end of the block."""
    was_enabled = _is_enabled
    enable()
    try:
        yield
    finally:
        if not was_enabled:
            disable()
