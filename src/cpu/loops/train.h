// train.h - The loops by which optimisers update variables.
//
// Made from op/train_list.inc, once per instruction set for float and double,
// and once for the other types.
#ifndef BERTH_CPU_LOOPS_TRAIN_H_
#define BERTH_CPU_LOOPS_TRAIN_H_

#include "cpu/isa.h"
#include "op/train.h"

// Where the elements of one update are: of the variable and its slots as they
// were and as they will be, which may be the same places.
typedef struct berth_train_places {
  const void *from[BERTH_TRAIN_VARIABLES];
  void *to[BERTH_TRAIN_VARIABLES];
  const void *grad;
  const void *scalars[BERTH_TRAIN_SCALARS];  // None is NULL.
} berth_train_places_t;

// Updates |count| elements from number |at| on, by those of the gradient from
// number |grad_at| on.
typedef void (*berth_train_fn)(const berth_train_places_t *places, int64_t at,
                               int64_t grad_at, int64_t count);

typedef struct berth_train_hot {
  berth_train_fn f32[BERTH_TRAIN_COUNT], f64[BERTH_TRAIN_COUNT];
} berth_train_hot_t;

BERTH_ISA_TABLE(berth_train_hot_t, berth_cpu_train_hot);

extern const berth_train_fn berth_cpu_train_half[BERTH_TRAIN_COUNT];
extern const berth_train_fn berth_cpu_train_bfloat16[BERTH_TRAIN_COUNT];
extern const berth_train_fn berth_cpu_train_c64[BERTH_TRAIN_COUNT];
extern const berth_train_fn berth_cpu_train_c128[BERTH_TRAIN_COUNT];

#endif  // BERTH_CPU_LOOPS_TRAIN_H_
