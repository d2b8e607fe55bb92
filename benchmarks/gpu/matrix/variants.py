"""The kernels and their variants: -D options of the sources; the first of each is the default."""
STEPS = ["01_naive", "02_coalesced", "03_tiled", "04_register_1d", "05_register_2d", "06_vectorised", "07_warp_tiles"]
FP32 = [dict(WARPS_M=4, WARPS_N=2, ROWS=8, COLUMNS=16, STAGES=4), dict(WARPS_M=2, WARPS_N=4, ROWS=8, COLUMNS=16, STAGES=4),
        dict(WARPS_M=4, WARPS_N=2, ROWS=8, COLUMNS=8, STAGES=5), dict(WARPS_M=2, WARPS_N=4, ROWS=16, COLUMNS=8, STAGES=4)]
PERSISTENT = [dict(TILE_N=n, STAGES=s, CLUSTER=c, GROUP=g) for n, s, c, g in
              ((256, 4, 2, 8), (256, 4, 2, 4), (256, 4, 2, 16), (256, 3, 2, 8), (256, 4, 1, 16), (128, 6, 2, 8), (128, 6, 1, 8))]
WGMMA = [dict(TILE_N=n, STAGES=s, CONSUMERS=c) for n, s, c in ((128, 2, 2), (176, 2, 2), (128, 2, 3), (128, 4, 3), (176, 3, 2))]


def label(source, defines):
    return source + "".join(f"-{k.lower()}{v}" for k, v in defines.items())


def builds():
    """(label, source, defines) of each cubin."""
    plain = [(s, f"matmul/{s}.cu", {}) for s in STEPS + ["09_mma", "10_wgmma", "11_warp_specialised"]]
    plain += [("01_naive_attention", "attention/01_naive.cu", {}), ("03_flash_mma", "attention/03_flash_mma.cu", {}),
              ("05_backward", "attention/05_backward.cu", {}), ("06_paged_decode-size128", "attention/06_paged_decode.cu", {"SIZE": 128})]
    plain += [(f"02_tiled-size{d}", "attention/02_tiled.cu", {"SIZE": d}) for d in (64, 128)]
    return (plain + [(label("08_tensor_copies", d), "matmul/08_tensor_copies.cu", d) for d in FP32]
            + [(label("12_persistent", d), "matmul/12_persistent.cu", d) for d in PERSISTENT]
            + [(label("04_flash_wgmma", d), "attention/04_flash_wgmma.cu", d) for d in WGMMA])
