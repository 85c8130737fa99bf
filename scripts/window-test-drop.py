#!/usr/bin/env python3
"""Drops a file on a window as a file manager would (XDND version 5), through libX11 alone.

    scripts/window-test-drop.py WINDOW PATH
"""
import ctypes as c
import pathlib
import sys
import time

target, path = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
x = c.CDLL("libX11.so.6")
x.XOpenDisplay.restype = c.c_void_p
for name in ["XInternAtom", "XDefaultRootWindow", "XCreateSimpleWindow"]:
    getattr(x, name).restype = c.c_ulong
display = c.c_void_p(x.XOpenDisplay(None))
if not display:
    sys.exit("window-test-drop: no display")


def atom(name):
    return x.XInternAtom(display, name.encode(), 0)


class ClientMessage(c.Structure):
    _fields_ = [("type", c.c_int), ("serial", c.c_ulong), ("sent", c.c_int), ("display", c.c_void_p), ("window", c.c_ulong),
                ("message", c.c_ulong), ("format", c.c_int), ("data", c.c_long * 5)]


class SelectionRequest(c.Structure):
    _fields_ = [("type", c.c_int), ("serial", c.c_ulong), ("sent", c.c_int), ("display", c.c_void_p), ("owner", c.c_ulong),
                ("requestor", c.c_ulong), ("selection", c.c_ulong), ("target", c.c_ulong), ("property", c.c_ulong), ("time", c.c_ulong)]


class Selection(c.Structure):
    _fields_ = [("type", c.c_int), ("serial", c.c_ulong), ("sent", c.c_int), ("display", c.c_void_p), ("requestor", c.c_ulong),
                ("selection", c.c_ulong), ("target", c.c_ulong), ("property", c.c_ulong), ("time", c.c_ulong)]


class Event(c.Union):
    _fields_ = [("type", c.c_int), ("client", ClientMessage), ("request", SelectionRequest), ("selection", Selection), ("pad", c.c_long * 24)]


root = x.XDefaultRootWindow(display)
source = x.XCreateSimpleWindow(display, c.c_ulong(root), 0, 0, 1, 1, 0, c.c_ulong(0), c.c_ulong(0))
uris, xdnd = atom("text/uri-list"), atom("XdndSelection")
x.XSetSelectionOwner(display, c.c_ulong(xdnd), c.c_ulong(source), c.c_ulong(0))


def send(name, *data):
    event = Event()
    event.client.type, event.client.window, event.client.message, event.client.format = 33, target, atom(name), 32
    for index, value in enumerate([source, *data]):
        event.client.data[index] = value
    x.XSendEvent(display, c.c_ulong(target), 0, c.c_long(0), c.byref(event))
    x.XFlush(display)


def answer(request):
    text = (path.as_uri() + "\r\n").encode()
    x.XChangeProperty(display, c.c_ulong(request.requestor), c.c_ulong(request.property), c.c_ulong(request.target), 8, 0, text, len(text))
    event = Event()
    event.selection.type, event.selection.requestor, event.selection.selection = 31, request.requestor, request.selection
    event.selection.target, event.selection.property, event.selection.time = request.target, request.property, request.time
    x.XSendEvent(display, c.c_ulong(request.requestor), 0, c.c_long(0), c.byref(event))
    x.XFlush(display)


send("XdndEnter", 5 << 24, uris, 0, 0)
send("XdndPosition", 0, 0, 0, atom("XdndActionCopy"))
dropped, end = False, time.time() + 20
while time.time() < end:
    if not x.XPending(display):
        time.sleep(0.02)
        continue
    event = Event()
    x.XNextEvent(display, c.byref(event))
    if event.type == 33 and event.client.message == atom("XdndStatus") and not dropped:
        if not event.client.data[1] & 1:
            sys.exit("window-test-drop: the window does not want it")
        dropped = True
        send("XdndDrop", 0, 0)
    elif event.type == 30:
        answer(event.request)
    elif event.type == 33 and event.client.message == atom("XdndFinished"):
        sys.exit(0)
sys.exit("window-test-drop: the window did not take it")
