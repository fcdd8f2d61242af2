// unite.h - Values of several devices put together, element by element.
#ifndef BERTH_KERNEL_UNITE_H_
#define BERTH_KERNEL_UNITE_H_

#include "base/error.h"
#include "tensor/dtype.h"

typedef enum berth_unite {
  BERTH_UNITE_SUM = 0,
  BERTH_UNITE_PRODUCT,
  BERTH_UNITE_MAX,
  BERTH_UNITE_MIN
} berth_unite_t;

// Finds what |name| ("sum", "Add", "prod", "Mul", "max", "Min" …) stands for;
// false when nothing does.
bool berth_unite_find(const char *name, berth_unite_t *out_how);

// Puts |count| numbers at |from| to those at |into|, both in host memory; whole
// numbers wrap around. The types are half, bfloat16, float, double, int32 and
// int64.
void berth_unite(berth_unite_t how, berth_dtype_t dtype, void *into,
                 const void *from, int64_t count);

#endif  // BERTH_KERNEL_UNITE_H_
