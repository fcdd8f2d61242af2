// build_value.c - Which slot a node's input is: a value, a variable, or what a
// variable holds just then.
#include "base/alloc.h"
#include "base/assert.h"
#include "exec/builder.h"
#include "exec/copy.h"
#include "exec/deref.h"

int32_t berth_builder_slot_of(const berth_builder_t *b, berth_out_t out) {
  int feed = berth_prune_feed_of(&b->prune, out);
  if (feed >= 0) return b->program->feed_slots[feed];
  return b->first_slot[out.node] + out.index;
}

bool berth_builder_is_ref(const berth_builder_t *b, berth_out_t out) {
  if (berth_prune_feed_of(&b->prune, out) >= 0) return false;
  const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
  return berth_dtype_is_ref(node->output_types[out.index]);
}

bool berth_builder_wants_ref(const berth_node_t *node, int index) {
  for (int arg = 0; arg < node->op->input_count; ++arg) {
    int first = 0, count = 0;
    berth_node_input_range(node, arg, &first, &count);
    if (index < first + count) return node->op->inputs[arg].is_ref;
  }
  return false;
}

// Returns a value of the variable behind |slot| that was read before and is
// still good, or -1.
static int32_t value_find(const berth_builder_t *b, int32_t slot) {
  for (int32_t c = b->first_copy[slot]; c >= 0; c = b->copies[c].next) {
    if (b->copies[c].space != BERTH_VALUE_OF) continue;
    return b->copies[c].writes == b->writes ? b->copies[c].slot : -1;
  }
  return -1;
}

// Returns the space in which the variable |out| holds its value, of |dtype|.
static int value_space(const berth_builder_t *b, berth_out_t out,
                       berth_dtype_t dtype) {
  int device = b->host->device_of(b->host, out.node);
  bool on_host =
      b->host->devices[device].device == NULL || !berth_dtype_is_plain(dtype);
  return on_host ? BERTH_HOST_SPACE : device + 1;
}

berth_code_t berth_builder_deref(berth_builder_t *b, berth_out_t out,
                                 const char *label,
                                 const berth_node_t *consumer,
                                 int32_t *out_slot, berth_error_t *err) {
  // What is read in a branch or an iteration is good only there.
  bool shares = consumer != NULL && consumer->control_count == 0 &&
                b->program->flow == NULL;
  *out_slot = shares ? value_find(b, berth_builder_slot_of(b, out)) : -1;
  if (*out_slot >= 0) return BERTH_OK;
  const berth_node_t *variable = berth_graph_get(b->host->graph, out.node);
  berth_dtype_t dtype = berth_dtype_base(variable->output_types[out.index]);
  berth_node_t *node = berth_deref_node(&b->program->arena, label, dtype);
  if (node == NULL) return berth_error_no_memory(err, "a program");
  if (consumer != NULL) {
    node->controls = consumer->controls;
    node->control_count = consumer->control_count;
  }
  int32_t slots[2] = {berth_builder_slot_of(b, out), -1};
  int device = b->host->device_of(b->host, out.node);
  BERTH_TRY(
      berth_builder_slot(b, dtype, value_space(b, out, dtype), &slots[1], err));
  berth_step_t step = {.node = node,
                       .input_count = 1,
                       .output_count = 1,
                       .device = (int16_t)device,
                       .on_host = true,
                       .reads = true};
  berth_step_set_kernel(&step, &berth_deref_kernel);
  BERTH_TRY(berth_builder_step(b, step, slots, err));
  *out_slot = slots[1];
  return shares ? berth_builder_note_copy(b, slots[0], slots[1], BERTH_VALUE_OF,
                                          err)
                : BERTH_OK;
}

// Returns the input whose memory |out|, an output of |node|, is; NULL: it has
// memory of its own.
static const berth_out_t *shared_input(const berth_node_t *node,
                                       berth_out_t out) {
  uint32_t traits = node->op->traits;
  if ((traits & BERTH_OP_PASSES) != 0) return &node->inputs[out.index];
  return (traits & BERTH_OP_VIEWS) != 0 ? &node->inputs[0] : NULL;
}

// Finds the variable whose memory |out| is in TensorFlow: behind a reference,
// or handed on from there without leaving that memory. |*out_is_view| says
// whether that is in another shape.
static bool variable_find(const berth_builder_t *b, berth_out_t out,
                          berth_out_t *out_variable, bool *out_is_view) {
  *out_is_view = false;
  const berth_slot_t last = b->program->slots[berth_builder_slot_of(b, out)];
  while (!berth_builder_is_ref(b, out)) {
    const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
    const berth_out_t *input = shared_input(node, out);
    int32_t slot = berth_builder_slot_of(b, out);
    if (berth_prune_feed_of(&b->prune, out) >= 0 || input == NULL ||
        b->program->slots[slot].space != last.space) {
      return false;
    }
    *out_is_view = *out_is_view || (node->op->traits & BERTH_OP_VIEWS) != 0;
    out = *input;
  }
  *out_variable = out;
  return value_space(b, out, last.dtype) == last.space;
}

