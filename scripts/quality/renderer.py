"""Calls `vitrine render`."""

import subprocess
import sys


def render(program, model, environment, output, **options):
    """Draws one image; ends the whole run with the program's own message when it fails."""
    command = [program, "render", str(model), "-o", str(output), "--environment", str(environment)]
    for name, value in options.items():
        # `=`: values such as an orbit may begin with a minus.
        command.append(f"--{name.replace('_', '-')}={value}")
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"error: quality: {' '.join(command)}\n{result.stderr.strip()}")
