"""The measurements, as tables."""

import json

import photo_surface

# Steps of the command, as the stages that people compare.
STAGES = {
    "features": ("features",),
    "matching": ("matching",),
    "cameras": ("cameras", "placing", "placement"),
    "depth": ("depth",),
    "points": ("points",),
    "surface": ("surface",),
    "texture": ("texture",),
}


def read(path):
    return json.loads(path.read_text()) if path.exists() else {}


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def table(heads, rows):
    """The first column left, the others right; nothing without rows."""
    if not rows:
        return []
    return ["", "| " + " | ".join(heads) + " |", "| --- |" + " ---: |" * (len(heads) - 1), *("| " + " | ".join(row) + " |" for row in rows)]


def tables(sets):
    results = [(one, read(one.out / "scores.json")) for one in sets]
    done = [(one, r) for one, r in results if r.get("exit") == 0]
    lines = table(["failed", "exit code"], [[r["set"], str(r["exit"])] for _, r in results if r.get("exit") != 0])
    lines += times(done) + stages(done) + cameras(done) + surfaces(done) + views(done)
    return "\n".join(lines).strip()


def times(done):
    rows = []
    for one, r in done:
        peer = read(one.peer_out / "scores.json")
        poses = sum(s["seconds"] for s in r["steps"] if s["name"] in ("reading photos", "features", "matching", "cameras"))
        theirs = sum(peer[k] for k in ("features", "matching", "mapping")) if peer else None
        rows.append(
            [r["set"], str(r["count"]), f"{r['seconds']:.0f}", f"{r['seconds'] / r['count']:.1f}", f"{r['cpu']:.0f}", f"{r['memory']:.2f}"]
            + [f"{poses:.0f}", number(theirs, 0)]
        )
    heads = ["set", "photos", "seconds", "a photo", "of both cores", "peak memory, GB", "of these: cameras, s", "pycolmap's cameras, s"]
    return table(heads, rows)


def stages(done):
    rows = []
    for _, r in done:
        seconds = [sum(s["seconds"] for s in r["steps"] if s["name"].split(",")[0] in names) for names in STAGES.values()]
        rows.append([r["set"], *(f"{s:.1f}" for s in seconds)])
    return table(["seconds of", *STAGES], rows)


def cameras(done):
    rows = []
    for one, r in done:
        if "photos_used" in r:
            rows.append([r["set"], f"{r['photos_used']} of {r['count']}", *["no truth"] * 4])
            continue
        rows.append([r["set"], *pose_cells(r["poses"])])
        peer = read(one.peer_out / "scores.json")
        if peer:
            rows.append(["*pycolmap*", *pose_cells(peer)])
    return table(["cameras", "found", "rotation, °", "between neighbours, °", "position, %", "focal length, %"], rows)


def pose_cells(p):
    if "rotation" not in p:
        return [f"{p['registered']} of {p['photos']}", "", "", "", ""]
    return [
        f"{p['registered']} of {p['photos']}",
        f"{p['rotation']:.3f}",
        f"{p['neighbour_rotation']:.4f}",
        f"{p['position_percent']:.3f}",
        f"{p['focal_percent']:.2f}",
    ]


def surfaces(done):
    rows = []
    for one, r in done:
        shape, s = r["shape"], r.get("surface")
        cells = [str(shape["triangles"]), str(shape["pieces"]), str(shape["boundary_edges"])]
        if s:
            cells += [f"{s['accuracy']:.3f}", f"{s['completeness']:.3f}", *(f"{s[f'at {limit}']['f']:.3f}" for limit in photo_surface.THRESHOLDS)]
        rows.append([r["set"], *cells, *[""] * (8 - len(cells))])
        peer = read(one.folder / "peer/figures.json")
        if s and peer:
            scores = [f"{peer[f'f_{limit}']['f']:.3f}" for limit in photo_surface.THRESHOLDS]
            seconds = f"*pycolmap + OpenMVS, {peer['seconds']['total']:.0f} s*"
            rows.append(
                [seconds, str(peer["faces"]), "", "", f"{peer['accuracy_median_percent']:.3f}", f"{peer['completeness_median_percent']:.3f}", *scores]
            )
    heads = ["surface", "triangles", "pieces", "open edges", "accuracy, %", "completeness, %", "F at 0.25 %", "F at 0.5 %", "F at 1 %"]
    return table(heads, rows)


def views(done):
    rows = []
    for one, r in done:
        seen, away = r.get("seen") or {}, read(one.out / "held-out.json")
        if not seen:
            continue
        cells = [number(side.get(key), digits) for side in (seen, away) for key, digits in (("psnr", 2), ("ssim", 3), ("unmoved", 2))]
        rows.append([r["set"], *cells, number(away.get("covered", seen.get("covered")), 3)])
    heads = ["drawn against", "photos used: PSNR, dB", "SSIM", "PSNR unmoved", "photos held out: PSNR, dB", "SSIM", "PSNR unmoved"]
    return table([*heads, "object covered"], rows)
