// prepare.c - What the prepare functions of GPU kernels have in common: names of
// kernels by type.
#include "cuda/code/launch.h"

#include <stdio.h>

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

int berth_cuda_kernel_of(const char *family, const char *what,
                         berth_dtype_t dtype) {
  const char *group = "int";
  if (dtype == BERTH_FLOAT) group = "f32";
  if (dtype == BERTH_DOUBLE) group = "f64";
  if (dtype == BERTH_HALF || dtype == BERTH_BFLOAT16) group = "half";
  if (dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128) group = "complex";
  char module[64];
  snprintf(module, sizeof(module), "%s_%s", family, group);
  return berth_cuda_kernel_for(module, what, dtype);
}
