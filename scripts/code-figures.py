#!/usr/bin/env python3
"""Prints figures of the source code: files, their lengths, stored properties by access, repeated passages, words of documentation.

    scripts/code-figures.py [REPOSITORY]

A stored property counts as open if other files can write it: it is neither `let` nor `private`, `fileprivate` or `private(set)`,
and its type is not private.
A repeated passage is a run of six or more lines, equal but for white space, that stands in more than one place; blank
lines, directives, and lines of brackets do not count.
"""
import collections
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
TYPE = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*(struct|class|actor|enum|extension|protocol)\s+([A-Z][\w.]*)")
STORED = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*((?:(?:public|package|internal|private|fileprivate|private\(set\)|fileprivate\(set\)|package\(set\)|nonisolated|weak|unowned|lazy|final|"
                    r"nonisolated\(unsafe\)|unowned\(unsafe\)|static|class)\s+)*)(var|let)\s+(\w+)")


def bare(text):
    """The text without comments and with empty string literals: braces that remain are code."""
    text = re.sub(r'#?"""(?:.|\n)*?"""#?', lambda m: '""' + "\n" * m.group().count("\n"), text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*(?:.|\n)*?\*/", lambda m: "\n" * m.group().count("\n"), text)


def stored_properties(text):
    """Yields (type, name, modifiers, keyword, whether the type is a class or an actor) of each stored instance property."""
    scopes, pending = [], ""
    lines = bare(text).split("\n")
    for number, line in enumerate(lines):
        code = line.strip()
        inside_type = bool(scopes) and scopes[-1] is not None
        match = STORED.match(code) if inside_type else None
        if match and "static" not in match.group(1).split() and "class" not in match.group(1).split():
            rest = code[match.end():]
            after = rest.split("{", 1)[1] if "{" in rest else None
            follow = " ".join(lines[number + 1:number + 3]).strip() if after is not None and not after.strip() else after
            observers = follow is not None and re.match(r"\s*(willSet|didSet)", follow)
            if "=" in rest.split("{", 1)[0] or after is None or observers:
                yield scopes[-1][0], match.group(3), match.group(1), match.group(2), scopes[-1][1] in ("class", "actor")
        pending += " " + code
        for character in re.findall(r"[{}]", code):
            if character == "{":
                head = pending.split("{")[0].strip().split(";")[-1].strip() if "{" in pending else pending
                match = TYPE.match(re.sub(r"^.*?((?:@|public|package|internal|private|fileprivate|final|indirect|nonisolated|struct|class|actor|enum|extension|protocol)\b.*)$", r"\1", head))
                kind = None
                if match and match.group(1) not in ("extension", "protocol"):
                    name = match.group(2)
                    if re.search(r"\b(?:file)?private\b", head) or any(s and s[0].startswith("private ") for s in scopes):
                        name = "private " + name
                    kind = name, match.group(1)
                scopes.append(kind)
                pending = pending.split("{", 1)[1] if "{" in pending else ""
            elif scopes:
                scopes.pop()
                pending = ""
        if not code.endswith(",") and "{" not in code and not code.endswith(("where", ":")) and code and not code.startswith("@"):
            pending = "" if not TYPE.match(code) else pending


def repeated_passages(files):
    """The number of maximal runs of six or more equal lines beyond their first place."""
    places = collections.defaultdict(list)
    content = {}
    for file, text in files.items():
        rows = [(n, re.sub(r"\s+", " ", l.strip())) for n, l in enumerate(text.split("\n"), 1)]
        rows = [(n, l) for n, l in rows if len(l) > 3 and not l.startswith(("import ", "//", "#if ", "#else", "#endif"))]
        content[file] = rows
        for i in range(len(rows) - 5):
            places[tuple(l for _, l in rows[i:i + 6])].append((file, i))
    passages = 0
    covered = set()
    for spots in places.values():
        if len(spots) < 2:
            continue
        for file, i in spots[1:]:
            if (file, i - 1) not in covered:
                passages += 1
            covered.add((file, i))
    return passages


sources = {p: p.read_text() for p in sorted((ROOT / "Sources").rglob("*.swift"))}
lengths = [t.count("\n") for t in sources.values()]
properties = [(file, *p) for file, text in sources.items() for p in stored_properties(text) if "Sources/VitrineCLI" not in str(file)]
in_classes = [p for p in properties if p[5]]
open_ones = [p for p in in_classes if p[4] == "var" and not p[1].startswith("private ") and not re.search(r"\b(private|fileprivate)\b", p[3])]
documents = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
words = sum(len(p.read_text().split()) for p in documents)
print(f"source files            {len(sources)}")
print(f"lines                   {sum(lengths)}")
print(f"median lines of a file  {int(statistics.median(lengths))}")
print(f"longest file            {max(lengths)}")
print(f"files Type+Concern      {sum('+' in p.name for p in sources)}")
print(f"stored properties       {len(properties)}, of classes and actors {len(in_classes)}, of these open to other files {len(open_ones)}")
print(f"repeated passages       {repeated_passages(sources)}")
print(f"documentation           {len(documents)} pages, {words} words")
if "--open" in sys.argv:
    for owner, count in collections.Counter(p[1] for p in open_ones).most_common(20):
        print(f"  {owner}: {count}")
