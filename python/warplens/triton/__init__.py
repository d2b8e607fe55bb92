"""Triton kernels without a GPU: inspection, and the driver behind warplens.emulate."""

from .inspection import Inspection as Inspection, Variant as Variant, inspect as inspect
from .trying import Attempt as Attempt, Tried as Tried, try_changes as try_changes
