// form.h - In which type the elements of a tensor are computed with.
//
// Loops exist per form, not per data type: half and bfloat16 compute in float,
// bool and the quantized types are plain integers.
//
// Pure functions.
#ifndef BERTH_CPU_OPS_FORM_H_
#define BERTH_CPU_OPS_FORM_H_

#include "berth/types.h"

typedef enum berth_form {
  BERTH_FORM_F32,
  BERTH_FORM_F64,
  BERTH_FORM_I32,
  BERTH_FORM_I64,
  BERTH_FORM_HOT_COUNT,  // Those above have loops per instruction set.
  BERTH_FORM_U8 = BERTH_FORM_HOT_COUNT,
  BERTH_FORM_I8,
  BERTH_FORM_U16,
  BERTH_FORM_I16,
  BERTH_FORM_U32,
  BERTH_FORM_U64,
  BERTH_FORM_C64,
  BERTH_FORM_C128,
  BERTH_FORM_COUNT,
  BERTH_FORM_NONE = BERTH_FORM_COUNT
} berth_form_t;

// Returns the form of |dtype|; BERTH_FORM_NONE for strings, handles and types
// that nobody computes with.
berth_form_t berth_form_of(berth_dtype_t dtype);

#endif  // BERTH_CPU_OPS_FORM_H_
