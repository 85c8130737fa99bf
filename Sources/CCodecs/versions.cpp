#include "CCodecs.h"

#include <stdio.h>

#include <OpenEXRConfig.h>
#include <draco/core/draco_version.h>
#include <jpeglib.h>
#include <libheif/heif.h>
#include <png.h>
#include <webp/decode.h>
#include <zstd.h>

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

void vitrine_packing_versions(char draco[32], char zstd[32]) {
    snprintf(draco, 32, "%s", draco::kDracoVersion);
    snprintf(zstd, 32, "%s", ZSTD_versionString());
}

void vitrine_codec_versions(char png[32], char jpeg[32], char webp[32], char openexr[32], char heif[32]) {
    snprintf(png, 32, "%s", png_get_libpng_ver(nullptr));
#ifdef LIBJPEG_TURBO_VERSION
    snprintf(jpeg, 32, "%s", TEXT(LIBJPEG_TURBO_VERSION));
#else
    snprintf(jpeg, 32, "API %d", JPEG_LIB_VERSION);
#endif
    const int version = WebPGetDecoderVersion();
    snprintf(webp, 32, "%d.%d.%d", version >> 16, (version >> 8) & 255, version & 255);
    snprintf(openexr, 32, "%s", OPENEXR_VERSION_STRING);
    snprintf(heif, 32, "%s", heif_get_version());
}
