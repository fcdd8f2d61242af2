// deref.h - Reading the value behind a reference.
//
// A reference edge carries a variable. Where a consumer wants its value, the
// program has a step that reads it just before: the value is a counted tensor,
// so that an update meanwhile does not disturb whoever still uses it.
#ifndef BERTH_EXEC_DEREF_H_
#define BERTH_EXEC_DEREF_H_

#include "kernel/kernel.h"

extern const berth_kernel_t berth_deref_kernel;

// Makes a node for such a step in |arena|, named after who wants the value;
// NULL when memory is short.
berth_node_t *berth_deref_node(berth_arena_t *arena, const char *name,
                               berth_dtype_t dtype);

#endif  // BERTH_EXEC_DEREF_H_
