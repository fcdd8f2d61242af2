// program.c - Making a program: slots, steps, settled values.
//
// Nodes are visited in the order of their ids. Each needed node becomes a step,
// unless its value can be had at once: a constant, the handle of a variable, or
// anything that depends on nothing but such values.
#include "exec/program.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/deref.h"
#include "exec/flow.h"
#include "exec/hold.h"
#include "exec/layout.h"
#include "exec/prune.h"
#include "exec/segment.h"
#include "exec/settle.h"
#include "kernel/choice.h"

// A copy of a slot in another space, or the value of the variable it refers to.
typedef struct made_copy {
  int32_t slot;    // The copy.
  int32_t next;    // Another copy of the same slot, or -1.
  int16_t space;   // VALUE_OF: a value.
  int32_t writes;  // How many there had been.
} made_copy_t;

enum { VALUE_OF = -1 };

// An input of a Merge whose slot is not there yet: it comes round a loop.
typedef struct back_edge {
  berth_out_t out;
  int32_t arg;    // Where the slot belongs.
  int16_t space;  // Where it is wanted.
} back_edge_t;

// A program under construction. Arrays grow; the program takes them over.
typedef struct builder {
  berth_program_t *program;
  const berth_exec_host_t *host;
  berth_prune_t prune;
  berth_order_t order;
  berth_watch_t *watch;
  int32_t *first_slot;  // By node: slot of output 0, or -1.
  int32_t *updates_at;  // By node: updaters when it was added.
  int32_t *first_copy;  // By slot: into |copies|, or -1.
  made_copy_t *copies;
  size_t copy_count;
  size_t slot_capacity, settled_capacity, step_capacity, arg_capacity,
      settled_step_capacity, first_copy_capacity, copy_capacity,
      updater_capacity, back_edge_capacity;
  back_edge_t *back_edges;  // Still open.
  size_t back_edge_count;
  berth_node_id_t *updaters;  // Nodes so far that take a variable to write it.
  int32_t updater_count;
  int32_t writes;       // Steps so far that may have written a variable.
  berth_str_t missing;  // Nodes without a kernel.
  int missing_count;
} builder_t;

// ---- Growing arrays ----

