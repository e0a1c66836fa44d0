"""Prints the figures of tests/training/layers.rs: Keras in float64, on TensorFlow.

    pip install tensorflow-cpu==2.21.0 keras==3.15.1 && python tests/reference/layers.py
"""

import keras
import numpy as np
import tensorflow as tf

keras.config.set_floatx("float64")

X = np.array([[0.3, -1.2, 2.0], [1.5, 0.25, -0.75], [-0.5, 0.75, 1.25], [2.0, -0.1, 0.6]])
SCALE = np.array([2.0, -1.0, 0.5])
OFFSET = np.array([0.5, 0.25, 0.75])
SLOPES = np.array([[1.0, -2.0, 0.5], [0.25, 1.5, -1.0], [2.0, 0.75, -0.5], [-1.5, 1.0, 3.0]])


def show(name, value):
    print(name, np.array2string(np.asarray(value), precision=17, separator=", ", floatmode="unique"))


def gradients(name, layer, **options):
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = layer(x, **options)
        loss = tf.reduce_sum(y * SLOPES)
    show(name, y)
    for what, it in zip(("x", "weight", "bias"), tape.gradient(loss, [x, *layer.trainable_variables])):
        show(f"{name}: gradient of {what}", it)


norm = keras.layers.LayerNormalization()
norm.build(X.shape)
norm.gamma.assign(SCALE)
norm.beta.assign(OFFSET)
gradients("LayerNormalization", norm)

batch = keras.layers.BatchNormalization()
batch.build(X.shape)
batch.gamma.assign(SCALE)
batch.beta.assign(OFFSET)
gradients("BatchNormalization, training", batch, training=True)
show("moving_mean", batch.moving_mean)
show("moving_variance", batch.moving_variance)
batch(X * 2.0 + 1.0, training=True)
show("moving_mean, second", batch.moving_mean)
show("moving_variance, second", batch.moving_variance)
gradients("BatchNormalization, inference", batch, training=False)

image = keras.layers.BatchNormalization(momentum=0.5, epsilon=0.1)
image.build((2, 2, 3))
show("three axes, training", image(X.reshape(2, 2, 3), training=True))
show("three axes, moving_mean", image.moving_mean)
show("three axes, moving_variance", image.moving_variance)
