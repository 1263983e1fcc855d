"""Stead under torch_xla: PJRT_DEVICE=STEAD.

torch_xla finds `DevicePlugin` by itself through the entry point group `torch_xla.plugins` once this package is installed:

    PJRT_DEVICE=STEAD python program.py

Without this package the plugin's path is enough:

    PJRT_DEVICE=LIBRARY PJRT_DYNAMIC_PLUGINS=1 PJRT_LIBRARY_PATH=/path/to/pjrt_stead.so python program.py
"""

from torch_xla.experimental import plugins

import stead

__all__ = ["DevicePlugin"]


class DevicePlugin(plugins.DevicePlugin):
    """One device in one process: that is what Stead offers."""

    def library_path(self) -> str:
        """Asked for only when PJRT_DEVICE names Stead, so that a missing library is no trouble for other programs."""
        return str(stead.library_path())

    def configure_single_process(self) -> None:
        """There is nothing to configure."""