static berth_code_t slot_add(builder_t *b, berth_dtype_t dtype, int space,
                             int32_t *out_slot, berth_error_t *err) {
  berth_program_t *p = b->program;
  size_t count = (size_t)p->slot_count;
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

static berth_code_t arg_add(builder_t *b, int32_t slot, berth_error_t *err) {
  berth_program_t *p = b->program;
  int32_t *args = berth_grow(p->args, (size_t)p->arg_count, &b->arg_capacity,
                             sizeof(*args));
  if (args == NULL) return berth_error_no_memory(err, "a program");
  p->args = args;
  p->args[p->arg_count++] = slot;
  return BERTH_OK;
}

// Notes what |step|, the next one, does with values that may be dead.
static berth_code_t flow_note(builder_t *b, const berth_step_t *step,
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

// Appends |step| with its |slots|: inputs, outputs, and one for scratch space.
static berth_code_t step_add(builder_t *b, berth_step_t step,
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
    p->slots[slots[step.input_count + i]].producer = p->step_count;
  }
  p->steps[p->step_count++] = step;
  return BERTH_OK;
}

// ---- Settled steps ----

// Remembers a settled step, so that a trace can show it.
static berth_code_t settled_step_add(builder_t *b, const berth_step_t *step,
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
  return strcmp(step->node->op->name, "ReadVariableOp") == 0;
}

// Settles |step|, or appends it to what a run does.
static berth_code_t step_settle_or_add(builder_t *b, berth_step_t *step,
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
  return step_add(b, *step, slots, err);
}

// ---- Copies ----

static berth_code_t copy_note(builder_t *b, int32_t slot, int32_t copy,
                              int space, berth_error_t *err) {
  made_copy_t *copies =
      berth_grow(b->copies, b->copy_count, &b->copy_capacity, sizeof(*copies));
  if (copies == NULL) return berth_error_no_memory(err, "a program");
  b->copies = copies;
  copies[b->copy_count] =
      (made_copy_t){copy, b->first_copy[slot], (int16_t)space, b->writes};
  b->first_copy[slot] = (int32_t)b->copy_count++;
  return BERTH_OK;
}

// Makes |*slot| a slot in |space| that holds the same value, copying it if it
// is elsewhere and has not been copied before. |label| is who wants it.
static berth_code_t slot_bring(builder_t *b, int32_t *slot, int space,
                               const char *label, berth_error_t *err) {
  berth_program_t *p = b->program;
  if (p->slots[*slot].space == space) return BERTH_OK;
  for (int32_t c = b->first_copy[*slot]; c >= 0; c = b->copies[c].next) {
    if (b->copies[c].space != space) continue;
    *slot = b->copies[c].slot;
    return BERTH_OK;
  }
  berth_dtype_t dtype = p->slots[*slot].dtype;
  berth_step_t step;
  if (!berth_copy_step(b->host, label, dtype, p->slots[*slot].space, space,
                       &p->arena, &step)) {
    return berth_error_no_memory(err, "a program");
  }
  step.host_outputs = space == BERTH_HOST_SPACE;
  berth_device_t *device = berth_space_device(b->host, space);
  BERTH_TRY(berth_program_use(p, device, b->watch, err));
  int32_t slots[2] = {*slot, -1};
  BERTH_TRY(slot_add(b, dtype, space, &slots[1], err));
  BERTH_TRY(copy_note(b, slots[0], slots[1], space, err));
  BERTH_TRY(step_settle_or_add(b, &step, slots, err));
  p->slots[slots[0]].is_copied = true;
  *slot = slots[1];
  return BERTH_OK;
}

// ---- Finding slots ----

// Returns the slot of |out|: that of its feed, or of its node's output.
static int32_t slot_of(const builder_t *b, berth_out_t out) {
  int feed = berth_prune_feed_of(&b->prune, out);
  if (feed >= 0) return b->program->feed_slots[feed];
  return b->first_slot[out.node] + out.index;
}

// True when |out| carries a variable and not a value.
static bool is_ref(const builder_t *b, berth_out_t out) {
  if (berth_prune_feed_of(&b->prune, out) >= 0) return false;
  const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
  return berth_dtype_is_ref(node->output_types[out.index]);
}

// True when input |index| of |node| wants the variable itself.
static bool wants_ref(const berth_node_t *node, int index) {
  for (int arg = 0; arg < node->op->input_count; ++arg) {
    int first = 0, count = 0;
    berth_node_input_range(node, arg, &first, &count);
    if (index < first + count) return node->op->inputs[arg].is_ref;
  }
  return false;
}

// Returns a value of the variable behind |slot| that was read before and is
// still good, or -1.
static int32_t value_find(const builder_t *b, int32_t slot) {
  for (int32_t c = b->first_copy[slot]; c >= 0; c = b->copies[c].next) {
    if (b->copies[c].space != VALUE_OF) continue;
    return b->copies[c].writes == b->writes ? b->copies[c].slot : -1;
  }
  return -1;
}

// Adds a step that reads the variable |out| for |label|, after what |consumer|
// (if any) waits for. One that waits for nothing shares the value with the
// next, until something is written.
static berth_code_t deref_add(builder_t *b, berth_out_t out, const char *label,
                              const berth_node_t *consumer, int32_t *out_slot,
                              berth_error_t *err) {
  // What is read in a branch or an iteration is good only there.
  bool shares = consumer != NULL && consumer->control_count == 0 &&
                b->program->flow == NULL;
  *out_slot = shares ? value_find(b, slot_of(b, out)) : -1;
  if (*out_slot >= 0) return BERTH_OK;
  const berth_node_t *variable = berth_graph_get(b->host->graph, out.node);
  berth_dtype_t dtype = berth_dtype_base(variable->output_types[out.index]);
  berth_node_t *node = berth_deref_node(&b->program->arena, label, dtype);
  if (node == NULL) return berth_error_no_memory(err, "a program");
  if (consumer != NULL) {
    node->controls = consumer->controls;
    node->control_count = consumer->control_count;
  }
  int32_t slots[2] = {slot_of(b, out), -1};
  int device = b->host->device_of(b->host, out.node);
  bool on_host =
      b->host->devices[device].device == NULL || !berth_dtype_is_plain(dtype);
  BERTH_TRY(slot_add(b, dtype, on_host ? BERTH_HOST_SPACE : device + 1,
                     &slots[1], err));
  berth_step_t step = {.node = node,
                       .kernel = &berth_deref_kernel,
                       .input_count = 1,
                       .output_count = 1,
                       .device = (int16_t)device,
                       .on_host = true,
                       .reads = true};
  BERTH_TRY(step_add(b, step, slots, err));
  *out_slot = slots[1];
  return shares ? copy_note(b, slots[0], slots[1], VALUE_OF, err) : BERTH_OK;
}

// True for ops whose output is their input, memory and all.
static bool hands_on(const berth_node_t *node) {
  static const char *const names[] = {"Identity", "StopGradient",
                                      "PreventGradient"};
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (strcmp(node->op->name, names[i]) == 0) return true;
  }
  return false;
}

