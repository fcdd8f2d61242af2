// kernels.c - Adds the kernels of datasets to the registry.
#include "data/kernels.h"

#define FAMILIES(X)                                                   \
  X(ahead)                                                            \
  X(batch)                                                            \
  X(cache)                                                            \
  X(choose)                                                           \
  X(file)                                                             \
  X(fill)                                                             \
  X(group) X(iterator) X(lanes) X(map) X(optional) X(options) X(pick) \
      X(rebatch) X(shuffle) X(source) X(stock) X(whole)

#define DECLARE(name) extern const berth_kernel_t berth_data_##name##_kernels[];
FAMILIES(DECLARE)

#define LIST(name) berth_data_##name##_kernels,

berth_code_t berth_data_add_kernels(const berth_backend_t *backend,
                                    berth_error_t *err) {
  static const berth_kernel_t *const families[] = {FAMILIES(LIST)};
  for (int i = 0; i < BERTH_COUNT_OF(families); ++i) {
    BERTH_TRY(berth_kernel_add(backend, families[i], err));
  }
  return BERTH_OK;
}
