"""Draws a model with pygfx and prints the time of finished frames as JSON: a baseline on the same wgpu-native and the same driver.

    pygfx_frame.py MODEL [--environment FILE.hdr] [--environment-rotation DEG] [--size WxH] [--orbit AZ,EL,DIST] [--target X,Y,Z] [--fov DEG]
                   [--benchmark FRAMES] [--warmup FRAMES] [-o IMAGE.png] [--boxes COUNT] [--instanced]

No antialiasing: one sample per pixel, no post-processing (pygfx has no MSAA; its own ways are FXAA-like filters and supersampling).
A frame is finished: one texel of it is read back (wgpu 0.32.0's own wait for the queue fails with a type error).
"""

import argparse, json, math, os, sys, time

started = time.perf_counter()
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy
import pygfx
import wgpu
import environment
from pygfx.renderers.wgpu import get_shared
from pygfx.renderers.wgpu.engine.update import ensure_wgpu_object

parser = argparse.ArgumentParser()
parser.add_argument("model", nargs="?")
parser.add_argument("--environment")
parser.add_argument("--environment-rotation", type=float, default=0)
parser.add_argument("--size", default="1280x720")
parser.add_argument("--orbit", default="-33.7,10.5,3.3")
parser.add_argument("--target", default="0,0,0")
parser.add_argument("--fov", type=float, default=45)
parser.add_argument("--benchmark", type=int, default=0)
parser.add_argument("--warmup", type=int, default=3)
parser.add_argument("-o", "--output")
parser.add_argument("--boxes", type=int, default=0)
parser.add_argument("--instanced", action="store_true")
parser.add_argument("--moving", action="store_true")
options = parser.parse_args()

width, height = map(int, options.size.split("x"))
azimuth, elevation, distance = map(float, options.orbit.split(","))
target = numpy.array([float(x) for x in options.target.split(",")])


def environment_texture():
    image = environment.read_radiance(options.environment)
    image = numpy.roll(image, round(options.environment_rotation / 360 * -image.shape[1]), axis=1)
    faces = environment.cube_faces(image, 256)
    # pygfx's shader decodes sRGB for every texture format, so the radiance is passed encoded.
    encoded = numpy.where(faces <= 0.0031308, faces * 12.92, 1.055 * numpy.maximum(faces, 1e-9) ** (1 / 2.4) - 0.055)
    texels = numpy.ones((6, 256, 256, 4), numpy.float16)
    texels[..., :3] = encoded
    return pygfx.Texture(texels, dim=2, size=(256, 256, 6), colorspace="physical", generate_mipmaps=True, format="rgba16float")


def box_grid(count):
    """Where the boxes stand: a cube of them, 2 apart, seen from outside."""
    side = math.ceil(count ** (1 / 3))
    index = numpy.arange(count)
    cells = numpy.stack([index % side, index // side % side, index // (side * side)], -1)
    return (cells - (side - 1) / 2) * 2.0, side


def add_boxes(scene, count):
    positions, side = box_grid(count)
    geometry = pygfx.box_geometry(1, 1, 1)
    material = pygfx.MeshStandardMaterial(color=(0.8, 0.5, 0.2), roughness=0.5, metalness=0.0)
    if options.instanced:
        mesh = pygfx.InstancedMesh(geometry, material, count)
        for i, position in enumerate(positions):
            matrix = numpy.eye(4, dtype=numpy.float32)
            matrix[:3, 3] = position
            mesh.set_matrix_at(i, matrix)
        scene.add(mesh)
        return []
    meshes = []
    for position in positions:
        mesh = pygfx.Mesh(geometry, material)
        mesh.local.position = position
        scene.add(mesh)
        meshes.append(mesh)
    return meshes


scene = pygfx.Scene()
moving = []
if options.boxes:
    moving = add_boxes(scene, options.boxes)
    scene.add(pygfx.AmbientLight(intensity=0.3))
    light = pygfx.DirectionalLight(intensity=3)
    light.local.position = (1, 2, 1.5)
    scene.add(light)
else:
    gltf = pygfx.load_gltf(options.model, quiet=True)
    scene.add(gltf.scene or gltf.scenes[0])
if options.environment:
    texture = environment_texture()
    for thing in scene.iter(lambda thing: isinstance(thing, pygfx.Mesh)):
        thing.material.env_map = texture
        thing.material.env_map_intensity = 1

COPY_AND_DRAW = wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.TEXTURE_BINDING
target_texture = pygfx.Texture(dim=2, size=(width, height, 1), format="rgba8unorm-srgb", colorspace="tex-srgb", usage=COPY_AND_DRAW)
renderer = pygfx.WgpuRenderer(target_texture, pixel_ratio=1, ppaa="none", pixel_filter="nearest")
# pygfx's angle spans the mean of width and height; ours is vertical.
half = math.tan(math.radians(options.fov) / 2) * (1 + width / height) / 2
camera = pygfx.PerspectiveCamera(2 * math.degrees(math.atan(half)), width / height, depth_range=(distance * 0.01, distance * 10))
camera.maintain_aspect = False


def aim(degrees):
    a, e = math.radians(azimuth + degrees), math.radians(elevation)
    eye = target + distance * numpy.array([math.sin(a) * math.cos(e), math.sin(e), math.cos(a) * math.cos(e)])
    camera.local.position = eye
    camera.look_at(target)


def read_back(size):
    """Waits for the frame by reading texels of it."""
    place = {"texture": ensure_wgpu_object(target_texture)}
    layout = {"bytes_per_row": size[0] * 4, "rows_per_image": size[1]}
    return get_shared().device.queue.read_texture(place, layout, size)


def draw(frame):
    aim(frame)
    if options.moving:
        rotation = (0, math.sin(frame / 2), 0, math.cos(frame / 2))
        for mesh in moving:
            mesh.local.rotation = rotation
    renderer.render(scene, camera)
    read_back((1, 1, 1))


def save(path):
    from PIL import Image
    data = read_back((width, height, 1))
    pixels = numpy.frombuffer(data, numpy.uint8).reshape(height, width, 4)
    Image.fromarray(pixels, "RGBA").save(path)


draw(0)
first_frame_ms = (time.perf_counter() - started) * 1000
if options.output:
    save(options.output)
result = {"program": "pygfx " + pygfx.__version__, "adapter": get_shared().adapter.info["device"], "startup_ms": round(first_frame_ms, 1)}
if options.benchmark:
    for frame in range(options.warmup):
        draw(-1 - frame)
    times = []
    for frame in range(options.benchmark):
        begin = time.perf_counter()
        draw(frame)
        times.append((time.perf_counter() - begin) * 1000)
    result["frame_ms"] = {"min": min(times), "median": float(numpy.median(times)), "max": max(times)}
print(json.dumps(result))
