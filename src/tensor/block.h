// block.h - The heap blocks that small tensors are made of.
//
// A thread-local free list in front of berth_alloc(): a handful of size
// classes, each holding a bounded number of blocks, given back when the thread
// ends. A block may be freed by another thread than the one that made it; it
// then joins that thread's list. While a fault point is armed, and in builds
// for the address and thread sanitizers, every block is a heap allocation of
// its own, so that tools see them all.
//
// Threads: thread-safe.
#ifndef BERTH_TENSOR_BLOCK_H_
#define BERTH_TENSOR_BLOCK_H_

#include <stddef.h>

// Returns |size| bytes aligned to 16, not initialised, or NULL. No lock,
// mostly.
void *berth_block_alloc(size_t size);

// Gives back what berth_block_alloc(|size|) returned: the same |size|, which
// tells the list it goes to. NULL is not fine.
void berth_block_free(void *block, size_t size);

#endif  // BERTH_TENSOR_BLOCK_H_
