// Embeds the viewer's files, compressed, while compiling. The compiler records them as dependencies: a changed file rebuilds this one.
#include "CVitrineWebFiles.h"

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

static const vitrine_web_file files[] = {
    {"vitrine-viewer.js", viewer, sizeof viewer},
    {"vitrine-runtime.js", runtime, sizeof runtime},
    {"vitrine.wasm", wasm, sizeof wasm},
    {"vitrine-meshopt.js", meshopt, sizeof meshopt},
};

size_t vitrine_web_file_count(void) { return sizeof files / sizeof files[0]; }

vitrine_web_file vitrine_web_file_at(size_t index) { return files[index]; }
