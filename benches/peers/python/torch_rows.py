"""The rows in PyTorch, eagerly: torch.compile needs a C++ compiler, and is slower on such small work."""

import inputs
import numpy as np
import torch
import torch.nn.functional as F
from contender import Contender, calling, stepping

NAME = "PyTorch, eager"

torch.set_num_threads(1)


def _floats(value: torch.Tensor) -> list[float]:
    return value.flatten().tolist()


def _sum(a: np.ndarray, b: np.ndarray) -> Contender:
    a, b = torch.tensor(a), torch.tensor(b)
    return calling(lambda: a + b, _floats)


def _increment() -> Contender:
    x = torch.tensor(1.5)
    return calling(lambda: x + 1.0, _floats)


def _line_by_hand() -> Contender:
    x, y = torch.tensor(inputs.X), torch.tensor(inputs.Y)

    def step(line):
        a, b = line
        error = a * x + b - y
        return a - inputs.RATE * (error * x).sum(), b - inputs.RATE * error.sum()

    start = lambda: (torch.tensor(0.0), torch.tensor(0.0))
    return stepping(start, step, inputs.LINE_STEPS, lambda line: [float(it) for it in line])


def _line() -> Contender:
    x, y = torch.tensor(inputs.X), torch.tensor(inputs.Y)

    def start():
        line = [torch.zeros((), requires_grad=True) for _ in range(2)]
        return line, torch.optim.SGD(line, lr=inputs.RATE)

    def step(state):
        (a, b), optimizer = state
        optimizer.zero_grad()
        loss = 0.5 * ((a * x + b - y) ** 2).sum()
        loss.backward()
        optimizer.step()
        return state

    return stepping(start, step, inputs.LINE_STEPS, lambda it: [number.item() for number in it[0]])


def _classifier(sizes: list[int], count: int, adam: bool) -> Contender:
    x, labels = (torch.tensor(it) for it in inputs.batch(count))
    labels = labels.long()

    def start():
        parameters = [torch.tensor(it).requires_grad_() for it in inputs.parameters(sizes)]
        if adam:
            return parameters, torch.optim.Adam(parameters, lr=1e-3), 0.0
        return parameters, torch.optim.SGD(parameters, lr=0.1), 0.0

    def step(state):
        parameters, optimizer, _ = state
        optimizer.zero_grad(set_to_none=True)
        y = x
        for at in range(0, len(parameters), 2):
            y = torch.addmm(parameters[at + 1], y, parameters[at])
            if at + 2 < len(parameters):
                y = F.relu(y)
        loss = F.cross_entropy(y, labels)
        loss.backward()
        optimizer.step()
        return parameters, optimizer, loss.item()

    return stepping(start, step, inputs.LOSS_STEPS, lambda state: [state[2]])


ROWS = {
    "x + 1 on one float": _increment,
    "a + b of two scalars": lambda: _sum(np.float32(1.5), np.float32(0.25)),
    "a + b on 8 floats": lambda: _sum(np.arange(1, 9, dtype=np.float32) / 2, np.full(8, 0.25, np.float32)),
    "a step of linear regression, gradients by hand": _line_by_hand,
    "a step of linear regression, gradients and SGD": _line,
    "a step of 784-100-10, batch 50, SGD": lambda: _classifier(*inputs.SMALL, adam=False),
    "a step of 784-512-512-10, batch 128, Adam": lambda: _classifier(*inputs.LARGE, adam=True),
}
