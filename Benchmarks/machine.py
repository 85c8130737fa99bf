"""What the numbers were measured on."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path


def output(*command):
    if not shutil.which(command[0]):
        return ""
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout


def processor():
    name = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    flags = re.search(r"^flags\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    vectors = [f for f in ("avx2", "avx512f") if flags and f" {f} " in f" {flags[1]} "]
    return (name[1] if name else platform.machine()) + (f" ({', '.join(vectors)})" if vectors else "")


def driver():
    text = output("vulkaninfo", "--summary")
    found = re.search(r"driverInfo\s*=\s*(.+)", text), re.search(r"deviceName\s*=\s*(.+)", text)
    return ", ".join(match[1] for match in found if match) or "unknown driver"


def describe():
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    gib = f"{int(memory[1]) / 2**20:.0f} GiB" if memory else "?"
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    return (
        f"Machine: {processor()}, {len(os.sched_getaffinity(0))} cores, {gib} memory. GPU driver: {driver()} (software). "
        f"Swift {swift[1] if swift else '?'}, {platform.system()} {platform.release()}."
    )
