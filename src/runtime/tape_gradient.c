// tape_gradient.c - Going back through a tape.
//
// Values are outputs of the tape's nodes, or, from CALLS on, of calls that are
// made on the way.
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "grad/walk.h"
#include "graph/builder.h"
#include "runtime/tape.h"
#include "tensor/tensor.h"

enum { CALLS = 1 << 30, FEW_OUTPUTS = 64 };

typedef struct made {
  berth_tensor_t **outputs;  // Owned.
  int count;
} made_t;

// A way back through a tape.
typedef struct retreat {
  berth_place_fns_t fns;
  const berth_tape_t *tape;
  const berth_tape_wish_t *wish;
  made_t *calls;
  int32_t count, capacity;
} retreat_t;

// Returns what |value| is. Borrowed.
static berth_tensor_t *tensor_at(const retreat_t *r, berth_out_t value) {
  if (value.node >= CALLS) {
    return r->calls[value.node - CALLS].outputs[value.index];
  }
  return r->tape->tensors[r->tape->first[value.node] + value.index];
}

// Takes over |count| tensors as a call's outputs.
static berth_code_t made_add(retreat_t *r, berth_tensor_t *const *outputs,
                             int count, berth_node_id_t *out_node,
                             berth_error_t *err) {
  if (r->count == r->capacity) {
    int32_t capacity = r->capacity == 0 ? 64 : 2 * r->capacity;
    made_t *calls = berth_realloc(r->calls, (size_t)capacity, sizeof(*calls));
    if (calls == NULL) return berth_error_no_memory(err, "gradients");
    r->calls = calls;
    r->capacity = capacity;
  }
  berth_tensor_t **kept = berth_calloc((size_t)count + 1, sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "gradients");
  for (int i = 0; i < count; ++i) kept[i] = outputs[i];
  r->calls[r->count] = (made_t){kept, count};
  *out_node = CALLS + r->count++;
  return BERTH_OK;
}

static berth_code_t value_keep(void *arg, berth_tensor_t *tensor,
                               berth_out_t *out_value, berth_error_t *err) {
  berth_tensor_t *held = berth_tensor_retain(tensor);
  *out_value = BERTH_NO_OUT;
  berth_code_t code = made_add(arg, &held, 1, &out_value->node, err);
  if (code != BERTH_OK) berth_tensor_release(held);
  return code;
}

// ---- Emission ----

static berth_op_t *emit_begin(void *arg, const char *op, const char *name) {
  (void)arg;
  (void)name;
  return berth_op_begin(NULL, op, NULL);
}

// Calls |op| with room for |room| outputs and adds what it makes; where there
// are more, |*out_made| says how many, and nothing is called.
static berth_code_t call_with(retreat_t *r, const berth_op_t *op,
                              berth_tensor_t **inputs, int count,
                              berth_tensor_t **outputs, int room, int *out_made,
                              berth_node_id_t *out_node, berth_error_t *err) {
  const berth_tape_wish_t *wish = r->wish;
  *out_made = room;
  BERTH_TRY(berth_tape_call(r->tape->context, wish->tapes, wish->tape_count,
                            NULL, op, NULL, inputs, count, outputs, out_made,
                            err));
  berth_code_t code = made_add(r, outputs, *out_made, out_node, err);
  if (code == BERTH_OK) return BERTH_OK;
  for (int i = 0; i < *out_made; ++i) berth_tensor_release(outputs[i]);
  return code;
}

static berth_code_t call(retreat_t *r, const berth_op_t *op,
                         berth_tensor_t **inputs, int count,
                         berth_node_id_t *out_node, berth_error_t *err) {
  berth_tensor_t *few[FEW_OUTPUTS];
  int made = 0;
  berth_code_t code =
      call_with(r, op, inputs, count, few, FEW_OUTPUTS, &made, out_node, err);
  if (code == BERTH_OK || made <= FEW_OUTPUTS) return code;
  berth_error_clear(err);
  berth_tensor_t **many = berth_calloc((size_t)made, sizeof(*many));
  if (many == NULL) return berth_error_no_memory(err, "gradients");
  code = call_with(r, op, inputs, count, many, made, &made, out_node, err);
  berth_free(many);
  return code;
}

