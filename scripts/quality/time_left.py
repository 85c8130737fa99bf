#!/usr/bin/env python3
"""The error of the time left that a command prints, for each of its estimates and by tenths of the run.

    scripts/quality/time_left.py VITRINE reconstruct PHOTOS -o model.glb …
    scripts/quality/time_left.py --samples progress.json [progress.json …]

The first form runs the command with --json and writes its estimates to progress.json (--out FILE); the second reads such files, which scale.py writes too.
The error of an estimate is the difference between the printed and the real end, as a share of the whole time: by the clock, and as if other programs had
slowed the run down evenly (the finished part of the work by processor seconds instead of elapsed ones). Prints a row for each tenth, with the largest
errors of its estimates, and the median and the largest error of all after the first tenth.
"""
import argparse
import bisect
import json
import os
import pathlib
import subprocess
import threading
import time

TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    """Of a process and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICK


class Meter:
    """Processor seconds of a process over time."""

    def __init__(self, pid):
        self.pid, self.samples, self.ended = pid, [(time.monotonic(), 0.0)], False
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while not self.ended:
            try:
                self.samples.append((time.monotonic(), processor_seconds(self.pid)))
            except OSError:
                return
            time.sleep(0.05)

    def at(self, moment):
        after = min(bisect.bisect_left(self.samples, (moment,)), len(self.samples) - 1)
        (begin, low), (end, high) = self.samples[max(0, after - 1)], self.samples[after]
        return low + (high - low) * min(1, max(0, (moment - begin) / (end - begin))) if end > begin else high


def errors(samples, seconds, work):
    """Of each estimate: the part of the run, the part of the work, and the errors by the clock and if slowed down evenly.

    samples: elapsed seconds, processor seconds and seconds left. seconds, work: elapsed and processor seconds of the whole run.
    """
    return [(at / seconds, cpu / work, abs(at + left - seconds) / seconds, abs(cpu / work * (at + left) / at - 1)) for at, cpu, left in samples if at > 0]


def after_first_tenth(samples, seconds, work):
    """The errors by the clock, and those if slowed down evenly."""
    found = errors(samples, seconds, work)
    return [clock for at, _, clock, _ in found if at > 0.1], [even for _, done, _, even in found if done > 0.1]


def table(samples, seconds, work):
    lines = ["| part of the run | printed, s left | real, s left | largest error by the clock, % | evenly slowed, % |", "| ---: | ---: | ---: | ---: | ---: |"]
    found = list(zip(samples, errors(samples, seconds, work)))
    for tenth in range(10):
        own = [(sample, error) for sample, error in found if int(10 * error[0]) == tenth]
        if own:
            (at, _, left), _ = own[0]
            lines.append(f"| {10 * tenth} to {10 * tenth + 10} % | {left:.0f} | {seconds - at:.0f} | {100 * max(e[2] for _, e in own):.0f} | {100 * max(e[3] for _, e in own):.0f} |")
    for name, values in zip(("by the clock", "evenly slowed"), after_first_tenth(samples, seconds, work)):
        if values:
            values.sort()
            lines.append(f"after the first tenth, {name}: median {100 * values[len(values) // 2]:.0f} %, largest {100 * values[-1]:.0f} %, {100 * sum(v <= 0.2 for v in values) / len(values):.0f} % of the estimates within 20 %")
    return "\n".join(lines)


def run(command):
    begin = time.monotonic()
    process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    meter, estimates = Meter(process.pid), []
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "progress" and "remaining_s" in event:
            estimates.append((time.monotonic(), event["remaining_s"]))
    end = time.monotonic()
    meter.ended = True
    if process.wait() != 0:
        raise SystemExit(process.returncode)
    return {"seconds": end - begin, "processor_s": meter.at(end), "samples": [(at - begin, meter.at(at), left) for at, left in estimates]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("progress.json"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if bool(options.samples) == bool(options.command):
        parser.error("give a command, or --samples")
    if options.command:
        options.out.write_text(json.dumps(run(options.command)))
    for path in options.samples or [options.out]:
        record = json.loads(path.read_text())
        print(f"{path}: {record['seconds']:.0f} s, {record['processor_s']:.0f} processor seconds, {len(record['samples'])} estimates")
        print(table(record["samples"], record["seconds"], record["processor_s"]))


if __name__ == "__main__":
    main()
