// steady.c - Values of a block in a loop that stay where they are.
#include "exec/steady.h"

#include "base/alloc.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/lanes.h"
#include "exec/pseudo.h"

// Larger values are not copied.
enum { MOST_BYTES = 256 << 10 };

enum { NONE = -1 };

// ---- The copy ----

static const berth_op_schema_t schema = {.name = "MEMCPYDtoD"};

static berth_code_t steady_run(const void *plan, void *const *args,
                               berth_call_t *call) {
  size_t size = *(const size_t *)plan;
  berth_device_t *device = call->stream->device;
  if (size == 0) return BERTH_OK;
  return device->backend->streams->copy(call->stream, device, args[1], device,
                                        args[0], size, call->err);
}

static berth_code_t steady_prepare(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  *size = (size_t)input->count * berth_dtype_size(input->dtype);
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  if (*size > MOST_BYTES) {
    prepare->op.alias = 0;
  } else {
    prepare->run = steady_run;
  }
  return BERTH_OK;
}

static const berth_kernel_t kernel = {
    .op = "_Steady", .prepare = steady_prepare, .traits = BERTH_OP_UNRECORDED};

bool berth_steady_is(const berth_layout_t *layout, int32_t s) {
  const berth_hot_step_t *hot = &layout->hot[s];
  return hot->how == BERTH_HOT_PLAIN && hot->run == steady_run;
}

bool berth_steady_copy(const berth_layout_t *layout, void *const *args,
                       int32_t s, berth_near_copy_t *out) {
  const berth_hot_step_t *hot = &layout->hot[s];
  size_t size = *(const size_t *)hot->plan;
  void *const *at = args + hot->first_arg;
  *out = (berth_near_copy_t){at[1], at[0], size};
  return size > 0;
}

int32_t berth_steady_row(const berth_layout_t *layout, int32_t s, int32_t end) {
  const berth_lane_step_t *steps = layout->lanes->steps;
  int32_t count = 0;
  for (int32_t i = s; i < end && count < BERTH_NEAR_COPIES; ++i, ++count) {
    if (!berth_steady_is(layout, i) || steps[i].lane != steps[s].lane ||
        (i > s && steps[i].wait_count > 0)) {
      break;
    }
    if (steps[i].record >= 0) return count + 1;
  }
  return count;
}

berth_code_t berth_steady_queue(const berth_layout_t *layout, void *const *args,
                                int32_t s, int32_t count,
                                berth_stream_t *stream, berth_error_t *err) {
  berth_near_copy_t copies[BERTH_NEAR_COPIES];
  int used = 0;
  for (int32_t i = s; i < s + count; ++i) {
    used += berth_steady_copy(layout, args, i, &copies[used]);
  }
  if (used == 0) return BERTH_OK;
  return stream->device->backend->streams->copy_near(stream, copies, used, err);
}

// ---- Where ----

typedef struct adder {
  berth_program_t *program;
  int32_t *steady;    // By slot: the copy that recorded steps read, or NONE.
  int32_t *leaving;   // By slot: the copy that leaves or is kept, or NONE.
  bool *is_tame;      // By step: it is part of a recording.
  bool *is_wild_use;  // By slot: somebody keeps it.
  bool *is_tame_use;  // By slot: a step that may be recorded reads it.
  size_t count;       // Of copies.
  int32_t *waiting;   // Slots whose copies are still to be made.
  int waiting_count;
} adder_t;

// True when |step| may be part of a recording.
static bool may_be_recorded(const berth_step_t *step) {
  return !step->on_host && (step->traits & BERTH_OP_NEVER_RECORDED) == 0 &&
         !step->node->op->is_stateful && !berth_is_copy(step);
}

// True when the value of |slot| lies elsewhere from run to run.
static bool is_wild(const adder_t *a, int32_t slot) {
  int32_t producer = a->program->slots[slot].producer;
  return producer < 0 || !a->is_tame[producer];
}

// Finds the steps that are recorded. One that hands on what lies elsewhere from
// run to run has nothing to do.
static void tame_find(adder_t *a) {
  const berth_program_t *p = a->program;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    bool passes =
        step->input_count == 1 && (step->traits & BERTH_OP_PASSES) != 0;
    a->is_tame[s] = may_be_recorded(step) &&
                    !(passes && is_wild(a, p->args[step->first_arg]));
  }
}