// Finds the variable whose memory |out| would share in TensorFlow: behind a
// reference, or handed on from there on the same device.
static bool variable_find(const builder_t *b, berth_out_t out,
                          berth_out_t *out_variable) {
  const berth_exec_host_t *host = b->host;
  while (!is_ref(b, out)) {
    const berth_node_t *node = berth_graph_get(host->graph, out.node);
    if (berth_prune_feed_of(&b->prune, out) >= 0 || !hands_on(node) ||
        host->device_of(host, out.node) !=
            host->device_of(host, node->inputs[0].node)) {
      return false;
    }
    out = node->inputs[0];
  }
  *out_variable = out;
  return true;
}

// True when |out| is what a variable held, and that may have been updated since
// |out| was made. TensorFlow's shows what the variable holds now, so it is to
// be read again from |*out_variable|.
static bool is_outdated(const builder_t *b, berth_out_t out,
                        berth_out_t *out_variable) {
  // Where there are loops an update does not stand before or after a use.
  return b->program->flow == NULL && berth_prune_feed_of(&b->prune, out) < 0 &&
         b->updates_at[out.node] != b->updater_count &&
         variable_find(b, out, out_variable);
}

// Finds the slot for input |index| of |node|.
static berth_code_t input_slot(builder_t *b, const berth_node_t *node,
                               int index, int32_t *out_slot,
                               berth_error_t *err) {
  berth_out_t out = node->inputs[index];
  bool wanted = wants_ref(node, index);
  berth_out_t variable;
  if (!wanted && !is_ref(b, out) && is_outdated(b, out, &variable)) {
    return deref_add(b, variable, node->name, node, out_slot, err);
  }
  if (is_ref(b, out) && !wanted) {
    return deref_add(b, out, node->name, node, out_slot, err);
  }
  if (wanted && !is_ref(b, out)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d of node %s must be a reference; a fed "
                           "value has none\n\t [[{{node %s}}]]",
                           index, node->name, node->name);
  }
  *out_slot = slot_of(b, out);
  return BERTH_OK;
}

// ---- Nodes ----

// Notes that |node| has no kernel; all of them are reported at once.
static void missing_add(builder_t *b, const berth_node_t *node,
                        const char *device, const char *why) {
  enum { MOST = 20 };
  if (++b->missing_count > MOST) return;
  berth_str_printf(&b->missing, "\n  %s (%s) on %s%s%s", node->name,
                   node->op->name, device, why[0] != '\0' ? ": " : "", why);
}

static berth_code_t missing_error(const builder_t *b, berth_error_t *err) {
  return berth_error_set(
      err, BERTH_UNIMPLEMENTED,
      "Berth has no kernel for %d node%s that this run needs:%s%s",
      b->missing_count, b->missing_count == 1 ? "" : "s",
      berth_str_get(&b->missing), b->missing_count > 20 ? "\n  ..." : "");
}

// Fills |step| for |node|; the kernel stays NULL when there is none.
static berth_code_t step_init(builder_t *b, const berth_node_t *node,
                              berth_step_t *step, berth_choice_t *choice,
                              berth_error_t *err) {
  const berth_exec_host_t *host = b->host;
  int device = host->device_of(host, node->id);
  berth_str_t why = {0};
  *choice =
      berth_kernel_choose(host->devices[device].type, host->graph, node, &why);
  *step = (berth_step_t){.node = node,
                         .kernel = choice->kernel,
                         .input_count = node->input_count,
                         .output_count = node->output_count,
                         .device = (int16_t)device,
                         .on_host = choice->on_host};
  if (step->kernel == NULL) {
    missing_add(b, node, host->devices[device].name, berth_str_get(&why));
  }
  berth_str_clear(&why);
  if (step->kernel != NULL && !step->on_host) {
    BERTH_TRY(berth_program_use(b->program, host->devices[device].device,
                                b->watch, err));
  }
  if (step->kernel != NULL && step->kernel->bind != NULL) {
    return host->resource_of(host, node, step->kernel, &step->resource, err);
  }
  return BERTH_OK;
}

// Gives every output of |node| a slot, behind |slots|, where |choice| says.
static berth_code_t output_slots(builder_t *b, berth_step_t *step,
                                 const berth_choice_t *choice, int32_t *slots,
                                 berth_error_t *err) {
  const berth_node_t *node = step->node;
  b->first_slot[node->id] = b->program->slot_count;
  for (int i = 0; i < node->output_count; ++i) {
    berth_dtype_t dtype = node->output_types[i];
    if (berth_dtype_is_ref(dtype)) dtype = BERTH_RESOURCE;
    bool on_host =
        step->on_host || berth_choice_output_on_host(choice, node, i);
    if (on_host && i < 32) step->host_outputs |= UINT32_C(1) << i;
    BERTH_TRY(slot_add(b, dtype, on_host ? BERTH_HOST_SPACE : step->device + 1,
                       &slots[node->input_count + i], err));
  }
  return BERTH_OK;
}

