"""Run by Blender, see energy.sh: traces a model in Cycles with its own, Lambert or non-specular materials, and prints the energy of Vitrine's radiance against it,
over the object's pixels.

MODEL ENVIRONMENT MATERIALS ORBIT TARGET FOV MASK OURS.exr
"""

import sys
import tempfile
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
from cycles_scene import light, load, look, pixels, trace

SIZE, SAMPLES = (320, 240), 64


def change(materials):
    for material in (m for m in bpy.data.materials if m.use_nodes):
        tree = material.node_tree
        surface = next((n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"), None)
        if surface is None:
            continue
        if materials == "nospecular":
            for link in list(surface.inputs["Specular"].links):
                tree.links.remove(link)
            surface.inputs["Specular"].default_value = 0
        elif materials == "lambert":
            diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
            diffuse.inputs["Roughness"].default_value = 0
            base = surface.inputs["Base Color"]
            if base.is_linked:
                tree.links.new(base.links[0].from_socket, diffuse.inputs["Color"])
            else:
                diffuse.inputs["Color"].default_value = base.default_value
            output = next(n for n in tree.nodes if n.type == "OUTPUT_MATERIAL")
            tree.links.new(diffuse.outputs[0], output.inputs["Surface"])


def main():
    model, environment, materials, orbit, target, fov, mask, ours = sys.argv[sys.argv.index("--") + 1 :]
    numbers = lambda text: [float(x) for x in text.split(",")]
    scene = load(model)
    change(materials)
    light(scene, environment)
    look(scene, numbers(orbit), numbers(target), float(fov))
    with tempfile.TemporaryDirectory() as folder:
        trace(scene, folder + "/cycles.exr", SIZE, SAMPLES)
        theirs = pixels(folder + "/cycles.exr")
    inside = pixels(mask)[..., 0] > 0.5
    step = inside.shape[1] // SIZE[0]
    inside = inside[step // 2 :: step, step // 2 :: step]
    print("energy %.4f" % (pixels(ours)[inside].mean() / theirs[inside].mean()), flush=True)


main()
