// prepare.c - What the prepare functions of GPU kernels have in common: checks
// and shapes, which are the CPU kernels' own, and names of kernels.
#include "cuda/code/launch.h"

#include <stdio.h>

// Stores the CPU kernel of |node|.
static berth_code_t find_on_cpu(const berth_node_t *node,
                                const berth_kernel_t **out_kernel,
                                berth_error_t *err) {
  berth_str_t why = {0};
  berth_code_t code = BERTH_OK;
  *out_kernel = berth_kernel_find(berth_kernel_host(), node, &why);
  if (*out_kernel == NULL) {
    code = berth_error_set(err, BERTH_INTERNAL,
                           "%s on a GPU needs its CPU kernel: %s",
                           node->op->name, berth_str_get(&why));
  }
  berth_str_clear(&why);
  return code;
}

berth_code_t berth_cuda_prepare_as_cpu(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  const berth_kernel_t *kernel = NULL;
  BERTH_TRY(find_on_cpu(prepare->op.node, &kernel, err));
  return kernel->prepare(prepare, err);
}

berth_code_t berth_cuda_prepare_shapes(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  const berth_kernel_t *kernel = NULL;
  BERTH_TRY(find_on_cpu(prepare->op.node, &kernel, err));
  // The copy shares |outputs|, which is what is wanted of it. Its plan goes to
  // waste in the arena.
  berth_prepare_t copy = *prepare;
  copy.device = NULL;
  copy.op.alias = -1;
  BERTH_TRY(kernel->prepare(&copy, err));
  prepare->op.alias = copy.op.alias;
  return BERTH_OK;
}

static const char *short_name(berth_dtype_t dtype) {
  static const struct {
    berth_dtype_t dtype;
    const char *name;
  } names[] = {{BERTH_HALF, "f16"},       {BERTH_BFLOAT16, "bf16"},
               {BERTH_FLOAT, "f32"},      {BERTH_DOUBLE, "f64"},
               {BERTH_INT8, "i8"},        {BERTH_INT16, "i16"},
               {BERTH_INT32, "i32"},      {BERTH_INT64, "i64"},
               {BERTH_UINT8, "u8"},       {BERTH_UINT16, "u16"},
               {BERTH_UINT32, "u32"},     {BERTH_UINT64, "u64"},
               {BERTH_BOOL, "b8"},        {BERTH_COMPLEX64, "c64"},
               {BERTH_COMPLEX128, "c128"}};
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (names[i].dtype == dtype) return names[i].name;
  }
  return NULL;
}

int berth_cuda_kernel_for(const char *module, const char *what,
                          berth_dtype_t dtype) {
  char name[96];
  const char *suffix = short_name(dtype);
  if (suffix == NULL) return -1;
  snprintf(name, sizeof(name), "%s_%s", what, suffix);
  return berth_cuda_kernel(module, name);
}
