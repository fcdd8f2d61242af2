// snappy.h - Reading what Snappy made smaller.
//
// Pure functions; thread-safe.
#ifndef BERTH_IO_SNAPPY_H_
#define BERTH_IO_SNAPPY_H_

#include <stdbool.h>
#include <stddef.h>

// Stores how many bytes |size| bytes of Snappy's become; false for what cannot
// be theirs: no text becomes more than 22 times as long.
bool berth_snappy_size(const void *bytes, size_t size, size_t *out_size);

// Writes those |out_size| bytes to |out|; false when the bytes are damaged.
bool berth_snappy_decode(const void *bytes, size_t size, void *out,
                         size_t out_size);

#endif  // BERTH_IO_SNAPPY_H_
