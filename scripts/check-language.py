#!/usr/bin/env python3
"""Refuses words that the project does not use (docs/design/glossary.md), with file, line and the better word.

    scripts/check-language.py [--summary | --words] [PATH ...]

PATH: files or folders; by default everything that developers and users read: Sources, Tests, Examples, Benchmarks, Fuzz, scripts, docs, README.md,
CONTRIBUTING.md, Package.swift, Makefile and the newest section of CHANGELOG.md. The words stand in language-words.txt beside this script.
--summary prints the number of findings for each module, --words for each rule. Exits with 1 if there are findings.
"""
import argparse
import bisect
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEFAULTS = ["Sources", "Tests", "Examples", "Benchmarks", "Fuzz", "scripts", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Package.swift", "Makefile"]
KINDS = {".swift", ".md", ".py", ".sh", ".c", ".h", ".cpp", ".hpp", ".wgsl", ".js", ".txt", ".modulemap", ""}
SKIPPED_FOLDERS = {".build", ".git", "out", "Goldens", "Resources", "Fixtures", "venv", ".venv", "__pycache__", "node_modules"}
# The glossary names the words; requirements and licences are other people's text.
SKIPPED_FILES = re.compile(r"docs/design/glossary\.md|.*language-words\.txt|.*check-language(\.py)?|.*requirements\.txt|LICENSE|.*webgpu-functions\.md")
SWIFT_PARTS = re.compile(r'//[^\n]*|/\*.*?\*/|(#*)"""(.*?)"""\1|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"', re.S)
C_PARTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
SCRIPT_PARTS = re.compile(r'(?<![\w$&{])#[^\n]*|"""(.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Rule:
    def __init__(self, kind, pattern, instead, paths):
        self.kind, self.pattern, self.instead, self.paths = kind, pattern, instead, tuple(paths)
        if kind != "name":
            self.expression = re.compile(pattern if kind == "allow" else r"\b(?:" + pattern + r")(?!\w)", re.I | re.M)
            self.stems = [stem(alternative) for alternative in alternatives(pattern)]

    def applies(self, path):
        return not self.paths or path.startswith(self.paths)

    def lines(self, text):
        """The ranges of the lines that contain a stem."""
        known = set()
        for part in self.stems:
            if not part:
                return [(0, len(text))]
            at = text.find(part)
            while at >= 0:
                start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
                end = len(text) if end < 0 else end
                known.add((start, end))
                at = text.find(part, end)
        return sorted(known)


def alternatives(pattern):
    """The alternatives of a pattern at its top level."""
    depth, parts = 0, [""]
    for character in pattern:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def stem(pattern):
    """The longest run of letters that every match contains, in lower case: the expression runs only on lines that have it."""
    flat, depth = "", 0
    for character in pattern:
        depth += character == "("
        flat += character if depth == 0 else "\0"
        depth -= character == ")"
    flat = re.sub(r"\\.|\[[^\]]*\]|.[?*]", "\0", flat)
    return max(re.findall(r"[a-z' \"]+", flat.lower()), key=len, default="")


def read_rules():
    rules = {"prose": [], "name": {}, "allow": []}
    for number, line in enumerate((HERE / "language-words.txt").read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t") + ["", ""]
        if fields[0] not in rules or not fields[1]:
            sys.exit(f"language-words.txt:{number}: unknown rule '{line}'")
        rule = Rule(fields[0], fields[1], fields[2], fields[3].split())
        if rule.kind == "name":
            rules["name"].setdefault(rule.pattern, []).append(rule)
        else:
            rules[rule.kind].append(rule)
    return rules


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def parts(path, text):
    """The prose and the code of a file: the same text, each with the other blanked, so that lines keep their numbers."""
    suffix = path.suffix
    if suffix == ".md":
        # Code in fences and in backticks is checked as code.
        prose, code = [], []
        in_fence = False
        for line in text.split("\n"):
            fence = line.lstrip().startswith("```")
            if in_fence or fence:
                prose.append(""), code.append(line)
                in_fence = in_fence != fence
            else:
                prose.append(re.sub(r"`[^`]*`|\]\([^)]*\)", lambda m: "`" + " " * (len(m.group()) - 2) + "`", line))
                code.append(" ".join(re.findall(r"`[^`]*`", line)))
        return "\n".join(prose), "\n".join(code)
    if suffix == ".txt":
        return text, ""
    expression = SWIFT_PARTS if suffix == ".swift" else C_PARTS if suffix in (".c", ".h", ".cpp", ".hpp", ".wgsl", ".js", ".modulemap") else SCRIPT_PARTS
    prose, code, end = [], [], 0
    for found in expression.finditer(text):
        before, part = text[end:found.start()], found.group()
        prose.append(blank(before)), code.append(before)
        # A string without a space is a key, a name or a format.
        is_message = part[0] not in "\"'#" or part.startswith('"""') or " " in part or (part[0] == "#" and suffix != ".swift")
        prose.append(part if is_message else blank(part))
        # Names in interpolations and in shader text.
        if part.startswith('"""') or part.startswith('#"'):
            code.append(part)
        else:
            code.append(re.sub(r"[^\n]", " ", part))
        end = found.end()
    prose.append(blank(text[end:])), code.append(text[end:])
    return "".join(prose), "".join(code)


def findings(path, relative, rules):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    if relative == "CHANGELOG.md":
        sections = [m.start() for m in re.finditer(r"^## ", text, re.M)]
        text = text[: sections[1]] if len(sections) > 1 else text
    starts = [m.end() for m in re.finditer("\n", text)]

    def line_of(offset):
        return bisect.bisect_right(starts, offset) + 1

    prose, code = parts(path, text)
    lower = prose.lower()
    permitted = [
        found.span() for rule in rules["allow"] if rule.applies(relative) for start, end in rule.lines(lower) for found in rule.expression.finditer(prose, start, end)
    ]

    def is_permitted(span):
        return any(begin <= span[0] and span[1] <= end for begin, end in permitted)

    for rule in rules["prose"]:
        if rule.applies(relative):
            for start, end in rule.lines(lower):
                for found in rule.expression.finditer(prose, start, end):
                    if not is_permitted(found.span()):
                        yield line_of(found.start()), " ".join(found.group().split()), rule
    code_starts = starts
    if path.suffix == ".md":
        code_starts = [m.end() for m in re.finditer("\n", code)]
    named = rules["name"]
    seen = set()
    permitted = [
        found.span() for rule in rules["allow"] if rule.applies(relative) for start, end in rule.lines(code.lower()) for found in rule.expression.finditer(code, start, end)
    ]
    for found in IDENTIFIER.finditer(code):
        identifier = found.group()
        if permitted and is_permitted(found.span()):
            continue
        for rule in named_rules(identifier, named):
            if rule.applies(relative):
                line = bisect.bisect_right(code_starts, found.start()) + 1
                if (line, identifier) not in seen:
                    seen.add((line, identifier))
                    yield line, identifier, rule
    for word in WORDS.findall(path.stem):
        for rule in named.get(word.lower(), ()):
            if rule.applies(relative):
                yield 0, path.name, rule


def named_rules(identifier, named, known={}):
    """The rules for the words of an identifier, remembered for the next file."""
    if identifier not in known:
        known[identifier] = [rule for word in WORDS.findall(identifier) for rule in named.get(word.lower(), ())]
    return known[identifier]


def files(path):
    if path.is_file():
        yield path
        return
    for child in sorted(path.iterdir()):
        if child.is_dir():
            if child.name not in SKIPPED_FOLDERS:
                yield from files(child)
        elif child.suffix in KINDS and not child.is_symlink():
            yield child


def root_of(path):
    for folder in [path, *path.parents]:
        if (folder / "Package.swift").exists() and (folder / "Makefile").exists():
            return folder
    return path if path.is_dir() else path.parent


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--summary", action="store_true")
    options.add_argument("--words", action="store_true")
    options.add_argument("paths", nargs="*")
    options = options.parse_args()
    rules = read_rules()
    root = root_of(HERE)
    paths = [pathlib.Path(p).resolve() for p in options.paths] or [root / d for d in DEFAULTS if (root / d).exists()]
    by_module, by_rule, total = collections.Counter(), collections.Counter(), 0
    for path in paths:
        if not path.exists():
            sys.exit(f"check-language: there is no {path}")
        base = root_of(path)
        for file in files(path):
            relative = str(file.relative_to(base))
            if SKIPPED_FILES.fullmatch(relative):
                continue
            for line, words, rule in findings(file, relative, rules):
                total += 1
                by_module["/".join(relative.split("/")[:2])] += 1
                by_rule[f"{rule.kind}\t{rule.pattern}"] += 1
                if not options.summary and not options.words:
                    print(f"{relative}:{line}: '{words}': write {rule.instead}")
    for counter, wanted in ((by_module, options.summary), (by_rule, options.words)):
        if wanted:
            for name, count in counter.most_common():
                print(f"{count:6} {name}")
    if total:
        print(f"check-language: {total} findings (docs/design/glossary.md has the words; exceptions: scripts/language-words.txt)", file=sys.stderr)
        sys.exit(1)
    print("check-language: ok")


main()
