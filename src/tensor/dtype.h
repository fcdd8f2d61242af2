// dtype.h - What the core asks about data types.
//
// The public half is berth/types.h. Pure functions.
#ifndef BERTH_TENSOR_DTYPE_H_
#define BERTH_TENSOR_DTYPE_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// A set of data types: bit n is type n.
typedef uint64_t berth_dtype_set_t;
#define BERTH_DTYPE_BIT(dtype) ((berth_dtype_set_t)1 << (dtype))

// Tell a reference type, take the reference off, and make one of a base type. A
// reference has no bit in a set: take its base first.
static inline bool berth_dtype_is_ref(berth_dtype_t dtype) {
  return (int)dtype > BERTH_REF;
}
static inline berth_dtype_t berth_dtype_base(berth_dtype_t dtype) {
  return (int)dtype > BERTH_REF ? (berth_dtype_t)((int)dtype - BERTH_REF)
                                : dtype;
}
static inline berth_dtype_t berth_dtype_ref(berth_dtype_t dtype) {
  return (berth_dtype_t)((int)dtype + BERTH_REF);
}

// True for numbers, whose bytes may be copied; false for strings, resource
// handles and variants, whose elements own something.
static inline bool berth_dtype_is_plain(berth_dtype_t dtype) {
  const berth_dtype_set_t owning = BERTH_DTYPE_BIT(BERTH_STRING) |
                                   BERTH_DTYPE_BIT(BERTH_RESOURCE) |
                                   BERTH_DTYPE_BIT(BERTH_VARIANT);
  const berth_dtype_set_t all = BERTH_DTYPE_BIT(BERTH_DTYPE_COUNT) - 2;
  unsigned base = (unsigned)berth_dtype_base(dtype);
  return base < BERTH_DTYPE_COUNT && ((all & ~owning) >> base & 1) != 0;
}

// True for a type number TensorFlow has, references included: what comes from
// outside is asked this first. BERTH_INVALID is none.
bool berth_dtype_is_valid(int dtype);

// Returns the name in GraphDefs and repr: "DT_FLOAT", "DT_FLOAT_REF";
// "DT_INVALID" for a number that is no type.
const char *berth_dtype_enum_name(berth_dtype_t dtype);

#endif  // BERTH_TENSOR_DTYPE_H_
