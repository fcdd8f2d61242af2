// shapes.c - What is known of the shapes that a call gives.
//
// The nodes of the function are added to a graph of their own, with arguments
// of the shapes that the call has; calls among them do the same.
#include <string.h>

#include "base/alloc.h"
#include "graph/shape_fn.h"
#include "lower/lower_internal.h"

// A function whose shapes are asked for, and the one that calls it.
struct berth_shaping {
  const berth_function_t *function;
  const struct berth_shaping *outer;
};

typedef struct shaper {
  berth_shape_context_t *context;
  berth_lowering_t lowering;
  berth_attr_func_t called;
  const berth_function_t *function;
} shaper_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "shapes of a function");
}

// Stores which function the node calls, and with which attributes.
static bool function_find(shaper_t *s) {
  const berth_shape_context_t *c = s->context;
  const berth_node_t *node = c->node;
  if (node->op->is_function) {
    s->called =
        (berth_attr_func_t){node->op->name, node->attr_count, node->attrs};
  } else {
    const berth_attr_value_t *value = berth_node_attr(node, "f");
    if (value == NULL || value->kind != BERTH_ATTR_FUNC) return false;
    s->called = *value->func;
  }
  s->function = berth_functions_find(c->graph, s->called.name);
  return s->function != NULL;
}

// True when |function| is in work already: it calls itself.
static bool is_in_work(const berth_graph_t *graph,
                       const berth_function_t *function) {
  int depth = 0;
  for (const struct berth_shaping *at = graph->shaping; at != NULL;
       at = at->outer) {
    if (at->function == function || ++depth >= BERTH_LOWER_DEPTH) return true;
  }
  return false;
}

// Returns the node whose value, or variable, the function is given as input
// |index|; NULL: nothing is known of it but its shape.
static const berth_node_t *source_find(const shaper_t *s, int32_t index,
                                       berth_dtype_t type) {
  const berth_graph_t *graph = s->context->graph;
  berth_out_t out = s->context->node->inputs[index];
  const berth_node_t *node = berth_graph_get(graph, out.node);
  while (strcmp(node->op->name, "Identity") == 0) {
    node = berth_graph_get(graph, node->inputs[0].node);
  }
  bool is_known = strcmp(node->op->name, "Const") == 0 ||
                  strcmp(node->op->name, "VarHandleOp") == 0;
  return is_known && node->output_types[0] == type ? node : NULL;
}

// Adds the node of argument |index|, called |name|.
static berth_code_t arg_add(shaper_t *s, const char *name, int32_t index,
                            berth_dtype_t type, berth_out_t *out,
                            berth_error_t *err) {
  berth_graph_t *to = s->lowering.to;
  const berth_node_t *source = source_find(s, index, type);
  berth_attr_t attrs[] = {{"T", {.kind = BERTH_ATTR_TYPE, .type = type}},
                          {"index", {.kind = BERTH_ATTR_INT, .i = index}}};
  int32_t id = -1;
  BERTH_TRY(berth_lower_add(
      &s->lowering, source != NULL ? source->op->name : "_Arg", name, NULL, "",
      NULL, 0, NULL, 0, source != NULL ? source->attrs : attrs,
      source != NULL ? source->attr_count : 2, &id, err));
  *out = (berth_out_t){id, 0};
  berth_dims_t shape = berth_shape_in(s->context, index);
  if (source != NULL || shape.rank < 0) return BERTH_OK;
  shape.dims = berth_arena_memdup(&to->arena, shape.dims,
                                  (size_t)shape.rank * sizeof(int64_t));
  if (shape.dims == NULL) return no_memory(err);
  berth_graph_get(to, id)->output_shapes[0] = shape;
  return BERTH_OK;
}