// Returns the space in which |step| wants its input |index|, which is in
// |space| now.
static int input_space(const builder_t *b, const berth_step_t *step,
                       const berth_choice_t *choice, int index, int space) {
  if (choice->shapes_only) return space;
  bool on_host =
      step->on_host ||
      berth_choice_input_on_host(choice, b->host->graph, step->node, index) ||
      berth_kernel_reads_value(step->kernel, index, step->input_count);
  return on_host ? BERTH_HOST_SPACE : step->device + 1;
}

// Notes how many updates there have been, and |node| if it is one.
static berth_code_t updates_note(builder_t *b, const berth_node_t *node,
                                 berth_error_t *err) {
  bool updates = false;
  for (int i = 0; i < node->input_count; ++i) {
    updates = updates || wants_ref(node, i);
  }
  if (updates && strcmp(node->op->name, "IsVariableInitialized") != 0) {
    berth_node_id_t *updaters =
        berth_grow(b->updaters, (size_t)b->updater_count, &b->updater_capacity,
                   sizeof(*updaters));
    if (updaters == NULL) return berth_error_no_memory(err, "a program");
    b->updaters = updaters;
    b->updaters[b->updater_count++] = node->id;
  }
  b->updates_at[node->id] = b->updater_count;
  return BERTH_OK;
}

// ---- Loops ----

static bool is_back(const builder_t *b, const berth_node_t *node, int index) {
  return b->program->flow != NULL &&
         berth_order_is_back(&b->order, &b->prune, node, index);
}

// Notes that input |index| of the next step comes round a loop.
static berth_code_t back_note(builder_t *b, const berth_node_t *node, int index,
                              int space, berth_error_t *err) {
  berth_out_t out = node->inputs[index];
  if (is_ref(b, out) != wants_ref(node, index)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d of node %s comes round its loop as a "
                           "reference, and the others do not",
                           index, node->name);
  }
  back_edge_t *edges = berth_grow(b->back_edges, b->back_edge_count,
                                  &b->back_edge_capacity, sizeof(*edges));
  if (edges == NULL) return berth_error_no_memory(err, "a program");
  b->back_edges = edges;
  edges[b->back_edge_count++] =
      (back_edge_t){out, b->program->arg_count + index, (int16_t)space};
  return BERTH_OK;
}

// Brings what |node|, a NextIteration, gives to the Merges that wait for it.
static berth_code_t back_close(builder_t *b, const berth_node_t *node,
                               berth_error_t *err) {
  for (size_t i = 0; i < b->back_edge_count;) {
    back_edge_t edge = b->back_edges[i];
    if (edge.out.node != node->id) {
      ++i;
      continue;
    }
    int32_t slot = slot_of(b, edge.out);
    BERTH_TRY(slot_bring(b, &slot, edge.space, node->name, err));
    b->program->args[edge.arg] = slot;
    b->back_edges[i] = b->back_edges[--b->back_edge_count];
  }
  return BERTH_OK;
}

// ---- Adding nodes ----

static berth_code_t node_add(builder_t *b, const berth_node_t *node,
                             int32_t *slots, berth_error_t *err) {
  berth_step_t step;
  berth_choice_t choice;
  BERTH_TRY(step_init(b, node, &step, &choice, err));
  for (int i = 0; i < node->input_count; ++i) {
    slots[i] = -1;
    if (is_back(b, node, i)) continue;
    BERTH_TRY(input_slot(b, node, i, &slots[i], err));
    if (step.kernel == NULL || b->missing_count > 0) continue;
    int space = b->program->slots[slots[i]].space;
    BERTH_TRY(slot_bring(b, &slots[i], input_space(b, &step, &choice, i, space),
                         node->name, err));
  }
  BERTH_TRY(output_slots(b, &step, &choice, slots, err));
  if (step.kernel == NULL || b->missing_count > 0) return BERTH_OK;
  for (int i = 0; i < node->input_count; ++i) {
    if (slots[i] >= 0) continue;
    int space = input_space(b, &step, &choice, i, BERTH_HOST_SPACE);
    BERTH_TRY(back_note(b, node, i, space, err));
  }
  return step_settle_or_add(b, &step, slots, err);
}

