"""Times reading a GLB file with trimesh or pygfx: `load.py trimesh|pygfx FILE`. trimesh leaves images undecoded until asked; so that it does the
same work as the others it is asked."""

import json, statistics, sys, time

library, path = sys.argv[1:]


def with_trimesh():
    import trimesh

    scene = trimesh.load(path, file_type="glb")
    for geometry in scene.geometry.values():
        material = getattr(geometry.visual, "material", None)
        for name in ("baseColorTexture", "metallicRoughnessTexture", "normalTexture", "occlusionTexture", "emissiveTexture"):
            image = getattr(material, name, None)
            if image is not None:
                image.load()


def with_pygfx():
    import pygfx

    pygfx.load_gltf(path, quiet=True)


read = with_trimesh if library == "trimesh" else with_pygfx
read()  # The library itself is loaded here.
times = []
for _ in range(5):
    begin = time.perf_counter()
    read()
    times.append((time.perf_counter() - begin) * 1000)
print(json.dumps({"ms": {"min": min(times), "median": statistics.median(times)}}))
