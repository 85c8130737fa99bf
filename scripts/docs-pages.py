#!/usr/bin/env python3
"""Adds the landing page, the guides and the search to DocC's pages, and checks every link.

    scripts/docs-pages.py SITE SYMBOLS MODULE ...

README.md becomes index.html, the Markdown pages in docs/ become guide/NAME.html, design/NAME.html and so on. Images are copied. A link to a Markdown page
becomes a link to its HTML page; a link to another file of the repository is an error unless the file exists, and is then plain text. SYMBOLS is the folder of
the symbol graphs: their public symbols and the headings of all pages become the index of the search, search.js. The site works from a web server and from
file:// (except DocC's pages, which need a web server), without a network.
"""
import html
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARIES = {
    "Vitrine": "Everything an app needs: SceneView, loading, short forms",
    "VitrineScene": "Nodes, meshes, materials, lights, cameras, actions, animations, shapes",
    "VitrineMotion": "Springs, keyframes, gestures, input events",
    "VitrineLayers": "2D layers in 3D space, shader effects, particles",
    "VitrineFiles": "Models in and out",
    "VitrineImageFiles": "Images in and out, photo metadata",
    "VitrineText": "Fonts and text",
    "VitrineWindow": "Windows and input devices",
    "VitrineStage": "Camera rig, playback and commands of a viewer",
    "VitrineRender": "The renderer",
    "VitrineGPU": "WebGPU with Swift types",
    "VitrineMath": "Vectors, matrices, quaternions, transforms, colour",
    "VitrineGeometry": "Rays, planes, boxes, camera models",
    "VitrineGLTF": "The glTF reader",
    "VitrineReconstruct": "Photogrammetry: photos to models",
    "VitrineAR": "AR sessions, anchors, planes, recordings",
    "VitrineARView": "Drawing into camera images",
    "VitrineCapture": "Guided captures: states, shots, feedback",
    "VitrineCaptureView": "The view of a capture",
    "VitrineTracking": "Camera tracking, IMU, markers",
    "VitrineSimulation": "Simulated rooms, evaluation",
    "VitrineSensorSimulation": "Simulated sensors and trajectories",
    "VitrineCustomPasses": "Custom render passes with VitrineGPU",
    "VitrineMapping": "Landmark maps, relocalization",
    "VitrineVision": "Features, matching, bundle adjustment",
}
# The navigation: section, folder, its pages in reading order (others follow by title).
SECTIONS = [
    ("Guide", "guide", ["getting-started", "starts", "gallery", "recipes", "install", "versions", "window", "scene", "materials", "render", "animate", "gestures", "layers", "effects", "particles", "convert", "formats", "capture",
                        "reconstruct", "many-photos", "cluster", "track-a-camera", "track-without-imu", "place-objects", "record", "world-maps", "command"]),
    ("Migration", "migration", ["scenekit", "arkit", "object-capture", "swiftui"]),
    ("Design", "design", ["scene", "rendering", "layers", "window", "file-readers", "reconstruction", "capture", "tracking", "ar", "simulation", "recording-format", "glossary",
                          "dependencies", "webgpu-functions"]),
    ("Measurements", "measurements", ["speed", "image-quality", "photos", "scale", "capture", "ar", "files", "build"]),
]
# How much a result of a section counts in the search; API symbols count 1.
WEIGHTS = {"Vitrine": 1.2, "Guide": 1.8, "Migration": 1.3, "Design": 1.1, "Measurements": 0.8}
STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0a5fb8; --side: 17rem; }
@media (prefers-color-scheme: dark) { :root { --link: #74b6ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.6 system-ui, "DejaVu Sans", sans-serif; margin: 0; }
.page { display: flex; max-width: 82rem; margin: 0 auto; }
nav { flex: 0 0 var(--side); padding: 1.2rem 1rem 3rem 1.2rem; font-size: .92rem; border-right: 1px solid var(--line); position: sticky; top: 3.2rem; align-self: flex-start; max-height: calc(100vh - 3.2rem); overflow-y: auto; }
nav h2 { font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; opacity: .65; margin: 1.1rem 0 .3rem; } nav a { display: block; padding: .12rem .5rem; border-radius: 5px; color: inherit; text-decoration: none; }
nav a:hover { background: var(--soft); } nav a.here { background: var(--soft); font-weight: 600; }
main { flex: 1 1 auto; min-width: 0; max-width: 60rem; padding: 1rem 2rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; } h2 { margin-top: 2.2rem; padding-top: .3rem; } h1, h2, h3 { scroll-margin-top: 4rem; }
img { max-width: 100%; height: auto; border-radius: 6px; }
vitrine-viewer { display: block; width: 100%; height: min(26rem, 70vh); margin: 1rem 0; border-radius: 8px; background: var(--soft); }
vitrine-viewer > img { width: 100%; height: 100%; object-fit: contain; } vitrine-viewer > p { display: none; }
pre { background: var(--soft); border-radius: 8px; overflow-x: auto; padding: .8rem 1rem; font-size: 14px; line-height: 1.45; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; } :not(pre) > code { background: var(--soft); border-radius: 4px; padding: .05em .25em; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: .95rem; }
th, td { border-top: 1px solid var(--line); padding: .38rem .9rem .38rem 0; text-align: left; vertical-align: top; }
a { color: var(--link); }
/* On a phone the list of pages lies below the page. */
@media (max-width: 760px) { .page { flex-direction: column-reverse; } nav { position: static; align-self: stretch; max-height: none; border-right: 0; border-top: 1px solid var(--line); } main { padding: 1rem 1.2rem 3rem; } }
"""
# The bar at the top of every page, API pages included.
HEADER_STYLE = """
header.site { font: 16px/1.6 system-ui, "DejaVu Sans", sans-serif; position: sticky; top: 0; z-index: 20000; background: Canvas; border-bottom: 1px solid #8884; display: flex; gap: 1.2rem; align-items: center; padding: .55rem 1.2rem; box-sizing: border-box; height: 3.4rem; }
header.site a { white-space: nowrap; text-decoration: none; color: light-dark(#0a5fb8, #74b6ff); } header.site strong { font-size: 1.1rem; }
header.site form { margin-left: auto; position: relative; flex: 0 1 20rem; min-width: 0; } header.site input { font: inherit; width: 100%; box-sizing: border-box; padding: .3rem .7rem; border: 1px solid #8884; border-radius: 6px; background: #8881; color: inherit; }
#results { position: absolute; right: 0; top: 2.6rem; width: 34rem; max-width: 90vw; max-height: 70vh; overflow-y: auto; background: Canvas; border: 1px solid #8884; border-radius: 8px; box-shadow: 0 8px 30px #0003; }
#results a { overflow-wrap: anywhere; display: block; padding: .45rem .8rem; color: inherit; border-bottom: 1px solid #8881; } #results a.chosen, #results a:hover { background: #8881; }
#results small { display: block; opacity: .7; } #results p { margin: 0; padding: .6rem .8rem; opacity: .7; }
@media (max-width: 480px) { header.site { gap: .8rem; padding: .55rem .8rem; } }
"""
# The search: all words of the query must occur; a match in the title counts more, most at its start.
SCRIPT = r"""
(function () {
  var field = document.getElementById("query"), box = document.getElementById("results"), base = document.querySelector("header.site").dataset.base, chosen = -1;
  function score(entry, words) {
    var total = 0, inTitle = 0, title = entry[0].toLowerCase(), rest = (entry[1] + " " + entry[3] + " " + (entry[5] || "")).toLowerCase();
    for (var i = 0; i < words.length; i++) {
      var word = words[i], at = title.indexOf(word);
      if (at >= 0) inTitle++;
      if (at === 0) total += 12 - Math.min(6, title.length / 12);
      else if (at > 0) total += /[^a-z0-9]/.test(title[at - 1]) ? 6 : 4;
      else if (rest.indexOf(word) >= 0) total += 1;
      else return 0;
    }
    // A short title that contains all words is probably the one.
    if (inTitle === words.length) total += 6 + 60 / title.length;
    return total * entry[4];
  }
  function show() {
    var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    chosen = -1;
    box.hidden = words.length === 0;
    box.textContent = "";
    if (box.hidden) return;
    var found = [];
    SEARCH_INDEX.forEach(function (entry) { var s = score(entry, words); if (s > 0) found.push([s, entry]); });
    found.sort(function (a, b) { return b[0] - a[0] || a[1][0].length - b[1][0].length || (a[1][0] < b[1][0] ? -1 : 1); });
    found.slice(0, 30).forEach(function (pair) {
      var entry = pair[1], link = document.createElement("a"), small = document.createElement("small");
      link.href = base + entry[2];
      link.textContent = entry[0];
      small.textContent = entry[1] + (entry[3] ? " · " + entry[3] : "");
      link.appendChild(small);
      box.appendChild(link);
    });
    if (!found.length) { var none = document.createElement("p"); none.textContent = "No results"; box.appendChild(none); }
  }
  field.form.addEventListener("submit", function (event) { event.preventDefault(); });
  field.addEventListener("input", show);
  field.addEventListener("keydown", function (event) {
    var links = box.querySelectorAll("a");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (chosen >= 0) links[chosen].classList.remove("chosen");
      chosen = Math.max(0, Math.min(links.length - 1, chosen + (event.key === "ArrowDown" ? 1 : -1)));
      if (links[chosen]) { links[chosen].classList.add("chosen"); links[chosen].scrollIntoView({ block: "nearest" }); }
      event.preventDefault();
    } else if (event.key === "Enter") {
      var link = links[Math.max(0, chosen)];
      if (link) location.href = link.href;
      event.preventDefault();
    } else if (event.key === "Escape") { field.value = ""; show(); }
  });
  document.addEventListener("keydown", function (event) { if (event.key === "/" && document.activeElement !== field) { field.focus(); event.preventDefault(); } });
  document.addEventListener("click", function (event) { if (!event.target.closest("form")) box.hidden = true; });
  var asked = new URLSearchParams(location.search).get("q");
  if (asked) { field.value = asked; show(); }
})();
"""


def anchor(text):
    """GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def plain(text):
    """Markdown without its signs."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]", "", text).strip()


class Page:
    def __init__(self, source, target, section=""):
        self.source, self.target, self.section = source, target, section
        self.text = (ROOT / source).read_text()
        self.anchors = {anchor(h) for h in re.findall(r"^#+ (.+)$", self.without_fences(), re.M)}

    def without_fences(self):
        return re.sub(r"^```.*?^```", "", self.text, flags=re.M | re.S)

    @property
    def title(self):
        return re.search(r"^# (.+)$", self.text, re.M).group(1)

    def entries(self):
        """Rows of the search index: title, kind, address, first words, weight, further words."""
        for heading, body in re.findall(r"^#+ (.+)\n((?:(?!^#+ ).*\n?)*)", self.without_fences(), re.M):
            words = " ".join(plain(line) for line in re.sub(r"<!--.*?-->", "", body, flags=re.S).split("\n") if line.strip() and not re.match(r"[|\-:\s]+$", line))
            words = re.sub(r"\s*\|\s*", " ", words)
            is_page = heading == self.title
            where = self.section if is_page else f"{self.section}: {plain(self.title)}"
            shown = " ".join(word for word in words.split() if re.search(r"[^\W\d]", word))[:160]
            more = sorted(set(re.findall(r"[\w.:-]{3,}", words.lower())) - set(re.findall(r"[\w.:-]+", shown.lower())))
            yield [plain(heading), where, self.target + ("" if is_page else "#" + anchor(heading)), shown, WEIGHTS.get(self.section, 1), " ".join(w for w in more if not w[0].isdigit())]


class Site:
    def __init__(self, folder, symbols, modules):
        self.folder, self.symbols = pathlib.Path(folder), pathlib.Path(symbols)
        self.modules = [module for module in modules if json.loads((self.symbols / f"{module}.symbols.json").read_text())["symbols"]]
        self.pages = {"README.md": Page("README.md", "index.html", "Vitrine")}
        self.sections = []
        for title, name, order in SECTIONS:
            found = {path.stem: path for path in (ROOT / "docs" / name).glob("*.md")}
            names = [stem for stem in order if stem in found] + sorted(set(found) - set(order))
            pages = [Page(f"docs/{name}/{stem}.md", f"{name}/{stem}.html", title) for stem in names]
            if name == "design":
                pages.insert(0, Page("CONTRIBUTING.md", "design/contributing.html", title))
            self.sections.append((title, pages))
            self.pages.update({page.source: page for page in pages})
        self.errors = [f"{path.relative_to(ROOT)} is in no section" for path in (ROOT / "docs").rglob("*.md") if str(path.relative_to(ROOT)) not in self.pages]

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
        (self.folder / "site-images").mkdir(exist_ok=True)
        shutil.copy(source, self.folder / "site-images" / source.name)
        return f'<img src="{self.up(page)}site-images/{source.name}" alt="{html.escape(label)}">'

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
        text = re.sub(r"&lt;(/?small)&gt;", r"<\1>", html.escape(text, quote=False))
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        return re.sub(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", text)

    def linked(self, page, text):
        """Replaces images and links first, because their labels may contain code."""
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
                    rows.append([c.replace("\0", "|") for c in re.sub(r"^\||\|$", "", lines[index].replace("\\|", "\0").strip()).split("|")])
                    index += 1
                head = "".join(f"<th>{self.linked(page, c.strip())}</th>" for c in rows[0])
                head = f"<thead><tr>{head}</tr></thead>" if any(c.strip() for c in rows[0]) else ""
                cells = "".join("<tr>" + "".join(f"<td>{self.linked(page, c.strip())}</td>" for c in row) + "</tr>" for row in rows[2:])
                out.append(f"<table>{head}<tbody>{cells}</tbody></table>")
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
            rows += f'<tr><td><a href="{self.up(page)}{target.removesuffix("index.html")}">{module}</a></td><td>{SUMMARIES.get(module, "")}</td></tr>'
        return f'<h2 id="api">API reference</h2><table><tbody>{rows}</tbody></table>'

    def navigation(self, page):
        up = self.up(page)
        parts = []
        for title, pages in self.sections:
            links = "".join(
                f'<a href="{up}{other.target}"{" class=here" if other is page else ""}>{self.inline(other, other.title)}</a>' for other in pages)
            parts.append(f"<h2>{title}</h2>{links}")
        return f'<nav>{"".join(parts)}<h2>API</h2>' + "".join(
            f'<a href="{up}documentation/{module.lower()}/">{module}</a>' for module in self.modules) + "</nav>"

    def header(self, base):
        return (f'<header class="site" data-base="{base}"><a href="{base}index.html"><strong>Vitrine</strong></a><a href="{base}guide/getting-started.html">Get started</a>'
                f'<a href="{base}index.html#api">API</a><form role="search"><input id="query" type="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off">'
                f'<div id="results" hidden></div></form></header><script defer src="{base}search.js"></script>')

    def live_model(self):
        """The viewer of the page that `vitrine web` wrote into live/, whose files are next to it."""
        element = re.search(r"<vitrine-viewer.*?</vitrine-viewer>", (self.folder / "live/index.html").read_text(), re.S).group(0)
        for name in ("index.html", "style.css"):
            (self.folder / "live" / name).unlink()
        return re.sub(r'\b(src|poster)="', r'\1="live/', element) + '<script type="module" src="live/vitrine-viewer.js"></script>'

    def add_headers(self):
        """Puts the bar on DocC's pages. Their addresses are absolute, so these are as well."""
        for file in (self.folder / "documentation").rglob("index.html"):
            text = file.read_text().replace("</head>", '<link rel="stylesheet" href="/header.css"></head>', 1)
            file.write_text(re.sub(r"(<body[^>]*>)", lambda m: m.group(1) + self.header("/"), text, count=1))

    def write(self):
        for page in self.pages.values():
            (self.folder / page.target).parent.mkdir(exist_ok=True)
            body = self.body(page)
            if page.target == "index.html":
                body = body.replace("<p><img ", f"{self.live_model()}<p><img ", 1) + self.api(page)
            up = self.up(page)
            (self.folder / page.target).write_text(
                f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
                f'<title>{html.escape(plain(page.title))}{"" if page.target == "index.html" else " · Vitrine"}</title><link rel="stylesheet" href="{up}header.css"><link rel="stylesheet" href="{up}site.css"></head>'
                f'<body>{self.header(up)}<div class="page">{self.navigation(page)}<main>{body}</main></div></body></html>\n')
        (self.folder / "site.css").write_text(STYLE)
        (self.folder / "header.css").write_text(HEADER_STYLE)
        self.add_headers()
        (self.folder / "search.js").write_text("var SEARCH_INDEX = " + json.dumps(self.index(), ensure_ascii=False, separators=(",", ":")) + ";\n" + SCRIPT)
        if self.errors:
            sys.exit("docs: " + "\ndocs: ".join(self.errors))

    def index(self):
        rows = [entry for page in self.pages.values() for entry in page.entries()]
        for file in sorted(self.symbols.glob("*.symbols.json")):
            graph = json.loads(file.read_text())
            module = graph["module"]["name"]
            if module not in self.modules:
                continue
            for symbol in graph["symbols"]:
                path = "/".join(symbol["pathComponents"])
                address = f"documentation/{module.lower()}/{path.lower()}"
                # Overloads have an address with a hash: lead to their type.
                if not (self.folder / address / "index.html").exists():
                    address = address.rsplit("/", 1)[0]
                    if not (self.folder / address / "index.html").exists():
                        continue
                comment = symbol.get("docComment", {}).get("lines", [])
                summary = plain(comment[0]["text"]) if comment else ""
                rows.append([".".join(symbol["pathComponents"]), f'{module} {symbol["kind"]["displayName"].lower()}', address + "/", summary[:90], 1])
        unique = {(row[0], row[2]): row for row in reversed(rows)}
        return list(unique.values())[::-1]


Site(sys.argv[1], sys.argv[2], sys.argv[3:]).write()
