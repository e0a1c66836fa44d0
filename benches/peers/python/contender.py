"""One way to do the work of a row, as the Rust side has it. Knows no framework."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Contender:
    """Work that can be run some times over, and what it gives from the start."""

    run: Callable[[int], int]
    numbers: Callable[[], list[float]]


def calling(work: Callable[[], Any], numbers: Callable[[Any], list[float]]) -> Contender:
    """Work that starts afresh each time."""

    def run(count: int) -> int:
        begun = time.perf_counter_ns()
        for _ in range(count):
            work()
        return time.perf_counter_ns() - begun

    return Contender(run, lambda: numbers(work()))


def stepping(
    start: Callable[[], Any],
    step: Callable[[Any], Any],
    steps: int,
    numbers: Callable[[Any], list[float]],
) -> Contender:
    """Work that goes on from where it stopped; its numbers are those after some steps from the start."""
    state = start()

    def run(count: int) -> int:
        nonlocal state
        begun = time.perf_counter_ns()
        for _ in range(count):
            state = step(state)
        return time.perf_counter_ns() - begun

    def afresh() -> list[float]:
        fresh = start()
        for _ in range(steps):
            fresh = step(fresh)
        return numbers(fresh)

    return Contender(run, afresh)
