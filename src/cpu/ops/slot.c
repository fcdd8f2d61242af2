// slot.c - In which type the elements of a tensor are computed with.
#include "cpu/ops/slot.h"

berth_slot_t berth_slot_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return BERTH_SLOT_F32;
    case BERTH_DOUBLE:
      return BERTH_SLOT_F64;
    case BERTH_INT32:
    case BERTH_QINT32:
      return BERTH_SLOT_I32;
    case BERTH_INT64:
      return BERTH_SLOT_I64;
    case BERTH_UINT8:
    case BERTH_QUINT8:
    case BERTH_BOOL:
      return BERTH_SLOT_U8;
    case BERTH_INT8:
    case BERTH_QINT8:
      return BERTH_SLOT_I8;
    case BERTH_UINT16:
    case BERTH_QUINT16:
      return BERTH_SLOT_U16;
    case BERTH_INT16:
    case BERTH_QINT16:
      return BERTH_SLOT_I16;
    case BERTH_UINT32:
      return BERTH_SLOT_U32;
    case BERTH_UINT64:
      return BERTH_SLOT_U64;
    case BERTH_COMPLEX64:
      return BERTH_SLOT_C64;
    case BERTH_COMPLEX128:
      return BERTH_SLOT_C128;
    default:
      return BERTH_SLOT_NONE;
  }
}
