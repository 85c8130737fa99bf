// The examples and the templates of programs, embedded in the `vitrine` command.
#pragma once

#include <stddef.h>

typedef struct {
    /// Such as "Card/main.swift".
    const char *name;
    const unsigned char *bytes;
    size_t count;
} vitrine_program_file;

/// The number of files.
size_t vitrine_program_file_count(void);

/// The file at an index below the count.
vitrine_program_file vitrine_program_file_at(size_t index);
