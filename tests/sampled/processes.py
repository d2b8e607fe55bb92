"""Effects of sampling that a Python program could notice: its children's results, its objects' ends, and who sees them."""
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time

rounds = int(sys.argv[1])


class Held:
    """Its end is reported with the thread that saw it."""

    ends = {}

    def __del__(self):
        name = threading.current_thread().name
        self.ends[name] = self.ends.get(name, 0) + 1


def hold(depth):
    held = Held()
    cycle = [held]
    cycle.append(cycle)
    return hold(depth - 1) if depth else sum(i * i for i in range(300))


def load(item):
    time.sleep(0.001)
    return item * item


def main():
    gc.disable()
    loaders = multiprocessing.get_context("fork")
    for _ in range(rounds):
        with loaders.Pool(2) as pool:
            print(sum(pool.map(load, range(40))))
        print(subprocess.run([sys.executable, "-S", "-c", "print(6 * 7); raise SystemExit(9)"], capture_output=True))
        child = os.fork()
        if child == 0:
            import decimal

            os._exit(int(decimal.Decimal(11)))
        print(os.waitpid(child, 0)[1])
        waits = threading.Event()
        print(waits.wait(0.01))
        gc.enable()  # when no thread runs beside this one, of the program
        print([hold(40) for _ in range(300)][-1])
        gc.collect()
        gc.disable()
    print(Held.ends)
    sys.exit(3)


main()
