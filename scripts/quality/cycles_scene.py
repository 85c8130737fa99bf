"""Scenes for Cycles, for the scripts that Blender runs: a glTF model in an environment, seen by the camera of `vitrine render`."""

import math

import bpy
import numpy
from mathutils import Vector


def load(model, environment, orbit, target, fov):
    """A scene of a model, lit and seen as `vitrine render` does."""
    # Blender 3.4's importer uses a name that newer NumPy lacks.
    numpy.bool = bool
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=model)
    numpy.bool = numpy.bool_
    scene = bpy.context.scene
    light(scene, environment)
    look(scene, orbit, target, fov)
    return scene


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


def trace(scene, path, size, samples, seed=0):
    """Writes linear radiance."""
    render, cycles = scene.render, scene.cycles
    render.engine, cycles.device, cycles.samples, cycles.max_bounces, cycles.seed = "CYCLES", "CPU", samples, 8, seed
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format, render.image_settings.color_depth, render.filepath = "OPEN_EXR", "32", path
    bpy.ops.render.render(write_still=True)


def numbers(text):
    return [float(x) for x in text.split(",")]


def pixels(path):
    image = bpy.data.images.load(path)
    return numpy.array(image.pixels[:], numpy.float64).reshape(image.size[1], image.size[0], 4)[..., :3]
