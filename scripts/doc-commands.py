#!/usr/bin/env python3
"""Prints the commands of a documentation page as a shell script: scripts/doc-commands.py PAGE.md [--section TITLE | --titles]

The commands are the lines of ```sh fences. Before each stands an assignment `place=…` and an echo of its place in the page. A fence that must not run has the line
<!-- not run: REASON --> before it. A command in a fence without "sh" is an error.

--section TITLE    only the part below this heading of the second level
--titles           prints these headings instead, one a line
"""
import argparse
import re
import shlex
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page")
    parser.add_argument("--section")
    parser.add_argument("--titles", action="store_true")
    options = parser.parse_args()
    with open(options.page) as file:
        lines = file.read().split("\n")
    fence = is_marked = None
    title = ""
    titles = []
    for number, line in enumerate(lines, 1):
        opening = re.match(r"\s*```(\S*)", line)
        if fence is None and not opening:
            if line.startswith("## "):
                title = line[3:].strip()
                titles.append(title)
        elif fence is None:
            fence = opening.group(1)
            is_marked = number > 1 and re.fullmatch(r"<!-- not run: (.+) -->", lines[number - 2].strip())
        elif opening:
            fence = None
        elif fence == "" and re.match(r"\s*(vitrine|make) [a-z]", line):
            sys.exit(f"error: {options.page}:{number}: a command in a fence without 'sh'")
        elif fence == "sh" and not is_marked and line.strip() and not line.lstrip().startswith("#") and not options.titles and options.section in (None, title):
            if not lines[number - 2].endswith("\\"):
                print("place=" + shlex.quote(f"{options.page}:{number}: {line.strip()}"))
                print('echo "  $place"')
            print(line)
    if options.titles:
        print("\n".join(titles))
    elif options.section not in (None, *titles):
        sys.exit(f"error: {options.page}: no section '{options.section}'; there are: {', '.join(titles)}")


main()
