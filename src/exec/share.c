// share.c - Values that stand in the memory of a variable.
#include "exec/share.h"

berth_share_t berth_share_of(berth_variable_t *variable,
                             const berth_tensor_t *value) {
  return (berth_share_t){variable, value->buffer, value->data, value->count};
}

// True when |value| shows the elements of |held| as they are.
static bool is_whole(const berth_share_t *share, const berth_tensor_t *value,
                     const berth_tensor_t *held) {
  return value->data == share->base &&
         berth_dims_equal(berth_tensor_dims(value), berth_tensor_dims(held));
}

// Stores the part of |held| that |value| is of what the variable held before.
static berth_code_t part_get(const berth_share_t *share,
                             const berth_tensor_t *value, berth_tensor_t *held,
                             berth_tensor_t **out_part, berth_error_t *err) {
  if (is_whole(share, value, held)) {
    *out_part = berth_tensor_retain(held);
    return BERTH_OK;
  }
  ptrdiff_t offset = (const char *)value->data - share->base;
  return berth_tensor_view(held->buffer, (char *)held->data + offset,
                           value->dtype, value->rank, value->dims, value->count,
                           held->device, out_part, err);
}

// Does so with |held|, what the variable holds.
static berth_code_t renew_from(berth_share_t *share, berth_frame_t *frame,
                               int32_t slot, berth_tensor_t *held,
                               berth_error_t *err) {
  berth_tensor_t *value = frame->tensors[slot], *part = NULL;
  if (held->buffer == share->buffer) return BERTH_OK;
  if (held->count != share->count || held->device != value->device) {
    *share = (berth_share_t){0};
    return BERTH_OK;
  }
  BERTH_TRY(part_get(share, value, held, &part, err));
  *share = berth_share_of(share->variable, held);
  berth_frame_set(frame, slot, part);
  berth_tensor_release(value);
  return BERTH_OK;
}

berth_code_t berth_share_renew(berth_share_t *share, berth_frame_t *frame,
                               int32_t slot, berth_error_t *err) {
  berth_tensor_t *held = frame->tensors[slot] != NULL
                             ? berth_variable_read(share->variable)
                             : NULL;
  if (held == NULL) return BERTH_OK;
  berth_code_t code = renew_from(share, frame, slot, held, err);
  berth_tensor_release(held);
  return code;
}