// The name under which TensorFlow reports a failing fetch.
static const char *fetch_label(berth_program_t *p, const berth_node_t *node,
                               int output, int fetch) {
  berth_str_t str = {0};
  berth_str_printf(&str, "_retval_%s_%d_%d", node->name, output, fetch);
  char *label = berth_str_ok(&str)
                    ? berth_arena_strndup(&p->arena, str.text, str.size)
                    : NULL;
  berth_str_clear(&str);
  return label;
}

// Reads the variables among the outputs of |node| that are fetched, just after
// it: a later step may change them.
static berth_code_t fetched_refs_add(builder_t *b, const berth_node_t *node,
                                     berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    if (out.node != node->id || !is_ref(b, out) || p->fetch_slots[i] >= 0) {
      continue;
    }
    const char *label = fetch_label(p, node, out.index, i);
    if (label == NULL) return berth_error_no_memory(err, "a program");
    BERTH_TRY(deref_add(b, out, label, NULL, &p->fetch_slots[i], err));
  }
  return BERTH_OK;
}

// Takes out what is fetched of |node|, which lies in a loop.
static berth_code_t fetched_in_loop_add(builder_t *b, const berth_node_t *node,
                                        berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    if (out.node != node->id) continue;
    int place = berth_flow_fetch_place(p, i);
    const char *label = fetch_label(p, node, out.index, place);
    if (label == NULL) return berth_error_no_memory(err, "a program");
    int32_t slots[2] = {slot_of(b, out), -1};
    if (is_ref(b, out)) BERTH_TRY(deref_add(b, out, label, NULL, slots, err));
    berth_slot_t from = p->slots[slots[0]];
    berth_step_t step;
    if (!berth_flow_retval_step(label, from.dtype, &p->arena, &step)) {
      return berth_error_no_memory(err, "a program");
    }
    BERTH_TRY(slot_add(b, from.dtype, from.space, &slots[1], err));
    BERTH_TRY(step_add(b, step, slots, err));
    berth_flow_step_t *info = &p->flow->steps[p->step_count - 1];
    info->kind = BERTH_FLOW_RETVAL;
    info->fetch = place;
    p->fetch_slots[i] = slots[1];
  }
  return BERTH_OK;
}

static berth_code_t fetches_init(berth_program_t *p, berth_error_t *err) {
  size_t count = (size_t)p->signature.fetch_count + 1;
  p->fetch_slots =
      berth_arena_alloc(&p->arena, count * sizeof(*p->fetch_slots));
  if (p->fetch_slots == NULL) return berth_error_no_memory(err, "a program");
  memset(p->fetch_slots, 0xff, count * sizeof(*p->fetch_slots));
  return BERTH_OK;
}

// Reads the variable behind fetch |index| again, after all updates, if there
// were any since it was read.
static berth_code_t fetch_renew(builder_t *b, int index, berth_error_t *err) {
  berth_program_t *p = b->program;
  berth_out_t out = p->signature.fetches[index], variable;
  // What a partial run hands out cannot wait for what is fed later.
  if (p->signature.is_partial || !is_outdated(b, out, &variable)) {
    return BERTH_OK;
  }
  const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
  const char *label = fetch_label(p, node, out.index, index);
  berth_node_t last = {.controls = berth_arena_memdup(
                           &p->arena, b->updaters,
                           (size_t)b->updater_count * sizeof(*b->updaters)),
                       .control_count = b->updater_count};
  if (label == NULL || last.controls == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  return deref_add(b, variable, label, &last, &p->fetch_slots[index], err);
}

// Finds the slots of the fetches that carry values. What is fetched goes to the
// host, unless it is the result of a call.
static berth_code_t fetches_finish(builder_t *b, berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
    if (p->fetch_slots[i] < 0) p->fetch_slots[i] = slot_of(b, out);
    BERTH_TRY(fetch_renew(b, i, err));
    int space = p->signature.is_call ? p->slots[p->fetch_slots[i]].space
                                     : BERTH_HOST_SPACE;
    BERTH_TRY(slot_bring(b, &p->fetch_slots[i], space, node->name, err));
    p->slots[p->fetch_slots[i]].is_kept = true;
  }
  return BERTH_OK;
}

// True when |step| waits for nothing but what is there when a run begins.
static bool is_ready_at_once(const berth_program_t *p,
                             const berth_step_t *step) {
  for (int i = 0; i < step->input_count; ++i) {
    if (p->slots[p->args[step->first_arg + i]].producer >= 0) return false;
  }
  return step->node->control_count == 0;
}

