// update.h - Adding to, and subtracting from, what is there.
#ifndef BERTH_CPU_UPDATE_H_
#define BERTH_CPU_UPDATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// Stores in |to|, which may be |from|, |count| elements of |from| plus |value|,
// or minus it. |dtype| is a type of numbers that ops compute with. Goes wide
// when there are many.
void berth_update(berth_dtype_t dtype, bool subtracts, const void *from,
                  const void *value, void *to, int64_t count);

#endif  // BERTH_CPU_UPDATE_H_
