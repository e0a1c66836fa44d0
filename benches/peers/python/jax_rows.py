"""The rows in JAX: functions under jax.jit, each result waited for."""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import inputs
import jax
import jax.numpy as jnp
import numpy as np
from contender import Contender, calling, stepping

NAME = "JAX, jit"


def _floats(value: jax.Array) -> list[float]:
    return np.asarray(value).ravel().tolist()


def _sum(a: np.ndarray, b: np.ndarray) -> Contender:
    add = jax.jit(lambda a, b: a + b)
    a, b = jnp.asarray(a), jnp.asarray(b)
    return calling(lambda: add(a, b).block_until_ready(), _floats)


def _increment() -> Contender:
    add = jax.jit(lambda x: x + 1.0)
    x = jnp.float32(1.5)
    return calling(lambda: add(x).block_until_ready(), _floats)


def _first_call() -> Contender:
    x = jnp.float32(1.5)
    return calling(lambda: jax.jit(lambda x: x * 2.0 + 1.0)(x).block_until_ready(), _floats)


def _line(slopes: bool) -> Contender:
    x, y, rate = jnp.asarray(inputs.X), jnp.asarray(inputs.Y), jnp.float32(inputs.RATE)

    def loss(a, b):
        return 0.5 * jnp.sum((a * x + b - y) ** 2)

    @jax.jit
    def by_hand(line):
        a, b = line
        error = a * x + b - y
        return a - rate * jnp.sum(error * x), b - rate * jnp.sum(error)

    @jax.jit
    def by_jax(line):
        a, b = line
        slope_a, slope_b = jax.grad(loss, (0, 1))(a, b)
        return a - rate * slope_a, b - rate * slope_b

    step = by_jax if slopes else by_hand

    def waited(line):
        line = step(line)
        line[1].block_until_ready()
        return line

    start = lambda: (jnp.float32(0), jnp.float32(0))
    return stepping(start, waited, inputs.LINE_STEPS, lambda line: [float(it) for it in line])


def _loss(parameters, x, labels):
    for at in range(0, len(parameters), 2):
        x = x @ parameters[at] + parameters[at + 1]
        if at + 2 < len(parameters):
            x = jax.nn.relu(x)
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1))


def _classifier(sizes: list[int], count: int, adam: bool) -> Contender:
    x, labels = (jnp.asarray(it) for it in inputs.batch(count))

    def descend(state):
        parameters, _, _, steps = state
        loss, slopes = jax.value_and_grad(_loss)(parameters, x, labels)
        parameters = [it - 0.1 * slope for it, slope in zip(parameters, slopes)]
        return (parameters, [], [], steps), loss

    def adapt(state):
        parameters, means, spreads, steps = state
        loss, slopes = jax.value_and_grad(_loss)(parameters, x, labels)
        steps = steps + 1
        means = [0.9 * it + 0.1 * slope for it, slope in zip(means, slopes)]
        spreads = [0.999 * it + 0.001 * slope * slope for it, slope in zip(spreads, slopes)]
        first, second = 1 - 0.9**steps, 1 - 0.999**steps
        moved = zip(parameters, means, spreads)
        parameters = [it - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8) for it, m, v in moved]
        return (parameters, means, spreads, steps), loss

    step = jax.jit(adapt if adam else descend, donate_argnums=0)

    def start():
        parameters = [jnp.asarray(it) for it in inputs.parameters(sizes)]
        zeros = lambda: [jnp.zeros_like(it) for it in parameters] if adam else []
        return (parameters, zeros(), zeros(), jnp.float32(0)), jnp.float32(0)

    def waited(state):
        state = step(state[0])
        state[1].block_until_ready()
        return state

    return stepping(start, waited, inputs.LOSS_STEPS, lambda state: [float(state[1])])


ROWS = {
    "x + 1 on one float": _increment,
    "a + b of two scalars": lambda: _sum(np.float32(1.5), np.float32(0.25)),
    "a + b on 8 floats": lambda: _sum(np.arange(1, 9, dtype=np.float32) / 2, np.full(8, 0.25, np.float32)),
    "first call of x * 2 + 1": _first_call,
    "a step of linear regression, gradients by hand": lambda: _line(False),
    "a step of linear regression, gradients and SGD": lambda: _line(True),
    "a step of 784-100-10, batch 50, SGD": lambda: _classifier(*inputs.SMALL, adam=False),
    "a step of 784-512-512-10, batch 128, Adam": lambda: _classifier(*inputs.LARGE, adam=True),
}
