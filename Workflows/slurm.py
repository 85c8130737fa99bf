#!/usr/bin/env python3
"""Submits the tasks of a job of `vitrine job plan` to Slurm, and ends: Slurm starts each group of tasks as soon as those that it needs are done.

    python3 JOB/slurm.py [--vitrine PATH] [--wait] [OPTIONS OF sbatch ...]

The job's folder must be on a disk that all nodes share. Slurm starts the tasks of a lost node again. If a task fails, those that need it are cancelled:
after a repair the same command submits all that is not done (not while tasks of the job are still queued). --wait: ends when all tasks have ended, with
exit code 1 if one is not done. Needs no other program than Slurm's and no accounting database.
"""
import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vitrine", default="vitrine", help="the command on the nodes; default: vitrine")
    parser.add_argument("--wait", action="store_true", help="waits until all tasks have ended")
    options, more = parser.parse_known_args()
    folder = pathlib.Path(__file__).resolve().parent
    try:
        plan = json.loads((folder / "plan.json").read_text())
        plan["groups"]
    except (OSError, ValueError, KeyError):
        sys.exit(f"error: {folder / 'plan.json'}: is not a plan with groups: make the job with 'vitrine job plan'")
    if not shutil.which("sbatch"):
        sys.exit("error: sbatch: no such command: run this on a machine that submits to Slurm")

    def is_done(task):
        return (folder / "done" / f"{task}.json").exists()

    (folder / "logs").mkdir(exist_ok=True)
    group_of = {task: number for number, group in enumerate(plan["groups"]) for task in group["tasks"]}
    submitted = {}
    for number, group in enumerate(plan["groups"]):
        tasks = [task for task in group["tasks"] if not is_done(task)]
        if not tasks:
            continue
        needed = sorted({submitted[group_of[task]] for task in group["needs"] if group_of[task] in submitted})
        # With room: estimates may be too low, and there is no second attempt with more.
        command = ["sbatch", "--parsable", "--requeue", f"--job-name=vitrine-{tasks[0]}", f"--chdir={folder}", f"--output={folder}/logs/{tasks[0]}.txt",
                   "--open-mode=append", f"--cpus-per-task={group['threads']}", f"--mem={group['memory_mb'] * 3 // 2}M", f"--time={max(30, round(group['seconds'] / 6))}"]
        if group["gpus"]:
            command += [f"--gpus={group['gpus']}"]
        if needed:
            command += [f"--dependency=afterok:{':'.join(needed)}", "--kill-on-invalid-dep=yes"]
        script = "#!/bin/sh\n" + "".join(f"{shlex.quote(options.vitrine)} job run . {shlex.quote(task)} || exit 1\n" for task in tasks)
        result = subprocess.run([*command, *more], input=script, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"error: sbatch: {result.stderr.strip()}")
        submitted[number] = result.stdout.strip().split(";")[0]
    print(f"{len(submitted)} groups of tasks submitted" if submitted else "all tasks are done")
    if options.wait and submitted:
        # Ends when all others have ended, done or not.
        end = [f"--dependency=afterany:{':'.join(submitted.values())}", f"--output={folder}/logs/end.txt"]
        subprocess.run(["sbatch", "--wait", "--job-name=vitrine-end", "--mem=10M", "--time=1", *end, *more, "--wrap", "true"], capture_output=True)
        left = [task for task in group_of if not is_done(task)]
        if left:
            sys.exit(f"error: {len(left)} tasks are not done, {left[0]} first: see {folder}/logs")


if __name__ == "__main__":
    main()
