"""Small models trained on the CPU and on the emulated GPU: their losses, as JSON."""
import json

import torch
from torch import nn

torch.backends.cudnn.allow_tf32 = False  # the CPU has none


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(8, 16, 2, batch_first=True), nn.Linear(16, 4)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(50, 32), nn.Linear(32, 4)
        self.block = nn.TransformerEncoderLayer(32, 4, 64, dropout=0, activation="gelu", batch_first=True, norm_first=True)

    def forward(self, x):
        return self.out(self.block(self.embed(x)).mean(1))


def convolutional():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 16, 4))


CASES = {"mlp": (lambda: nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4)), lambda: torch.randn(24, 16)),
         "convolutions": (convolutional, lambda: torch.randn(24, 1, 8, 8)),
         "lstm": (Recurrent, lambda: torch.randn(24, 5, 8)),
         "transformer": (Transformer, lambda: torch.randint(0, 50, (24, 12)))}


def losses(make, x, y, device):
    torch.manual_seed(1)
    model = make().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    out = []
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        out.append(loss.item())
    return out


torch.manual_seed(0)
result = {}
for name, (make, inputs) in CASES.items():
    x, y = inputs(), torch.randint(0, 4, (24,))
    result[name] = [losses(make, x, y, device) for device in ("cpu", "cuda")]
print(json.dumps(result))
