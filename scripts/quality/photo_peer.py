"""pycolmap on the same photos and cores: SIFT on the CPU, exhaustive matching, incremental mapping, one camera for all."""

import json
import shutil
import time

import pycolmap


def run(images, out, longest_side=1600, threads=2):
    shutil.rmtree(out, ignore_errors=True)
    (out / "model").mkdir(parents=True)
    database, seconds = out / "database.db", {}

    def timed(name, work):
        begin = time.time()
        result = work()
        seconds[name] = time.time() - begin
        return result

    reader = pycolmap.ImageReaderOptions()
    reader.camera_model = "SIMPLE_RADIAL"
    extraction = pycolmap.FeatureExtractionOptions()
    extraction.use_gpu, extraction.max_image_size, extraction.num_threads = False, longest_side, threads
    matching = pycolmap.FeatureMatchingOptions()
    matching.use_gpu, matching.num_threads = False, threads
    mapping = pycolmap.IncrementalPipelineOptions()
    mapping.num_threads = threads
    single, cpu = pycolmap.CameraMode.SINGLE, pycolmap.Device.cpu
    timed("features", lambda: pycolmap.extract_features(database, images, camera_mode=single, reader_options=reader, extraction_options=extraction, device=cpu))
    timed("matching", lambda: pycolmap.match_exhaustive(database, matching_options=matching, device=cpu))
    models = timed("mapping", lambda: pycolmap.incremental_mapping(database, images, out, options=mapping))
    if models:
        max(models.values(), key=lambda m: m.num_reg_images()).write_text(str(out / "model"))
    (out / "seconds.json").write_text(json.dumps(seconds))
    return seconds
