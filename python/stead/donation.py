"""Tells the compiler of every donated array, also of those that fit no result.

JAX looks for a result of the same size for each donated argument. What finds none is reported as not usable, which stays so, and
never mentioned to the compiler, though its memory could hold intermediate values after its last use. `install` has those arguments
marked as donors like the others. It counts only while Stead is the default backend; other backends see what they always saw.
"""

import logging

_logger = logging.getLogger(__name__)


def install() -> None:
    """From now on programs that are lowered for Stead say of all donated arguments that they are donated."""
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    set_up_aliases = getattr(mlir, "_set_up_aliases", None)
    if set_up_aliases is None:
        _logger.debug("This JAX decides on donation elsewhere: donated arrays that fit no result stay unused.")
        return

    def set_up_aliases_and_donors(*args, **kwargs):
        aliases, unused, donors = set_up_aliases(*args, **kwargs)
        if not any(unused) or xla_bridge.get_backend() is not xla_bridge.backends().get("stead"):
            return aliases, unused, donors
        donors = [bool(donor) or left for donor, left in zip(donors or [False] * len(unused), unused, strict=True)]
        return aliases, unused, donors

    mlir._set_up_aliases = set_up_aliases_and_donors
