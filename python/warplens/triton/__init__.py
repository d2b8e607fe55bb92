"""Triton kernels without a GPU: inspection, and the driver behind warplens.emulate."""