static berth_code_t emit_finish(void *arg, berth_op_t *op,
                                const berth_out_t *inputs, const int *counts,
                                int count, berth_node_id_t *out_node,
                                berth_error_t *err) {
  retreat_t *r = arg;
  int total = 0;
  for (int i = 0; i < count; ++i) total += counts[i] < 0 ? 1 : counts[i];
  berth_tensor_t **tensors = berth_calloc((size_t)total + 1, sizeof(*tensors));
  berth_code_t code = BERTH_OK;
  if (tensors == NULL) {
    code = berth_error_no_memory(err, "gradients");
  } else {
    for (int i = 0; i < total; ++i) tensors[i] = tensor_at(r, inputs[i]);
    code = call(r, op, tensors, total, out_node, err);
  }
  berth_free(tensors);
  berth_op_abandon(op);
  return code;
}

// ---- What is known ----

static berth_dtype_t value_dtype(void *arg, berth_out_t value) {
  return berth_tensor_dtype(tensor_at(arg, value));
}

static berth_dims_t value_shape(void *arg, berth_out_t value,
                                berth_arena_t *arena) {
  (void)arena;
  return berth_tensor_dims(tensor_at(arg, value));
}

static const berth_tensor_t *value_constant(void *arg, berth_out_t value) {
  const berth_tensor_t *tensor = tensor_at(arg, value);
  return tensor->device == NULL ? tensor : NULL;
}

// ---- Calls of the program's own ----

static berth_tape_slope_t slope_lend(const retreat_t *r, berth_slope_t slope) {
  berth_tape_slope_t lent = {NULL, NULL, NULL};
  if (berth_out_is(slope.values)) lent.values = tensor_at(r, slope.values);
  if (berth_out_is(slope.indices)) lent.indices = tensor_at(r, slope.indices);
  if (berth_out_is(slope.dense_shape)) {
    lent.dense_shape = tensor_at(r, slope.dense_shape);
  }
  return lent;
}

static void slope_release(berth_tape_slope_t *slope) {
  berth_tensor_release(slope->values);
  berth_tensor_release(slope->indices);
  berth_tensor_release(slope->dense_shape);
  *slope = (berth_tape_slope_t){NULL, NULL, NULL};
}

static berth_code_t slope_keep(retreat_t *r, const berth_tape_slope_t *slope,
                               berth_slope_t *out, berth_error_t *err) {
  *out = BERTH_NO_SLOPE;
  if (slope->values != NULL) {
    BERTH_TRY(value_keep(r, slope->values, &out->values, err));
  }
  if (slope->indices != NULL) {
    BERTH_TRY(value_keep(r, slope->indices, &out->indices, err));
  }
  if (slope->dense_shape != NULL) {
    BERTH_TRY(value_keep(r, slope->dense_shape, &out->dense_shape, err));
  }
  return BERTH_OK;
}

static berth_code_t own_slopes(retreat_t *r, const berth_node_t *node,
                               const berth_slope_t *dy, berth_slope_t *dx,
                               berth_tape_slope_t *given,
                               berth_tape_slope_t *asked, berth_error_t *err) {
  int64_t token = 0;
  const berth_attr_value_t *value = berth_node_attr(node, "token");
  memcpy(&token, value->s.text, sizeof(token));
  for (int i = 0; i < node->output_count; ++i) given[i] = slope_lend(r, dy[i]);
  BERTH_TRY(r->wish->slopes_fn(r->wish->arg, token, given, node->output_count,
                               asked, node->input_count, err));
  berth_code_t code = BERTH_OK;
  for (int i = 0; i < node->input_count; ++i) {
    if (code == BERTH_OK) code = slope_keep(r, &asked[i], &dx[i], err);
    slope_release(&asked[i]);
  }
  return code;
}

static berth_code_t differentiate(void *arg, berth_node_id_t id,
                                  const berth_slope_t *dy, berth_slope_t *dx,
                                  bool *out_done, berth_error_t *err) {
  retreat_t *r = arg;
  const berth_node_t *node = berth_graph_get(r->tape->graph, id);
  if (r->wish->slopes_fn == NULL || strcmp(node->op->name, "PyFunc") != 0) {
    return BERTH_OK;
  }
  berth_tape_slope_t *given =
      berth_calloc((size_t)node->output_count + 1, sizeof(*given));
  berth_tape_slope_t *asked =
      berth_calloc((size_t)node->input_count + 1, sizeof(*asked));
  berth_code_t code = given == NULL || asked == NULL
                          ? berth_error_no_memory(err, "gradients")
                          : own_slopes(r, node, dy, dx, given, asked, err);
  berth_free(given);
  berth_free(asked);
  *out_done = true;
  return code;
}

// ---- The way back ----

typedef struct targets {
  berth_out_t *ys, *xs;
  int *x_index;  // By asked-for x: which of the wish's.
  berth_slope_t *dys, *slopes;
  int y_count, x_count;
} targets_t;

