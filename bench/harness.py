"""What bars and peers share: the program, loads beside it, and arithmetic on its reports."""
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build = root / "build" / "release"
median = statistics.median

# What was started is ended also when this is.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Program:
    def __init__(self, path=build / "cyclesoak"):
        self.path = str(path)

    def run(self, *arguments):
        """(stdout, seconds)"""
        begin = time.monotonic()
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout, time.monotonic() - begin

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json", "--quiet")[0])

    def report(self, *arguments):
        """Of a run; `arguments` may end in a load."""
        return json.loads(self.run("run", "--format", "json", "--quiet", *arguments)[0])

    def load(self, *arguments):
        """For the end of a run."""
        return ["--", self.path, "load", *arguments, "--format", "json"]

    def windows(self, count):
        """Windows of a second each, soaked: the reports of watch."""
        text, _ = self.run("watch", "--format", "json", "--quiet", "-n", str(count))
        return [json.loads(line) for line in text.splitlines()]

    @contextlib.contextmanager
    def watching(self):
        """A function that waits for so many windows: all of the same soakers, with the same memory."""
        with running(self.path, "watch", "--format", "json", "--quiet", stdout=subprocess.PIPE,
                     text=True) as watch:
            yield lambda count: [json.loads(watch.stdout.readline()) for _ in range(count)]


@contextlib.contextmanager
def running(*command, **options):
    """A process that is ended, and waited for, in any case."""
    process = subprocess.Popen([str(word) for word in command], **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def cpu_seconds(pid):
    """Of all threads of a process, by the scheduler's clock."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += int((task / "schedstat").read_text().split()[0]) / 1e9
    return total


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def last_cpu():
    return max(os.sched_getaffinity(0))


def first_cpu():
    return min(os.sched_getaffinity(0))


def on_cpu(report, cpu):
    return next(entry for entry in report["cpus"] if entry["cpu"] == cpu)


other_causes = ("interrupts", "hypervisor", "core", "cache", "unexplained")


def net(windows, baseline, cpu):
    """Medians over windows of the ratios of a CPU, net: tasks less baseline tasks, other causes less
    the baseline's per second of soaker time; medians of its windows, too."""
    def split(report):
        entry = on_cpu(report, cpu)
        return entry["soaked_phase_seconds"], entry["causes"]

    before = [split(report) for report in baseline]
    tasks_rate = median([causes["tasks"] / seconds for seconds, causes in before])
    rates = {cause: median([causes.get(cause, 0) / (seconds - causes["tasks"])
                            for seconds, causes in before])
             for cause in other_causes}
    figures = {"tasks": [], "stolen": [], **{cause: [] for cause in other_causes}}
    for seconds, causes in map(split, windows):
        tasks = causes["tasks"] / seconds - tasks_rate
        others = {cause: (causes.get(cause, 0) - rate * (seconds - causes["tasks"])) / seconds
                  for cause, rate in rates.items()}
        figures["tasks"].append(tasks)
        figures["stolen"].append(tasks + sum(others.values()))
        for cause, value in others.items():
            figures[cause].append(value)
    return {name: median(values) for name, values in figures.items()}


def demand(report, method):
    """Of the report's main unit."""
    unit = report["work"]["unit"]
    return next(d for d in report["demand"] if d["method"] == method and d["unit"] == unit)


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header), flush=True)
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
