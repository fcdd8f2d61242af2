// builder.c - A program under construction: slots, steps, copies.
#include "exec/builder.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "exec/copy.h"
#include "exec/flow.h"
#include "exec/hold.h"
#include "exec/settle.h"

berth_code_t berth_builder_slot(berth_builder_t *b, berth_dtype_t dtype,
                                int space, int32_t *out_slot,
                                berth_error_t *err) {
  berth_program_t *p = b->program;
  size_t count = (size_t)p->slot_count;
  BERTH_TRY(
      berth_program_use(p, berth_space_device(b->host, space), b->watch, err));
  void *slots =
      berth_grow(p->slots, count, &b->slot_capacity, sizeof(*p->slots));
  if (slots != NULL) p->slots = slots;
  void *settled =
      berth_grow(p->settled, count, &b->settled_capacity, sizeof(*p->settled));
  if (settled != NULL) p->settled = settled;
  void *first_copy = berth_grow(b->first_copy, count, &b->first_copy_capacity,
                                sizeof(*b->first_copy));
  if (first_copy != NULL) b->first_copy = first_copy;
  if (slots == NULL || settled == NULL || first_copy == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  p->slots[count] = (berth_slot_t){.dtype = berth_dtype_base(dtype),
                                   .producer = -1,
                                   .space = (int16_t)space};
  p->settled[count] = NULL;
  b->first_copy[count] = -1;
  *out_slot = p->slot_count++;
  return BERTH_OK;
}

static berth_code_t arg_add(berth_builder_t *b, int32_t slot,
                            berth_error_t *err) {
  berth_program_t *p = b->program;
  int32_t *args = berth_grow(p->args, (size_t)p->arg_count, &b->arg_capacity,
                             sizeof(*args));
  if (args == NULL) return berth_error_no_memory(err, "a program");
  p->args = args;
  p->args[p->arg_count++] = slot;
  return BERTH_OK;
}

// Notes what |step|, the next one, does with values that may be dead.
static berth_code_t flow_note(berth_builder_t *b, const berth_step_t *step,
                              const int32_t *slots, berth_error_t *err) {
  const berth_program_t *p = b->program;
  if (p->flow == NULL) return BERTH_OK;
  int32_t id = step->node->id;
  bool is_settled =
      step->output_count > 0 && p->settled[slots[step->input_count]] != NULL;
  berth_flow_kind_t kind =
      id >= 0 ? (berth_flow_kind_t)b->order.kinds[id] : BERTH_FLOW_RUN;
  return berth_flow_add(b->program, &b->order, step,
                        is_settled ? BERTH_FLOW_GATE : kind, err);
}

berth_code_t berth_builder_step(berth_builder_t *b, berth_step_t step,
                                const int32_t *slots, berth_error_t *err) {
  berth_program_t *p = b->program;
  BERTH_TRY(flow_note(b, &step, slots, err));
  berth_step_t *steps = berth_grow(p->steps, (size_t)p->step_count,
                                   &b->step_capacity, sizeof(*steps));
  if (steps == NULL) return berth_error_no_memory(err, "a program");
  p->steps = steps;
  step.first_arg = p->arg_count;
  step.blocker = -1;
  int count = step.input_count + step.output_count;
  for (int i = 0; i < count; ++i) BERTH_TRY(arg_add(b, slots[i], err));
  BERTH_TRY(arg_add(b, -1, err));
  for (int i = 0; i < step.output_count; ++i) {
    BERTH_ASSERT(p->slots[slots[step.input_count + i]].producer < 0);
    p->slots[slots[step.input_count + i]].producer = p->step_count;
  }
  p->steps[p->step_count++] = step;
  return BERTH_OK;
}

// Remembers a settled step, so that a trace can show it.
static berth_code_t settled_step_add(berth_builder_t *b,
                                     const berth_step_t *step,
                                     const int32_t *slots, berth_error_t *err) {
  berth_program_t *p = b->program;
  berth_step_t *steps =
      berth_grow(p->settled_steps, (size_t)p->settled_step_count,
                 &b->settled_step_capacity, sizeof(*steps));
  if (steps == NULL) return berth_error_no_memory(err, "a program");
  p->settled_steps = steps;
  berth_step_t *kept = &p->settled_steps[p->settled_step_count];
  *kept = *step;
  kept->first_arg = p->arg_count;
  int count = step->input_count + step->output_count;
  for (int i = 0; i < count; ++i) BERTH_TRY(arg_add(b, slots[i], err));
  ++p->settled_step_count;
  return BERTH_OK;
}

// True when |step|, a node's, only hands out what a variable holds.
static bool is_read(const berth_step_t *step) {
  return (step->traits & BERTH_OP_READS) != 0;
}

berth_code_t berth_builder_settle_or_step(berth_builder_t *b,
                                          berth_step_t *step,
                                          const int32_t *slots,
                                          berth_error_t *err) {
  bool settled = false;
  bool is_gated =
      b->program->flow != NULL && berth_flow_is_gated(b->program, step, slots);
  // What may be dead is not computed before it is known that it is not; a
  // constant can be had all the same.
  bool may_settle = !is_gated || step->input_count == 0;
  berth_code_t code = may_settle ? berth_settle(b->program, step, slots,
                                                b->watch, &settled, err)
                                 : BERTH_OK;
  // The plan of a settled step is not needed again, unless a trace runs it once
  // more.
  if (code != BERTH_OK || settled) berth_step_deinit(step);
  if (code != BERTH_OK) return code;
  if (settled && !is_gated) return settled_step_add(b, step, slots, err);
  if (!step->on_host) b->program->uses_devices = true;
  step->reads = is_read(step);
  if (!step->reads && !berth_step_is_pure(step)) ++b->writes;
  return berth_builder_step(b, *step, slots, err);
}

berth_code_t berth_builder_note_copy(berth_builder_t *b, int32_t slot,
                                     int32_t copy, int space,
                                     berth_error_t *err) {
  berth_made_copy_t *copies =
      berth_grow(b->copies, b->copy_count, &b->copy_capacity, sizeof(*copies));
  if (copies == NULL) return berth_error_no_memory(err, "a program");
  b->copies = copies;
  copies[b->copy_count] =
      (berth_made_copy_t){copy, b->first_copy[slot], (int16_t)space, b->writes};
  b->first_copy[slot] = (int32_t)b->copy_count++;
  return BERTH_OK;
}

berth_code_t berth_builder_bring(berth_builder_t *b, int32_t *slot, int space,
                                 const char *label, berth_error_t *err) {
  berth_program_t *p = b->program;
  if (p->slots[*slot].space == space) return BERTH_OK;
  for (int32_t c = b->first_copy[*slot]; c >= 0; c = b->copies[c].next) {
    if (b->copies[c].space != space) continue;
    *slot = b->copies[c].slot;
    return BERTH_OK;
  }
  // Streams of one backend know nothing of another's memory.
  if (!berth_spaces_are_near(b->host, p->slots[*slot].space, space)) {
    BERTH_TRY(berth_builder_bring(b, slot, BERTH_HOST_SPACE, label, err));
  }
  berth_dtype_t dtype = p->slots[*slot].dtype;
  berth_step_t step;
  if (!berth_copy_step(b->host, label, dtype, p->slots[*slot].space, space,
                       &p->arena, &step)) {
    return berth_error_no_memory(err, "a program");
  }
  // The copy is queued on one of the two, and reads or writes the other.
  berth_device_t *from = berth_space_device(b->host, p->slots[*slot].space);
  berth_device_t *to = berth_space_device(b->host, space);
  BERTH_TRY(berth_program_use(p, from, b->watch, err));
  BERTH_TRY(berth_program_use(p, to, b->watch, err));
  int32_t slots[2] = {*slot, -1};
  BERTH_TRY(berth_builder_slot(b, dtype, space, &slots[1], err));
  BERTH_TRY(berth_builder_note_copy(b, slots[0], slots[1], space, err));
  BERTH_TRY(berth_builder_settle_or_step(b, &step, slots, err));
  p->slots[slots[0]].is_copied = true;
  *slot = slots[1];
  return BERTH_OK;
}
