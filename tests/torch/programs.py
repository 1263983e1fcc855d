"""Programs that people run through torch_xla: training steps with different optimizers and models, and decoding with a cache.

PROGRAMS maps a name to make(device, scale) -> Program. `scale` multiplies the sizes: 1 for tests, more for measurements.
Random numbers come from torch's own generator on the host, so that a program is the same on every device.
"""

import dataclasses
from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

PROGRAMS = {}


@dataclasses.dataclass
class Program:
    """`step()` updates `state` in place and returns a tensor to look at.

    `donated` are the tensors of the state that a compiled step must be told of: torch_xla donates what a lazy step updates by
    itself, and what a compiled one updates only where the program says so.
    """

    step: Callable[[], torch.Tensor]
    state: list[torch.Tensor]
    donated: list[torch.Tensor] = dataclasses.field(default_factory=list)


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def training(device, model, inputs, targets, loss_function, make_optimizer):
    """A step of training: forward, backward and an update of the parameters and of what the optimizer keeps."""
    model = model.to(device)
    optimizer = make_optimizer(model.parameters())
    inputs, targets = inputs.to(device), targets.to(device)

    def step():
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    return Program(step, list(model.parameters()))


def convolutional(scale):
    channels, side = 4 * scale, 8 * scale
    features = channels * (side - 2) ** 2
    return nn.Sequential(nn.Conv2d(1, channels, 3), nn.ReLU(), nn.Flatten(), nn.Linear(features, 10))


def pictures(scale):
    return torch.randn(8 * scale, 1, 8 * scale, 8 * scale), torch.randint(0, 10, (8 * scale,))


@program
def train_sgd_momentum(device, scale):
    return training(
        device,
        convolutional(scale),
        *pictures(scale),
        functional.cross_entropy,
        lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
    )


@program
def train_adam(device, scale):
    return training(
        device,
        convolutional(scale),
        *pictures(scale),
        functional.cross_entropy,
        lambda parameters: torch.optim.Adam(parameters, lr=0.001),
    )


@program
def train_transformer(device, scale):
    width = 32 * scale
    layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
    shape = (2 * scale, 8 * scale, width)
    return training(
        device,
        layer,
        torch.randn(shape),
        torch.randn(shape),
        functional.mse_loss,
        # The gradient of the bias of keys is zero but for rounding, which a small epsilon would blow up to whole steps.
        lambda parameters: torch.optim.AdamW(parameters, lr=0.001, eps=1e-3),
    )


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer))
        self.shortcut = nn.Conv2d(inner, outer, 1, stride, bias=False)

    def forward(self, images):
        return functional.relu(self.second(self.first(images)) + self.shortcut(images))


@program
def train_resnet(device, scale):
    width = 8 * scale
    model = nn.Sequential(
        *(nn.Conv2d(3, width, 7, 2, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)),
        *(Residual(width, width, 1), Residual(width, 2 * width, 2)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, 10)),
    )
    return training(
        device,
        model,
        torch.randn(2 * scale, 3, 32, 32),
        torch.randint(0, 10, (2 * scale,)),
        functional.cross_entropy,
        lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
    )


@program
def train_embedding(device, scale):
    words = 64 * scale
    model = nn.Sequential(nn.Embedding(words, 16 * scale), nn.Flatten(), nn.Linear(6 * 16 * scale, 3))
    return training(
        device,
        model,
        torch.randint(0, words, (8 * scale, 6)),
        torch.randn(8 * scale, 3),
        functional.mse_loss,
        lambda parameters: torch.optim.Adam(parameters, lr=0.001),
    )


class CachedAttention(nn.Module):
    """A block of a decoder that writes the key and the value of one new token into caches and attends to all so far."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.projection = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, token, keys, values, position, mask):
        parts = self.projection(self.before(token)).view(1, 3, self.heads, -1).unbind(1)
        query, key, value = (part.transpose(0, 1) for part in parts)
        keys.index_copy_(1, position, key)
        values.index_copy_(1, position, value)
        weights = torch.softmax(query @ keys.transpose(1, 2) / query.shape[-1] ** 0.5 + mask, -1)
        token = token + self.output((weights @ values).transpose(0, 1).reshape(1, -1))
        return token + self.wide(self.between(token))


@program
def decode_with_cache(device, scale):
    width, heads, layers, length, words = 32 * scale, 4, 2, 16 * scale, 64
    embedding, head = nn.Embedding(words, width).to(device), nn.Linear(width, words).to(device)
    blocks = nn.ModuleList(CachedAttention(width, heads) for _ in range(layers)).to(device)
    caches = [torch.zeros(heads, length, width // heads, device=device) for _ in range(2 * layers)]
    token, position = torch.tensor([3], device=device), torch.tensor([0], device=device)

    @torch.no_grad()
    def step():
        mask = torch.where(torch.arange(length, device=device) <= position, 0.0, float("-inf"))
        hidden = embedding(token)
        for block, keys, values in zip(blocks, caches[::2], caches[1::2], strict=True):
            hidden = block(hidden, keys, values, position, mask)
        scores = head(hidden)
        token.copy_(scores.argmax(-1))
        position.add_(1).remainder_(length)
        return scores

    return Program(step, [*caches, token, position], caches)
