// types.h - Sets of types, for the tables of kernels.
#ifndef BERTH_OP_TYPES_H_
#define BERTH_OP_TYPES_H_

#include "tensor/dtype.h"

// One type as a set.
#define BERTH_TYPE(name) BERTH_DTYPE_BIT(BERTH_##name)

// True when |dtype| is in |set|.
static inline bool berth_type_in(berth_dtype_t dtype, berth_dtype_set_t set) {
  return (BERTH_DTYPE_BIT(dtype) & set) != 0;
}

// Groups of types.
#define BERTH_TYPES_ALL (~(berth_dtype_set_t)0)
#define BERTH_TYPES_INDEX (BERTH_TYPE(INT32) | BERTH_TYPE(INT64))
#define BERTH_TYPES_FLOATING                                     \
  (BERTH_TYPE(BFLOAT16) | BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT) | \
   BERTH_TYPE(DOUBLE))
#define BERTH_TYPES_COMPLEX (BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128))
#define BERTH_TYPES_ARITHMETIC                                      \
  (BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX | BERTH_TYPES_COMPLEX | \
   BERTH_TYPE(INT8) | BERTH_TYPE(INT16) | BERTH_TYPE(UINT8) |       \
   BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))
#define BERTH_TYPES_INEXACT (BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX)
#define BERTH_TYPES_REAL (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPES_COMPLEX)
#define BERTH_TYPES_SIGNED \
  (BERTH_TYPES_INDEX | BERTH_TYPE(INT8) | BERTH_TYPE(INT16))
#define BERTH_TYPES_UNSIGNED                                     \
  (BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16) | BERTH_TYPE(UINT32) | \
   BERTH_TYPE(UINT64))
#define BERTH_TYPES_BASIC (BERTH_TYPES_ARITHMETIC | BERTH_TYPE(BOOL))
#define BERTH_TYPES_FLOAT8 (BERTH_TYPE(FLOAT8_E4M3FN) | BERTH_TYPE(FLOAT8_E5M2))
#define BERTH_TYPES_QUANTIZED                                    \
  (BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8) | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT16) | BERTH_TYPE(QUINT16))
#define BERTH_TYPES_INT4 (BERTH_TYPE(INT4) | BERTH_TYPE(UINT4))
// Of a byte and less.
#define BERTH_TYPES_TINY                                      \
  (BERTH_TYPES_FLOAT8 | BERTH_TYPES_INT4 | BERTH_TYPE(INT2) | \
   BERTH_TYPE(UINT2) | BERTH_TYPE(FLOAT4_E2M1FN))
// Elements that own something.
#define BERTH_TYPES_OBJECT \
  (BERTH_TYPE(STRING) | BERTH_TYPE(RESOURCE) | BERTH_TYPE(VARIANT))

#endif  // BERTH_OP_TYPES_H_
