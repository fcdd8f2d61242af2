// while.c - While, by Enter, Merge, Switch, NextIteration and Exit.
//
//   x ── Enter ── Merge ─┬─ cond ── LoopCond ─┐
//            ┌───────┘   └──────── Switch ─┬──┴─ :1 ── body ── NextIteration ─┐
//            └─────────────────────────────┼──────────────────────────────────┘
//                                          └─ :0 ── Exit
//
// A handle that the body hands back as it is enters as a constant of the loop.
#include <string.h>

#include "lower/lower_internal.h"

typedef struct loop {
  berth_lowering_t *lowering;
  const berth_node_spec_t *spec;
  int32_t after;
  int32_t count;         // Of values.
  bool *is_constant;     // By value: a handle.
  berth_out_t *entered;  // By value, as all below.
  berth_out_t *merged;   // What the condition sees.
  int32_t *merges;       // Nodes; -1 for constants.
  berth_out_t *inside;   // What the body sees.
  berth_out_t *outs;
} loop_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a loop");
}

static berth_code_t add(const loop_t *w, const char *op,
                        const berth_out_t *inputs, int32_t count, int32_t after,
                        const berth_attr_t *attrs, int32_t attr_count,
                        berth_out_t *out, berth_error_t *err) {
  int32_t node = -1;
  BERTH_TRY(berth_lower_add(w->lowering, op, w->spec->name, op, w->spec->device,
                            inputs, count, &after, 1, attrs, attr_count, &node,
                            err));
  *out = (berth_out_t){node, 0};
  return BERTH_OK;
}

// A value may have another shape in the next turn: nothing is known of it but
// what the node says.
static berth_code_t shape_forget(const loop_t *w, int32_t i,
                                 berth_error_t *err) {
  const berth_attr_value_t *shapes = berth_lower_attr(w->spec, "output_shapes");
  berth_graph_t *to = w->lowering->to;
  berth_dims_t known = {-1, NULL};
  if (shapes != NULL && shapes->count == w->count) {
    known = shapes->shape_list[i];
  }
  if (known.rank > 0) {
    known.dims = berth_arena_memdup(&to->arena, known.dims,
                                    (size_t)known.rank * sizeof(int64_t));
    if (known.dims == NULL) return no_memory(err);
  }
  berth_graph_get(to, w->merges[i])->output_shapes[0] = known;
  return BERTH_OK;
}

static berth_code_t enter(const loop_t *w, int32_t i, berth_error_t *err) {
  const berth_attr_value_t *most =
      berth_lower_attr(w->spec, "parallel_iterations");
  bool is_number = most != NULL && most->kind == BERTH_ATTR_INT;
  const char *name = w->spec->name;
  berth_attr_t attrs[] = {
      {"frame_name", {.kind = BERTH_ATTR_STRING, .s = {name, strlen(name)}}},
      {"is_constant", {.kind = BERTH_ATTR_BOOL, .b = w->is_constant[i]}},
      {"parallel_iterations",
       {.kind = BERTH_ATTR_INT, .i = is_number ? most->i : 10}}};
  BERTH_TRY(add(w, "Enter", &w->spec->inputs[i], 1, w->after, attrs, 3,
                &w->entered[i], err));
  w->merged[i] = w->entered[i];
  w->merges[i] = -1;
  if (w->is_constant[i]) return BERTH_OK;
  berth_out_t pair[2] = {w->entered[i], w->entered[i]};
  BERTH_TRY(add(w, "Merge", pair, 2, -1, NULL, 0, &w->merged[i], err));
  w->merges[i] = w->merged[i].node;
  return shape_forget(w, i, err);
}

// Does function |attr| of the node with |inputs|, waiting for |after|.
static berth_code_t function_do(const loop_t *w, const char *attr,
                                const berth_out_t *inputs, int32_t after,
                                berth_lowered_t *out, berth_error_t *err) {
  const berth_attr_value_t *value = berth_lower_attr(w->spec, attr);
  if (value == NULL || value->kind != BERTH_ATTR_FUNC) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node %s (%s) has no %s", w->spec->name, w->spec->op,
                           attr);
  }
  berth_lower_call_t call = {
      .name = berth_lower_join(w->lowering, w->spec->name, attr),
      .device = w->spec->device,
      .origin = berth_lower_origin(w->spec),
      .function = value->func,
      .inputs = inputs,
      .input_count = w->count,
      .after = after};
  if (call.name == NULL) return no_memory(err);
  return berth_lower_body(w->lowering, &call, out, err);
}

