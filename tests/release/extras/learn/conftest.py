"""Fixtures for tests with PyTorch."""

import pytest
import torch


@pytest.fixture
def one_thread() -> None:
    torch.set_num_threads(1)
