// arena.c - Many small allocations that are freed together.
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

struct berth_arena_chunk {
  berth_arena_chunk_t *older;
  size_t size;  // Of the whole chunk, header included.
};

struct berth_arena_owned {
  berth_arena_owned_t *older;
  void *thing;
  void (*drop)(void *thing);
};

enum { MIN_CHUNK = 1 << 10, MAX_CHUNK = 16 << 20, CACHE_LINE = 64 };
enum { LARGE_CHUNK = 4 << 20 };  // From here on in huge pages.

static char *align_up(char *ptr, size_t alignment) {
  // |alignment| is a power of two.
  return ptr + (-(uintptr_t)ptr & (alignment - 1));
}

// Puts a chunk with room for |size| aligned bytes in front.
static int chunk_add(berth_arena_t *arena, size_t size) {
  size_t wanted = arena->chunks != NULL ? arena->chunks->size * 2 : MIN_CHUNK;
  if (wanted > MAX_CHUNK) wanted = MAX_CHUNK;
  size_t least = sizeof(berth_arena_chunk_t) + CACHE_LINE;
  if (size > SIZE_MAX - least) return 0;
  if (wanted < size + least) wanted = size + least;
  berth_arena_chunk_t *chunk =
      wanted >= LARGE_CHUNK ? berth_alloc_large(wanted) : berth_alloc(wanted);
  if (chunk == NULL) return 0;
  chunk->older = arena->chunks;
  chunk->size = wanted;
  arena->chunks = chunk;
  arena->next = (char *)(chunk + 1);
  arena->end = (char *)chunk + wanted;
  arena->total_bytes += wanted;
  return 1;
}

void *berth_arena_alloc(berth_arena_t *arena, size_t size) {
  size_t alignment = size > 0 && size % CACHE_LINE == 0 ? CACHE_LINE : 8;
  char *ptr = arena->next != NULL ? align_up(arena->next, alignment) : NULL;
  if (ptr == NULL || ptr > arena->end || (size_t)(arena->end - ptr) < size) {
    if (!chunk_add(arena, size)) return NULL;
    ptr = align_up(arena->next, alignment);
  }
  arena->next = ptr + size;
  return ptr;
}

void *berth_arena_calloc(berth_arena_t *arena, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  void *ptr = berth_arena_alloc(arena, bytes);
  if (ptr != NULL) memset(ptr, 0, bytes);
  return ptr;
}

void *berth_arena_memdup(berth_arena_t *arena, const void *data, size_t size) {
  void *copy = berth_arena_alloc(arena, size);
  if (copy != NULL && size > 0) memcpy(copy, data, size);
  return copy;
}

char *berth_arena_strndup(berth_arena_t *arena, const char *text, size_t size) {
  if (size == SIZE_MAX) return NULL;
  char *copy = berth_arena_alloc(arena, size + 1);
  if (copy == NULL) return NULL;
  if (size > 0) memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

berth_arena_mark_t berth_arena_mark(const berth_arena_t *arena) {
  return (berth_arena_mark_t){arena->chunks, arena->next, arena->owned};
}

bool berth_arena_own(berth_arena_t *arena, void *thing, void (*drop)(void *)) {
  berth_arena_owned_t *owned = berth_arena_alloc(arena, sizeof(*owned));
  if (owned == NULL) return false;
  *owned = (berth_arena_owned_t){arena->owned, thing, drop};
  arena->owned = owned;
  return true;
}

void berth_arena_rewind(berth_arena_t *arena, berth_arena_mark_t mark) {
  for (; arena->owned != mark.owned; arena->owned = arena->owned->older) {
    arena->owned->drop(arena->owned->thing);
  }
  while (arena->chunks != mark.chunk) {
    berth_arena_chunk_t *chunk = arena->chunks;
    arena->chunks = chunk->older;
    arena->total_bytes -= chunk->size;
    berth_free(chunk);
  }
  arena->next = mark.next;
  arena->end =
      mark.chunk != NULL ? (char *)mark.chunk + mark.chunk->size : NULL;
}

void berth_arena_clear(berth_arena_t *arena) {
  berth_arena_rewind(arena, (berth_arena_mark_t){NULL, NULL, NULL});
}
