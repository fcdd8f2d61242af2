// op_hash.h - The hash of op names, shared by the generator and the lookup.
#ifndef BERTH_GRAPH_OP_HASH_H_
#define BERTH_GRAPH_OP_HASH_H_

#include <stdint.h>

// Slots of the table of ops: a power of two, more than twice the ops.
enum { BERTH_OP_SLOTS = 4096 };

// Returns the FNV-1a hash of |name|: a few nanoseconds for the length of an
// op's name, and needs no size.
static inline uint32_t berth_op_hash(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ (uint8_t)*name) * 16777619u;
  }
  return hash ^ (hash >> 15);
}

#endif  // BERTH_GRAPH_OP_HASH_H_
