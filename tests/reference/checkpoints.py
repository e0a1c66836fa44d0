"""Writes the files of tests/checkpoints with the libraries that define their formats.

    pip install numpy==2.4.6 safetensors==0.8.0 && python tests/reference/checkpoints.py
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

FOLDER = Path(__file__).parent.parent / "checkpoints"

ARRAYS = {
    "dense1/weight": np.array([[1.5, -0.0, 3.0], [np.inf, 5e-324, -6.25]], dtype=np.float32),
    "dense1/bias": np.array([0.1, 0.2, 0.3], dtype=np.float64),
    "größe": np.array(-7, dtype=np.int32),
    "counts": np.array([2**62, -1], dtype=np.int64),
    "bytes": np.arange(4, dtype=np.uint8).reshape(2, 2),
    "mask": np.array([True, False]),
    "nothing": np.zeros((0, 3), dtype=np.float32),
}
# A NaN that is not the usual one.
ARRAYS["dense1/weight"].view(np.uint32)[1, 1] = 0x7FC12345

np.savez(FOLDER / "numpy.npz", **ARRAYS)
np.savez_compressed(FOLDER / "compressed.npz", **ARRAYS)
other = {
    name: np.asarray(it.astype(it.dtype.newbyteorder(">")), order="F")
    for name, it in ARRAYS.items()
}
np.savez(FOLDER / "other_orders.npz", **other)
np.savez(FOLDER / "half.npz", half=np.zeros(2, dtype=np.float16), text=np.array(["a"]))
save_file(ARRAYS, FOLDER / "python.safetensors")
