"""What lobes, lights and effects add to a frame of Vitrine's: the same image without and with them, alternately."""

from dataclasses import dataclass, replace
from pathlib import Path

import glb
from programs import View, Vitrine

# The ball fills the view: the corner of 16:9 at 45° lies 40.2° off its middle, the ball's edge 41.8°.
BALL = View(Path("ball.glb"), None, size="640x360", orbit="0,10,1.5")
FIELD = View(Path("field.glb"), None, size="1280x720", orbit="30,20,18")
# A floor of boxes has no maps, and the rays that would find its occlusion are no part of a frame.
PLAIN = ["--occlusion=map"]
# Dim, so that the lights are seen.
DIM = [*PLAIN, "--environment-intensity=0.2"]


@dataclass
class Look:
    """Vitrine with one model and some options; what `Bench.alternate` takes for a program."""

    name: str
    model: Path
    options: list
    vitrine: Vitrine
    # Frames at most: some take seconds.
    most: int = 1000

    def missing(self):
        return self.vitrine.missing()

    def command(self, view, frames=0, output=None):
        return self.vitrine.command(replace(view, model=self.model), min(frames, self.most), output) + self.options


def lobe_materials():
    """Each lobe alone on the same plain material; factors, no textures."""

    def lobe(name, **values):
        return {f"KHR_materials_{name}": values}

    volume = lobe("volume", thicknessFactor=0.5, attenuationDistance=1, attenuationColor=[0.4, 0.8, 0.6])
    return {
        "plain": {},
        "unlit": lobe("unlit"),
        "specular": lobe("specular", specularFactor=0.5, specularColorFactor=[1, 0.6, 0.3]),
        "clearcoat": lobe("clearcoat", clearcoatFactor=1, clearcoatRoughnessFactor=0.1),
        "sheen": lobe("sheen", sheenColorFactor=[0.8, 0.6, 0.9], sheenRoughnessFactor=0.4),
        "anisotropy": lobe("anisotropy", anisotropyStrength=0.8),
        "iridescence": lobe("iridescence", iridescenceFactor=1, iridescenceIor=1.5),
        "transmission, thin": lobe("transmission", transmissionFactor=1),
        "transmission, volume": {**lobe("transmission", transmissionFactor=1), **volume},
        "transmission, volume, dispersion": {**lobe("transmission", transmissionFactor=1), **volume, **lobe("dispersion", dispersion=1)},
    }


def lobes(bench):
    ball = glb.sphere(64)
    vitrine = Vitrine(1, bench.vitrine)
    looks = []
    for index, (name, extensions) in enumerate(lobe_materials().items()):
        path = bench.folder / f"lobe-{index}.glb"
        material = {"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.5, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.4}}
        glb.one_mesh(path, *ball, {**material, **({"extensions": extensions} if extensions else {})})
        looks.append(Look(name, path, PLAIN + ["--light=directional,azimuth=40,elevation=40,intensity=3,shadow=no"], vitrine))
    measure(bench, "Lobes: a ball that fills 640×360, environment and one directional light, no antialiasing", "material", looks, BALL)


def lights(bench):
    vitrine = Vitrine(1, bench.vitrine)
    models = {}
    for count in (0, 1, 10, 100, 1000):
        models[count] = bench.folder / f"field-{count}.glb"
        glb.field(models[count], count)
    sun = "--light=directional,azimuth=40,elevation=50,intensity=3,shadow="
    looks = [Look("no lights", models[0], DIM, vitrine)]
    looks += [Look("sun, no shadow", models[0], [*DIM, sun + "no"], vitrine), Look("sun, four cascades", models[0], [*DIM, sun + "yes"], vitrine, most=4)]
    for count in (1, 10, 100, 1000):
        name = f"{count:,} point light{'s' if count > 1 else ''}"
        looks.append(Look(name, models[count], DIM, vitrine))
        looks.append(Look(f"{name}, shadows", models[count], [*DIM, "--shadows"], vitrine, most=2 if count == 1000 else 4))
    title = "Lights: 400 boxes on a floor of 40 m, 1280×720, environment and lights that reach 2.5 m, no antialiasing, the camera moving"
    measure(bench, title, "lights", looks, FIELD)


def effects(bench):
    model = bench.folder / "field-0.glb"
    glb.field(model, 0)
    wanted = {
        "plain": PLAIN,
        "bloom": [*PLAIN, "--bloom=0.1"],
        "vignette": [*PLAIN, "--vignette=0.7"],
        "depth of field": [*PLAIN, "--depth-of-field=auto,0.1"],
        "screen-space occlusion": ["--occlusion=screen"],
        "MSAA 4×": [*PLAIN, "--msaa=4"],
    }
    looks = [Look(name, model, options, Vitrine(1, bench.vitrine)) for name, options in wanted.items()]
    measure(bench, "Effects: 400 boxes on a floor, 1280×720, no antialiasing unless said", "what", looks, FIELD)


def measure(bench, title, column, looks, view):
    """One row a look; the ratio is that of the round's first look, so that what else the machine does weighs on both."""
    if not bench.programs(looks[0]):
        return
    frames, rounds = bench.options.frames, bench.options.rounds
    runs, failed = bench.alternate(looks, view, frames, rounds)
    rows = []
    for look in looks:
        if look.name in failed:
            rows.append([look.name, f"failed: {failed[look.name]}"] + [""] * 5)
        else:
            rows.append(bench.frame_row(look.name, runs[look.name], runs[looks[0].name]))
    header = [column, *bench.FRAME_HEADER[1:5], f"time against “{looks[0].name}”", bench.FRAME_HEADER[6]]
    bench.add_rows(f"{title} ({rounds} rounds of {frames} frames)", header, rows)
