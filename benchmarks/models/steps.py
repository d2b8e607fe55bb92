"""Training of one small model, as a user writes it: steps.py MODEL eager|compiled|amp|double cuda|cpu [STEPS].

Prints one loss a step. Weights and batches come from the CPU's generator, so every device begins with the same numbers. `double` is the
control: how far float32 alone is from float64.
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

torch.backends.cudnn.allow_tf32 = False  # the CPU has none


class Residual(nn.Module):
    """The basic block of ResNet-18."""

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


def pictures(count, size, classes=10):
    """Batches of noise over a pattern for each class, which can be learned: a model that learns noise is chaotic."""
    patterns = torch.randn(classes, 3, size, size)

    def batch():
        labels = torch.randint(0, classes, (count,))
        return patterns[labels] + 0.3 * torch.randn(count, 3, size, size), labels
    return batch


def resnet18():
    widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
    blocks = [Residual(a, b, 1 if a == b else 2) for a, b in zip(widths, widths[1:])]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    return model, pictures(8, 64), lambda m, x, y: F.cross_entropy(m(x), y)


class ViT(nn.Module):
    def __init__(self, width=64, patch=8, size=32, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.layers(x)[:, 0])


def vit():
    return ViT(), pictures(8, 32), lambda m, x, y: F.cross_entropy(m(x), y)


class Language(nn.Module):
    def __init__(self, words=96, width=64):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        return self.head(self.lstm(self.embed(x))[0])


def lstm():
    def batch():
        words = (torch.randint(0, 96, (8, 1)) + 5 * torch.arange(17)) % 96
        return words[:, :-1], words[:, 1:]
    return Language(), batch, lambda m, x, y: F.cross_entropy(m(x).flatten(0, 1), y.flatten())


def qwen2():
    from transformers import Qwen2Config, Qwen2ForCausalLM

    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64))
    return model, lambda: (torch.randint(0, 256, (4, 32)),) * 2, lambda m, x, y: m(input_ids=x, labels=y).loss


def bert():
    from transformers import BertConfig, BertForMaskedLM

    model = BertForMaskedLM(BertConfig(vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                                       max_position_embeddings=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    return model, lambda: (torch.randint(0, 256, (4, 32)),) * 2, lambda m, x, y: m(input_ids=x, labels=y).loss


def main():
    name, mode, device, *steps = sys.argv[1:]
    torch.manual_seed(0)
    model, batch, loss_of = globals()[name]()
    kind = torch.float64 if mode == "double" else torch.float32
    model.to(device, kind).train()
    usual = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9, weight_decay=1e-4) if name == "resnet18" else None
    optimizer = usual or torch.optim.AdamW(model.parameters(), lr=1e-3)
    run = torch.compile(model) if mode == "compiled" and device != "cpu" else model
    for _ in range(int(*steps) if steps else 20):
        x, y = (t.to(device, kind if t.is_floating_point() else None) for t in batch())
        with torch.autocast(device, dtype=torch.bfloat16, enabled=mode == "amp"):
            loss = loss_of(run, x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
