// alloc.c - Host memory for Berth's own structures.
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fault.h"
#include "base/memory_size.h"

enum { HUGE_PAGE = 2 << 20 };

void *berth_alloc(size_t size) {
  if (berth_fault("alloc")) return NULL;
  return malloc(size > 0 ? size : 1);
}

void *berth_alloc_large(size_t size) {
  if (berth_fault("alloc") || size > SIZE_MAX - HUGE_PAGE ||
      size > berth_memory_most()) {
    return NULL;
  }
  size_t rounded = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void *memory = aligned_alloc(HUGE_PAGE, rounded > 0 ? rounded : HUGE_PAGE);
  // Only advice: where the kernel has no huge pages, small ones do. So they do
  // for the end of it, where that is the smaller part of one.
  size_t huge = (size + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE;
  if (memory != NULL) (void)madvise(memory, huge, MADV_HUGEPAGE);
  return memory;
}

void berth_alloc_forget(const void *data, size_t size) {
  enum { LEAST = 64 << 10 };  // Less is not worth a call.
  static const uintptr_t page = 4096;
  uintptr_t begin = ((uintptr_t)data + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)data + size) / page * page;
  if (size < LEAST || begin >= end) return;
  // Only advice too; pages are larger on some machines.
  (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void *berth_calloc(size_t count, size_t size) {
  if (berth_fault("alloc")) return NULL;
  return count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1);
}

void *berth_realloc(void *ptr, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  if (berth_fault("alloc")) return NULL;
  return realloc(ptr, bytes > 0 ? bytes : 1);
}

char *berth_strndup(const char *text, size_t size) {
  char *copy = berth_alloc(size + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *berth_strdup(const char *text) {
  return berth_strndup(text, strlen(text));
}

bool berth_alloc_probe(size_t size) {
  void *volatile memory = berth_alloc(size);  // Compilers leave out the rest.
  bool is_there = memory != NULL;
  berth_free(memory);
  return is_there;
}

void berth_free(void *ptr) { free(ptr); }

void *berth_grow(void *array, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return array;
  size_t wanted = *capacity > 0 ? *capacity * 2 : 8;
  void *moved = berth_realloc(array, wanted, size);
  if (moved != NULL) *capacity = wanted;
  return moved;
}
