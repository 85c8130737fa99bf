#!/usr/bin/env python3
"""Adds the first page and the guides to DocC's pages, and checks every link.

    scripts/docs-pages.py SITE MODULE ...

README.md becomes index.html, docs/*.md and CONTRIBUTING.md become guides/NAME.html, the images are copied. A link to a Markdown page becomes a
link to its HTML page; a link to another file of the repository is an error unless the file exists, and is then shown as text.
"""
import html
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARIES = {
    "Vitrine": "What an app imports: SceneView, loading, short forms",
    "VitrineScene": "Nodes, meshes, materials, lights, cameras, actions, animations, shapes",
    "VitrineMotion": "Springs, keyframes, gestures, input events",
    "VitrineLayers": "2D layers in 3D space, shader effects, particles",
    "VitrineFiles": "Models and images in and out",
    "VitrineText": "Fonts and text",
    "VitrineWindow": "Windows and input devices",
    "VitrineRender": "The renderer",
    "VitrineGPU": "WebGPU with Swift types",
    "VitrineMath": "Vectors, matrices, rays, boxes, colour",
    "VitrineGLTF": "The glTF reader",
    "VitrineReconstruct": "Photogrammetry: photos to models",
    "VitrineAR": "AR sessions, anchors, planes, recordings",
    "VitrineARView": "Rendering into camera images, simulated rooms",
    "VitrineTracking": "Camera tracking, IMU, markers",
    "VitrineVision": "Camera models, features, mapping, bundle adjustment",
}
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem 1.5rem 4rem; }
nav { border-bottom: 1px solid #8886; margin-bottom: 1.5rem; padding: .6rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
img { max-width: 100%; height: auto; border-radius: 4px; }
pre { background: #8882; border-radius: 6px; overflow-x: auto; padding: .8rem 1rem; font-size: 14px; line-height: 1.4; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-top: 1px solid #8884; padding: .35rem .7rem .35rem 0; text-align: left; vertical-align: top; }
a { color: #0a66c2; } @media (prefers-color-scheme: dark) { a { color: #6cb2ff; } }
"""


def anchor(text):
    """GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Page:
    def __init__(self, source, target):
        self.source, self.target = source, target
        self.text = (ROOT / source).read_text()
        self.anchors = {anchor(h) for h in re.findall(r"^#+ (.+)$", self.without_fences(), re.M)}

    def without_fences(self):
        return re.sub(r"^```.*?^```", "", self.text, flags=re.M | re.S)

    @property
    def title(self):
        return re.search(r"^# (.+)$", self.text, re.M).group(1)


class Site:
    def __init__(self, folder, modules):
        self.folder, self.modules = pathlib.Path(folder), modules
        self.pages = {"README.md": Page("README.md", "index.html"), "CONTRIBUTING.md": Page("CONTRIBUTING.md", "guides/contributing.html")}
        for path in sorted((ROOT / "docs").glob("*.md")):
            self.pages[f"docs/{path.name}"] = Page(f"docs/{path.name}", f"guides/{path.stem}.html")
        self.errors = []

    # Links

    def link(self, page, label, target):
        if re.match(r"[a-z]+:", target):
            return f'<a href="{html.escape(target)}">{label}</a>'
        path, _, fragment = target.partition("#")
        resolved = ((ROOT / page.source).parent / path).resolve() if path else (ROOT / page.source)
        try:
            name = str(resolved.relative_to(ROOT))
        except ValueError:
            name = ""
        if not name or not resolved.exists():
            self.errors.append(f"{page.source}: there is no {target}")
            return label
        if name not in self.pages:
            return label
        other = self.pages[name]
        if fragment and fragment not in other.anchors:
            self.errors.append(f"{page.source}: {name} has no heading for #{fragment}")
        return f'<a href="{self.up(page)}{other.target}{"#" + fragment if fragment else ""}">{label}</a>'

    def up(self, page):
        return "../" * page.target.count("/")

    def image(self, page, label, target):
        source = (ROOT / page.source).parent / target
        if not source.exists():
            self.errors.append(f"{page.source}: there is no {target}")
            return ""
        shutil.copy(source, self.folder / "guides" / source.name)
        return f'<img src="{self.up(page)}guides/{source.name}" alt="{html.escape(label)}">'

    # Markdown

    def inline(self, page, text):
        pieces = re.split(r"(`+)(.+?)\1", text)
        result = ""
        for index in range(0, len(pieces), 3):
            result += self.words(page, pieces[index])
            if index + 2 < len(pieces):
                result += "\0code" + html.escape(pieces[index + 2]) + "\0"
        return result.replace("\0code", "<code>").replace("\0", "</code>")

    def words(self, page, text):
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        return re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", text)

    def linked(self, page, text):
        """Images and links first, whatever their labels are made of."""
        kept = []

        def keep(made):
            kept.append(made)
            return f"\1{len(kept) - 1}\2"

        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", lambda m: keep(self.image(page, m.group(1), m.group(2))), text)
        text = re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", lambda m: keep(self.link(page, self.inline(page, m.group(1)), m.group(2))), text)
        text = self.inline(page, text)
        return re.sub("\1(\\d+)\2", lambda m: kept[int(m.group(1))], text)

    def body(self, page):
        out, lines, index = [], page.text.split("\n"), 0
        while index < len(lines):
            line = lines[index]
            if line.startswith("```"):
                end = next(i for i in range(index + 1, len(lines)) if lines[i].startswith("```"))
                out.append("<pre><code>" + html.escape("\n".join(lines[index + 1:end])) + "</code></pre>")
                index = end + 1
            elif line.startswith("<!--"):
                while "-->" not in lines[index]:
                    index += 1
                index += 1
            elif re.match(r"#+ ", line):
                level, text = len(line.split(" ")[0]), line.split(" ", 1)[1]
                out.append(f'<h{level} id="{anchor(text)}">{self.linked(page, text)}</h{level}>')
                index += 1
            elif line.startswith("|"):
                rows = []
                while index < len(lines) and lines[index].startswith("|"):
                    rows.append([c.replace("\0", "|") for c in lines[index].replace("\\|", "\0").strip().strip("|").split("|")])
                    index += 1
                head = "".join(f"<th>{self.linked(page, c.strip())}</th>" for c in rows[0])
                cells = "".join("<tr>" + "".join(f"<td>{self.linked(page, c.strip())}</td>" for c in row) + "</tr>" for row in rows[2:])
                out.append(f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>")
            elif re.match(r"\s*([-*]|\d+\.) ", line):
                kind = "ol" if re.match(r"\s*\d", line) else "ul"
                items = []
                while index < len(lines) and lines[index].strip() and not lines[index].startswith(("|", "#", "```")):
                    found = re.match(r"\s*(?:[-*]|\d+\.) (.*)", lines[index])
                    if found:
                        items.append(found.group(1))
                    else:
                        items[-1] += " " + lines[index].strip()
                    index += 1
                out.append(f"<{kind}>" + "".join(f"<li>{self.linked(page, item)}</li>" for item in items) + f"</{kind}>")
            elif line.startswith("    ") and line.strip():
                block = []
                while index < len(lines) and (lines[index].startswith("    ") or not lines[index].strip()):
                    block.append(lines[index][4:])
                    index += 1
                out.append("<pre><code>" + html.escape("\n".join(block).rstrip()) + "</code></pre>")
            elif line.strip():
                paragraph = []
                while index < len(lines) and lines[index].strip() and not re.match(r"#+ |\||```|<!--", lines[index]):
                    paragraph.append(lines[index])
                    index += 1
                out.append("<p>" + self.linked(page, " ".join(paragraph)) + "</p>")
            else:
                index += 1
        return "\n".join(out)

    # Pages

    def api(self, page):
        rows = ""
        for module in self.modules:
            target = f"documentation/{module.lower()}/index.html"
            if not (self.folder / target).exists():
                self.errors.append(f"{module} has no pages")
            rows += f'<tr><td><a href="{self.up(page)}{target[:-10]}">{module}</a></td><td>{SUMMARIES.get(module, "")}</td></tr>'
        return f'<h2 id="api">API reference</h2><table><tbody>{rows}</tbody></table>'

    def guides(self, page):
        rows = "".join(
            f'<tr><td><a href="{self.up(page)}{other.target}">{self.inline(page, other.title)}</a></td></tr>'
            for name, other in self.pages.items() if name != "README.md")
        return f'<h2 id="guides">Guides</h2><table><tbody>{rows}</tbody></table>'

    def write(self):
        (self.folder / "guides").mkdir(exist_ok=True)
        for page in self.pages.values():
            body = self.body(page)
            if page.target == "index.html":
                body = body.replace('<h2 id="start">', self.api(page) + self.guides(page) + '<h2 id="start">', 1)
                if 'id="api"' not in body:
                    body += self.api(page) + self.guides(page)
            up = self.up(page)
            navigation = f'<nav><a href="{up}index.html"><strong>Vitrine</strong></a><a href="{up}index.html#api">API</a><a href="{up}index.html#guides">Guides</a></nav>'
            (self.folder / page.target).write_text(
                f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
                f"<title>{html.escape(page.title)}</title><style>{STYLE}</style></head><body>{navigation}{body}</body></html>\n")
        if self.errors:
            sys.exit("docs: " + "\ndocs: ".join(self.errors))


Site(sys.argv[1], sys.argv[2:]).write()
