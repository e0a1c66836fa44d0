"""The rows in TensorFlow: functions under tf.function, each result read."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import inputs
import numpy as np
import tensorflow as tf
from contender import Contender, calling, stepping

NAME = "TensorFlow, tf.function"

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)


def _floats(value: tf.Tensor) -> list[float]:
    return value.numpy().ravel().tolist()


def _sum(a: np.ndarray, b: np.ndarray) -> Contender:
    add = tf.function(lambda a, b: a + b)
    a, b = tf.constant(a), tf.constant(b)
    return calling(lambda: add(a, b), _floats)


def _increment() -> Contender:
    add = tf.function(lambda x: x + 1.0)
    x = tf.constant(1.5)
    return calling(lambda: add(x), _floats)


def _first_call() -> Contender:
    x = tf.constant(1.5)
    return calling(lambda: tf.function(lambda x: x * 2.0 + 1.0)(x), _floats)


def _line(slopes: bool) -> Contender:
    x, y, rate = tf.constant(inputs.X), tf.constant(inputs.Y), tf.constant(inputs.RATE)

    def start():
        a, b = tf.Variable(0.0), tf.Variable(0.0)

        @tf.function
        def by_hand():
            error = a * x + b - y
            slope_a, slope_b = tf.reduce_sum(error * x), tf.reduce_sum(error)
            a.assign_sub(rate * slope_a)
            b.assign_sub(rate * slope_b)

        @tf.function
        def by_tape():
            with tf.GradientTape() as tape:
                loss = 0.5 * tf.reduce_sum(tf.square(a * x + b - y))
            slope_a, slope_b = tape.gradient(loss, [a, b])
            a.assign_sub(rate * slope_a)
            b.assign_sub(rate * slope_b)

        return (by_tape if slopes else by_hand), a, b

    def step(state):
        state[0]()
        return state

    return stepping(start, step, inputs.LINE_STEPS, lambda it: [float(it[1]), float(it[2])])


def _loss(parameters, x, labels):
    for at in range(0, len(parameters), 2):
        x = tf.matmul(x, parameters[at]) + parameters[at + 1]
        if at + 2 < len(parameters):
            x = tf.nn.relu(x)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=x, labels=labels)
    return tf.reduce_mean(losses)


def _classifier(sizes: list[int], count: int, adam: bool) -> Contender:
    x, labels = (tf.constant(it) for it in inputs.batch(count))

    def start():
        parameters = [tf.Variable(it) for it in inputs.parameters(sizes)]
        zeros = lambda: [tf.Variable(tf.zeros_like(it)) for it in parameters]
        means, spreads, steps = zeros(), zeros(), tf.Variable(0.0)

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = _loss(parameters, x, labels)
            slopes = tape.gradient(loss, parameters)
            if not adam:
                for parameter, slope in zip(parameters, slopes):
                    parameter.assign_sub(0.1 * slope)
                return loss
            steps.assign_add(1.0)
            first, second = 1 - tf.pow(0.9, steps), 1 - tf.pow(0.999, steps)
            for parameter, slope, mean, spread in zip(parameters, slopes, means, spreads):
                mean.assign(0.9 * mean + 0.1 * slope)
                spread.assign(0.999 * spread + 0.001 * slope * slope)
                parameter.assign_sub(1e-3 * (mean / first) / (tf.sqrt(spread / second) + 1e-8))
            return loss

        return step, 0.0

    def step(state):
        return state[0], state[0]().numpy()

    return stepping(start, step, inputs.LOSS_STEPS, lambda state: [float(state[1])])


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
