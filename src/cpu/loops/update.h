// update.h - Adding to, and subtracting from, what is there.
#ifndef BERTH_CPU_LOOPS_UPDATE_H_
#define BERTH_CPU_LOOPS_UPDATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/types.h"

// An update that is prepared: which loops do it.
typedef struct berth_update {
  const struct berth_loops *loops;  // NULL: computes in float.
  berth_dtype_t dtype;
  bool subtracts;
  size_t size;  // Of an element.
} berth_update_t;

// Prepares to add, or to subtract, elements of |dtype|: a type of numbers that
// ops compute with.
berth_update_t berth_update_of(berth_dtype_t dtype, bool subtracts);

// Stores in |to|, which may be |from|, |count| elements of |from| plus |value|,
// or minus it. Goes wide when there are many.
void berth_update_do(const berth_update_t *update, const void *from,
                     const void *value, void *to, int64_t count);

#endif  // BERTH_CPU_LOOPS_UPDATE_H_
