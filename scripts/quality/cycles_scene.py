"""A scene in Blender's Cycles, as `vitrine render --quality path` draws it: for the scripts that Blender runs."""

import math

import bpy
import numpy
from mathutils import Vector

# Blender 3.4's importer uses a name that newer NumPy lacks.
numpy.bool = bool


def load(model):
    """A scene with the model alone."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=model)
    numpy.bool = numpy.bool_
    return bpy.context.scene


def light(scene, environment, rotation=0):
    """An environment, turned by degrees about glTF's +Y, which is Blender's +Z."""
    world = bpy.data.worlds.new("world")
    scene.world, world.use_nodes = world, True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    texture = nodes.new("ShaderNodeTexEnvironment")
    texture.image = bpy.data.images.load(environment)
    links.new(texture.outputs[0], nodes["Background"].inputs[0])
    if rotation:
        mapping = nodes.new("ShaderNodeMapping")
        mapping.inputs["Rotation"].default_value[2] = -math.radians(rotation)
        links.new(nodes.new("ShaderNodeTexCoord").outputs["Generated"], mapping.inputs["Vector"])
        links.new(mapping.outputs[0], texture.inputs["Vector"])


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
    """Renders linear radiance into an .exr: a fixed number of samples, eight bounces, nothing that trades noise for bias."""
    render, cycles = scene.render, scene.cycles
    render.engine, cycles.device, cycles.samples, cycles.max_bounces, cycles.seed = "CYCLES", "CPU", samples, 8, seed
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format, render.image_settings.color_depth, render.filepath = "OPEN_EXR", "32", path
    bpy.ops.render.render(write_still=True)


def pixels(path):
    """The rows of an image from the bottom up, without alpha."""
    image = bpy.data.images.load(path)
    return numpy.array(image.pixels[:], numpy.float64).reshape(image.size[1], image.size[0], 4)[..., :3]
