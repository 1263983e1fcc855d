"""Groups of torch's operations as torch_xla lowers them, with their gradients where they have one.

GROUPS maps a name to a function of the device that returns tensors to compare.
"""

import torch
import torch_xla.core.xla_model as xm
from torch import nn
from torch.nn import functional

GROUPS = {}


def group(function):
    GROUPS[function.__name__] = function
    return function


def normal(device, *shape):
    return torch.randn(*shape).to(device)


def with_gradients(function, *operands):
    """The result of a function and the gradients of the sum of its squares."""
    operands = [operand.detach().requires_grad_() for operand in operands]
    result = function(*operands)
    result.square().sum().backward()
    return [result.detach(), *(operand.grad for operand in operands)]


@group
def elementwise(device):
    x, y = normal(device, 4, 9), normal(device, 4, 9)
    signed = [torch.sin, torch.cos, torch.exp, torch.expm1, torch.erf, torch.sigmoid, torch.tanh, torch.floor, torch.round, torch.sign]
    activations = [functional.gelu, functional.silu, functional.softplus, functional.elu, functional.hardswish, functional.leaky_relu]
    positive = [torch.log, torch.sqrt, torch.rsqrt, torch.log1p, torch.log2, torch.lgamma, torch.digamma]
    results = [function(x) for function in signed + activations] + [function(x.abs() + 0.1) for function in positive]
    both = [torch.maximum, torch.atan2, torch.fmod, torch.remainder, torch.eq, torch.gt, torch.floor_divide]
    return results + [function(x, y) for function in both] + [torch.where(x > y, x, y), torch.lerp(x, y, 0.3), x.clamp(-1, 1)]


@group
def reductions(device):
    x = normal(device, 4, 9)
    whole = [x.mean(), x.norm(), x.max(), x.abs().sum()]
    return whole + [x.std(1), x.var(0), x.prod(1), x.any(1), x.all(0), x.softmax(1), x.log_softmax(1), x.logsumexp(0), x.cumsum(1)]


@group
def sorting(device):
    x = normal(device, 4, 9)
    return [*x.sort(1), *x.topk(3, 1), x.argmax(1), *x.min(0), x.kthvalue(2, 1)[0], torch.flip(x, [1]), torch.roll(x, 2, 1)]


@group
def products(device):
    x, y, batch = normal(device, 3, 4), normal(device, 4, 5), normal(device, 2, 3, 4)
    return [
        *with_gradients(torch.matmul, x, y),
        *with_gradients(torch.bmm, batch, normal(device, 2, 4, 5)),
        torch.einsum("bij,bkj->bik", batch, normal(device, 2, 5, 4)),
        torch.addmm(normal(device, 3, 5), x, y),
        functional.linear(batch, normal(device, 5, 4), normal(device, 5)),
        torch.outer(normal(device, 3), normal(device, 4)),
    ]


@group
def updates(device):
    base, rows = normal(device, 6, 5), torch.tensor([0, 2, 2], device=device)

    def updated(change):
        copy = base.clone()
        change(copy)
        return copy

    columns = torch.tensor([[0, 1, 2, 0, 0]], device=device)
    return [
        updated(lambda x: x.index_fill_(0, rows, 1.0)),
        updated(lambda x: x.index_add_(0, rows, torch.ones(3, 5, device=device))),
        updated(lambda x: x.index_put_((rows, torch.tensor([1, 1, 3], device=device)), torch.ones(3, device=device), accumulate=True)),
        updated(lambda x: x.scatter_(0, columns, 7.0)),
        updated(lambda x: x.scatter_add_(0, columns, torch.ones(1, 5, device=device))),
        updated(lambda x: x.scatter_reduce_(0, columns, torch.ones(1, 5, device=device), "amax")),
        updated(lambda x: x[1:3, ::2].zero_()),
        updated(lambda x: x.masked_fill_(x > 0, -1.0)),
        base.gather(1, rows[None]),
        base.index_select(0, rows),
        base[rows, 1:3],
    ]


@group
def convolutions(device):
    image = normal(device, 2, 4, 9, 9)
    results = []
    for shape, options in (
        ((8, 2, 3, 3), {"stride": 2, "padding": 1, "groups": 2}),
        ((3, 4, 3, 3), {"dilation": 2}),
        ((4, 1, 3, 3), {"padding": 1, "groups": 4}),
    ):
        results += with_gradients(lambda x, w, options=options: functional.conv2d(x, w, **options), image, normal(device, *shape))
    small, kernel = normal(device, 1, 3, 5, 5), normal(device, 3, 2, 3, 3)
    results += with_gradients(lambda x, w: functional.conv_transpose2d(x, w, stride=2), small, kernel)
    return [*results, functional.conv1d(normal(device, 2, 3, 10), normal(device, 4, 3, 3))]


@group
def pooling(device):
    image = normal(device, 2, 3, 8, 8)
    functions = [
        lambda x: functional.max_pool2d(x, 2),
        lambda x: functional.max_pool2d(x, 3, 1, 1),
        lambda x: functional.avg_pool2d(x, 3, 2, 1),
        lambda x: functional.adaptive_avg_pool2d(x, 2),
        lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"),
    ]
    return [tensor for function in functions for tensor in with_gradients(function, image)]


@group
def normalizations(device):
    x = normal(device, 2, 4, 8)
    functions = [
        lambda x: functional.layer_norm(x, (8,)),
        lambda x: functional.group_norm(x, 2),
        lambda x: functional.batch_norm(x, None, None, training=True),
        lambda x: functional.rms_norm(x, (8,)),
        functional.normalize,
    ]
    # Of a norm, the sum of squares hardly depends on the operand; cubes make the gradients large enough to compare.
    return [tensor for function in functions for tensor in with_gradients(lambda x, f=function: f(x) ** 3, x)]


@group
def attention(device):
    operands = [normal(device, 2, 2, 6, 8) for _ in range(3)]
    return with_gradients(lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True), *operands)


@group
def recurrences(device):
    layer = nn.LSTM(8, 16, batch_first=True).to(device)
    return with_gradients(lambda x: layer(x)[0], normal(device, 2, 5, 8))


@group
def shapes(device):
    x = normal(device, 3, 4, 5)
    return [
        x.permute(2, 0, 1),
        torch.cat([x, x], 1),
        torch.stack([x, x]),
        functional.pad(x, (1, 2)),
        functional.pad(x, (1, 2), mode="reflect"),
        x.repeat(2, 1, 1),
        x.unfold(2, 2, 1),
        x.tril(),
        torch.diagonal(x, 0, 1, 2),
        functional.one_hot(torch.tensor([1, 2], device=device), 4),
        torch.linspace(0, 1, 5, device=device),
    ]


@group
def dropout(device):
    xm.set_rng_state(7)
    return [functional.dropout(normal(device, 4, 5), 0.5), torch.rand(4, 5, device=device), torch.randn(4, 5, device=device)]


@group
def data_dependent_sizes(device):
    x = normal(device, 4, 5)
    return [(x > 0).nonzero(), x[x > 0]]
