// alloc.h - Host memory for Berth's own structures.
//
// The only callers of malloc and friends. Every allocation is a fault point
// ("alloc"), so that tests can fail each of them in turn. Memory of tensors
// comes from src/memory instead.
//
// Thread-safe.
#ifndef BERTH_BASE_ALLOC_H_
#define BERTH_BASE_ALLOC_H_

#include <stdbool.h>
#include <stddef.h>

// Returns |size| bytes, or NULL when there are none.
void *berth_alloc(size_t size);

// The same for a lot of memory that is read and written as a whole: it begins
// at a huge page, and the kernel is asked to use those.
void *berth_alloc_large(size_t size);

// Lets go of |size| bytes of such memory, at |data|, before all of it is freed: what
// is there may be lost, or not.
void berth_alloc_forget(const void *data, size_t size);

// Returns |count| zeroed elements of |size| bytes; NULL when there is no
// memory or the product overflows.
void *berth_calloc(size_t count, size_t size);

// Resizes |ptr| (NULL: a new one) to |count| elements of |size| bytes. NULL
// leaves |ptr| as it was.
void *berth_realloc(void *ptr, size_t count, size_t size);

// Copies |size| bytes of |text| and a final NUL; NULL when there is no memory.
char *berth_strndup(const char *text, size_t size);
char *berth_strdup(const char *text);

// True when |size| bytes could be had just now, and so smaller pieces too. For
// calls of libraries that cannot bear to have no memory.
bool berth_alloc_probe(size_t size);

// Gives back what the functions above returned. NULL is fine.
void berth_free(void *ptr);

// Makes room for one element more in a growing array and returns the possibly
// moved array, or NULL (the old one then still stands). |*capacity| is in
// elements and at least doubles.
void *berth_grow(void *array, size_t count, size_t *capacity, size_t size);

#endif  // BERTH_BASE_ALLOC_H_