// Adds the arguments of the function; the call may have more.
static berth_code_t args_add(shaper_t *s, berth_lower_call_t *call,
                             berth_error_t *err) {
  const Berth__Wire__OpDef *signature = s->function->def->signature;
  int32_t given = s->context->node->input_count;
  berth_out_t *outs = berth_arena_alloc(&s->lowering.arena,
                                        ((size_t)given + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  int32_t count = 0;
  for (size_t i = 0; i < signature->n_input_arg; ++i) {
    const Berth__Wire__OpDef__ArgDef *arg = signature->input_arg[i];
    int32_t values = berth_lower_arg_count(&s->called, arg);
    for (int32_t k = 0; k < values; ++k, ++count) {
      if (count == given) {
        return berth_error_set(err, BERTH_INTERNAL,
                               "Function instantiation included invalid input "
                               "index: %d not in [0, %d).",
                               (int)count, (int)given);
      }
      berth_dtype_t type = berth_lower_arg_type(&s->called, arg, k);
      BERTH_TRY(arg_add(s, arg->name, count, type, &outs[count], err));
    }
  }
  call->inputs = outs;
  call->input_count = count;
  return BERTH_OK;
}

// Copies the shapes of the results to the node.
static berth_code_t results_copy(const shaper_t *s,
                                 const berth_lowered_t *lowered,
                                 berth_error_t *err) {
  berth_shape_context_t *c = s->context;
  int32_t room = c->node->output_count;
  if (lowered->out_count > room) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "Function instantiation included invalid output "
                           "index: %d not in [0, %d).",
                           (int)room, (int)room);
  }
  for (int32_t i = 0; i < lowered->out_count; ++i) {
    berth_out_t out = lowered->outs[i];
    berth_dims_t shape =
        berth_graph_get(s->lowering.to, out.node)->output_shapes[out.index];
    if (shape.rank > 0) {
      int64_t *dims = berth_shape_room(c, shape.rank);
      if (dims == NULL) return no_memory(err);
      memcpy(dims, shape.dims, (size_t)shape.rank * sizeof(*dims));
      shape.dims = dims;
    }
    c->outputs[i] = shape;
  }
  return BERTH_OK;
}

static berth_code_t shape(shaper_t *s, berth_error_t *err) {
  berth_lower_call_t call = {.name = "",
                             .device = "",
                             .function = &s->called,
                             .after = -1,
                             .is_old = s->context->node->op->is_function};
  berth_lowered_t lowered;
  BERTH_TRY(args_add(s, &call, err));
  BERTH_TRY(
      berth_lower_inline(&s->lowering, &call, s->function, &lowered, err));
  return results_copy(s, &lowered, err);
}

berth_code_t berth_infer_call(berth_shape_context_t *c, berth_error_t *err) {
  shaper_t s = {.context = c};
  if (!function_find(&s) || is_in_work(c->graph, s.function) ||
      berth_node_attr_bool(c->node, "_disable_call_shape_inference", false)) {
    return BERTH_OK;
  }
  // Nothing of it is changed: its functions are read, under its lock.
  berth_graph_t *from = (berth_graph_t *)(uintptr_t)c->graph;
  struct berth_shaping shaping = {s.function, from->shaping};
  s.lowering = (berth_lowering_t){
      .from = from, .to = berth_graph_create(), .is_shaping = true};
  berth_graph_t *to = s.lowering.to;
  if (to == NULL) return no_memory(err);
  to->producer = from->producer;
  to->functions = from->functions;
  to->shaping = &shaping;
  c->is_bare = true;  // Messages are about nodes of the function.
  berth_graph_lock(to);
  berth_code_t code = shape(&s, err);
  berth_graph_unlock(to);
  to->functions = NULL;
  berth_graph_release(to);
  berth_arena_clear(&s.lowering.arena);
  bool is_wrong = code == BERTH_INVALID_ARGUMENT || code == BERTH_INTERNAL;
  if (code == BERTH_OK || is_wrong) return code;
  // Whether it can be run, and has room, is another question.
  berth_error_clear(err);
  return BERTH_OK;
}
