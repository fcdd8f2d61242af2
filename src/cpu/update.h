// update.h - Adding to, and subtracting from, what is there.
#ifndef BERTH_CPU_UPDATE_H_
#define BERTH_CPU_UPDATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// Adds |count| elements of |value| to |target|, or subtracts them. |dtype| is a
// type of numbers that ops compute with. Goes wide when there are many.
void berth_update(berth_dtype_t dtype, bool subtracts, void *target,
                  const void *value, int64_t count);

#endif  // BERTH_CPU_UPDATE_H_
