"""Times graphfn beside JAX, TensorFlow, PyTorch, Candle and ndarray: `python3 benches/peers/python/run.py [ROW ..]`.

Makes a virtual environment with the pinned frameworks, builds the Rust side, and lets all contenders take turns on one
core and one thread: what slows one slows all. They first have to agree on the result. A row is named by a part of it.
"""

import json
import os
import statistics
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent
VENV = PACKAGE / "target" / "venv"
PYTHON = VENV / "bin" / "python"

ROWS = [
    "a + b of two scalars",
    "x + 1 on one float",
    "a + b on 8 floats",
    "first call of x * 2 + 1",
    "a step of linear regression, gradients by hand",
    "a step of linear regression, gradients and SGD",
    "a step of 784-100-10, batch 50, SGD",
    "a step of 784-512-512-10, batch 128, Adam",
]
# Numbers that are known from elsewhere.
KNOWN = {
    ROWS[5]: [0.97637, 0.057565063],
    ROWS[6]: [2.0629382],
    ROWS[7]: [0.8511557],
}
FRAMEWORKS = {"jax_rows": "jax", "tensorflow_rows": "tensorflow-cpu", "torch_rows": "torch"}
TOLERANCE = 1e-5
# The first steps of Adam go by the signs of gradients, however small: in float64, NumPy has 0.8512895, with noise of
# 1e-10 in the gradients 0.8511445, and with the corrections 1 - beta^t taken in float32 0.8511557.
WIDER = {ROWS[7]: 5e-4}
TURN_NS = 2_000_000
ROUNDS = 101
MOST_SECONDS = 60

ONE_THREAD = {
    name: "1"
    for name in ("GRAPHFN_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
}


class Worker:
    """A process that answers requests, a line each."""

    def __init__(self, command: list[str]) -> None:
        environment = os.environ | ONE_THREAD
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=quiet, text=True, env=environment
        )

    def ask(self, request: str) -> dict:
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.process.args} ended at `{request}`")
        return json.loads(answer)


@dataclass
class Entry:
    """A contender of a row."""

    worker: Worker
    name: str
    count: int = 1
    times: list[float] = field(default_factory=list)

    def run(self) -> float:
        """Nanoseconds of one turn, after a run that brings back what others drove out of the caches."""
        self.worker.ask(f"run {self.name} 1")
        return self.worker.ask(f"run {self.name} {self.count}")["ns"]


def installed(package: str) -> bool:
    """Whether a framework is there, after an attempt to install it."""
    pins = (HERE / "requirements.txt").read_text().split()
    wanted = [pin for pin in pins if pin.partition("==")[0] in (package, "numpy")]
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    return subprocess.run(command).returncode == 0


def workers() -> list[Worker]:
    """Ours first."""
    manifest = PACKAGE / "Cargo.toml"
    subprocess.run(["cargo", "build", "--release", "--locked", "--manifest-path", manifest], check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", PACKAGE / "target"))
    binary = target / "release" / "graphfn-peers"
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
    modules = []
    for module, package in FRAMEWORKS.items():
        if installed(package):
            modules.append(module)
        else:
            print(f"{package} cannot be installed here: its rows are left out")
    # Those that are started from here on share one core: who has the turn has all of it.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    theirs = [Worker([str(PYTHON), str(HERE / "worker.py"), module]) for module in modules]
    return [Worker([str(binary), "--worker"]), *theirs]


def agree(row: str, results: dict[str, list[float]]) -> None:
    """Ends the program unless the first contender gives what is known, and all others what it gives."""
    ours = next(iter(results.values()))
    checks = [("ours", ours, KNOWN.get(row, ours), TOLERANCE)]
    checks += [(name, found, ours, WIDER.get(row, TOLERANCE)) for name, found in results.items()]
    for name, found, wanted, part in checks:
        if not all(abs(a - b) <= part * abs(b) for a, b in zip(found, wanted, strict=True)):
            sys.exit(f"{row}: {name} gives {found}, not {wanted}")


def timed(row: str, all_workers: list[Worker]) -> list[Entry]:
    """The contenders of a row, with the times of their turns."""
    results: dict[str, list[float]] = {}
    entries = []
    for worker in all_workers:
        for name, numbers in worker.ask(f"row {row}").items():
            results[name] = numbers
            entries.append(Entry(worker, name))
    agree(row, results)
    for entry in entries:
        while entry.run() < TURN_NS:
            entry.count *= 2
    round_ns = sum(entry.run() for entry in entries)
    rounds = max(11, min(ROUNDS, int(MOST_SECONDS * 1e9 / round_ns)))
    for begin in range(rounds):
        for turn in range(len(entries)):
            entry = entries[(begin + turn) % len(entries)]
            entry.times.append(entry.run() / entry.count)
    return entries


def main() -> None:
    all_workers = workers()
    chosen = [row for row in ROWS if all(part in row for part in sys.argv[1:])]
    print("| work | contender | median | minimum | median / ours | minimum / ours |")
    print("|---|---|---|---|---|---|")
    for row in chosen:
        entries = timed(row, all_workers)
        ours = (statistics.median(entries[0].times), min(entries[0].times))
        for entry in entries:
            median, minimum = statistics.median(entry.times), min(entry.times)
            numbers = f"{median / 1e3:.3g} us | {minimum / 1e3:.3g} us"
            ratios = f"{median / ours[0]:.2f} | {minimum / ours[1]:.2f}"
            print(f"| {row} | {entry.name} | {numbers} | {ratios} |", flush=True)


main()
