// types.h - Data types and shapes.
//
// Data types have the numbers of TensorFlow's DataType. A reference type
// ("float_ref") is its base type plus BERTH_REF: outputs of old variables have
// one, tensors never do.
//
//   berth_dims_t matrix = BERTH_SHAPE(2, 3);
//   size_t bytes = 6 * berth_dtype_size(BERTH_FLOAT);
//
// Threads: pure functions and plain data; nothing allocates, nothing fails.
#ifndef BERTH_TYPES_H_
#define BERTH_TYPES_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// The type of the elements of a tensor. All have a name, a size and tensors;
// which of them an op computes with is the op's affair (ops.h).
//
// STRING elements own texts, RESOURCE and VARIANT elements refer to things of
// the runtime: such tensors are not made of plain bytes. INT4, UINT4, INT2 and
// UINT2 take a whole byte each, whose low bits count.
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
// "float8_e5m2"; "INVALID" for a number that is no type. Never NULL; constant.
BERTH_API const char *berth_dtype_name(berth_dtype_t dtype);

// Returns the type called |name| ("float", "int64_ref", also "DT_FLOAT",
// "float16", "float32" and "float64"), or BERTH_INVALID, also for NULL. Letters
// count as they are written: "FLOAT" is no type.
BERTH_API berth_dtype_t berth_dtype_find(const char *name);

// Returns the bytes of one element: 4 for float, 24 for string (one string
// header), 0 for a number that is no type. Types of less than a byte take one,
// a reference type as many as its base type.
BERTH_API size_t berth_dtype_size(berth_dtype_t dtype);

// Most dimensions a tensor may have, as in TensorFlow. A shape with more is
// BERTH_INVALID_ARGUMENT wherever one is taken.
#define BERTH_MAX_RANK 254

// A shape. |rank| -1 means that not even the rank is known, a dimension of -1
// that this one is not. A tensor's own shape has neither.
//
// A shape is two kilobytes: pass it by pointer, and write
// BERTH_SHAPE(2, 3) for a literal one.
typedef struct berth_shape {
  int32_t rank;                  // 0: a scalar, one element. -1: unknown.
  int64_t dims[BERTH_MAX_RANK];  // The first |rank|, outermost first.
} berth_shape_t;

// A shape by reference, as functions take it: borrowed for the call, copied if
// it is kept. Where a function returns one, |dims| belongs to what was asked.
typedef struct berth_dims {
  int32_t rank;         // As above.
  const int64_t *dims;  // |rank| of them; may be NULL when there are none.
} berth_dims_t;

#ifndef __cplusplus
// Literal shapes: BERTH_SHAPE(2, 3) is two by three, BERTH_SCALAR has rank 0.
// The dimensions live as long as the block around them: the shape may be handed
// to a function, not returned from one.
#define BERTH_SHAPE(...)                                             \
  ((berth_dims_t){                                                   \
      (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
      (const int64_t[]){__VA_ARGS__}})
#define BERTH_SCALAR ((berth_dims_t){0, NULL})
#define BERTH_UNKNOWN_RANK ((berth_dims_t){-1, NULL})
#endif

// Asks the program whether a run or call is to go on: 0 lets it, anything else
// ends it with BERTH_CANCELLED. Called by the thread that runs, with the |arg|
// that came with the function, at least every 50 ms, also while it waits.
//
// It may be called with the lock of its session or context held: it must not
// call back into that, but for berth_session_cancel(), nor wait for a thread
// that does.
typedef int (*berth_poll_fn)(void *arg);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_TYPES_H_
