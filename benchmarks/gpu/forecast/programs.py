"""Eight programs whose steps `warplens forecast` predicts, and that a GPU then runs: programs.py MODEL [STEPS] [--profile OUT.json [--trace OUT.json.gz]].

Each is written as users write: it prepares a model, and calls step() in a loop. The end of the output is the mean time of the steps after
the first half, by the host's clock between two synchronisations. `--profile` writes the kernels of a step, by torch.profiler.
"""
import argparse
import collections
import json
import time

import torch
from torch import nn
from torch.nn import functional as F

cuda = torch.device("cuda")


class Block(nn.Module):
    """A block of GPT-2 as nanoGPT writes it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norms[0](x)).split(width, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


class GPT(nn.Module):
    def __init__(self, words=2048, width=384, heads=6, layers=4, length=256):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.words(x) + self.places.weight[:x.shape[1]])))


def trained(model, loss_of, optimizer=None, autocast=False):
    model.train()
    optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=autocast):
            loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss
    return step


def nanogpt():
    """Training under AMP, with the loss printed each step."""
    model, x = GPT().to(cuda), torch.randint(0, 2048, (4, 257), device=cuda)
    step = trained(model, lambda: F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()), autocast=True)
    return lambda: print(f"loss {step().item():.4f}")


def gpt2_decode():
    """A token of GPT-2 with a KV cache, eager."""
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(vocab_size=2048, n_embd=384, n_layer=4, n_head=6, n_positions=512, bos_token_id=None, eos_token_id=None)).to(cuda).eval()
    with torch.no_grad():
        state = model(torch.randint(0, 2048, (1, 128), device=cuda), use_cache=True)
    kept = {"cache": state.past_key_values, "token": state.logits[:, -1:].argmax(-1)}

    @torch.no_grad()
    def step():
        out = model(kept["token"], past_key_values=kept["cache"], use_cache=True)
        kept["cache"], kept["token"] = out.past_key_values, out.logits[:, -1:].argmax(-1)
        kept["token"].item()
    return step


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(2))
        same = stride == 1 and inputs == outputs
        self.around = nn.Identity() if same else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.around(x))


def resnet18():
    """Training in float32."""
    widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
    blocks = [Residual(a, b, 1 if a == b else 2) for a, b in zip(widths, widths[1:])]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)).to(cuda)
    x, y = torch.randn(16, 3, 96, 96, device=cuda), torch.randint(0, 10, (16,), device=cuda)
    return trained(model, lambda: F.cross_entropy(model(x), y), torch.optim.SGD(model.parameters(), 0.1, 0.9))


def vit():
    """Inference in bfloat16, eager."""
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    patches, layers = nn.Conv2d(3, 512, 16, 16), nn.TransformerEncoder(layer, 4, norm=nn.LayerNorm(512), enable_nested_tensor=False)
    model = nn.ModuleList([patches, layers, nn.Linear(512, 100)]).to(cuda, torch.bfloat16).train()  # in eval PyTorch has a fused path
    x = torch.randn(16, 3, 224, 224, device=cuda, dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        return model[2](model[1](model[0](x).flatten(2).transpose(1, 2)).mean(1))
    return step


def lstm():
    """Training of a language model of two layers in float32."""
    embed, layers, head = nn.Embedding(1024, 512), nn.LSTM(512, 512, num_layers=2, batch_first=True), nn.Linear(512, 1024)
    model, x = nn.ModuleList([embed, layers, head]).to(cuda), torch.randint(0, 1024, (32, 33), device=cuda)
    return trained(model, lambda: F.cross_entropy(head(layers(embed(x[:, :-1]))[0]).flatten(0, 1), x[:, 1:].flatten()))


def bert():
    """Training in float32, compiled."""
    from transformers import BertConfig, BertForMaskedLM

    model = BertForMaskedLM(BertConfig(vocab_size=2048, hidden_size=256, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=4,
                                       hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)).to(cuda)
    run, x = torch.compile(model), torch.randint(0, 2048, (8, 128), device=cuda)
    return trained(model, lambda: run(input_ids=x, labels=x).loss)


def qwen2_decode():
    """A token of Qwen2 with a static KV cache, compiled to a CUDA graph."""
    from transformers import Qwen2Config, Qwen2ForCausalLM, StaticCache

    config = Qwen2Config(vocab_size=4096, hidden_size=512, intermediate_size=1536, num_hidden_layers=4, num_attention_heads=8,
                         num_key_value_heads=2, max_position_embeddings=512)
    model = Qwen2ForCausalLM(config).to(cuda, torch.bfloat16).eval()
    cache, token, at = StaticCache(config, max_cache_len=256), torch.zeros(1, 1, dtype=torch.long, device=cuda), torch.arange(128, device=cuda)
    with torch.no_grad():
        model(torch.randint(0, 4096, (1, 128), device=cuda), past_key_values=cache, cache_position=at, position_ids=at[None])
    run, kept = torch.compile(model, mode="reduce-overhead", fullgraph=True), {"at": at[-1:] + 1}

    @torch.no_grad()
    def step():
        out = run(token, past_key_values=cache, cache_position=kept["at"], position_ids=kept["at"][None])
        token.copy_(out.logits[:, -1:].argmax(-1))
        kept["at"] = kept["at"] + 1
        token.item()
    return step


def mlp():
    """Training of wide layers under AMP, compiled."""
    model = nn.Sequential(nn.Linear(1024, 2048), nn.GELU(), nn.LayerNorm(2048), nn.Linear(2048, 2048), nn.GELU(), nn.Linear(2048, 256)).to(cuda)
    run, x, y = torch.compile(model), torch.randn(512, 1024, device=cuda), torch.randn(512, 256, device=cuda)
    return trained(model, lambda: F.mse_loss(run(x).float(), y), autocast=True)


MODELS = {f.__name__: f for f in (nanogpt, gpt2_decode, resnet18, vit, lstm, bert, qwen2_decode, mlp)}


def profiled(step, steps, path, trace):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
    if trace:
        found.export_chrome_trace(trace)
    times = collections.defaultdict(list)
    for event in found.profiler.kineto_results.events():
        if event.device_type() == torch.autograd.DeviceType.CUDA and not event.is_user_annotation():
            times[event.name()].append(event.duration_ns())
    rows = [{"name": name, "launches_per_step": len(all_ns) / steps, "device_ns": sum(all_ns) / steps} for name, all_ns in times.items()]
    with open(path, "w") as file:
        json.dump(sorted(rows, key=lambda row: -row["device_ns"]), file, indent=0)


def main(models):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=models)
    parser.add_argument("steps", nargs="?", type=int, default=8)
    parser.add_argument("--no-cudnn", action="store_true", help="PyTorch's own kernels in place of cuDNN's")
    parser.add_argument("--profile", help="where to write the kernels of a step")
    parser.add_argument("--trace", help="with --profile: where to write torch.profiler's trace")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cudnn.enabled = torch.backends.cudnn.enabled and not given.no_cudnn
    step = models[given.model]()
    for i in range(given.steps):
        if i == given.steps // 2:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        torch.cuda.nvtx.range_push(f"step {i}")
        step()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    print(f"{given.model} step_ns {(time.perf_counter() - begin) / (given.steps - given.steps // 2) * 1e9:.0f}")
    if given.profile:
        profiled(step, 10, given.profile, given.trace)


if __name__ == "__main__":
    main(MODELS)