// Puts copies of feeds, and reads of variables that nothing has written yet,
// before everything else: copies are then under way while the rest is computed,
// and neither stands between steps that could be queued as one.
static void early_steps_first(berth_program_t *p) {
  size_t count = (size_t)p->step_count;
  berth_step_t *later = berth_alloc((count + 1) * sizeof(*later));
  if (later == NULL) return;  // Any order of this kind is right.
  int first = 0, rest = 0;
  bool is_written = false;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    bool is_early = berth_is_copy(step) || (step->reads && !is_written);
    if (!step->reads && !berth_step_is_pure(step)) is_written = true;
    if (is_early && is_ready_at_once(p, step)) {
      p->steps[first++] = *step;
    } else {
      later[rest++] = *step;
    }
  }
  memcpy(p->steps + first, later, (size_t)rest * sizeof(*later));
  berth_free(later);
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->output_count; ++i) {
      p->slots[p->args[step->first_arg + step->input_count + i]].producer = s;
    }
  }
}

// Adds what stands in a program with conditionals and loops beside the steps of
// |node|, which have just been added.
static berth_code_t flow_finish(builder_t *b, const berth_node_t *node,
                                berth_error_t *err) {
  const berth_order_t *order = &b->order;
  uint8_t kind = order->kinds[node->id];
  if (b->missing_count > 0) return BERTH_OK;
  if (kind == BERTH_FLOW_NEXT) BERTH_TRY(back_close(b, node, err));
  if (kind == BERTH_FLOW_ENTER &&
      berth_node_attr_bool(node, "is_constant", false)) {
    b->program->slots[b->first_slot[node->id]].is_kept = true;
  }
  bool is_inside =
      order->loop_of[node->id] != BERTH_NO_LOOP && kind != BERTH_FLOW_EXIT;
  return is_inside ? fetched_in_loop_add(b, node, err) : BERTH_OK;
}

// Room for the slots of one node.
typedef struct slot_room {
  int32_t *slots;
  int count;
} slot_room_t;

static berth_code_t slot_room_reserve(slot_room_t *room,
                                      const berth_node_t *node,
                                      berth_error_t *err) {
  enum { FEW = 16 };
  int count = node->input_count + node->output_count;
  if (room->slots != NULL && count <= room->count) return BERTH_OK;
  if (count < FEW) count = FEW;
  int32_t *slots =
      berth_realloc(room->slots, (size_t)count, sizeof(*room->slots));
  if (slots == NULL) return berth_error_no_memory(err, "a program");
  *room = (slot_room_t){slots, count};
  return BERTH_OK;
}

// Adds |node| and what stands beside it, if it is needed.
static berth_code_t node_add_whole(builder_t *b, int32_t id, slot_room_t *room,
                                   berth_error_t *err) {
  if (!b->prune.needed[id]) return BERTH_OK;
  const berth_node_t *node = berth_graph_get(b->host->graph, id);
  BERTH_TRY(slot_room_reserve(room, node, err));
  BERTH_TRY(node_add(b, node, room->slots, err));
  BERTH_TRY(updates_note(b, node, err));
  if (b->program->flow != NULL) BERTH_TRY(flow_finish(b, node, err));
  bool makes_ref =
      node->output_count > 0 && berth_dtype_is_ref(node->output_types[0]);
  return makes_ref ? fetched_refs_add(b, node, err) : BERTH_OK;
}

// Adds the mark |item|. What comes out of one loop into another is there, and
// may be fetched, behind the end of the first.
static berth_code_t mark_add(builder_t *b, int32_t item, berth_error_t *err) {
  const berth_order_t *order = &b->order;
  const berth_order_loop_t *loop = &order->loops[berth_order_mark_loop(item)];
  BERTH_TRY(berth_flow_mark(b->program, item, err));
  if (!berth_order_mark_is_end(item) || loop->parent == BERTH_NO_LOOP ||
      b->missing_count > 0) {
    return BERTH_OK;
  }
  for (int32_t e = loop->first_exit; e >= 0; e = order->next[e]) {
    BERTH_TRY(fetched_in_loop_add(b, berth_graph_get(b->host->graph, e), err));
  }
  return BERTH_OK;
}

// Adds all needed nodes in order.
static berth_code_t nodes_add(builder_t *b, int node_count,
                              berth_error_t *err) {
  const int32_t *items = b->order.items;
  int count = items != NULL ? b->order.count : node_count;
  slot_room_t room = {0};
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    int32_t item = items != NULL ? items[i] : i;
    code = item >= 0 ? node_add_whole(b, item, &room, err)
                     : mark_add(b, item, err);
  }
  berth_free(room.slots);
  if (code == BERTH_OK && b->missing_count > 0) code = missing_error(b, err);
  return code;
}

