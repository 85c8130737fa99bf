"""Run by Blender, see energy.sh: traces a model in Cycles with its own, Lambert or non-specular materials, and prints the energy of Vitrine's radiance against it,
over the object's pixels.

MODEL ENVIRONMENT MATERIALS ORBIT TARGET FOV MASK OURS.exr
"""

import math
import sys
import tempfile

import bpy
import numpy
from mathutils import Vector

# Blender 3.4's importer uses a name that newer NumPy lacks.
numpy.bool = bool
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


def light(scene, environment):
    world = bpy.data.worlds.new("world")
    scene.world, world.use_nodes = world, True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    texture = nodes.new("ShaderNodeTexEnvironment")
    texture.image = bpy.data.images.load(environment)
    links.new(texture.outputs[0], nodes["Background"].inputs[0])


def look(scene, orbit, target, fov):
    """glTF's axes, +Y up, to Blender's."""
    turned = lambda p: Vector((p[0], -p[2], p[1]))
    azimuth, elevation, distance = math.radians(orbit[0]), math.radians(orbit[1]), orbit[2]
    offset = [math.sin(azimuth) * math.cos(elevation), math.sin(elevation), math.cos(azimuth) * math.cos(elevation)]
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.angle, camera.clip_start = "VERTICAL", math.radians(fov), 0.001
    node = bpy.data.objects.new("camera", camera)
    scene.collection.objects.link(node)
    node.location = turned([t + distance * o for t, o in zip(target, offset)])
    node.rotation_euler = (turned(target) - node.location).to_track_quat("-Z", "Y").to_euler()
    scene.camera = node


def trace(scene, path):
    render, cycles = scene.render, scene.cycles
    render.engine, cycles.device, cycles.samples, cycles.max_bounces = "CYCLES", "CPU", SAMPLES, 8
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    render.resolution_x, render.resolution_y, render.resolution_percentage = *SIZE, 100
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format, render.image_settings.color_depth, render.filepath = "OPEN_EXR", "32", path
    bpy.ops.render.render(write_still=True)


def pixels(path):
    image = bpy.data.images.load(path)
    return numpy.array(image.pixels[:], numpy.float64).reshape(image.size[1], image.size[0], 4)[..., :3]


def main():
    model, environment, materials, orbit, target, fov, mask, ours = sys.argv[sys.argv.index("--") + 1 :]
    numbers = lambda text: [float(x) for x in text.split(",")]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=model)
    numpy.bool = numpy.bool_
    scene = bpy.context.scene
    change(materials)
    light(scene, environment)
    look(scene, numbers(orbit), numbers(target), float(fov))
    with tempfile.TemporaryDirectory() as folder:
        trace(scene, folder + "/cycles.exr")
        theirs = pixels(folder + "/cycles.exr")
    inside = pixels(mask)[..., 0] > 0.5
    step = inside.shape[1] // SIZE[0]
    inside = inside[step // 2 :: step, step // 2 :: step]
    print("energy %.4f" % (pixels(ours)[inside].mean() / theirs[inside].mean()), flush=True)


main()
