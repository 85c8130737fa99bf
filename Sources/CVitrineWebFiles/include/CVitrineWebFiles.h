// The files of the web viewer, embedded in the `vitrine` command, compressed with gzip.
#pragma once

#include <stddef.h>

typedef struct {
    const char *name;
    /// The file in the format of gzip.
    const unsigned char *bytes;
    size_t count;
} vitrine_web_file;

/// The number of files.
size_t vitrine_web_file_count(void);

/// The file at an index below the count.
vitrine_web_file vitrine_web_file_at(size_t index);