// ---- Feeds ----

static berth_code_t feeds_add(builder_t *b, berth_error_t *err) {
  berth_program_t *p = b->program;
  int count = p->signature.feed_count;
  p->feed_slots =
      berth_arena_calloc(&p->arena, (size_t)count + 1, sizeof(*p->feed_slots));
  if (p->feed_slots == NULL) return berth_error_no_memory(err, "a program");
  const int16_t *spaces = p->signature.feed_spaces;
  for (int i = 0; i < count; ++i) {
    berth_out_t out = p->signature.feeds[i];
    const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
    if (spaces != NULL) {
      berth_device_t *device = berth_space_device(b->host, spaces[i]);
      BERTH_TRY(berth_program_use(p, device, b->watch, err));
    }
    BERTH_TRY(slot_add(b, node->output_types[out.index],
                       spaces != NULL ? spaces[i] : BERTH_HOST_SPACE,
                       &p->feed_slots[i], err));
  }
  return BERTH_OK;
}

// ---- Uses ----

static bool keeps_input(const berth_step_t *step, int input) {
  if ((step->kernel->flags & BERTH_KERNEL_MAKES_TENSORS) != 0) return true;
  return input < 32 && (step->kernel->keep_inputs >> input & 1) != 0;
}

// Fills the lists that lead from a slot to its places in |args|.
static berth_code_t uses_build(berth_program_t *p, berth_error_t *err) {
  p->uses = berth_arena_alloc(&p->arena,
                              ((size_t)p->arg_count + 1) * sizeof(*p->uses));
  if (p->uses == NULL) return berth_error_no_memory(err, "a program");
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    const int32_t *slots = p->args + step->first_arg;
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      berth_slot_t *slot = &p->slots[slots[i]];
      ++slot->use_count;
      if (i >= step->input_count) continue;
      ++slot->consumer_count;
      if (keeps_input(step, i)) slot->is_kept = true;
    }
  }
  int32_t next = 0;
  for (int i = 0; i < p->slot_count; ++i) {
    p->slots[i].first_use = next;
    next += p->slots[i].use_count;
    p->slots[i].use_count = 0;
  }
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      int32_t position = step->first_arg + i;
      berth_slot_t *slot = &p->slots[p->args[position]];
      p->uses[slot->first_use + slot->use_count++] = position;
    }
  }
  return BERTH_OK;
}

// ---- The whole ----

// Copies the signature into the program's own memory.
static berth_code_t signature_copy(berth_program_t *p,
                                   const berth_signature_t *from,
                                   berth_error_t *err) {
  p->signature = *from;
  p->signature.feeds = berth_arena_memdup(
      &p->arena, from->feeds, (size_t)from->feed_count * sizeof(berth_out_t));
  p->signature.fetches =
      berth_arena_memdup(&p->arena, from->fetches,
                         (size_t)from->fetch_count * sizeof(berth_out_t));
  p->signature.targets =
      berth_arena_memdup(&p->arena, from->targets,
                         (size_t)from->target_count * sizeof(berth_node_id_t));
  if (from->feed_spaces != NULL) {
    p->signature.feed_spaces =
        berth_arena_memdup(&p->arena, from->feed_spaces,
                           (size_t)from->feed_count * sizeof(int16_t));
  }
  if (p->signature.feeds == NULL || p->signature.fetches == NULL ||
      p->signature.targets == NULL ||
      (p->signature.feed_spaces == NULL) != (from->feed_spaces == NULL)) {
    return berth_error_no_memory(err, "a program");
  }
  return BERTH_OK;
}

// Orders the nodes, where ids are not the order of running.
static berth_code_t flow_init(builder_t *b, int node_count,
                              berth_error_t *err) {
  berth_program_t *p = b->program;
  BERTH_TRY(berth_order_init(&b->order, b->host->graph, &b->prune, err));
  if (b->order.items == NULL) return BERTH_OK;
  if (p->signature.is_partial) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "A partial run cannot have conditionals and loops "
                           "(Switch, Merge, Enter ...); run it at once");
  }
  p->flow = berth_flow_create(&b->order, node_count);
  return p->flow != NULL ? BERTH_OK : berth_error_no_memory(err, "a program");
}

// Finds out which updates are one commit: those in a row, in one segment.
static void commits_find(berth_program_t *p) {
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    for (int s = segment->begin; s < segment->end; ++s) {
      bool is_alone = s + 1 == segment->end || p->flow != NULL;
      p->steps[s].ends_commit =
          is_alone || !berth_step_updates(&p->steps[s + 1]);
    }
  }
}

