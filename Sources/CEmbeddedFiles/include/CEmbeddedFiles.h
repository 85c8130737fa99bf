// Files embedded in the `vitrine` command.
#pragma once

#include <stddef.h>

typedef struct {
    /// Such as "Card/main.swift".
    const char *name;
    const unsigned char *bytes;
    size_t count;
} vitrine_embedded_file;

/// Files in constant memory.
typedef struct {
    const vitrine_embedded_file *first;
    size_t count;
} vitrine_embedded_files;

/// The examples and the templates of programs.
vitrine_embedded_files vitrine_program_files(void);

/// The workflows that run the tasks of a job.
vitrine_embedded_files vitrine_workflow_files(void);

/// The files of the web viewer, compressed with gzip. Their names are those of the uncompressed files.
vitrine_embedded_files vitrine_web_files(void);
