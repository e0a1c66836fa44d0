"""Answers the driver for one framework, as src/worker.rs does for those of Rust: `worker.py MODULE`."""

import importlib
import json
import sys


def main() -> None:
    module = importlib.import_module(sys.argv[1])
    contender = None
    for line in sys.stdin:
        request, _, what = line.rstrip("\n").partition(" ")
        if request == "row":
            make = module.ROWS.get(what)
            contender = make() if make else None
            answer = {module.NAME: contender.numbers()} if contender else {}
        elif request == "run" and contender:
            answer = {"ns": contender.run(int(what.rpartition(" ")[2]))}
        else:
            sys.exit(f"`{line}` is no request")
        print(json.dumps(answer), flush=True)


main()
