// types.h - Data types and shapes.
//
// Data types have the numbers of TensorFlow's DataType. A reference type
// ("float_ref") is its base type plus BERTH_REF.
//
// Pure functions: thread-safe, nothing allocates.
#ifndef BERTH_TYPES_H_
#define BERTH_TYPES_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_dtype {
  BERTH_INVALID = 0,
  BERTH_FLOAT = 1,
  BERTH_DOUBLE = 2,
  BERTH_INT32 = 3,
  BERTH_UINT8 = 4,
  BERTH_INT16 = 5,
  BERTH_INT8 = 6,
  BERTH_STRING = 7,
  BERTH_COMPLEX64 = 8,
  BERTH_INT64 = 9,
  BERTH_BOOL = 10,
  BERTH_QINT8 = 11,
  BERTH_QUINT8 = 12,
  BERTH_QINT32 = 13,
  BERTH_BFLOAT16 = 14,
  BERTH_QINT16 = 15,
  BERTH_QUINT16 = 16,
  BERTH_UINT16 = 17,
  BERTH_COMPLEX128 = 18,
  BERTH_HALF = 19,
  BERTH_RESOURCE = 20,
  BERTH_VARIANT = 21,
  BERTH_UINT32 = 22,
  BERTH_UINT64 = 23,
  BERTH_FLOAT8_E5M2 = 24,
  BERTH_FLOAT8_E4M3FN = 25,
  BERTH_FLOAT8_E4M3FNUZ = 26,
  BERTH_FLOAT8_E4M3B11FNUZ = 27,
  BERTH_FLOAT8_E5M2FNUZ = 28,
  BERTH_INT4 = 29,
  BERTH_UINT4 = 30,
  BERTH_INT2 = 31,
  BERTH_UINT2 = 32,
  BERTH_FLOAT4_E2M1FN = 33,
  BERTH_DTYPE_COUNT = 34,
  BERTH_REF = 100
} berth_dtype_t;

// Returns the name TensorFlow's messages use: "float", "int32", "float_ref",
// "float8_e5m2"; "INVALID" for a number that is no type.
BERTH_API const char *berth_dtype_name(berth_dtype_t dtype);

// Returns the type called |name| ("float", "int64_ref", also "DT_FLOAT",
// "float32" and "float64"), or BERTH_INVALID.
BERTH_API berth_dtype_t berth_dtype_find(const char *name);

// Returns the bytes of one element: 4 for float, 24 for string (one string
// header), 0 for a number that is no type. Types of less than a byte take one.
BERTH_API size_t berth_dtype_size(berth_dtype_t dtype);

// Most dimensions a tensor may have, as in TensorFlow.
#define BERTH_MAX_RANK 254

// A shape. |rank| -1 means that not even the rank is known, a dimension of -1
// that this one is not. A tensor's own shape has neither.
//
// A shape is two kilobytes: pass it by pointer, and write
// BERTH_SHAPE(2, 3) for a literal one.
typedef struct berth_shape {
  int32_t rank;
  int64_t dims[BERTH_MAX_RANK];
} berth_shape_t;

// A shape by reference, as functions take it. Borrowed dimensions.
typedef struct berth_dims {
  int32_t rank;
  const int64_t *dims;
} berth_dims_t;

#ifndef __cplusplus
// A literal shape: BERTH_SHAPE(2, 3) is two by three. BERTH_SCALAR has rank 0.
#define BERTH_SHAPE(...)                                             \
  ((berth_dims_t){                                                   \
      (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
      (const int64_t[]){__VA_ARGS__}})
#define BERTH_SCALAR ((berth_dims_t){0, NULL})
#define BERTH_UNKNOWN_RANK ((berth_dims_t){-1, NULL})
#endif

// Called by a running thread at least every 50 ms, also while it waits; not
// zero cancels the run.
typedef int (*berth_poll_fn)(void *arg);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_TYPES_H_
