// cast.c - The GPU kernel Cast.
//
// The kernels themselves are in cast.cuh.
#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

// Types by the names they have in kernels, and the module that converts them.
static const struct {
  berth_dtype_t dtype;
  const char *name, *module;
} types[] = {
    {BERTH_FLOAT, "f32", "cast_f32"},
    {BERTH_DOUBLE, "f64", "cast_f64"},
    {BERTH_HALF, "f16", "cast_f16"},
    {BERTH_BFLOAT16, "bf16", "cast_f16"},
    {BERTH_FLOAT8_E5M2, "e5m2", "cast_f16"},
    {BERTH_FLOAT8_E4M3FN, "e4m3", "cast_f16"},
    {BERTH_COMPLEX64, "c64", "cast_complex"},
    {BERTH_COMPLEX128, "c128", "cast_complex"},
    {BERTH_INT8, "i8", "cast_int"},
    {BERTH_INT16, "i16", "cast_int"},
    {BERTH_INT32, "i32", "cast_int"},
    {BERTH_INT64, "i64", "cast_int"},
    {BERTH_UINT8, "u8", "cast_int"},
    {BERTH_UINT16, "u16", "cast_int"},
    {BERTH_UINT32, "u32", "cast_int"},
    {BERTH_UINT64, "u64", "cast_int"},
    {BERTH_BOOL, "b8", "cast_int"},
    {BERTH_INT4, "i4", "cast_int"},
    {BERTH_UINT4, "u4", "cast_int"},
};

#define FLOATING BERTH_TYPES_FLOATING
#define WHOLE (BERTH_TYPES_ARITHMETIC & ~(FLOATING | BERTH_TYPES_COMPLEX))
#define SMALL_FLOATS (FLOATING & ~BERTH_TYPE(DOUBLE))

static int type_index(berth_dtype_t dtype) {
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    if (types[i].dtype == dtype) return i;
  }
  return -1;
}

// Returns the type whose kernel does for |to|, coming from |from|: of integers
// the sign does not matter where the bits are the same.
static berth_dtype_t stand_in(berth_dtype_t from, berth_dtype_t to) {
  bool is_whole =
      berth_type_in(from, WHOLE | BERTH_TYPES_INT4 | BERTH_TYPE(BOOL));
  switch (to) {
    case BERTH_UINT8:
      return BERTH_INT8;
    case BERTH_UINT16:
      return BERTH_INT16;
    case BERTH_UINT32:
      return is_whole ? BERTH_INT32 : to;
    case BERTH_UINT64:
      return is_whole ? BERTH_INT64 : to;
    default:
      return to;
  }
}

static berth_code_t prepare_cast(berth_prepare_t *prepare, berth_error_t *err) {
  berth_cast_t cast;
  BERTH_TRY(berth_op_cast(&prepare->op, &cast, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  int from = type_index(cast.from);
  int to = type_index(stand_in(cast.from, cast.to));
  if (from < 0 || to < 0) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED, "Cast %s to %s is not supported",
        berth_dtype_name(cast.from), berth_dtype_name(cast.to));
  }
  char name[64];
  snprintf(name, sizeof(name), "berth_unary_cast_%s_%s", types[to].name,
           types[from].name);
  berth_unary_t unary = {.input = cast.from,
                         .output = cast.to,
                         .count = cast.count,
                         .parameter = cast.digits};
  BERTH_TRY(berth_unary_prepare(
      prepare, berth_cuda_kernel(types[from].module, name), &unary, err));
  berth_chain_term_cast(prepare, &unary);
  return BERTH_OK;
}

#define CAST(sources, targets)                                     \
  {                                                                \
    .op = "Cast", .types = {{"SrcT", sources}, {"DstT", targets}}, \
    .prepare = prepare_cast                                        \
  }

const berth_kernel_t berth_cuda_cast_kernels[] = {
    CAST(SMALL_FLOATS, BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8),
    CAST(BERTH_TYPES_COMPLEX | BERTH_TYPE(DOUBLE) | BERTH_TYPE(BOOL),
         BERTH_TYPES_BASIC),
    CAST(BERTH_TYPES_FLOAT8, SMALL_FLOATS | BERTH_TYPES_FLOAT8),
    CAST(WHOLE, BERTH_TYPES_BASIC | BERTH_TYPES_INT4),
    CAST(BERTH_TYPES_INT4, WHOLE | BERTH_TYPES_INT4),
    {.op = NULL},
};
