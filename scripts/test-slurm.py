#!/usr/bin/env python3
"""Runs a job on Slurm: a controller and three node daemons on this machine, two of which are killed at random moments. The outputs have the bytes of
`vitrine reconstruct`.

    scripts/test-slurm.py VITRINE [--engine snakemake|slurm ...] [--losses N] [--group-seconds N] [--seed N] [--photos N] [--scene FOLDER]
        [--keep FOLDER]

Snakemake drives the job (Workflows/Snakefile) with its executor for Slurm (Workflows/requirements-slurm.txt, installed into .build/snakemake-slurm), or
Slurm itself by dependencies (Workflows/slurm.py). --losses 0 measures the engine: elapsed and processor seconds of all processes of this test.
--scene: these photos of a whole scene (scripts/quality/scale_scene.py) instead of rendered ones of an object. Each
node daemon runs in a process namespace of its own: a killed one takes its tasks with it, like a machine that loses power. It comes back some seconds
later. The configuration is mounted at /etc/slurm in a mount namespace: no other process sees it. Needs root; installs Debian's packages of Slurm and munge (scripts/setup.sh cluster). Stops all that it started.
"""
import argparse
import importlib.util
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NODES = ["node1", "node2", "node3"]

spec = importlib.util.spec_from_file_location("jobs", ROOT / "scripts/test-jobs.py")
jobs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(jobs)
run = jobs.run


