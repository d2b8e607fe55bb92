"""Training as users write it, one function a program: python training.py NAME.

Each prints `loss` or `value` lines. They run on whatever device there is, from the same numbers of the CPU's generator.
"""
import copy
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
torch.backends.cudnn.allow_tf32 = False


def train(model, batch, steps=4, optimizer=None, dtype=None, scaler=None, loss_of=None):
    """The loop that every tutorial has."""
    model = model.to(device)
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of = loss_of or (lambda out, y: F.cross_entropy(out, y))
    for _ in range(steps):
        x, y = (t.to(device) for t in batch())
        with torch.autocast(device, dtype=dtype or torch.bfloat16, enabled=dtype is not None):
            loss = loss_of(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        if scaler:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
        print("loss", loss.item())
    return model


def pictures(count=4, size=32, classes=10):
    patterns = torch.randn(classes, 3, size, size)

    def batch():
        y = torch.randint(0, classes, (count,))
        return patterns[y] + 0.3 * torch.randn(count, 3, size, size), y
    return batch


def rows(inputs=32, classes=4, count=16):
    return lambda: (torch.randn(count, inputs), torch.randint(0, classes, (count,)))


def mlp(width=64):
    return nn.Sequential(nn.Linear(32, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, 4))


def resnet_amp_channels_last():
    from torchvision.models import resnet18

    model = resnet18(num_classes=10).to(memory_format=torch.channels_last)
    data = pictures(4, 64)
    slow = torch.optim.SGD(model.to(device).parameters(), 1e-3)  # at 1e-2, the first steps on noise are chaotic
    train(model, lambda: (lambda x, y: (x.contiguous(memory_format=torch.channels_last), y))(*data()), 3, slow, torch.bfloat16)


def resnet_fp16_scaler():
    from torchvision.models import resnet18

    torch.backends.cudnn.benchmark = True
    train(resnet18(num_classes=10), pictures(4, 64), 3, dtype=torch.float16 if device == "cuda" else torch.bfloat16,
          scaler=torch.amp.GradScaler(device, enabled=device == "cuda"))


def mobilenet():
    from torchvision.models import mobilenet_v3_small

    train(mobilenet_v3_small(num_classes=10, dropout=0.0), pictures(4, 64), 3)


def vit_torchvision():
    from torchvision.models import VisionTransformer

    train(VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10), pictures(), 3, dtype=torch.bfloat16)


