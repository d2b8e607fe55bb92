"""The kernels and their variants: -D options of the sources; the first of each is the default."""
STEPS = ["01_naive", "02_coalesced", "03_tiled", "04_register_1d", "05_register_2d", "06_vectorised", "07_warp_tiles"]
STEPS_BF16 = ["01_mma", "02_wgmma", "03_warp_specialised"]
FP32 = [dict(WARPS_M=m, WARPS_N=n, ROWS=r, COLUMNS=c, STAGES=s) for m, n, r, c, s in
        ((2, 4, 16, 8, 4), (4, 2, 8, 16, 4), (2, 4, 8, 16, 4), (4, 2, 8, 8, 5), (4, 4, 8, 8, 4))]
PERSISTENT = [dict(TILE_N=n, STAGES=s, CLUSTER=c, GROUP=g) for n, s, c, g in
              ((256, 4, 1, 16), (256, 4, 1, 8), (256, 4, 1, 32), (256, 3, 1, 16), (256, 4, 2, 8), (256, 4, 2, 4), (128, 6, 2, 8))]
WGMMA = [dict(TILE_N=n, STAGES=s, CONSUMERS=c) for n, s, c in ((128, 2, 2), (176, 2, 2), (128, 2, 3), (128, 4, 3), (176, 3, 2))]


def label(source, defines):
    return source + "".join(f"-{k.lower()}{v}" for k, v in defines.items())


def builds():
    """(label, source, defines) of each cubin."""
    plain = [(s, f"matmul/{s}.cu", {}) for s in STEPS] + [(s, f"matmul_bf16/{s}.cu", {}) for s in STEPS_BF16]
    plain += [("01_naive_attention", "attention/01_naive.cu", {}), ("03_flash_mma", "attention/03_flash_mma.cu", {}),
              ("backward", "attention_backward/02_wgmma.cu", {}), ("paged-size128", "attention_decode/02_split.cu", {"SIZE": 128})]
    plain += [(f"02_tiled-size{d}", "attention/02_tiled.cu", {"SIZE": d}) for d in (64, 128)]
    return (plain + [(label("08_tensor_copies", d), "matmul/08_tensor_copies.cu", d) for d in FP32]
            + [(label("04_persistent", d), "matmul_bf16/04_persistent.cu", d) for d in PERSISTENT]
            + [(label("04_flash_wgmma", d), "attention/04_flash_wgmma.cu", d) for d in WGMMA])
