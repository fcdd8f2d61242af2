// prepare.c - Checks and shapes of GPU kernels, which are the CPU kernels' own.
#include "cuda/launch.h"

berth_code_t berth_cuda_prepare_shapes(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_str_t why = {0};
  const berth_kernel_t *kernel = berth_kernel_find("CPU", prepare->node, &why);
  if (kernel == NULL) {
    berth_code_t code = berth_error_set(
        err, BERTH_INTERNAL, "%s on a GPU needs its CPU kernel's checks: %s",
        prepare->node->op->name, berth_str_get(&why));
    berth_str_clear(&why);
    return code;
  }
  berth_str_clear(&why);
  // The copy shares |outputs|, which is what is wanted of it. Its plan goes to
  // waste in the arena.
  berth_prepare_t copy = *prepare;
  copy.device = NULL;
  copy.alias = -1;
  BERTH_TRY(kernel->prepare(&copy, err));
  prepare->alias = copy.alias;
  return BERTH_OK;
}

berth_code_t berth_cuda_run_nothing(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan;
  (void)args;
  (void)call;
  return BERTH_OK;
}
