"""What OpenUSD makes of USD files: for each mesh that is shown its size in the world at up to three times, triangles, coordinates, materials.

usd_truth.py FOLDER OUT: every .usd, .usda, .usdc and .usdz below FOLDER, as JSON that USDTruthTests compares Vitrine's reader with
(VITRINE_USD_TRUTH=OUT). World coordinates are Vitrine's: metres, +Y up. Needs usd-core.
"""

import json
import math
import sys
from pathlib import Path

from pxr import Gf, Tf, Usd, UsdGeom, UsdShade, UsdSkel


def world_from_stage(stage):
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    matrix = Gf.Matrix4d().SetScale(metres)
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        matrix = Gf.Matrix4d(1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1) * matrix
    return matrix


def value(attribute, time):
    """At a time; at no time the value that is not over time, else the first one."""
    if not attribute:
        return None
    samples = attribute.GetTimeSamples()
    if not samples:
        return attribute.Get()
    return attribute.Get(time if time is not None else samples[0])


def box(points, matrix):
    low, high = [math.inf] * 3, [-math.inf] * 3
    for point in points:
        moved = matrix.Transform(Gf.Vec3d(point))
        for axis in range(3):
            low[axis], high[axis] = min(low[axis], moved[axis]), max(high[axis], moved[axis])
    return low + high


def faces(mesh):
    counts = value(mesh.GetFaceVertexCountsAttr(), None) or []
    corners = value(mesh.GetFaceVertexIndicesAttr(), None) or []
    holes = set(value(mesh.GetHoleIndicesAttr(), None) or [])
    used, triangles, first = set(), 0, 0
    for face, count in enumerate(counts):
        if count >= 3 and face not in holes:
            triangles += count - 2
            used.update(corners[first : first + count])
        first += count
    return triangles, sorted(used)


def coordinates(mesh):
    """Around the values of the first set."""
    for name in ("st", "st0", "UVMap", "st_0", "map1"):
        primvar = UsdGeom.PrimvarsAPI(mesh).GetPrimvar(name)
        if primvar and primvar.HasValue():
            values = primvar.ComputeFlattened(Usd.TimeCode.EarliestTime())
            if values:
                us, vs = [v[0] for v in values], [1 - v[1] for v in values]
                return [min(us), min(vs), max(us), max(vs)]
    return None


def name(prim):
    return prim.GetMetadata("displayName") or prim.GetName()


def materials(mesh):
    """Names of the materials that faces are bound to, sorted; empty text for none."""
    found = set()
    prim, rest = mesh.GetPrim(), set(range(len(value(mesh.GetFaceVertexCountsAttr(), None) or [])))
    for subset in UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Imageable(prim)):
        if subset.GetElementTypeAttr().Get() not in (None, "face"):
            continue
        binding = subset.GetPrim().GetRelationship("material:binding")
        if not binding or not binding.GetTargets():
            continue
        bound = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0]
        if rest & set(subset.GetIndicesAttr().Get() or []):
            found.add(name(bound.GetPrim()) if bound else "")
            rest -= set(subset.GetIndicesAttr().Get())
    if rest:
        bound = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        found.add(name(bound.GetPrim()) if bound else "")
    return sorted(found)


def is_shown(prim):
    imageable = UsdGeom.Imageable(prim)
    above = prim.GetParent()
    while above:
        if above.IsA(UsdGeom.PointInstancer):
            return False
        above = above.GetParent()
    return imageable.ComputePurpose() in ("default", "render")


def truth(path):
    stage = Usd.Stage.Open(str(path))
    times = [None]
    if stage.HasAuthoredTimeCodeRange() and stage.GetEndTimeCode() > stage.GetStartTimeCode():
        start, end = stage.GetStartTimeCode(), stage.GetEndTimeCode()
        times = [start, (start + end) / 2, end]
    stage = Usd.Stage.Open(stage.Flatten()) if not any(p.IsA(UsdSkel.Root) for p in stage.Traverse()) else stage
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root):
            interval = Gf.Interval(times[0], times[-1]) if times[0] is not None else Gf.Interval.GetFullInterval()
            UsdSkel.BakeSkinning(UsdSkel.Root(prim), interval)
    frame = world_from_stage(stage)
    result = {
        "seconds": [0 if t is None else (t - times[0]) / stage.GetTimeCodesPerSecond() for t in times],
        "meshes": [],
    }
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if not prim.IsA(UsdGeom.Mesh) or not is_shown(prim):
            continue
        mesh = UsdGeom.Mesh(prim)
        triangles, used = faces(mesh)
        points = value(mesh.GetPointsAttr(), times[0])
        if not triangles or not points:
            continue
        boxes = []
        for time in times:
            cache = UsdGeom.XformCache(Usd.TimeCode.Default() if time is None else time)
            if time is None and prim.GetStage().HasAuthoredTimeCodeRange():
                cache.SetTime(stage.GetStartTimeCode())
            points = value(mesh.GetPointsAttr(), time)
            boxes.append(box([points[i] for i in used], cache.GetLocalToWorldTransform(prim) * frame))
        result["meshes"].append(
            {
                "path": str(prim.GetPath()),
                "name": name(prim),
                "triangles": triangles,
                "boxes": boxes,
                "coordinates": coordinates(mesh),
                "materials": materials(mesh),
            }
        )
    return result


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".usd", ".usda", ".usdc", ".usdz"))
    all_files = {}
    for path in files:
        try:
            all_files[str(path.relative_to(folder))] = truth(path)
        except Tf.ErrorException:
            # OpenUSD refuses it.
            continue
    out.write_text(json.dumps(all_files, indent=1, sort_keys=True))
    print(f"{len(all_files)} of {len(files)} files, {sum(len(f['meshes']) for f in all_files.values())} meshes")


if __name__ == "__main__":
    main()
