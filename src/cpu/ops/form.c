// form.c - In which type the elements of a tensor are computed with.
#include "cpu/ops/form.h"

berth_form_t berth_form_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return BERTH_FORM_F32;
    case BERTH_DOUBLE:
      return BERTH_FORM_F64;
    case BERTH_INT32:
    case BERTH_QINT32:
      return BERTH_FORM_I32;
    case BERTH_INT64:
      return BERTH_FORM_I64;
    case BERTH_UINT8:
    case BERTH_QUINT8:
    case BERTH_BOOL:
      return BERTH_FORM_U8;
    case BERTH_INT8:
    case BERTH_QINT8:
      return BERTH_FORM_I8;
    case BERTH_UINT16:
    case BERTH_QUINT16:
      return BERTH_FORM_U16;
    case BERTH_INT16:
    case BERTH_QINT16:
      return BERTH_FORM_I16;
    case BERTH_UINT32:
      return BERTH_FORM_U32;
    case BERTH_UINT64:
      return BERTH_FORM_U64;
    case BERTH_COMPLEX64:
      return BERTH_FORM_C64;
    case BERTH_COMPLEX128:
      return BERTH_FORM_C128;
    default:
      return BERTH_FORM_NONE;
  }
}
