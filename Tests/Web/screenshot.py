#!/usr/bin/env python3
"""Takes a screenshot of a page with viewers, after all of them show their models.

    screenshot.py FOLDER|FILE OUT.png [--size 1280x900] [--scale 1] [--dark] [--mobile] [--no-webgpu] [--click X,Y] [--drag X,Y,X,Y] [--scroll PIXELS]
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, Server  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("page", help="a folder with index.html, which is served, or an HTML file, which is opened from the disk")
parser.add_argument("out")
parser.add_argument("--size", default="1280x900")
parser.add_argument("--scale", type=float, default=1)
parser.add_argument("--dark", action="store_true")
parser.add_argument("--mobile", action="store_true")
parser.add_argument("--no-webgpu", action="store_true")
parser.add_argument("--click", help="a point, before the models are awaited")
parser.add_argument("--drag", help="two points, after they are shown")
parser.add_argument("--scroll", type=int, default=0)
options = parser.parse_args()
width, height = map(int, options.size.split("x"))
numbers = lambda text: list(map(float, text.split(",")))

with Server(options.page if os.path.isdir(options.page) else ".") as server, Browser(webgpu=not options.no_webgpu, size=(max(width, 600), height + 100)) as browser:
    url = server.url + "index.html" if os.path.isdir(options.page) else "file://" + os.path.abspath(options.page)
    page = browser.open(url, width=width, height=height, scale=options.scale, dark=options.dark, mobile=options.mobile)
    page.run(f"scrollTo(0, {options.scroll})")
    if options.click:
        (page.tap if options.mobile else page.click)(*numbers(options.click))
    waiting = "viewer.reveal !== 'interaction'" if not options.click else "true"
    if not options.no_webgpu:
        page.wait(f"[...document.querySelectorAll('vitrine-viewer')].every(viewer => viewer.modelIsVisible || !({waiting}))", timeout=120)
    time.sleep(1)
    if options.drag:
        x, y, to_x, to_y = numbers(options.drag)
        page.drag((x, y), (to_x, to_y))
        time.sleep(2)
    page.screenshot(options.out)
    for line in page.console + page.errors:
        print(line, file=sys.stderr)
