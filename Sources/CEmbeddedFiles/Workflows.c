// Embeds the workflows while compiling. The compiler records them as dependencies: a changed file rebuilds this one.
#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char snakefile[] = {
#embed "../../Workflows/Snakefile"
};

static const unsigned char slurm[] = {
#embed "../../Workflows/slurm.py"
};

static const vitrine_embedded_file files[] = {
    {"Snakefile", snakefile, sizeof snakefile},
    {"slurm.py", slurm, sizeof slurm},
};

vitrine_embedded_files vitrine_workflow_files(void) { return (vitrine_embedded_files){files, sizeof files / sizeof files[0]}; }
