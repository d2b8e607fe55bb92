// libnvidia-ml.so.1: NVML's calls are in libcudart.so.13, which it brings along.
