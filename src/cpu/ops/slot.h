// slot.h - In which type the elements of a tensor are computed with.
//
// Loops exist per slot, not per data type: half and bfloat16 compute in float,
// bool and the quantized types are plain integers.
//
// Pure functions.
#ifndef BERTH_CPU_OPS_SLOT_H_
#define BERTH_CPU_OPS_SLOT_H_

#include "berth/types.h"

typedef enum berth_slot {
  BERTH_SLOT_F32,
  BERTH_SLOT_F64,
  BERTH_SLOT_I32,
  BERTH_SLOT_I64,
  BERTH_SLOT_HOT_COUNT,  // Those above have loops per instruction set.
  BERTH_SLOT_U8 = BERTH_SLOT_HOT_COUNT,
  BERTH_SLOT_I8,
  BERTH_SLOT_U16,
  BERTH_SLOT_I16,
  BERTH_SLOT_U32,
  BERTH_SLOT_U64,
  BERTH_SLOT_C64,
  BERTH_SLOT_C128,
  BERTH_SLOT_COUNT,
  BERTH_SLOT_NONE = BERTH_SLOT_COUNT
} berth_slot_t;

// Returns the slot of |dtype|; BERTH_SLOT_NONE for strings, handles and types
// that nobody computes with.
berth_slot_t berth_slot_of(berth_dtype_t dtype);

#endif  // BERTH_CPU_OPS_SLOT_H_
