"""Times reading model files with one library: `read.py trimesh|assimp|OpenUSD FILE...` prints {FILE: {"ms", "triangles", "size"}}, or {"failed"}.

Every position and index is touched, as some libraries only map the file, and the script reports the result, so that a wrong answer isn't taken for a
fast one. Images stay undecoded."""

import json, sys, time
from pathlib import Path

import numpy


def report(parts):
    """Triangles and the size of the box around `parts`, pairs of positions and indices."""
    triangles, low, high = 0, [], []
    for positions, indices in parts:
        positions = numpy.asarray(positions).reshape(-1, 3)
        indices = numpy.asarray(indices).reshape(-1, 3)
        if len(indices) and indices.max() >= len(positions):
            raise ValueError("an index points behind the positions")
        low.append(positions.min(axis=0)), high.append(positions.max(axis=0))
        triangles += len(indices)
    size = numpy.max(high, axis=0) - numpy.min(low, axis=0)
    return triangles, [float(s) for s in size]


def with_trimesh(path):
    import trimesh

    return report((mesh.vertices, mesh.faces) for mesh in trimesh.load_scene(path).geometry.values())


def with_assimp(path):
    import assimp_py

    return report((mesh.vertices, mesh.indices) for mesh in assimp_py.import_file(path, assimp_py.Process_Triangulate).meshes)


def with_usd(path):
    from pxr import Usd, UsdGeom

    # The prims live as long as their stage.
    stage, parts = Usd.Stage.Open(path), []
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.Mesh):
            mesh = UsdGeom.Mesh(prim)
            if any(count != 3 for count in set(mesh.GetFaceVertexCountsAttr().Get())):
                raise ValueError("not triangles")
            values = [mesh.GetNormalsAttr().Get(), *(primvar.Get() for primvar in UsdGeom.PrimvarsAPI(prim).GetPrimvars())]
            for value in values:
                if value is not None and hasattr(value, "__len__") and not isinstance(value, str):
                    numpy.asarray(value).max(initial=0)
            parts.append((mesh.GetPointsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()))
    return report(parts)


def main():
    read = {"trimesh": with_trimesh, "assimp": with_assimp, "OpenUSD": with_usd}[sys.argv[1]]
    results = {}
    for path in sys.argv[2:]:
        try:
            read(path)  # The library itself and the file's pages are loaded here.
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                triangles, size = read(path)
                times.append((time.perf_counter() - begin) * 1000)
            results[Path(path).name] = {"ms": min(times), "triangles": triangles, "size": size}
        except Exception as failure:
            results[Path(path).name] = {"failed": f"{type(failure).__name__}: {failure}".splitlines()[0]}
    print(json.dumps(results))


main()
