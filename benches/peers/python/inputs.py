"""Inputs that any language can make: those of tests/support/mlp.rs and of the example linear_regression."""

import numpy as np

X = np.array([0.0, 0.25, 0.5, 0.75, 1.0], np.float32)
Y = np.array([0.0, 4 / 11, 6 / 11, 9 / 11, 1.0], np.float32)
RATE = 1e-3
LINE_STEPS = 10_000

SMALL = ([784, 100, 10], 50)
LARGE = ([784, 512, 512, 10], 128)
LOSS_STEPS = 10


def filled(shape: tuple[int, ...], seed: int, scale: float) -> np.ndarray:
    """((i + seed) * 7919 mod 2003) / 2003 - 0.5 in f64, rounded to f32, times a scale."""
    at = np.arange(int(np.prod(shape)), dtype=np.int64)
    numbers = (((at + seed) * 7919) % 2003) / 2003.0 - 0.5
    return (numbers.astype(np.float32) * np.float32(scale)).reshape(shape)


def parameters(sizes: list[int]) -> list[np.ndarray]:
    """The first weights of a classifier, each before its bias."""
    layers = []
    for at, (wide, narrow) in enumerate(zip(sizes, sizes[1:])):
        layers.append(filled((wide, narrow), 11 + at, 2.0 / wide**0.5))
        layers.append(np.zeros(narrow, np.float32))
    return layers


def batch(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels."""
    labels = (np.arange(count) * 7 % 10).astype(np.int32)
    return filled((count, 784), 5, 1.0), labels
