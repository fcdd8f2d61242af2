// tape.c - Noting eager calls.
#include "runtime/tape.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "grad/walk.h"
#include "graph/builder.h"
#include "tensor/tensor.h"

berth_code_t berth_tape_create(berth_context_t *context,
                               berth_tape_t **out_tape, berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(out_tape, err);
  berth_tape_t *tape = berth_calloc(1, sizeof(*tape));
  if (tape != NULL) tape->graph = berth_graph_create();
  if (tape == NULL || tape->graph == NULL) {
    berth_free(tape);
    return berth_error_no_memory(err, "a tape");
  }
  tape->context = context;
  *out_tape = tape;
  return BERTH_OK;
}

void berth_tape_destroy(berth_tape_t *tape) {
  if (tape == NULL) return;
  for (size_t i = 0; i < tape->tensor_count; ++i) {
    berth_tensor_release(tape->tensors[i]);
  }
  berth_graph_release(tape->graph);
  berth_free(tape->tensors);
  berth_free(tape->first);
  berth_free(tape->is_linked);
  berth_free(tape->places);
  berth_free(tape);
}

// ---- Places ----

static size_t slot_of(const berth_tape_t *tape, const berth_tensor_t *tensor) {
  size_t mask = tape->place_capacity - 1;
  size_t slot =
      (size_t)(((uintptr_t)tensor >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
      mask;
  while (tape->places[slot].tensor != NULL &&
         tape->places[slot].tensor != tensor) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

berth_out_t berth_tape_find(const berth_tape_t *tape,
                            const berth_tensor_t *tensor) {
  if (tape->place_capacity == 0) return BERTH_NO_OUT;
  const berth_tape_place_t *place = &tape->places[slot_of(tape, tensor)];
  return place->tensor == NULL ? BERTH_NO_OUT : place->out;
}

static bool places_grow(berth_tape_t *tape) {
  if (tape->place_count * 4 < tape->place_capacity * 3) return true;
  size_t old = tape->place_capacity;
  berth_tape_place_t *places = tape->places;
  size_t capacity = old == 0 ? 64 : 2 * old;
  berth_tape_place_t *wider = berth_calloc(capacity, sizeof(*wider));
  if (wider == NULL) return false;
  tape->places = wider;
  tape->place_capacity = capacity;
  for (size_t i = 0; i < old; ++i) {
    if (places[i].tensor == NULL) continue;
    wider[slot_of(tape, places[i].tensor)] = places[i];
  }
  berth_free(places);
  return true;
}

// ---- Nodes ----

static bool nodes_grow(berth_tape_t *tape, size_t tensors) {
  if (tape->node_count == tape->node_capacity) {
    size_t capacity = tape->node_capacity == 0 ? 64 : 2 * tape->node_capacity;
    int32_t *first = berth_realloc(tape->first, capacity, sizeof(*first));
    if (first != NULL) tape->first = first;
    bool *linked = berth_realloc(tape->is_linked, capacity, sizeof(*linked));
    if (linked != NULL) tape->is_linked = linked;
    if (first == NULL || linked == NULL) return false;
    tape->node_capacity = capacity;
  }
  if (tape->tensor_count + tensors > tape->tensor_capacity) {
    size_t capacity = 2 * (tape->tensor_count + tensors) + 64;
    berth_tensor_t **more =
        berth_realloc(tape->tensors, capacity, sizeof(*more));
    if (more == NULL) return false;
    tape->tensors = more;
    tape->tensor_capacity = capacity;
  }
  return true;
}

// Adds a node whose outputs are |outputs|.
static berth_code_t node_add(berth_tape_t *tape, berth_node_spec_t *spec,
                             berth_tensor_t *const *outputs, int count,
                             bool is_linked, int32_t *out_node,
                             berth_error_t *err) {
  spec->name = "call";
  spec->is_name_kept = true;
  spec->is_shapeless = true;
  if (!nodes_grow(tape, (size_t)count)) {
    return berth_error_no_memory(err, "a tape");
  }
  berth_graph_lock(tape->graph);
  berth_code_t code = berth_graph_add(tape->graph, spec, out_node, err);
  berth_graph_unlock(tape->graph);
  if (code != BERTH_OK) return code;
  tape->first[tape->node_count] = (int32_t)tape->tensor_count;
  tape->is_linked[tape->node_count++] = is_linked;
  for (int i = 0; i < count; ++i) {
    tape->tensors[tape->tensor_count++] = berth_tensor_retain(outputs[i]);
    if (!places_grow(tape)) return berth_error_no_memory(err, "a tape");
    berth_tape_place_t *place = &tape->places[slot_of(tape, outputs[i])];
    if (place->tensor == NULL) ++tape->place_count;
    *place = (berth_tape_place_t){outputs[i], {*out_node, i}};
  }
  return BERTH_OK;
}

// Adds a value that no call on the tape has made.
static berth_code_t value_add(berth_tape_t *tape, berth_tensor_t *tensor,
                              bool is_linked, berth_out_t *out,
                              berth_error_t *err) {
  berth_attr_t attr = {
      "dtype", {.kind = BERTH_ATTR_TYPE, .type = berth_tensor_dtype(tensor)}};
  berth_node_spec_t spec = {
      .op = "Placeholder", .attrs = &attr, .attr_count = 1};
  *out = BERTH_NO_OUT;
  return node_add(tape, &spec, &tensor, 1, is_linked, &out->node, err);
}

static bool is_linked(const berth_tape_t *tape, const berth_tensor_t *tensor) {
  if (!berth_grad_is_smooth(berth_tensor_dtype(tensor))) return false;
  berth_out_t out = berth_tape_find(tape, tensor);
  return berth_out_is(out) && tape->is_linked[out.node];
}

static bool any_linked(const berth_tape_t *tape, berth_tensor_t *const *inputs,
                       int count) {
  for (int i = 0; i < count; ++i) {
    if (is_linked(tape, inputs[i])) return true;
  }
  return false;
}

berth_code_t berth_tape_watch(berth_tape_t *tape, berth_tensor_t *tensor,
                              berth_error_t *err) {
  BERTH_GIVEN(tape, err);
  BERTH_GIVEN(tensor, err);
  if (!berth_grad_is_smooth(berth_tensor_dtype(tensor))) return BERTH_OK;
  berth_out_t out = berth_tape_find(tape, tensor);
  if (berth_out_is(out)) {
    tape->is_linked[out.node] = true;
    return BERTH_OK;
  }
  return value_add(tape, tensor, true, &out, err);
}

// ---- Calls ----

// Notes a call that depends on something watched.
static berth_code_t note(berth_tape_t *tape, berth_node_spec_t *spec,
                         berth_tensor_t *const *inputs, int input_count,
                         berth_tensor_t *const *outputs, int output_count,
                         berth_error_t *err) {
  enum { FEW = 16 };
  berth_out_t few[FEW];
  berth_out_t *outs = few;
  if (input_count > FEW) {
    outs = berth_calloc((size_t)input_count, sizeof(*outs));
    if (outs == NULL) return berth_error_no_memory(err, "a tape");
  }
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < input_count; ++i) {
    outs[i] = berth_tape_find(tape, inputs[i]);
    if (!berth_out_is(outs[i])) {
      code = value_add(tape, inputs[i], false, &outs[i], err);
    }
  }
  if (code == BERTH_OK) {
    int32_t node = -1;
    spec->inputs = outs;
    spec->input_count = input_count;
    code = node_add(tape, spec, outputs, output_count, true, &node, err);
  }
  if (outs != few) berth_free(outs);
  return code;
}

// Gives an output that is an input, another output or on the tape already a
// tensor of its own.
static berth_code_t part_outputs(const berth_tape_t *tape,
                                 berth_tensor_t *const *inputs, int input_count,
                                 berth_tensor_t **outputs, int output_count,
                                 berth_error_t *err) {
  for (int i = 0; i < output_count; ++i) {
    const berth_tensor_t *t = outputs[i];
    bool is_shared = berth_out_is(berth_tape_find(tape, t));
    for (int j = 0; j < input_count; ++j) is_shared |= inputs[j] == t;
    for (int j = 0; j < i; ++j) is_shared |= outputs[j] == t;
    if (!is_shared) continue;
    berth_tensor_t *twin = NULL;
    BERTH_TRY(berth_tensor_view(t->buffer, t->data, t->dtype, t->rank, t->dims,
                                t->count, t->device, &twin, err));
    berth_tensor_release(outputs[i]);
    outputs[i] = twin;
  }
  return BERTH_OK;
}

berth_code_t berth_tape_note(berth_tape_t *tape, int64_t token,
                             berth_tensor_t *const *inputs, int input_count,
                             berth_tensor_t **outputs, int output_count,
                             bool *out_noted, berth_error_t *err) {
  BERTH_GIVEN(tape, err);
  BERTH_GIVEN_LIST(inputs, input_count, err);
  BERTH_GIVEN_LIST(outputs, output_count, err);
  BERTH_GIVEN(out_noted, err);
  *out_noted = any_linked(tape, inputs, input_count);
  if (!*out_noted) return BERTH_OK;
  BERTH_TRY(
      part_outputs(tape, inputs, input_count, outputs, output_count, err));
  size_t count = (size_t)input_count + (size_t)output_count;
  berth_dtype_t *types = berth_calloc(count + 1, sizeof(*types));
  if (types == NULL) return berth_error_no_memory(err, "a tape");
  for (int i = 0; i < input_count; ++i) {
    types[i] = berth_tensor_dtype(inputs[i]);
  }
  for (int i = 0; i < output_count; ++i) {
    types[input_count + i] = berth_tensor_dtype(outputs[i]);
  }
  berth_attr_kind_t list =
      (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_TYPE);
  berth_attr_t attrs[] = {
      {"token",
       {.kind = BERTH_ATTR_STRING, .s = {(const char *)&token, sizeof(token)}}},
      {"Tin", {.kind = list, .count = input_count, .type_list = types}},
      {"Tout",
       {.kind = list,
        .count = output_count,
        .type_list = types + input_count}}};
  berth_node_spec_t spec = {.op = "PyFunc", .attrs = attrs, .attr_count = 3};
  berth_code_t code =
      note(tape, &spec, inputs, input_count, outputs, output_count, err);
  berth_free(types);
  return code;
}

// Says how many values each argument takes, for an op with one list.
static void count_args(const char *op, int input_count, int32_t *counts,
                       int room, berth_node_spec_t *spec) {
  const berth_op_schema_t *schema = berth_schema_find(op);
  if (schema == NULL || schema->input_count > room) return;
  int many = -1;
  for (int i = 0; i < schema->input_count; ++i) {
    counts[i] = 1;
    const berth_arg_schema_t *arg = &schema->inputs[i];
    if (arg->number_attr < 0 && arg->list_attr < 0) continue;
    if (many >= 0) return;  // The attributes tell.
    many = i;
  }
  if (many < 0) return;
  counts[many] = input_count - schema->input_count + 1;
  spec->arg_counts = counts;
  spec->arg_count = schema->input_count;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_tape_call(berth_context_t *context,
                             berth_tape_t *const *tapes, int tape_count,
                             const char *op, const berth_op_t *description,
                             const char *device, berth_tensor_t *const *inputs,
                             int input_count, berth_tensor_t **outputs,
                             int *output_count, berth_error_t *err) {
  BERTH_GIVEN_LIST(tapes, tape_count, err);
  BERTH_TRY(description != NULL
                ? berth_eager_call_op(context, description, device, inputs,
                                      input_count, outputs, output_count, err)
                : berth_eager_call(context, op, device, inputs, input_count,
                                   outputs, output_count, err));
  enum { ROOM = 32 };
  int32_t counts[ROOM];
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < tape_count; ++i) {
    if (!any_linked(tapes[i], inputs, input_count)) continue;
    code = part_outputs(tapes[i], inputs, input_count, outputs, *output_count,
                        err);
    berth_node_spec_t spec = {.op = op};
    if (code == BERTH_OK && description != NULL) {
      code = berth_op_describe(description, &spec, err);
    }
    if (code != BERTH_OK) break;
    count_args(spec.op, input_count, counts, ROOM, &spec);
    code =
        note(tapes[i], &spec, inputs, input_count, outputs, *output_count, err);
  }
  if (code == BERTH_OK) return BERTH_OK;
  for (int i = 0; i < *output_count; ++i) {
    berth_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
  return code;
}
