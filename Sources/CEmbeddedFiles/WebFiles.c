// Embeds the viewer's files, compressed, while compiling. The compiler records them as dependencies: a changed file rebuilds this one.
#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char viewer[] = {
#embed "../../Web/built/vitrine-viewer.js.gz"
};

static const unsigned char runtime[] = {
#embed "../../Web/built/vitrine-runtime.js.gz"
};

static const unsigned char wasm[] = {
#embed "../../Web/built/vitrine.wasm.gz"
};

static const unsigned char meshopt[] = {
#embed "../../Web/built/vitrine-meshopt.js.gz"
};

static const vitrine_embedded_file files[] = {
    {"vitrine-viewer.js", viewer, sizeof viewer},
    {"vitrine-runtime.js", runtime, sizeof runtime},
    {"vitrine.wasm", wasm, sizeof wasm},
    {"vitrine-meshopt.js", meshopt, sizeof meshopt},
};

vitrine_embedded_files vitrine_web_files(void) { return (vitrine_embedded_files){files, sizeof files / sizeof files[0]}; }
