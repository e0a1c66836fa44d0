"""Steps of Keras's optimisers, and of Optax's Adam, in float64, for tests/training/optimizer_reference.rs.

    pip install keras==3.15.1 jax==0.10.2 optax==0.2.8
    python tests/reference/optimizers.py > tests/reference/optimizers.csv

Each line is a configuration, the number of steps done, and then the three weights and the bias. The back end is JAX:
with TensorFlow, Keras rounds settings such as beta to float32 in `ops.cast`, whatever the type of the variables.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
import keras
import optax
from keras import optimizers
from keras.optimizers import schedules

keras.config.set_floatx("float64")

X = [[1.0, 2.0, -1.0], [0.5, -1.5, 2.0], [-2.0, 0.25, 1.0], [3.0, 1.0, 0.5]]
Y = [1.0, -2.0, 0.5, 4.0]
STEPS = (1, 2, 3, 5, 10, 20)

# Epsilons are large, so that it shows where they stand.
CONFIGURATIONS = {
    "gradient_descent": lambda: optimizers.SGD(0.05),
    "momentum": lambda: optimizers.SGD(0.01, momentum=0.9),
    "nesterov": lambda: optimizers.SGD(0.01, momentum=0.9, nesterov=True),
    "adam": lambda: optimizers.Adam(0.1),
    "adam_epsilon": lambda: optimizers.Adam(0.1, beta_1=0.8, beta_2=0.95, epsilon=0.1),
    "adam_w": lambda: optimizers.AdamW(0.1),
    "adam_w_decay": lambda: optimizers.AdamW(0.1, weight_decay=0.5, epsilon=0.01),
    "rms_prop": lambda: optimizers.RMSprop(0.1),
    "rms_prop_epsilon": lambda: optimizers.RMSprop(0.1, rho=0.7, epsilon=0.1),
    "adagrad": lambda: optimizers.Adagrad(0.3),
    "adagrad_epsilon": lambda: optimizers.Adagrad(0.3, initial_accumulator_value=0.5, epsilon=0.2),
    "exponential": lambda: optimizers.SGD(schedules.ExponentialDecay(0.05, 4, 0.5)),
    "staircase": lambda: optimizers.SGD(schedules.ExponentialDecay(0.05, 4, 0.5, staircase=True)),
    "cosine": lambda: optimizers.SGD(schedules.CosineDecay(0.05, 12, alpha=0.1)),
    "warm_up": lambda: optimizers.Adam(
        schedules.CosineDecay(0.01, 10, alpha=0.05, warmup_target=0.2, warmup_steps=5)
    ),
    "momentum_exponential": lambda: optimizers.SGD(
        schedules.ExponentialDecay(0.02, 3, 0.5), momentum=0.9
    ),
    "clip_value": lambda: optimizers.SGD(0.05, clipvalue=1.0),
    "clip_norm": lambda: optimizers.SGD(0.05, clipnorm=1.5),
    "clip_global_norm": lambda: optimizers.SGD(0.05, global_clipnorm=1.5),
    "decay": lambda: optimizers.SGD(0.05, momentum=0.5, weight_decay=0.2),
}


def main():
    x, y = jnp.array(X), jnp.array(Y)
    gradients = jax.grad(lambda w, b: jnp.mean(jnp.square(x @ w + b - y)), argnums=(0, 1))
    for name, make in CONFIGURATIONS.items():
        w = keras.Variable([0.5, -0.25, 1.0], dtype="float64")
        b = keras.Variable(0.0, dtype="float64")
        optimizer = make()
        optimizer.build([w, b])
        for step in range(1, STEPS[-1] + 1):
            optimizer.apply(gradients(w.value, b.value))
            if step in STEPS:
                print(name, step, *(repr(float(it)) for it in [*w.value, b.value]), sep=",")
    # Where epsilon stands beside the corrected root.
    adam = optax.adam(0.1, b1=0.8, b2=0.95, eps=0.1)
    values = (jnp.array([0.5, -0.25, 1.0]), jnp.array(0.0))
    state = adam.init(values)
    for step in range(1, STEPS[-1] + 1):
        updates, state = adam.update(gradients(*values), state, values)
        values = optax.apply_updates(values, updates)
        if step in STEPS:
            row = (repr(float(it)) for it in [*values[0], values[1]])
            print("adam_corrected_epsilon", step, *row, sep=",")


main()
