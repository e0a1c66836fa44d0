"""Imports each graph of a file into TensorFlow, runs it, and compares what it gives with what was expected.

Each line of the file is a JSON object; see tensorflow.rs, which writes it.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

# How far apart numbers may be, relative to the largest of the expected ones: sums and functions are rounded otherwise.
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def array(dtype, shape, data):
    return np.frombuffer(bytes.fromhex(data), dtype=np.dtype(dtype)).reshape(shape)


def difference(name, found, dtype, shape, data):
    """What is wrong with a value, or None."""
    expected = array(dtype, shape, data)
    found = np.asarray(found)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{name} is {found.dtype}{found.shape}, not {expected.dtype}{expected.shape}"
    if dtype in TOLERANCE:
        sizes = np.abs(expected[np.isfinite(expected)])
        scale = max(1.0, sizes.max()) if sizes.size else 1.0
        near = np.isclose(found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * min(scale, 1e3), equal_nan=True)
    else:
        near = found == expected
    return None if near.all() else f"{name} is {found.tolist()}, not {expected.tolist()}"


def run(case):
    """What is wrong with a case, or None."""
    graph_def = tf1.GraphDef()
    graph_def.ParseFromString(bytes.fromhex(case["graph"]))
    with tf1.Graph().as_default() as graph:
        tf1.import_graph_def(graph_def, name="")
        with tf1.Session(graph=graph) as session:
            if case["init"]:
                session.run(graph.get_operation_by_name(case["init"]))
            feeds = {f"{name}:0": array(*rest) for name, *rest in case["feeds"]}
            fetches = [f"{name}:0" for name, *_ in case["outputs"]]
            targets = [graph.get_operation_by_name(case["update"])] if case["update"] else []
            found = session.run(fetches + targets, feeds)
            for value, (name, *rest) in zip(found, case["outputs"]):
                wrong = difference(name, value, *rest)
                if wrong:
                    return wrong
            for name, dtype, *rest in case["after"]:
                handle = graph.get_tensor_by_name(f"{name}:0")
                value = session.run(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype))
                wrong = difference(name, value, dtype, *rest)
                if wrong:
                    return wrong
    return None


def main():
    tf1.disable_eager_execution()
    cases = [json.loads(line) for line in open(sys.argv[1])]
    wrong = 0
    for case in cases:
        try:
            said = run(case)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error)[:600]}"
        if said:
            wrong += 1
            print(f"{case['name']}: {said}")
    if wrong:
        sys.exit(f"{wrong} of {len(cases)} cases differ")
    print(f"all {len(cases)} cases agree")


main()