static bool targets_alloc(targets_t *t, berth_arena_t *arena,
                          const berth_tape_wish_t *wish) {
  size_t ys = (size_t)wish->y_count + 1, xs = (size_t)wish->x_count + 1;
  t->ys = berth_arena_calloc(arena, ys, sizeof(*t->ys));
  t->dys = berth_arena_calloc(arena, ys, sizeof(*t->dys));
  t->xs = berth_arena_calloc(arena, xs, sizeof(*t->xs));
  t->x_index = berth_arena_calloc(arena, xs, sizeof(*t->x_index));
  t->slopes = berth_arena_calloc(arena, xs, sizeof(*t->slopes));
  return t->ys != NULL && t->dys != NULL && t->xs != NULL &&
         t->x_index != NULL && t->slopes != NULL;
}

// Finds what is on the tape; the rest has no slopes.
static berth_code_t targets_find(retreat_t *r, targets_t *t,
                                 berth_error_t *err) {
  const berth_tape_wish_t *wish = r->wish;
  for (int i = 0; i < wish->y_count; ++i) {
    berth_out_t out = berth_tape_find(r->tape, wish->ys[i]);
    if (!berth_out_is(out)) continue;
    t->dys[t->y_count] = BERTH_NO_SLOPE;
    if (wish->dys != NULL && wish->dys[i] != NULL) {
      BERTH_TRY(value_keep(r, wish->dys[i], &t->dys[t->y_count].values, err));
    }
    t->ys[t->y_count++] = out;
  }
  for (int i = 0; i < wish->x_count; ++i) {
    berth_out_t out = berth_tape_find(r->tape, wish->xs[i]);
    if (!berth_out_is(out) || !r->tape->is_linked[out.node]) continue;
    t->x_index[t->x_count] = i;
    t->xs[t->x_count++] = out;
  }
  return BERTH_OK;
}

static void slopes_store(const retreat_t *r, const targets_t *t) {
  for (int i = 0; i < t->x_count; ++i) {
    berth_tape_slope_t lent = slope_lend(r, t->slopes[i]);
    berth_tensor_retain(lent.values);
    berth_tensor_retain(lent.indices);
    berth_tensor_retain(lent.dense_shape);
    r->wish->slopes[t->x_index[i]] = lent;
  }
}

static berth_code_t go_back(retreat_t *r, berth_arena_t *arena,
                            berth_error_t *err) {
  targets_t t = {0};
  if (!targets_alloc(&t, arena, r->wish)) {
    return berth_error_no_memory(err, "gradients");
  }
  BERTH_TRY(targets_find(r, &t, err));
  berth_gradients_t how = {.dys = t.dys};
  berth_walk_wish_t wish = {.graph = r->tape->graph,
                            .to = &r->fns,
                            .ys = t.ys,
                            .y_count = t.y_count,
                            .xs = t.xs,
                            .x_count = t.x_count,
                            .how = &how};
  BERTH_TRY(berth_walk(&wish, t.slopes, err));
  slopes_store(r, &t);
  return BERTH_OK;
}

berth_code_t berth_tape_gradient(const berth_tape_t *tape,
                                 const berth_tape_wish_t *wish,
                                 berth_error_t *err) {
  BERTH_GIVEN(tape, err);
  BERTH_GIVEN(wish, err);
  BERTH_GIVEN_LIST(wish->ys, wish->y_count, err);
  BERTH_GIVEN_LIST(wish->xs, wish->x_count, err);
  BERTH_GIVEN_LIST(wish->slopes, wish->x_count, err);
  BERTH_GIVEN_LIST(wish->tapes, wish->tape_count, err);
  for (int i = 0; i < wish->x_count; ++i) {
    wish->slopes[i] = (berth_tape_slope_t){NULL, NULL, NULL};
  }
  retreat_t r = {.fns = {.emit = {.begin = emit_begin,
                                  .finish = emit_finish,
                                  .differentiate = differentiate},
                         .dtype = value_dtype,
                         .shape = value_shape,
                         .constant = value_constant,
                         .keep = value_keep,
                         .is_eager = true},
                 .tape = tape,
                 .wish = wish};
  r.fns.emit.arg = &r;
  berth_arena_t arena = {0};
  berth_code_t code = go_back(&r, &arena, err);
  for (int32_t i = 0; i < r.count; ++i) {
    for (int j = 0; j < r.calls[i].count; ++j) {
      berth_tensor_release(r.calls[i].outputs[j]);
    }
    berth_free(r.calls[i].outputs);
  }
  berth_free(r.calls);
  berth_arena_clear(&arena);
  return code;
}