// Finds the uses of both kinds.
static void uses_find(adder_t *a) {
  const berth_program_t *p = a->program;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->input_count; ++i) {
      int32_t slot = p->args[step->first_arg + i];
      if (berth_step_keeps(step, i)) {
        a->is_wild_use[slot] = true;
      } else if (a->is_tame[s]) {
        a->is_tame_use[slot] = true;
      }
    }
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    a->is_wild_use[p->fetch_slots[i]] = true;
  }
}

// Adds a slot like |slot|.
static int32_t slot_add(berth_program_t *p, int32_t slot) {
  p->slots[p->slot_count] = (berth_slot_t){.dtype = p->slots[slot].dtype,
                                           .producer = NONE,
                                           .space = p->slots[slot].space};
  p->settled[p->slot_count] = NULL;
  return p->slot_count++;
}

// Chooses what is copied. There is room for one more slot of each.
static void copies_choose(adder_t *a) {
  berth_program_t *p = a->program;
  int count = p->slot_count;
  for (int32_t i = 0; i < count; ++i) {
    a->steady[i] = a->leaving[i] = NONE;
    if (p->slots[i].space == BERTH_HOST_SPACE || p->settled[i] != NULL) {
      continue;
    }
    if (is_wild(a, i) && a->is_tame_use[i]) {
      a->steady[i] = slot_add(p, i);
      ++a->count;
    } else if (!is_wild(a, i) && a->is_wild_use[i]) {
      a->leaving[i] = slot_add(p, i);
      p->slots[a->leaving[i]].is_kept = p->slots[i].is_kept;
      p->slots[i].is_kept = false;
      ++a->count;
    }
  }
}

// Lets uses of step |s| go to the copies.
static void inputs_redirect(const adder_t *a, int s) {
  const berth_step_t *step = &a->program->steps[s];
  int32_t *slots = a->program->args + step->first_arg;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t to = berth_step_keeps(step, i) ? a->leaving[slots[i]]
                 : a->is_tame[s]           ? a->steady[slots[i]]
                                           : NONE;
    if (to >= 0) slots[i] = to;
  }
}

// Appends the copy of |from| to |to| behind the steps in |steps|.
static bool copy_append(berth_program_t *p, int32_t from, int32_t to,
                        berth_step_t *steps, int *count) {
  const char *label = "steady";
  berth_node_t *node = berth_pseudo_node(&p->arena, sizeof(*node), &schema,
                                         label, p->slots[from].dtype);
  if (node == NULL) return false;
  berth_step_t step = {.node = node,
                       .input_count = 1,
                       .output_count = 1,
                       .first_arg = p->arg_count,
                       .device = (int16_t)(p->slots[from].space - 1),
                       .blocker = NONE};
  berth_step_set_kernel(&step, &kernel);
  p->args[p->arg_count++] = from;
  p->args[p->arg_count++] = to;
  p->args[p->arg_count++] = NONE;
  steps[(*count)++] = step;
  return true;
}

// Appends the copies of |slot|, which is there.
static bool copies_append(const adder_t *a, int32_t slot, berth_step_t *steps,
                          int *count) {
  berth_program_t *p = a->program;
  return (a->steady[slot] < 0 ||
          copy_append(p, slot, a->steady[slot], steps, count)) &&
         (a->leaving[slot] < 0 ||
          copy_append(p, slot, a->leaving[slot], steps, count));
}

// Notes that |slot|, which is there, has copies to be made, if it has.
static void copies_wait(adder_t *a, int32_t slot) {
  if (a->steady[slot] < 0 && a->leaving[slot] < 0) return;
  a->waiting[a->waiting_count++] = slot;
}

// Appends all copies that wait.
static bool copies_flush(adder_t *a, berth_step_t *steps, int *count) {
  bool ok = true;
  for (int i = 0; ok && i < a->waiting_count; ++i) {
    ok = copies_append(a, a->waiting[i], steps, count);
  }
  a->waiting_count = 0;
  return ok;
}

// True when |step| may change memory that others have seen. One that makes its
// outputs itself, and is no update, does not.
static bool may_change(const berth_step_t *step) {
  if ((step->traits & BERTH_OP_UPDATES) != 0) return true;
  return !step->reads && !berth_step_is_pure(step) &&
         (step->traits & BERTH_OP_MAKES) == 0;
}

