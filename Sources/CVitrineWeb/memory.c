// Memory and the few compiler helpers that Embedded Swift needs on a page: there is no C library.
//
// The allocator keeps free blocks in lists by size, eight classes for each power of two, and takes the first block of the first class whose
// blocks are all large enough: constant time, and little fragmentation (Masmano et al., "TLSF", 2004). Free neighbours are merged.
#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;

enum { header = 8, smallest = 16, used = 1, classes = 8, rows = 28, page = 65536 };

// A block begins at 8 modulo 16, so that its contents are aligned to 16 bytes. Sizes are multiples of 16 and include the header.
typedef struct Block {
    uint32_t size;          // The lowest bit: in use.
    uint32_t previous_size; // Of the block before it in memory; 0 for the first one.
    struct Block *next, *previous; // Only in free blocks.
} Block;

static Block *free_lists[rows][classes];
static uint32_t row_bits;
static uint8_t class_bits[rows];
static uintptr_t heap_end; // Where the last block, which is always in use and empty, begins.
static size_t used_bytes;

static uint32_t size_of(const Block *block) { return block->size & ~15u; }
static Block *after(Block *block) { return (Block *)((uintptr_t)block + size_of(block)); }

static void class_of(uint32_t size, uint32_t *row, uint32_t *class) {
    if (size < 128) {
        *row = 0;
        *class = size / 16;
    } else {
        uint32_t log = 31 - __builtin_clz(size);
        *row = log - 6;
        *class = (size >> (log - 3)) & 7;
    }
}

static void insert(Block *block) {
    uint32_t row, class;
    class_of(size_of(block), &row, &class);
    Block *first = free_lists[row][class];
    block->next = first;
    block->previous = 0;
    if (first) first->previous = block;
    free_lists[row][class] = block;
    row_bits |= 1u << row;
    class_bits[row] |= 1u << class;
}

static void take(Block *block) {
    uint32_t row, class;
    class_of(size_of(block), &row, &class);
    if (block->next) block->next->previous = block->previous;
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        free_lists[row][class] = block->next;
        if (!block->next) {
            class_bits[row] &= ~(1u << class);
            if (!class_bits[row]) row_bits &= ~(1u << row);
        }
    }
}

static void resize(Block *block, uint32_t size, uint32_t flag) {
    block->size = size | flag;
    after(block)->previous_size = size;
}

static Block *find(uint32_t size) {
    if (size >= 128) size += (1u << (28 - __builtin_clz(size))) - 1;
    uint32_t row, class;
    class_of(size, &row, &class);
    if (row >= rows) return 0;
    uint32_t bits = class_bits[row] & (0xFFu << class);
    if (!bits) {
        uint32_t higher = row + 1 < 32 ? row_bits & (~0u << (row + 1)) : 0;
        if (!higher) return 0;
        row = __builtin_ctz(higher);
        bits = class_bits[row];
    }
    return free_lists[row][__builtin_ctz(bits)];
}

void free(void *contents) {
    if (!contents) return;
    Block *block = (Block *)((uintptr_t)contents - header);
    uint32_t size = size_of(block);
    used_bytes -= size;
    Block *next = after(block);
    if (!(next->size & used)) {
        take(next);
        size += size_of(next);
    }
    if (block->previous_size) {
        Block *before = (Block *)((uintptr_t)block - block->previous_size);
        if (!(before->size & used)) {
            take(before);
            size += size_of(before);
            block = before;
        }
    }
    resize(block, size, 0);
    insert(block);
}