def unet3d():
    """Three dimensions, transposed, grouped, dilated."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv3d(1, 8, 3, 2, 1)
            self.grouped = nn.Conv3d(8, 8, 3, padding=2, dilation=2, groups=4)
            self.norm = nn.BatchNorm3d(8)
            self.up = nn.ConvTranspose3d(8, 4, 2, 2)
            self.last = nn.Conv3d(4, 2, 1)

        def forward(self, x):
            x = F.relu(self.norm(self.grouped(self.down(x))))
            return self.last(self.up(x))

    data = lambda: (torch.randn(2, 1, 8, 8, 8), torch.randint(0, 2, (2, 8, 8, 8)))  # noqa: E731
    for dtype in (None, torch.bfloat16):
        print("dtype", dtype)
        train(Net(), data, 3, dtype=dtype)


def wavenet():
    layers = [nn.Conv1d(4, 16, 3, padding=1), nn.ReLU(), nn.Conv1d(16, 16, 3, padding=4, dilation=4, groups=2), nn.ReLU(),
              nn.ConvTranspose1d(16, 8, 4, 2, 1), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, 4)]
    for dtype in (None, torch.bfloat16):
        train(nn.Sequential(*copy.deepcopy(layers)), lambda: (torch.randn(4, 4, 64), torch.randint(0, 4, (4,))), 3, dtype=dtype)


def gan():
    down = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 32, 4, 2, 1), nn.InstanceNorm2d(32), nn.LeakyReLU(0.2),
                         nn.Flatten(), nn.Linear(32 * 16, 1)).to(device)
    up = nn.Sequential(nn.ConvTranspose2d(16, 32, 4), nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 4), nn.Tanh()).to(device)
    steps = [torch.optim.Adam(m.parameters(), 1e-3, betas=(0.5, 0.999)) for m in (down, up)]
    real, _ = pictures(4, 16)()
    for _ in range(3):
        fake = up(torch.randn(4, 16, 1, 1).to(device))
        loss = F.softplus(-down(real.to(device))).mean() + F.softplus(down(fake.detach())).mean()
        steps[0].zero_grad(); loss.backward(); steps[0].step()
        other = F.softplus(-down(fake)).mean()
        steps[1].zero_grad(); other.backward(); steps[1].step()
        print("loss", loss.item(), other.item())


def lstm():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.head = nn.Embedding(20, 16), nn.LSTM(16, 24, 2, batch_first=True, bidirectional=True), nn.Linear(48, 4)

        def forward(self, x):
            packed = nn.utils.rnn.pack_padded_sequence(self.embed(x), [12, 9, 5, 2], batch_first=True)
            out, _ = nn.utils.rnn.pad_packed_sequence(self.cell(packed)[0], batch_first=True)
            return self.head(out.mean(1))
    train(Net(), lambda: (torch.randint(0, 20, (4, 12)), torch.randint(0, 4, (4,))))
    train(nn.Sequential(nn.Flatten(0, 0), Last(nn.GRU(8, 16, batch_first=True)), nn.Linear(16, 4)), lambda: (torch.randn(4, 6, 8), torch.randint(0, 4, (4,))), 3,
          dtype=torch.bfloat16)


class Last(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        return self.cell(x)[0][:, -1]


def language(model):
    data = lambda: (lambda x: (x, x))(torch.randint(0, 128, (2, 32)))  # noqa: E731
    train(model, data, 3, torch.optim.AdamW(model.parameters(), 1e-3), torch.bfloat16,
          loss_of=lambda out, y: F.cross_entropy(out.logits[:, :-1].flatten(0, 1).float(), y[:, 1:].flatten()))


def qwen2():
    from transformers import Qwen2Config, Qwen2ForCausalLM

    language(Qwen2ForCausalLM(Qwen2Config(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                          num_key_value_heads=2, use_cache=False)).to(device))


def bert():
    from transformers import BertConfig, BertForMaskedLM

    language(BertForMaskedLM(BertConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)).to(device))


def generate():
    """Decoding with a cache, greedy."""
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                         num_key_value_heads=2, initializer_range=0.2)).to(device).eval()
    out = model.generate(torch.arange(8)[None].to(device), max_new_tokens=8, do_sample=False, pad_token_id=0)
    print("value", *out[0].tolist())


def checkpointing():
    from torch.utils.checkpoint import checkpoint

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleList(nn.Sequential(nn.Linear(32, 32), nn.Dropout(0.0), nn.SiLU()) for _ in range(4))
            self.head = nn.Linear(32, 4)

        def forward(self, x):
            for part in self.parts:
                x = checkpoint(part, x, use_reentrant=False)
            return self.head(x)
    train(Net(), rows())


def optimizers():
    first = mlp()
    data = [rows()() for _ in range(3)]
    kinds = {"fused adamw": lambda p: torch.optim.AdamW(p, 1e-3, fused=True), "foreach adam": lambda p: torch.optim.Adam(p, 1e-3, foreach=True),
             "fused sgd": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True, fused=True), "adagrad": lambda p: torch.optim.Adagrad(p, 0.01),
             "rmsprop": lambda p: torch.optim.RMSprop(p, 1e-3), "nadam": lambda p: torch.optim.NAdam(p, 1e-3), "adafactor": lambda p: torch.optim.Adafactor(p, 1e-2),
             "muon": lambda p: torch.optim.Muon([q for q in p if q.ndim == 2], 1e-2), "lbfgs": None}
    for name, make in kinds.items():
        print(name)
        model = copy.deepcopy(first).to(device)
        if make:
            again = iter(data)
            train(model, lambda: next(again), 3, make(list(model.parameters())))
            continue
        best = torch.optim.LBFGS(model.parameters(), max_iter=4)
        x, y = (t.to(device) for t in data[0])

        def closure():
            best.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss
        print("loss", best.step(closure).item(), closure().item())


def loader_workers():
    from torch.utils.data import DataLoader, TensorDataset

    x = torch.randn(64, 32)
    batches = DataLoader(TensorDataset(x, torch.randint(0, 4, (64,))), 16, num_workers=2, pin_memory=device == "cuda", persistent_workers=True)
    for _ in range(2):
        again = iter(batches)
        train(mlp(), lambda: next(again), 4)


def compiled():
    model = torch.compile(mlp().to(device))
    train(model, rows(), 3, torch.optim.AdamW(model.parameters(), 1e-3), torch.bfloat16)


def compiled_conv():
    net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)).to(device)
    train(torch.compile(net, mode="reduce-overhead"), pictures(), 4)


def ddp():
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    if "RANK" not in os.environ:
        return train(mlp(), lambda batch=rows(count=16): batch(), 3)
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    model = DistributedDataParallel(mlp().cuda(), device_ids=[rank], bucket_cap_mb=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    whole = rows(count=16)
    for _ in range(3):
        x, y = (t[8 * rank:8 * rank + 8].cuda() for t in whole())
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss, dist.ReduceOp.AVG)
        if rank == 0:
            print("loss", loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
