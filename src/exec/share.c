// share.c - Values that stand in the memory of a variable.
#include "exec/share.h"

#include "exec/deref.h"
#include "exec/flow.h"

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

int32_t berth_share_source(const berth_program_t *program, int32_t slot) {
  for (int s = program->step_count - 1; s >= 0; --s) {
    const berth_step_t *step = &program->steps[s];
    const int32_t *slots = program->args + step->first_arg;
    bool passes = (step->traits & BERTH_OP_PASSES) != 0;
    if (!berth_share_passes(step) || step->input_count == 0) continue;
    for (int i = 0; i < step->output_count; ++i) {
      if (slots[step->input_count + i] != slot) continue;
      slot = slots[passes && i < step->input_count ? i : 0];
      break;
    }
  }
  return slot;
}

// ---- Before a run ----

// True when step |s| has an output that may share what its inputs do.
static bool hands_on(const berth_program_t *p, int s) {
  uint8_t kind = p->flow->steps[s].kind;
  bool has_kernel = kind == BERTH_FLOW_RUN || kind == BERTH_FLOW_TRIGGER;
  return has_kernel ? berth_share_passes(&p->steps[s])
                    : kind != BERTH_FLOW_GATE;
}

// Finds the outputs of step |s| that may share; true when some were not known.
static bool step_find(const berth_program_t *p, int s, bool *may_share) {
  const berth_step_t *step = &p->steps[s];
  const int32_t *slots = p->args + step->first_arg;
  bool shares = step->kernel == &berth_deref_kernel, is_new = false;
  for (int i = 0; !shares && i < step->input_count && hands_on(p, s); ++i) {
    shares = may_share[slots[i]];
  }
  for (int i = 0; shares && i < step->output_count; ++i) {
    int32_t output = slots[step->input_count + i];
    is_new = is_new || !may_share[output];
    may_share[output] = true;
  }
  return is_new;
}

void berth_shares_find(const berth_program_t *p, bool *may_share) {
  bool any = true;
  memset(may_share, 0, (size_t)p->slot_count * sizeof(*may_share));
  // What comes round a loop is known only after its end.
  while (any) {
    any = false;
    for (int s = 0; s < p->step_count; ++s) any |= step_find(p, s, may_share);
  }
}
