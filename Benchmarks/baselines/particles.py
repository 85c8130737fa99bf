"""Moves and draws soft particles with wgpu alone, the way a tutorial does it, and prints the time of finished frames as JSON: the same
wgpu-native, the same driver, the same arithmetic, no library between.

    particles.py COUNT RADIUS
"""

import json
import struct
import sys
import time

import numpy
import wgpu

count, radius = int(sys.argv[1]), float(sys.argv[2])
WIDTH, HEIGHT, REPEATS, WARMUP = 1920, 1080, 20, 20

SHADER = """
struct Particle { color: vec4f, position: vec2f, velocity: vec2f, radius: f32, life: f32, births: u32, chance: u32 }
struct Frame { size: vec2f, center: vec2f, count: u32, seed: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> moved: array<Particle>;
@group(0) @binding(2) var<storage, read> drawn: array<Particle>;

fn hash(value: u32) -> u32 {
    let state = value * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

@compute @workgroup_size(64) fn update(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= frame.count) { return; }
    var p = moved[id.x];
    let way = frame.center - p.position;
    let distance = length(way);
    if (p.births == 0u || distance < 20.0 || p.life > 100.0) {
        p.chance = hash(p.chance ^ id.x ^ frame.seed);
        let x = f32(p.chance >> 8u) / 16777216.0;
        p.chance = hash(p.chance);
        p.position = vec2f(x, f32(p.chance >> 8u) / 16777216.0) * frame.size;
        p.color = vec4f(1.0, x, 0.2, 1.0);
        p.radius = RADIUS;
        p.velocity = vec2f(5.0);
        p.life = 0.0;
        p.births += 1u;
    } else {
        p.position += way / distance * p.velocity;
        p.life += 1.0;
    }
    moved[id.x] = p;
}

struct Sprite { @builtin(position) position: vec4f, @location(0) place: vec2f, @location(1) color: vec4f }

@vertex fn place(@builtin(vertex_index) corner: u32, @builtin(instance_index) index: u32) -> Sprite {
    let p = drawn[index];
    let at = vec2f(f32(corner & 1u), f32(corner >> 1u)) * 2.0 - 1.0;
    let points = p.position + at * p.radius;
    let clip = points / frame.size * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return Sprite(vec4f(clip, 0.0, 1.0), at, p.color * (p.life / 100.0));
}

@fragment fn soft(sprite: Sprite) -> @location(0) vec4f {
    let q = max(1.0 - dot(sprite.place, sprite.place), 0.0);
    return sprite.color * (q * q);
}
""".replace("RADIUS", f"{radius:.4f}")

adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
device = adapter.request_device_sync()
particles = device.create_buffer(size=count * 48, usage=wgpu.BufferUsage.STORAGE)
values = struct.pack("<ffffIIII", WIDTH, HEIGHT, WIDTH / 2, HEIGHT / 2, count, 0, 0, 0)
frame = device.create_buffer_with_data(data=values, usage=wgpu.BufferUsage.UNIFORM)
texture = device.create_texture(size=(WIDTH, HEIGHT, 1), format="rgba16float", usage=wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC)
view = texture.create_view()
module = device.create_shader_module(code=SHADER)
update = device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "update"})
add = {"src_factor": "one", "dst_factor": "one", "operation": "add"}
draw = device.create_render_pipeline(
    layout="auto",
    vertex={"module": module, "entry_point": "place", "buffers": []},
    primitive={"topology": "triangle-strip"},
    fragment={"module": module, "entry_point": "soft", "targets": [{"format": "rgba16float", "blend": {"color": add, "alpha": add}}]},
)


def group(pipeline, binding):
    entries = [{"binding": number, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}} for number, buffer in ((0, frame), (binding, particles))]
    return device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)


update_group, draw_group = group(update, 1), group(draw, 2)


def one():
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(update)
    work.set_bind_group(0, update_group)
    work.dispatch_workgroups((count + 63) // 64)
    work.end()
    work = encoder.begin_render_pass(color_attachments=[{"view": view, "load_op": "clear", "store_op": "store", "clear_value": (0, 0, 0, 0)}])
    work.set_pipeline(draw)
    work.set_bind_group(0, draw_group)
    work.draw(4, count)
    work.end()
    device.queue.submit([encoder.finish()])
    # Waits for the frame by reading one texel of it.
    device.queue.read_texture({"texture": texture}, {"bytes_per_row": 8, "rows_per_image": 1}, (1, 1, 1))


for _ in range(WARMUP):
    one()
times = []
for _ in range(REPEATS):
    begin = time.perf_counter()
    one()
    times.append((time.perf_counter() - begin) * 1000)
print(json.dumps({"ms": {"min": min(times), "median": float(numpy.median(times)), "max": max(times)}}))
