// arena.h - Many small allocations that are freed together.
//
//   arena -> chunk -> chunk -> …      each chunk: [header | used ... | free]
//
// Allocation is a pointer bump; nothing is freed alone. Chunks double from
// 1 KiB to 1 MiB; a request larger than a chunk gets one of its own. What is
// not memory (a library's object) may be owned by an arena and goes with it.
//
// Threads: caller serialises.
#ifndef BERTH_BASE_ARENA_H_
#define BERTH_BASE_ARENA_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct berth_arena_chunk berth_arena_chunk_t;
typedef struct berth_arena_owned berth_arena_owned_t;

// Zeroed is empty and valid.
typedef struct berth_arena {
  berth_arena_chunk_t *chunks;  // Newest first.
  char *next;                   // First free byte of the newest chunk.
  char *end;
  size_t total_bytes;          // Of all chunks.
  berth_arena_owned_t *owned;  // Newest first.
} berth_arena_t;

// Returns |size| bytes aligned to 8 (to 64 from 64 bytes on when |size| is a
// multiple of 64), or NULL.
void *berth_arena_alloc(berth_arena_t *arena, size_t size);

// Returns |count| * |size| zeroed bytes, or NULL; checks for overflow.
void *berth_arena_calloc(berth_arena_t *arena, size_t count, size_t size);

// Copies |size| bytes and appends a NUL, or NULL.
char *berth_arena_strndup(berth_arena_t *arena, const char *text, size_t size);

// Copies |size| bytes, or NULL.
void *berth_arena_memdup(berth_arena_t *arena, const void *data, size_t size);

// Makes |thing| go with the arena: |drop| is called with it once, when the
// arena is cleared, or rewound to a mark before this call; the newest thing
// first. False, and nothing is owned, when memory is short.
bool berth_arena_own(berth_arena_t *arena, void *thing, void (*drop)(void *));

// Frees everything; the arena is empty and usable again.
void berth_arena_clear(berth_arena_t *arena);

// Remembers a point, and frees everything allocated since.
typedef struct berth_arena_mark {
  berth_arena_chunk_t *chunk;
  char *next;
  berth_arena_owned_t *owned;
} berth_arena_mark_t;
berth_arena_mark_t berth_arena_mark(const berth_arena_t *arena);
void berth_arena_rewind(berth_arena_t *arena, berth_arena_mark_t mark);

#endif  // BERTH_BASE_ARENA_H_