// Adds a block of at least this size at the end of the memory.
static int grow(uint32_t size) {
    if (!heap_end) {
        uintptr_t start = (((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15) + 8;
        uintptr_t end = __builtin_wasm_memory_size(0) * (uintptr_t)page;
        if (start + smallest > end) {
            if (__builtin_wasm_memory_grow(0, 1) == (size_t)-1) return 0;
            end += page;
        }
        heap_end = ((end - 24) & ~(uintptr_t)15) + 8;
        *(Block *)start = (Block){0};
        Block *block = (Block *)start;
        block->previous_size = 0;
        ((Block *)heap_end)->size = used;
        if (heap_end - start >= smallest) {
            resize(block, heap_end - start, 0);
            insert(block);
            if (size_of(block) >= size) return 1;
        }
    }
    size_t pages = ((size_t)size + page) / page;
    // In steps of an eighth of the memory, so that growing stays rare.
    size_t step = __builtin_wasm_memory_size(0) / 8;
    if (step > 512) step = 512;
    if (pages < step && __builtin_wasm_memory_grow(0, step) != (size_t)-1) {
        pages = step;
    } else if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) {
        return 0;
    }
    Block *block = (Block *)heap_end;
    uint32_t added = pages * page;
    heap_end += added;
    ((Block *)heap_end)->size = used;
    block->size = added | used;
    after(block)->previous_size = added;
    used_bytes += added;
    free((void *)((uintptr_t)block + header));
    return 1;
}

static void *allocate(size_t count, size_t alignment) {
    if (count > 0x7FFF0000u || alignment > 4096) return 0;
    uint32_t size = (uint32_t)((count + header + 15) & ~(size_t)15);
    uint32_t wanted = alignment > 16 ? size + (uint32_t)alignment + smallest : size;
    Block *block = find(wanted);
    if (!block) {
        if (!grow(wanted + wanted / 8 + 256)) return 0;
        block = find(wanted);
        if (!block) return 0;
    }
    take(block);
    uint32_t whole = size_of(block);
    if (alignment > 16) {
        uintptr_t contents = (uintptr_t)block + header;
        uintptr_t aligned = (contents + alignment - 1) & ~(uintptr_t)(alignment - 1);
        uint32_t gap = (uint32_t)(aligned - contents);
        if (gap) {
            Block *rest = (Block *)((uintptr_t)block + gap);
            resize(block, gap, 0);
            insert(block);
            block = rest;
            block->previous_size = gap;
            whole -= gap;
        }
    }
    if (whole - size >= smallest) {
        resize(block, size, used);
        Block *rest = after(block);
        rest->size = 0;
        resize(rest, whole - size, 0);
        insert(rest);
        whole = size;
    }
    resize(block, whole, used);
    used_bytes += whole;
    return (void *)((uintptr_t)block + header);
}

void *malloc(size_t count) { return allocate(count, 16); }

int posix_memalign(void **result, size_t alignment, size_t count) {
    *result = allocate(count, alignment);
    return *result ? 0 : 12;
}

__attribute__((export_name("vitrine_allocate"))) void *vitrine_allocate(size_t count) { return allocate(count, 16); }
__attribute__((export_name("vitrine_free"))) void vitrine_free(void *contents) { free(contents); }
__attribute__((export_name("vitrine_used_bytes"))) size_t vitrine_used_bytes(void) { return used_bytes; }

int memcmp(const void *a, const void *b, size_t count) {
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < count; i++) {
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) { return __builtin_memcpy(to, from, count); }
void *memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }
void *memset(void *to, int value, size_t count) { return __builtin_memset(to, value, count); }

// Seeds of hash tables. Constant: the same input gives the same frames.
void arc4random_buf(void *to, size_t count) {
    unsigned char *bytes = to;
    uint32_t state = 0x9E3779B9u;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = state >> 24;
    }
}

// 128-bit integers.
typedef union {
    __int128 whole;
    struct {
        uint64_t low, high;
    };
} Wide;

__int128 __multi3(__int128 a, __int128 b) {
    Wide x = {a}, y = {b}, result;
    uint64_t x0 = (uint32_t)x.low, x1 = x.low >> 32, y0 = (uint32_t)y.low, y1 = y.low >> 32;
    uint64_t low = x0 * y0, middle = x1 * y0 + (low >> 32), other = x0 * y1 + (uint32_t)middle;
    result.low = other << 32 | (uint32_t)low;
    result.high = x1 * y1 + (middle >> 32) + (other >> 32) + x.low * y.high + x.high * y.low;
    return result.whole;
}

__int128 __ashlti3(__int128 a, int count) {
    Wide x = {a}, result;
    if (count & 64) {
        result.low = 0;
        result.high = x.low << (count & 63);
    } else if (count) {
        result.low = x.low << count;
        result.high = x.high << count | x.low >> (64 - count);
    } else {
        return a;
    }
    return result.whole;
}

__int128 __lshrti3(__int128 a, int count) {
    Wide x = {a}, result;
    if (count & 64) {
        result.low = x.high >> (count & 63);
        result.high = 0;
    } else if (count) {
        result.low = x.low >> count | x.high << (64 - count);
        result.high = x.high >> count;
    } else {
        return a;
    }
    return result.whole;
}

// Half away from zero, as C demands; the machine has only the other modes.
double round(double x) {
    double whole = __builtin_trunc(x);
    return __builtin_fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1.0, x) : whole;
}

float roundf(float x) {
    float whole = __builtin_truncf(x);
    return __builtin_fabsf(x - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, x) : whole;
}
