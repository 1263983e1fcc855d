"""Registers Stead with JAX, which calls `initialize()` of every module in `jax_plugins` before its first use of a device.

The backend is called `stead`. It stands below JAX's own CPU backend, so that it runs only what asks for it:
`JAX_PLATFORMS=stead,cpu`, or `jax.devices("stead")`.
"""

import logging
import os

import stead
import stead.donation
import stead.ffi

# Below the built-in CPU backend, which has priority 0.
_PRIORITY = -1

_logger = logging.getLogger(__name__)


def initialize() -> None:
    """Registers the plugin. An installation without the plugin is no trouble for programs that do not ask for it."""
    try:
        library = stead.library_path()
    except FileNotFoundError as error:
        wanted = "stead" in os.environ.get("JAX_PLATFORMS", "").split(",")
        _logger.log(logging.WARNING if wanted else logging.DEBUG, "The JAX backend `stead` is not available: %s", error)
        return
    from jax._src import xla_bridge

    xla_bridge.register_plugin("stead", priority=_PRIORITY, library_path=str(library), options=_client_options)
    stead.ffi.install(library)
    stead.donation.install()


def _client_options() -> dict[str, int]:
    """How many virtual devices, as for JAX's own CPU backend: `jax_num_cpu_devices`. XLA_FLAGS is read by the plugin itself."""
    from jax._src import xla_bridge

    count = xla_bridge.num_cpu_devices.value
    return {"num_devices": count} if count > 0 else {}
