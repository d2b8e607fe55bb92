"""Facts about cases. They are in a separate file, so that the process that judges does not import PyTorch."""

WARM = "warm"  # the kind of a case whose result is not compared: its call loads and compiles

# Bits of mantissa of the next lower precision of each: TF32 or fp16 for float32, and so on. A candidate may compute in it.
LOWER = {"float64": 23, "float32": 10, "float16": 7, "bfloat16": 3}