def fail(text):
    sys.exit(f"test-slurm: {text}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """munged, slurmctld and the node daemons, all in one folder."""

    def __init__(self, folder):
        self.folder, self.host, self.processes = folder, socket.gethostname(), {}
        for name in ["etc", "state", "log", *(f"spool/{node}" for node in NODES)]:
            (folder / name).mkdir(parents=True)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.socket = folder / "munge.socket"
        ports = free_ports(1 + len(NODES))
        nodes = "".join(f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=16000\n" for node, port in zip(NODES, ports[1:]))
        # A lost node's tasks start again after cred_expire.
        (folder / "etc/slurm.conf").write_text(f"""ClusterName=vitrine
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={self.socket},cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/spool/%n/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SlurmdTimeout=10
KillWait=2
MinJobAge=3600
ReturnToService=2
MpiDefault=none
{nodes}PartitionName=main Nodes={",".join(NODES)} Default=YES MaxTime=INFINITE State=UP
""")
        # Slurm's programs on the nodes search the configuration there, and Snakemake removes SLURM_CONF from their environment.
        run("mount", "--bind", folder / "etc", "/etc/slurm")

    def start(self):
        options = [f"--{name}={self.folder / file}" for name, file in [("key-file", "munge.key"), ("pid-file", "munge.pid"), ("log-file", "log/munged.log"), ("seed-file", "munge.seed")]]
        self.launch("munged", "munged", "--foreground", f"--socket={self.socket}", *options)
        self.wait(lambda: self.socket.exists(), "munged doesn't start")
        self.launch("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.launch_node(node)
        self.wait(lambda: self.idle() == len(NODES), "the nodes don't start")

    def launch(self, name, *command):
        log = (self.folder / f"log/{name}.txt").open("a")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def launch_node(self, node):
        self.launch(node, "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "slurmd", "-D", "-N", node)

    def idle(self):
        out = subprocess.run(["sinfo", "-h", "-N", "-o", "%t"], capture_output=True, text=True).stdout.split()
        return sum(state in ("idle", "mix", "alloc") for state in out)

    def running(self, node):
        return subprocess.run(["squeue", "-h", "-w", node, "-t", "R", "-o", "%i"], capture_output=True, text=True).stdout.split()

    def lose(self, node):
        """Kills the node's daemon and with it all processes of its namespace."""
        self.processes[node].send_signal(signal.SIGKILL)
        self.processes[node].wait()

    def wait(self, condition, problem, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(f"{file.name}: {file.read_text(errors='replace')[-600:]}\n" for file in sorted((self.folder / "log").iterdir()))
                fail(f"{problem}: {logs}")
            time.sleep(0.3)

    def stop(self):
        for name in [*NODES, "slurmctld", "munged"]:
            process = self.processes.get(name)
            if process and process.poll() is None:
                process.send_signal(signal.SIGKILL if name in NODES else signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()


def snakemake_program():
    folder = ROOT / ".build/snakemake-slurm"
    if not (folder / "bin/snakemake").exists():
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin/pip", "install", "--quiet", "--require-hashes", "-r", ROOT / "Workflows/requirements-slurm.txt")
    return folder / "bin/snakemake"


class Processors:
    """Processor seconds of this process and of all that start from now on, by a control group of its own; none without version 1 of them."""

    def __init__(self, name):
        self.folder = pathlib.Path(f"/sys/fs/cgroup/cpuacct/{name}-{os.getpid()}")
        try:
            self.folder.mkdir()
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            self.folder = None

    def text(self, since=0.0):
        return f", {self.seconds() - since:.1f} s of processors" if self.folder else ""

    def seconds(self):
        return int((self.folder / "cpuacct.usage").read_text()) / 1e9 if self.folder else 0.0

    def stop(self):
        if self.folder:
            (self.folder.parent / "cgroup.procs").write_text(str(os.getpid()))
            try:
                self.folder.rmdir()
            except OSError:
                print(f"{self.folder}: is left, processes run in it")


def drive(cluster, vitrine, job, engine, options, processors):
    """Runs the job; nodes are lost while they work and come back."""
    dice = random.Random(options.seed)
    command = [job / "slurm.py", "--vitrine", vitrine, "--wait"] if engine == "slurm" else [snakemake_program(), "--directory", job, "--snakefile", job / "Snakefile", "--executor", "slurm", "--jobs", "6", "--config", f"vitrine={vitrine}", "--slurm-status-command", "squeue", "--slurm-requeue", "--slurm-init-seconds-before-status-checks", "1", "--slurm-no-account", "--latency-wait", "20"]
    if engine == "slurm":
        command.insert(0, sys.executable)
    log = (cluster.folder / "log/engine.txt").open("w")
    begin, before = time.monotonic(), processors.seconds()
    process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)
    lost, losses, due = {}, [], time.monotonic() + dice.uniform(4, 12)
    try:
        while process.poll() is None:
            now = time.monotonic()
            busy = [node for node in NODES if node not in lost and cluster.running(node)]
            if len(losses) < options.losses and now > due and busy:
                node = dice.choice(busy)
                losses.append((node, len(cluster.running(node)), len(list((job / "done").glob("*.json")))))
                cluster.lose(node)
                lost[node] = now + dice.uniform(12, 20)
                due = now + dice.uniform(4, 12)
            for node, back in list(lost.items()):
                if now > back:
                    cluster.launch_node(node)
                    del lost[node]
            if now - begin > 3600:
                process.terminate()
                fail("the job doesn't end within an hour")
            time.sleep(0.5)
    finally:
        if process.poll() is None:
            process.kill()
    if process.returncode:
        fail(f"{engine}: {(cluster.folder / 'log/engine.txt').read_text()[-3000:]}")
    if len(losses) < options.losses:
        fail(f"only {len(losses)} nodes were lost before the job was done: plan smaller tasks")
    for node, tasks, done in losses:
        print(f"{node} was lost with {tasks} running tasks, {done} were done", flush=True)
    print(f"{engine}: {time.monotonic() - begin:.1f} s{processors.text(before)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vitrine", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["snakemake", "slurm"], nargs="+", default=["snakemake"])
    parser.add_argument("--losses", type=int, choices=[0, 1, 2], default=2, help="the number of nodes that are killed while they work")
    parser.add_argument("--group-seconds", type=int, default=0, help="see vitrine job plan")
    parser.add_argument("--photos", type=int, default=14)
    parser.add_argument("--scene", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if os.getuid() != 0:
        fail("needs root: slurmd and process namespaces")
    if not options.inside:
        run(ROOT / "scripts/setup.sh", "cluster")
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, __file__, *sys.argv[1:], "--inside"])
    work = options.keep.resolve() if options.keep else pathlib.Path(tempfile.mkdtemp(prefix="vitrine-slurm-"))
    work.mkdir(exist_ok=True)
    # munge's socket must be in reach of all users.
    work.chmod(0o755)
    cluster = Cluster(work / "cluster")
    processors = Processors("test-slurm")
    try:
        cluster.start()
        if options.scene:
            photos = options.scene
            jobs.OPTIONS.append("--whole-scene")
        else:
            photos = jobs.make_photos(options.vitrine, work, options.photos)
        before = processors.seconds()
        expected = jobs.reconstruct(options.vitrine, photos, work / "whole")
        print(f"vitrine reconstruct{processors.text(before)}", flush=True)
        blocks = ["--photos-per-task", 7, "--pair-tasks", 2] if options.losses else []
        for engine in options.engine:
            job = work / f"job-{engine}"
            run(*jobs.plan(options.vitrine, photos), "-o", job, *blocks, "--group-seconds", options.group_seconds)
            drive(cluster, options.vitrine, job, engine, options, processors)
            jobs.same(job, expected, f"{engine}, {options.losses} nodes lost")
    finally:
        cluster.stop()
        processors.stop()
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
