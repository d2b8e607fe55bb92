"""What PyTorch gives to cuDNN, on an emulated GPU against the CPU: results and gradients; each line what differs."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(0)
torch.backends.cudnn.allow_tf32 = False  # the CPU has none
TOLERANCES = {torch.float32: 1e-4, torch.float64: 1e-10, torch.float16: 2e-2, torch.bfloat16: 5e-2}
wrong = 0


def tensors(value):
    return [value] if isinstance(value, torch.Tensor) else [t for v in value for t in tensors(v)] if isinstance(value, (tuple, list)) else []


def results(work, module, given, device, dtype):
    """Results, gradients of the inputs, of the parameters, and buffers: computed in `dtype` on the GPU, in float64 on the CPU."""
    wide = torch.float64 if device == "cpu" else dtype
    module = None if module is None else module.to(device, wide)
    inputs = [t.to(device, wide if t.is_floating_point() else t.dtype, copy=True).requires_grad_(t.is_floating_point()) for t in given]
    out = [t for t in tensors(work(module, *inputs))]
    sum((t.double() * torch.linspace(-1, 1, t.numel(), device=device).view(t.shape)).sum() for t in out if t.requires_grad).backward()
    grads = [t.grad for t in inputs if t.requires_grad]
    own = [] if module is None else [p.grad for p in module.parameters()] + [b for b in module.buffers() if b.is_floating_point()]
    return [t.detach().cpu().double().clone() for t in out + grads + own]


def compare(name, work, *given, module=None, dtype=torch.float32):
    global wrong
    kept = None if module is None else {k: v.clone() for k, v in module.state_dict().items()}
    try:
        given = [t.to(dtype) if t.is_floating_point() else t for t in given]
        if module is not None:
            module.to(dtype)
            kept = {k: v.clone() for k, v in module.state_dict().items()}
        want = results(work, module, given, "cpu", dtype)
        if module is not None:
            module.zero_grad()
            module.load_state_dict(kept)
        got = results(work, module, given, "cuda", dtype)
    except Exception as error:  # noqa: BLE001: each call that fails is reported
        wrong += 1
        print(f"{name} {dtype}: {type(error).__name__}: {str(error).splitlines()[0]}")
        return
    for number, (a, b) in enumerate(zip(want, got)):
        scale = max(1.0, a.abs().max().item())
        if not (a.shape == b.shape and torch.allclose(a / scale, b / scale, atol=TOLERANCES[dtype], rtol=TOLERANCES[dtype])):
            wrong += 1
            print(f"{name} {dtype} result {number} of {len(want)}: {(a - b).abs().max() / scale:.3g} apart" if a.shape == b.shape else f"{name}: {a.shape} {b.shape}")


def convolution(module, x):
    return module(x)


for dtype in TOLERANCES:
    compare("conv1d", convolution, torch.randn(2, 4, 11), module=nn.Conv1d(4, 6, 3, padding=1), dtype=dtype)
    compare("conv2d", convolution, torch.randn(3, 4, 9, 8), module=nn.Conv2d(4, 6, 3, stride=2, padding=1), dtype=dtype)
    compare("groups, dilated", convolution, torch.randn(2, 6, 9, 8), module=nn.Conv2d(6, 4, (3, 2), groups=2, dilation=2, bias=False), dtype=dtype)
    compare("conv3d", convolution, torch.randn(2, 3, 5, 6, 7), module=nn.Conv3d(3, 4, (2, 3, 3), padding=(0, 1, 1)), dtype=dtype)
    compare("transposed", convolution, torch.randn(2, 4, 5, 6), module=nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), dtype=dtype)
    compare("channels last", lambda m, x: m(x.to(memory_format=torch.channels_last)), torch.randn(2, 8, 6, 5), module=nn.Conv2d(8, 8, 3, padding=1), dtype=dtype)
for dtype in (torch.float32, torch.float64, torch.float16):
    compare("batch norm", lambda m, x: m(x) * x, torch.randn(4, 3, 5, 6), module=nn.BatchNorm2d(3), dtype=dtype)
    compare("batch norm, channels last", lambda m, x: m(x.to(memory_format=torch.channels_last)), torch.randn(4, 3, 5, 6), module=nn.BatchNorm2d(3), dtype=dtype)
    compare("batch norm 3d, no average", lambda m, x: m(x), torch.randn(4, 3, 2, 5, 6), module=nn.BatchNorm3d(3, track_running_stats=False), dtype=dtype)
    compare("batch norm in eval", lambda m, x: m.eval()(x), torch.randn(4, 3, 5, 6), module=nn.BatchNorm2d(3), dtype=dtype)
for dtype in (torch.float32, torch.float64, torch.float16):
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        for options in ({}, {"num_layers": 2, "bidirectional": True}, {"batch_first": True, "bias": False}):
            compare(f"{kind.__name__} {options}", lambda m, x: m(x), torch.randn(4, 3, 5), module=kind(5, 7, **options), dtype=dtype)
    compare("RNN relu", lambda m, x: m(x), torch.randn(4, 3, 5), module=nn.RNN(5, 7, nonlinearity="relu"), dtype=dtype)
    compare("LSTM with states", lambda m, x, h, c: m(x, (h, c)), torch.randn(4, 3, 5), torch.randn(2, 3, 7), torch.randn(2, 3, 7), module=nn.LSTM(5, 7, 2), dtype=dtype)
    compare("GRU with a state", lambda m, x, h: m(x, h), torch.randn(4, 3, 5), torch.randn(2, 3, 7), module=nn.GRU(5, 7, bidirectional=True), dtype=dtype)
    compare("LSTM projected", lambda m, x: m(x), torch.randn(4, 3, 5), module=nn.LSTM(5, 7, 2, proj_size=3, bidirectional=True), dtype=dtype)
    for kind in (nn.LSTM, nn.GRU):
        compare(f"{kind.__name__} packed", lambda m, x: pad_packed_sequence(m(pack_padded_sequence(x, [4, 3, 1]))[0])[0], torch.randn(4, 3, 5),
                module=kind(5, 7, 2, bidirectional=True), dtype=dtype)
lstm = nn.LSTM(16, 16, 2, dropout=0.5).cuda()
x = torch.randn(8, 4, 16, device="cuda")
first, second = lstm(x)[0], lstm(x)[0]
if torch.equal(first, second) or not torch.equal(lstm.eval()(x)[0], lstm(x)[0]):
    wrong += 1
    print("dropout of an LSTM: the same mask twice, or one in eval")
for dtype in (torch.float32, torch.float64):
    compare("grid_sample", lambda m, x, g: F.grid_sample(x, g, align_corners=True), torch.randn(2, 3, 5, 6), 1.3 * torch.rand(2, 4, 7, 2) - 0.65, dtype=dtype)
    compare("affine_grid", lambda m, t: F.affine_grid(t, [2, 3, 4, 5], align_corners=True), torch.randn(2, 2, 3), dtype=dtype)
lengths = torch.tensor([6, 5, 6], dtype=torch.int32), torch.tensor([2, 3, 0], dtype=torch.int32)
labels = torch.tensor([1, 2, 3, 3, 1], dtype=torch.int32)


def ctc(_, x, labels):
    losses = F.ctc_loss(x.log_softmax(2), labels.cpu(), *lengths, reduction="none")
    return losses


compare("ctc_loss", ctc, torch.randn(6, 3, 5), labels)
print("equal" if wrong == 0 else f"{wrong} differ")