static berth_code_t build(builder_t *b, int node_count, berth_error_t *err) {
  berth_program_t *p = b->program;
  BERTH_TRY(berth_prune_init(&b->prune, b->host->graph, &p->signature,
                             node_count, err));
  BERTH_TRY(flow_init(b, node_count, err));
  b->first_slot =
      berth_alloc(((size_t)node_count + 1) * sizeof(*b->first_slot));
  b->updates_at =
      berth_alloc(((size_t)node_count + 1) * sizeof(*b->updates_at));
  if (b->first_slot == NULL || b->updates_at == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  BERTH_TRY(feeds_add(b, err));
  BERTH_TRY(fetches_init(p, err));
  BERTH_TRY(nodes_add(b, node_count, err));
  BERTH_ASSERT(b->back_edge_count == 0);
  BERTH_TRY(fetches_finish(b, err));
  if (p->flow != NULL) {
    berth_flow_finish(p->flow);
    p->uses_devices = false;  // Late steps use the compute streams alone.
  }
  if (p->uses_devices) early_steps_first(p);
  BERTH_TRY(berth_segments_build(p, err));
  commits_find(p);
  return uses_build(p, err);
}

// Destroys a program with its layouts. No run is under way.
static void program_destroy(berth_retired_t *retired) {
  berth_program_t *program = (berth_program_t *)retired;
  berth_layouts_destroy(program);
  berth_flow_destroy(program->flow);
  for (int i = 0; i < program->step_count; ++i) {
    berth_step_deinit(&program->steps[i]);
  }
  for (int i = 0; i < program->settled_step_count; ++i) {
    berth_step_deinit(&program->settled_steps[i]);
  }
  for (int i = 0; i < program->slot_count; ++i) {
    berth_tensor_release(program->settled[i]);
  }
  berth_free(program->steps);
  berth_free(program->settled_steps);
  berth_free(program->args);
  berth_free(program->slots);
  berth_free(program->settled);
  berth_mutex_deinit(&program->lock);
  berth_arena_clear(&program->arena);
  berth_free(program);
}

berth_code_t berth_program_create(const berth_exec_host_t *host,
                                  const berth_signature_t *signature,
                                  int node_count, berth_watch_t *watch,
                                  berth_program_t **out_program,
                                  berth_error_t *err) {
  berth_program_t *program = berth_calloc(1, sizeof(*program));
  if (program == NULL) return berth_error_no_memory(err, "a program");
  berth_mutex_init(&program->lock);
  atomic_init(&program->refs, 1);
  program->host = host;
  builder_t b = {.program = program, .host = host, .watch = watch};
  berth_code_t code = signature_copy(program, signature, err);
  if (code == BERTH_OK) code = build(&b, node_count, err);
  berth_prune_deinit(&b.prune);
  berth_order_deinit(&b.order);
  berth_free(b.back_edges);
  berth_free(b.first_slot);
  berth_free(b.updates_at);
  berth_free(b.updaters);
  berth_free(b.first_copy);
  berth_free(b.copies);
  berth_str_clear(&b.missing);
  berth_program_let_go(program);
  if (code == BERTH_OK) {
    *out_program = program;
  } else {
    program_destroy(&program->retired);
  }
  return code;
}

berth_program_t *berth_program_retain(berth_program_t *program) {
  atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
  return program;
}

void berth_program_release(berth_program_t *program) {
  if (program == NULL) return;
  if (atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  program->retired.destroy = program_destroy;
  berth_terms_retire(program->host->terms, &program->retired);
}

static bool outs_equal(const berth_out_t *a, const berth_out_t *b, int count) {
  for (int i = 0; i < count; ++i) {
    if (a[i].node != b[i].node || a[i].index != b[i].index) return false;
  }
  return true;
}

static bool spaces_equal(const int16_t *a, const int16_t *b, int count) {
  if (a == NULL || b == NULL) return a == b;
  return memcmp(a, b, (size_t)count * sizeof(*a)) == 0;
}

bool berth_program_is_for(const berth_program_t *program,
                          const berth_signature_t *signature) {
  const berth_signature_t *own = &program->signature;
  if (own->feed_count != signature->feed_count ||
      own->fetch_count != signature->fetch_count ||
      own->target_count != signature->target_count ||
      own->is_partial != signature->is_partial) {
    return false;
  }
  for (int i = 0; i < own->target_count; ++i) {
    if (own->targets[i] != signature->targets[i]) return false;
  }
  return spaces_equal(own->feed_spaces, signature->feed_spaces,
                      own->feed_count) &&
         outs_equal(own->feeds, signature->feeds, own->feed_count) &&
         outs_equal(own->fetches, signature->fetches, own->fetch_count);
}