// Makes the condition; what acts in it is done before anybody knows.
static berth_code_t condition_make(const loop_t *w, int32_t pivot,
                                   berth_out_t *out, berth_error_t *err) {
  berth_lowered_t condition;
  BERTH_TRY(function_do(w, "cond", w->merged, pivot, &condition, err));
  if (condition.out_count != 1 ||
      berth_lower_type(w->lowering, condition.outs[0]) != BERTH_BOOL) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s: the condition of a loop must be one bool",
                           w->spec->name);
  }
  return add(w, "LoopCond", condition.outs, 1, condition.done, NULL, 0, out,
             err);
}

// Sends what goes round into the body, or out.
static berth_code_t switches_make(const loop_t *w, berth_out_t condition,
                                  berth_out_t *out_pivot, berth_error_t *err) {
  bool is_first = true;
  for (int32_t i = 0; i < w->count; ++i) {
    w->inside[i] = w->merged[i];
    if (w->is_constant[i]) continue;
    berth_out_t pair[2] = {w->merged[i], condition}, way;
    BERTH_TRY(add(w, "Switch", pair, 2, -1, NULL, 0, &way, err));
    BERTH_TRY(add(w, "Exit", &way, 1, -1, NULL, 0, &w->outs[i], err));
    way.index = 1;
    BERTH_TRY(add(w, "Identity", &way, 1, -1, NULL, 0, &w->inside[i], err));
    if (is_first) *out_pivot = w->inside[i];
    is_first = false;
  }
  return BERTH_OK;
}

// Closes the loop over the body.
static berth_code_t body_make(const loop_t *w, berth_out_t pivot,
                              berth_error_t *err) {
  berth_lowered_t body;
  BERTH_TRY(function_do(w, "body", w->inside, pivot.node, &body, err));
  if (body.out_count != w->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "While loop body returned %d arguments. Expected: "
                           "%d",
                           (int)body.out_count, (int)w->count);
  }
  for (int32_t i = 0; i < w->count; ++i) {
    if (w->is_constant[i]) continue;
    berth_out_t next;
    BERTH_TRY(add(w, "NextIteration", &body.outs[i], 1, body.done, NULL, 0,
                  &next, err));
    BERTH_TRY(berth_merge_set_input(
        w->lowering->to, berth_graph_get(w->lowering->to, w->merges[i]), 1,
        next, err));
  }
  return BERTH_OK;
}

static bool arrays_alloc(loop_t *w) {
  berth_arena_t *arena = &w->lowering->arena;
  size_t count = (size_t)w->count + 1;
  w->is_constant = berth_arena_calloc(arena, count, sizeof(*w->is_constant));
  w->entered = berth_arena_calloc(arena, count, sizeof(*w->entered));
  w->merged = berth_arena_calloc(arena, count, sizeof(*w->merged));
  w->merges = berth_arena_calloc(arena, count, sizeof(*w->merges));
  w->inside = berth_arena_calloc(arena, count, sizeof(*w->inside));
  w->outs = berth_arena_calloc(arena, count, sizeof(*w->outs));
  return w->is_constant != NULL && w->entered != NULL && w->merged != NULL &&
         w->merges != NULL && w->inside != NULL && w->outs != NULL;
}

berth_code_t berth_lower_while(berth_lowering_t *l,
                               const berth_node_spec_t *spec, int32_t after,
                               berth_lowered_t *out, berth_error_t *err) {
  loop_t w = {
      .lowering = l, .spec = spec, .after = after, .count = spec->input_count};
  if (!arrays_alloc(&w)) return no_memory(err);
  int32_t first = -1;
  for (int32_t i = 0; i < w.count; ++i) {
    w.is_constant[i] = berth_lower_type(l, spec->inputs[i]) == BERTH_RESOURCE;
    w.outs[i] = spec->inputs[i];
    BERTH_TRY(enter(&w, i, err));
    if (first < 0) first = w.merges[i];
  }
  if (first < 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s: a loop in which nothing but handles goes round",
                           spec->name);
  }
  berth_out_t condition = {first, 0}, pivot = {first, 0};
  BERTH_TRY(condition_make(&w, first, &condition, err));
  BERTH_TRY(switches_make(&w, condition, &pivot, err));
  BERTH_TRY(body_make(&w, pivot, err));
  *out = (berth_lowered_t){.outs = w.outs, .out_count = w.count, .done = -1};
  return BERTH_OK;
}
