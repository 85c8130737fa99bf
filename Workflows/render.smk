# Renders an image or a film of each model of a folder with Snakemake 9, on one machine or by one of its executors:
#
#   snakemake --snakefile render.smk --cores 4 --keep-going --config models=MODELS out=IMAGES
#
# models: a folder of models, with subfolders; out: a folder, made if needed. More of --config: vitrine=PATH names the command; ending=webp and
# options="--turntable 12 --fps 6 --size 240x240" make turntables (default: png, "--size 480x360"). An image is done when its file is there: stopped or killed, the
# same command goes on, and a changed model is rendered again. With --keep-going, a broken model stops no other. On Slurm: add --executor slurm --jobs 50
# (snakemake-executor-plugin-slurm 2); all folders must be on a disk that all nodes share.
import pathlib

for name in ("models", "out"):
    if name not in config:
        raise ValueError(f"--config {name}=FOLDER is missing")
SOURCE = pathlib.Path(config["models"])
OUT = config["out"].rstrip("/")
VITRINE = config.get("vitrine", "vitrine")
ENDING = config.get("ending", "png")
OPTIONS = config.get("options", "--size 480x360")
FORMATS = {".glb", ".gltf", ".obj", ".ply", ".stl", ".off", ".usdz", ".usda", ".usdc", ".usd", ".dae"}
# A model's image has its path, without the ending.
MODELS = {}
for model in sorted(SOURCE.rglob("*")):
    if model.suffix.lower() in FORMATS and model.is_file():
        name = model.relative_to(SOURCE).with_suffix("").as_posix()
        if name in MODELS:
            raise ValueError(f"{model} and {MODELS[name]} would have the same image")
        MODELS[name] = str(model)
if not MODELS:
    raise ValueError(f"{SOURCE}: no folder with models")


rule all:
    input:
        [f"{OUT}/{name}.{ENDING}" for name in MODELS],
    localrule: True


rule render:
    input:
        lambda wildcards: MODELS[wildcards.name],
    output:
        f"{OUT}/{{name}}.{ENDING}",
    threads: 2
    # A model that ran out of memory gets more at the next attempt.
    retries: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        vitrine=VITRINE,
        options=OPTIONS,
    shell:
        "{params.vitrine:q} render {input:q} -o {output:q} {params.options}"