bool berth_builder_is_outdated(const berth_builder_t *b, berth_out_t out) {
  berth_out_t variable;
  bool is_view = false;
  // Where there are loops an update does not stand before or after a use.
  return b->program->flow == NULL && berth_prune_feed_of(&b->prune, out) < 0 &&
         b->updates_at[out.node] != b->updater_count &&
         variable_find(b, out, &variable, &is_view);
}

// Adds a step that gives |*slot|, what a variable holds, the shape of |view|,
// and makes |*slot| its output.
static berth_code_t view_add(berth_builder_t *b, int32_t view,
                             const char *label, int32_t *slot,
                             berth_error_t *err) {
  berth_program_t *p = b->program;
  const berth_slot_t old = p->slots[view];
  if (old.producer < 0) return BERTH_OK;  // It has no kernel.
  berth_step_t step = {.device = p->steps[old.producer].device,
                       .on_host = old.space == BERTH_HOST_SPACE};
  BERTH_TRY(berth_builder_bring(b, slot, old.space, label, err));
  if (!berth_view_step(label, old.dtype, &p->arena, &step)) {
    return berth_error_no_memory(err, "a program");
  }
  int32_t slots[3] = {*slot, view, -1};
  BERTH_TRY(berth_builder_slot(b, old.dtype, old.space, &slots[2], err));
  *slot = slots[2];
  return berth_builder_step(b, step, slots, err);
}

// Adds what is to be waited for where |before| is to |controls|, if there is
// room, and returns how many there are then. A constant is there at once: what
// it waits for counts.
static int32_t waits_add(const berth_graph_t *graph, int32_t before,
                         int32_t *controls, int32_t count) {
  const berth_node_t *node = berth_graph_get(graph, before);
  if ((node->op->traits & BERTH_OP_CONSTANT) == 0) {
    if (controls != NULL) controls[count] = before;
    return count + 1;
  }
  for (int i = 0; i < node->control_count; ++i, ++count) {
    if (controls != NULL) controls[count] = node->controls[i];
  }
  return count;
}

// Stores what a node that stands for |node| waits for in |controls|, which may be
// NULL; returns how many there are.
static int32_t waits_of(const berth_builder_t *b, const berth_node_t *node,
                        int32_t *controls) {
  const berth_graph_t *graph = b->host->graph;
  int32_t count = 0;
  for (int i = 0; i < node->input_count; ++i) {
    if (berth_prune_feed_of(&b->prune, node->inputs[i]) >= 0) continue;
    count = waits_add(graph, node->inputs[i].node, controls, count);
  }
  for (int i = 0; i < node->control_count; ++i) {
    count = waits_add(graph, node->controls[i], controls, count);
  }
  return count;
}

const berth_node_t *berth_builder_waiting_node(berth_builder_t *b,
                                               const berth_node_t *node) {
  berth_arena_t *arena = &b->program->arena;
  size_t most = (size_t)waits_of(b, node, NULL);
  berth_node_t *made = berth_arena_memdup(arena, node, sizeof(*made));
  int32_t *controls = berth_arena_alloc(arena, (most + 1) * sizeof(*controls));
  if (made == NULL || controls == NULL) return NULL;
  made->op = berth_schema_find("NoOp");
  made->input_count = made->output_count = 0;
  made->controls = controls;
  made->control_count = waits_of(b, node, controls);
  return made;
}

berth_code_t berth_builder_renew(berth_builder_t *b, berth_out_t out,
                                 const char *label,
                                 const berth_node_t *consumer,
                                 int32_t *out_slot, berth_error_t *err) {
  berth_out_t variable = {0};
  bool is_view = false;
  bool is_found = variable_find(b, out, &variable, &is_view);
  BERTH_ASSERT(is_found);
  // What it waits for may be what waits for the update.
  const berth_node_t *waiting = berth_builder_waiting_node(b, consumer);
  if (waiting == NULL) return berth_error_no_memory(err, "a program");
  BERTH_TRY(berth_builder_deref(b, variable, label, waiting, out_slot, err));
  return is_found && is_view
             ? view_add(b, berth_builder_slot_of(b, out), label, out_slot, err)
             : BERTH_OK;
}

berth_code_t berth_builder_input(berth_builder_t *b, const berth_node_t *node,
                                 int index, int32_t *out_slot,
                                 berth_error_t *err) {
  berth_out_t out = node->inputs[index];
  bool wanted = berth_builder_wants_ref(node, index);
  if (!wanted && !berth_builder_is_ref(b, out) &&
      berth_builder_is_outdated(b, out)) {
    return berth_builder_renew(b, out, node->name, node, out_slot, err);
  }
  if (berth_builder_is_ref(b, out) && !wanted) {
    return berth_builder_deref(b, out, node->name, node, out_slot, err);
  }
  if (wanted && !berth_builder_is_ref(b, out)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d of node %s must be a reference; a fed "
                           "value has none\n\t [[{{node %s}}]]",
                           index, node->name, node->name);
  }
  *out_slot = berth_builder_slot_of(b, out);
  return BERTH_OK;
}