// True when copies cannot wait any longer before |step|: it reads one, or changes
// what they are copies of.
static bool is_awaited(const adder_t *a, const berth_step_t *step) {
  const int32_t *slots = a->program->args + step->first_arg;
  if (may_change(step)) return a->waiting_count > 0;
  for (int w = 0; w < a->waiting_count; ++w) {
    int32_t slot = a->waiting[w];
    for (int i = 0; i < step->input_count; ++i) {
      if (slots[i] == a->steady[slot] || slots[i] == a->leaving[slot]) {
        return true;
      }
    }
  }
  return false;
}

// Returns the last step that is recorded, or -1.
static int last_tame(const adder_t *a) {
  int s = a->program->step_count - 1;
  while (s >= 0 && !a->is_tame[s]) --s;
  return s;
}

// Writes all steps to |steps|, with the copies between them. Behind the last step
// that is recorded none waits any longer: they are part of its recording then.
static bool steps_write(adder_t *a, berth_step_t *steps, int *count) {
  berth_program_t *p = a->program;
  bool ok = true;
  int last = last_tame(a);
  for (int i = 0; i < p->signature.feed_count; ++i) {
    copies_wait(a, p->feed_slots[i]);
  }
  for (int s = 0; ok && s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    const int32_t *outputs = p->args + step->first_arg + step->input_count;
    inputs_redirect(a, s);
    if (is_awaited(a, step)) ok = copies_flush(a, steps, count);
    steps[(*count)++] = *step;
    for (int i = 0; i < step->output_count; ++i) copies_wait(a, outputs[i]);
    if (ok && s == last) ok = copies_flush(a, steps, count);
  }
  return ok && copies_flush(a, steps, count);
}

// Puts |steps| in the place of those that there were.
static void steps_replace(const adder_t *a, berth_step_t *steps, int count) {
  berth_program_t *p = a->program;
  berth_free(p->steps);
  p->steps = steps;
  p->step_count = count;
  for (int s = 0; s < count; ++s) {
    for (int i = 0; i < steps[s].output_count; ++i) {
      int32_t at = steps[s].first_arg + steps[s].input_count + i;
      p->slots[p->args[at]].producer = s;
    }
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    int32_t to = a->leaving[p->fetch_slots[i]];
    if (to >= 0) p->fetch_slots[i] = to;
  }
}

// Makes room for the copies.
static bool room_make(berth_program_t *p) {
  size_t slots = 2 * (size_t)p->slot_count + 1;
  size_t args = (size_t)p->arg_count + 3 * (size_t)p->slot_count + 1;
  void *more = berth_realloc(p->slots, slots, sizeof(*p->slots));
  if (more != NULL) p->slots = more;
  bool ok = more != NULL;
  more = berth_realloc(p->settled, slots, sizeof(*p->settled));
  if (more != NULL) p->settled = more;
  ok = ok && more != NULL;
  more = berth_realloc(p->args, args, sizeof(*p->args));
  if (more != NULL) p->args = more;
  return ok && more != NULL;
}

berth_code_t berth_steady_add(berth_program_t *p, berth_error_t *err) {
  size_t slots = (size_t)p->slot_count + 1;
  adder_t a = {.program = p,
               .steady = berth_alloc(slots * sizeof(int32_t)),
               .leaving = berth_alloc(slots * sizeof(int32_t)),
               .waiting = berth_alloc(slots * sizeof(int32_t)),
               .is_tame = berth_calloc((size_t)p->step_count + 1, sizeof(bool)),
               .is_wild_use = berth_calloc(slots, sizeof(bool)),
               .is_tame_use = berth_calloc(slots, sizeof(bool))};
  berth_step_t *steps = NULL;
  bool ok = a.steady != NULL && a.leaving != NULL && a.waiting != NULL &&
            a.is_tame != NULL && a.is_wild_use != NULL &&
            a.is_tame_use != NULL && room_make(p);
  if (ok) {
    tame_find(&a);
    uses_find(&a);
    copies_choose(&a);
    int count = 0;
    steps = berth_alloc(((size_t)p->step_count + a.count + 1) * sizeof(*steps));
    ok = steps != NULL && steps_write(&a, steps, &count);
    if (ok) steps_replace(&a, steps, count);
  }
  if (!ok) berth_free(steps);
  berth_free(a.steady);
  berth_free(a.leaving);
  berth_free(a.waiting);
  berth_free(a.is_tame);
  berth_free(a.is_wild_use);
  berth_free(a.is_tame_use);
  return ok ? BERTH_OK : berth_error_no_memory(err, "a program");
}
