"""One process per device for the whole session: torch_xla takes seconds to start."""

import device_process
import pytest


@pytest.fixture(scope="session")
def xla_cpu():
    worker = device_process.Worker(device_process.XLA_CPU)
    yield worker
    worker.close()


@pytest.fixture(scope="session")
def stead_worker():
    worker = device_process.Worker(device_process.STEAD)
    yield worker
    worker.close()
