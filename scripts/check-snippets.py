#!/usr/bin/env python3
"""Type-checks every Swift snippet of the documentation against the modules of a finished build.

    scripts/check-snippets.py [BUILD]        BUILD: .build/release (default) or .build/debug

Snippets are the ```swift fences of all Markdown files and of the /// comments in Sources. Each becomes the body of a function of its own. It may
use what the products' modules declare, and the variables of its context: those of scripts/snippet-context.txt whose names it uses without declaring
them, and in Markdown those of an HTML comment before the fence, which readers do not see:

    <!-- snippet: let card: Node; func takeTap() -> Vector2? -->

The ellipsis … represents omitted code.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent



def conventions(file):
    """The declarations of scripts/snippet-context.txt that apply to a file, by name."""
    found = {}
    for line in (ROOT / "scripts/snippet-context.txt").read_text().split("\n"):
        if not line or line.startswith("#"):
            continue
        path, declarations = line.split(":", 1)
        if file.startswith(path):
            for declaration in split(declarations):
                name = name_of(declaration)
                if len(path) >= found.get(name, (0, ""))[0]:
                    found[name] = (len(path), declaration)
    return {name: declaration for name, (_, declaration) in found.items()}


def split(declarations):
    """Declarations between semicolons, those inside braces left alone."""
    return [d.strip() for d in re.split(r";(?![^{}]*\})", declarations) if d.strip()]

# The modules that every snippet imports, if they exist; a snippet of a comment also imports its own module.
PRODUCTS = [name for name in ("Vitrine", "VitrineAR", "VitrineARView", "VitrineReconstruct", "VitrineCapture", "VitrineCaptureView", "VitrineGPU", "VitrineCustomPasses",
                                   "VitrineSimulation")
            if (ROOT / "Sources" / name).is_dir()]


# The modules of photogrammetry, which share a context: a snippet of a declaration that is not public imports all of them.
PHOTO_MODULES = ["VitrineGeometry", "VitrineVision", "VitrineDense", "VitrineSurface", "VitrineTexture", "VitrineReconstruct", "VitrineFiles"]


class Snippet:
    def __init__(self, file, line, code, context, is_public=True):
        self.file, self.line, self.code, self.context, self.is_public = file, line, code, context, is_public

    def swift(self):
        imports = {"Foundation", *PRODUCTS}
        parts = pathlib.Path(self.file).parts
        if parts[0] == "Sources":
            imports.add(parts[1])
            if not self.is_public and parts[1] in PHOTO_MODULES:
                imports.update(PHOTO_MODULES)
        body = []
        for line in self.code.split("\n"):
            found = re.match(r"\s*import (\w+)\s*$", line)
            if found:
                imports.add(found.group(1))
                body.append("")
            else:
                body.append(without_ellipsis(line))
        declared = split(self.context)
        given = {name_of(d) for d in declared}
        for name, declaration in conventions(self.file).items():
            if name not in given and (uses(self.code, name) or re.match(r"(struct|enum|class)", declaration)):
                declared.append(declaration)
        declared.sort(key=lambda d: not re.match(r"(struct|enum|class)", d))
        lines = [("import " if self.is_public or not name.startswith("Vitrine") else "@testable import ") + name for name in sorted(imports)]
        lines += ["@MainActor private func snippet() async throws {", "    func given<T>() -> T { fatalError() }"]
        lines += ["    " + definition(d) for d in declared]
        lines += ["    do {", f'#sourceLocation(file: "{self.file}", line: {self.line + 1})', *body, "#sourceLocation()", "    }", "}"]
        return "\n".join(lines) + "\n"


def name_of(declaration):
    return re.match(r"(?:let|var|func|struct|enum|class)\s+(\w+)", declaration).group(1)


def definition(declaration):
    if declaration.startswith("func"):
        return declaration + " { fatalError() }"
    if re.match(r"(let|var)\b", declaration):
        return declaration + " = given()"
    return declaration


def uses(code, name):
    """Whether the code uses a name before it declares it itself."""
    code = re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: "" if m.group().startswith("//") else re.sub(r'[^\\()\w. ]', "", m.group()), code)
    for found in re.finditer(rf"(?<![\w.\\#])\b{name}\b", code):
        before = code[: found.start()]
        if re.match(r"\s*:", code[found.end():]) and not re.search(r"\?[^:?]*$", before.split("\n")[-1]):
            continue  # an argument's label
        if re.search(r"\b(let|var|for|func|case|await)\s+$", before) and not before.rstrip().endswith("await"):
            return False
        return True
    return False


def without_ellipsis(line):
    """The line without … outside of string literals and comments."""
    result, in_string, index = "", False, 0
    while index < len(line):
        character = line[index]
        if character == '"' and (index == 0 or line[index - 1] != "\\"):
            in_string = not in_string
        if not in_string and line.startswith("//", index):
            return result + line[index:]
        if character != "…" or in_string:
            result += character
        index += 1
    return result


def snippets():
    for path in sorted(ROOT.rglob("*.md")):
        file = path.relative_to(ROOT)
        if file.parts[0] not in (".build", "out"):
            yield from in_lines(str(file), path.read_text().split("\n"), "")
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        yield from in_lines(str(path.relative_to(ROOT)), path.read_text().split("\n"), "///")


def is_public(lines):
    """Whether the declaration after a documentation comment is public."""
    for line in lines:
        text = line.strip()
        if text and not text.startswith(("///", "@")) or re.search(r"\bpublic\b", text) and not text.startswith("///"):
            return re.search(r"\bpublic\b", text) is not None
    return False


def in_lines(file, lines, prefix):
    begin = context = None
    code = []
    pending = ""
    for number, line in enumerate(lines, 1):
        text = line.strip() if prefix else line
        if prefix:
            if not text.startswith(prefix):
                begin, pending = None, ""
                continue
            text = text[len(prefix):].removeprefix(" ")
        if begin is not None:
            if text.strip() == "```":
                yield Snippet(file, begin, "\n".join(code), context, not prefix or is_public(lines[number:]))
                begin = None
            else:
                code.append(text)
        elif text.strip() == "```swift":
            begin, context, pending, code = number, pending, "", []
        else:
            found = re.fullmatch(r"<!-- snippet: (.+) -->", text.strip())
            if found:
                pending = found.group(1)
            elif text.strip():
                pending = ""


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else ".build/release"
    flags = subprocess.run([ROOT / "scripts/module-flags.sh", build], capture_output=True, text=True)
    if flags.returncode:
        sys.exit(flags.stderr.strip())
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for index, snippet in enumerate(snippets()):
            files.append(f"{folder}/snippet{index}.swift")
            pathlib.Path(files[-1]).write_text(snippet.swift())
        run = subprocess.run(
            ["swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-suppress-warnings", "-module-name", "Snippets", *flags.stdout.split(), *files],
            cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        seen = set()
        for line in (run.stdout + run.stderr).split("\n"):
            if re.search(r": error: ", line) and line not in seen:
                seen.add(line)
                print(line.replace(str(ROOT) + "/", "").replace(folder + "/", ""), file=sys.stderr)
        if not seen:
            print(run.stderr, file=sys.stderr)
        sys.exit(f"check-snippets: {len(seen)} errors in {len(files)} snippets")
    print(f"snippets: {len(files)} compile")
    check_names(flags.stdout.split())


def check_names(flags):
    """Compiles scripts/snippets/*.swift, whose comments name the errors that must come."""
    for file in sorted((ROOT / "scripts/snippets").glob("*.swift")):
        run = subprocess.run(
            ["swiftc", "-typecheck", "-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated", "-swift-version", "6", "-suppress-warnings", "-module-name", "Names", *flags, file],
            cwd=ROOT, capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"check-snippets: {file.relative_to(ROOT)}: {run.stdout}{run.stderr}")
        expected = file.read_text().count("expected-error")
        print(f"snippets: {file.relative_to(ROOT)}: {expected} expected errors")


main()
