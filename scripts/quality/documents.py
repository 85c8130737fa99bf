"""Tables in documents."""

import sys


def write_section(document, name, text):
    """Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = document.read_text()
    if begin not in old or end not in old:
        sys.exit(f"error: {document}: no place for '{name}'")
    new = old[: old.index(begin) + len(begin)] + "\n" + text + "\n" + old[old.index(end) :]
    temporary = document.with_suffix(".new")
    temporary.write_text(new)
    temporary.replace(document)
