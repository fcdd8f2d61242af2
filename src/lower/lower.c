// lower.c - Following a graph: what is copied, and what is replaced.
#include "lower/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/unfolding.h"
#include "lower/lower_internal.h"
#include "tensor/dtype.h"

// ---- Kinds of nodes ----

typedef enum kind { PLAIN, CALL, BRANCHES, LOOP, FUNCTION } kind_t;

static kind_t kind_of(const char *op, const berth_op_schema_t *schema) {
  static const struct {
    const char *op;
    kind_t kind;
  } kinds[] = {{"PartitionedCall", CALL}, {"StatefulPartitionedCall", CALL},
               {"If", BRANCHES},          {"StatelessIf", BRANCHES},
               {"Case", BRANCHES},        {"StatelessCase", BRANCHES},
               {"While", LOOP},           {"StatelessWhile", LOOP}};
  if (schema != NULL && schema->is_function) return FUNCTION;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
    if (strcmp(op, kinds[i].op) == 0) return kinds[i].kind;
  }
  return PLAIN;
}

bool berth_lower_is_flow(const berth_graph_t *graph, int32_t id) {
  const berth_op_schema_t *op = berth_graph_get(graph, id)->op;
  return kind_of(op->name, op) != PLAIN;
}

bool berth_lower_is_needed(const berth_graph_t *graph, int first) {
  int count = berth_graph_node_count(graph);
  for (int id = first; id < count; ++id) {
    if (berth_lower_is_flow(graph, id)) return true;
  }
  return false;
}

// ---- Small things ----

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a graph to run");
}

const char *berth_lower_join(berth_lowering_t *l, const char *a,
                             const char *b) {
  if (b == NULL || a[0] == '\0') return b == NULL ? a : b;
  size_t size = strlen(a) + strlen(b) + 2;
  char *text = berth_arena_alloc(&l->arena, size);
  if (text != NULL) snprintf(text, size, "%s/%s", a, b);
  return text;
}

const berth_attr_value_t *berth_lower_attr(const berth_node_spec_t *spec,
                                           const char *name) {
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    if (strcmp(spec->attrs[i].name, name) == 0) return &spec->attrs[i].value;
  }
  return NULL;
}

const char *berth_lower_origin(const berth_node_spec_t *spec) {
  const berth_attr_value_t *value = berth_lower_attr(spec, BERTH_ORIGIN);
  return value != NULL ? value->s.text : NULL;
}

berth_dtype_t berth_lower_type(const berth_lowering_t *l, berth_out_t out) {
  const berth_node_t *node = berth_graph_get(l->to, out.node);
  return berth_dtype_base(node->output_types[out.index]);
}

// Returns |name|, with a number behind it if it is taken.
static const char *name_make(berth_lowering_t *l, const char *name) {
  if (berth_graph_lookup(l->to, name, strlen(name)) < 0) return name;
  size_t size = strlen(name) + 16;
  char *text = berth_arena_alloc(&l->arena, size);
  for (int number = 1; text != NULL; ++number) {
    snprintf(text, size, "%s_%d", name, number);
    if (berth_graph_lookup(l->to, text, strlen(text)) < 0) break;
  }
  return text;
}

berth_code_t berth_lower_add(berth_lowering_t *l, const char *op,
                             const char *scope, const char *name,
                             const char *device, const berth_out_t *inputs,
                             int32_t input_count, const int32_t *controls,
                             int32_t control_count, const berth_attr_t *attrs,
                             int32_t attr_count, int32_t *out_node,
                             berth_error_t *err) {
  const char *joined = berth_lower_join(l, scope, name);
  const char *unique = joined != NULL ? name_make(l, joined) : NULL;
  int32_t *there = berth_arena_alloc(
      &l->arena, ((size_t)control_count + 1) * sizeof(*there));
  if (unique == NULL || there == NULL) return no_memory(err);
  int32_t count = 0;
  for (int32_t i = 0; i < control_count; ++i) {
    if (controls[i] >= 0) there[count++] = controls[i];
  }
  berth_node_spec_t spec = {.op = op,
                            .name = unique,
                            .device = device,
                            .inputs = inputs,
                            .input_count = input_count,
                            .controls = there,
                            .control_count = count,
                            .attrs = attrs,
                            .attr_count = attr_count};
  return berth_graph_add(l->to, &spec, out_node, err);
}

// ---- One node ----

// True when everything that |group|, `loc:@name`, names is in the new graph.
static bool is_there(berth_lowering_t *l, berth_attr_text_t group) {
  static const char prefix[] = "loc:@";
  size_t skip = sizeof(prefix) - 1;
  return group.size < skip || memcmp(group.text, prefix, skip) != 0 ||
         berth_graph_lookup(l->to, group.text + skip, group.size - skip) >= 0;
}

// True when |attr| places a node beside one that was lowered: it says nothing
// then.
static bool is_lost(berth_lowering_t *l, const berth_attr_t *attr) {
  if (strcmp(attr->name, "_class") != 0 ||
      (int)attr->value.kind != BERTH_ATTR_LIST + BERTH_ATTR_STRING) {
    return false;
  }
  for (int32_t i = 0; i < attr->value.count; ++i) {
    if (!is_there(l, attr->value.s_list[i])) return true;
  }
  return false;
}

// Adds the node of |spec| as it is.
static berth_code_t plain_add(berth_lowering_t *l,
                              const berth_node_spec_t *spec, int32_t after,
                              berth_lowered_t *out, berth_error_t *err) {
  berth_node_spec_t own = *spec;
  size_t attrs = (size_t)spec->attr_count, waits = (size_t)spec->control_count;
  berth_attr_t *kept =
      berth_arena_alloc(&l->arena, (attrs + 1) * sizeof(*kept));
  int32_t *controls =
      berth_arena_alloc(&l->arena, (waits + 2) * sizeof(*controls));
  own.name = name_make(l, spec->name);
  if (kept == NULL || controls == NULL || own.name == NULL) {
    return no_memory(err);
  }
  own.attr_count = 0;
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    if (!is_lost(l, &spec->attrs[i])) kept[own.attr_count++] = spec->attrs[i];
  }
  own.attrs = kept;
  if (waits > 0) memcpy(controls, spec->controls, waits * sizeof(*controls));
  if (after >= 0) controls[own.control_count++] = after;
  own.controls = controls;
  int32_t id = -1;
  BERTH_TRY(berth_graph_add(l->to, &own, &id, err));
  int32_t count = berth_graph_get(l->to, id)->output_count;
  berth_out_t *outs =
      berth_arena_alloc(&l->arena, ((size_t)count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (int32_t i = 0; i < count; ++i) outs[i] = (berth_out_t){id, i};
  *out = (berth_lowered_t){.outs = outs, .out_count = count, .done = id};
  return BERTH_OK;
}

// Stores a node that is done when |after| and all controls of |spec| are; -1
// where there are none.
static berth_code_t begin_make(berth_lowering_t *l,
                               const berth_node_spec_t *spec, int32_t after,
                               int32_t *out_begin, berth_error_t *err) {
  *out_begin = after;
  if (spec->control_count == 0) return BERTH_OK;
  size_t count = (size_t)spec->control_count;
  int32_t *controls =
      berth_arena_alloc(&l->arena, (count + 1) * sizeof(*controls));
  if (controls == NULL) return no_memory(err);
  memcpy(controls, spec->controls, count * sizeof(*controls));
  controls[count] = after;
  return berth_lower_add(l, "NoOp", spec->name, "input_control_node",
                         spec->device, NULL, 0, controls,
                         spec->control_count + 1, NULL, 0, out_begin, err);
}

// Fills |out| with the function that is the op of |spec| itself. Attributes
// with an underscore in front are the node's alone.
static berth_code_t function_of_op(berth_lowering_t *l,
                                   const berth_node_spec_t *spec,
                                   berth_attr_func_t *out, berth_error_t *err) {
  size_t most = (size_t)spec->attr_count + 1;
  berth_attr_t *attrs = berth_arena_alloc(&l->arena, most * sizeof(*attrs));
  if (attrs == NULL) return no_memory(err);
  *out = (berth_attr_func_t){spec->op, 0, attrs};
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    bool is_own = spec->attrs[i].name[0] == '_';
    if (!is_own) attrs[out->attr_count++] = spec->attrs[i];
  }
  return BERTH_OK;
}

// Stores which function |spec| calls; |room| is for one that is the op itself.
static berth_code_t function_get(berth_lowering_t *l,
                                 const berth_node_spec_t *spec, kind_t kind,
                                 berth_attr_func_t *room,
                                 const berth_attr_func_t **out_function,
                                 berth_error_t *err) {
  if (kind == FUNCTION) {
    *out_function = room;
    return function_of_op(l, spec, room, err);
  }
  const berth_attr_value_t *value = berth_lower_attr(spec, "f");
  if (value == NULL || value->kind != BERTH_ATTR_FUNC) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node %s (%s) names no function", spec->name,
                           spec->op);
  }
  *out_function = value->func;
  return BERTH_OK;
}

// Checks that a call has the results that it says.
static berth_code_t results_check(const berth_lowering_t *l,
                                  const berth_node_spec_t *spec,
                                  const berth_lowered_t *lowered,
                                  berth_error_t *err) {
  const berth_attr_value_t *types = berth_lower_attr(spec, "Tout");
  if (types == NULL) return BERTH_OK;
  const char *origin = berth_lower_origin(spec);
  const char *name = origin != NULL ? origin : spec->name;
  if (types->count < lowered->out_count) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "Function instantiation included invalid output "
                           "index: %d not in [0, %d).",
                           (int)types->count, (int)types->count);
  }
  if (types->count > lowered->out_count) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "Missing %d-th output from {{node %s}}",
                           (int)lowered->out_count, name);
  }
  for (int32_t i = 0; i < types->count; ++i) {
    berth_dtype_t found = berth_lower_type(l, lowered->outs[i]);
    if (found == types->type_list[i]) continue;
    return berth_error_set(
        err, BERTH_INTERNAL,
        "Output %d of type %s does not match declared output "
        "type %s for node {{node %s}}",
        (int)i, berth_dtype_name(found), berth_dtype_name(types->type_list[i]),
        name);
  }
  return BERTH_OK;
}

static berth_code_t call_lower(berth_lowering_t *l,
                               const berth_node_spec_t *spec, kind_t kind,
                               int32_t after, berth_lowered_t *out,
                               berth_error_t *err) {
  berth_attr_func_t room;
  berth_lower_call_t call = {.name = spec->name,
                             .device = spec->device,
                             .origin = berth_lower_origin(spec),
                             .inputs = spec->inputs,
                             .input_count = spec->input_count,
                             .after = after,
                             .is_old = kind == FUNCTION,
                             .is_node = true};
  BERTH_TRY(function_get(l, spec, kind, &room, &call.function, err));
  BERTH_TRY(berth_lower_body(l, &call, out, err));
  return results_check(l, spec, out, err);
}

// Sees to it that there is a node to wait for.
static berth_code_t end_make(berth_lowering_t *l, const berth_node_spec_t *spec,
                             int32_t begin, berth_lowered_t *out,
                             berth_error_t *err) {
  size_t count = (size_t)out->out_count;
  int32_t *controls =
      berth_arena_alloc(&l->arena, (count + 2) * sizeof(*controls));
  if (controls == NULL) return no_memory(err);
  for (size_t i = 0; i < count; ++i) controls[i] = out->outs[i].node;
  controls[count] = out->done;
  controls[count + 1] = begin;
  return berth_lower_add(l, "NoOp", spec->name, NULL, spec->device, NULL, 0,
                         controls, (int32_t)count + 2, NULL, 0, &out->done,
                         err);
}

// Returns the kind of the node that |spec| describes.
static kind_t kind_find(const berth_lowering_t *l,
                        const berth_node_spec_t *spec) {
  if (l->is_shaping) return PLAIN;
  const berth_function_t *function = berth_functions_find(l->from, spec->op);
  return kind_of(spec->op, function != NULL ? &function->schema : NULL);
}

berth_code_t berth_lower_flow(berth_lowering_t *l,
                              const berth_node_spec_t *spec, int32_t after,
                              int32_t *out_begin, berth_lowered_t *out,
                              berth_error_t *err) {
  kind_t kind = kind_find(l, spec);
  BERTH_TRY(begin_make(l, spec, after, out_begin, err));
  int32_t begin = *out_begin;
  return kind == BRANCHES ? berth_lower_branches(l, spec, begin, out, err)
         : kind == LOOP   ? berth_lower_while(l, spec, begin, out, err)
                          : call_lower(l, spec, kind, begin, out, err);
}

berth_code_t berth_lower_spec(berth_lowering_t *l,
                              const berth_node_spec_t *spec, int32_t after,
                              bool follows, berth_lowered_t *out,
                              berth_error_t *err) {
  if (kind_find(l, spec) == PLAIN) {
    return plain_add(l, spec, follows ? -1 : after, out, err);
  }
  int32_t begin = -1;
  BERTH_TRY(berth_lower_flow(l, spec, after, &begin, out, err));
  return end_make(l, spec, begin, out, err);
}

// ---- The whole ----

berth_lowering_t *berth_lowering_create(berth_graph_t *graph) {
  berth_lowering_t *l = berth_calloc(1, sizeof(*l));
  if (l == NULL) return NULL;
  berth_mutex_init(&l->lock);
  l->from = berth_graph_retain(graph);
  l->to = berth_graph_create();
  if (l->to == NULL) {
    berth_lowering_destroy(l);
    return NULL;
  }
  l->to->producer = graph->producer;
  return l;
}

void berth_lowering_destroy(berth_lowering_t *l) {
  if (l == NULL) return;
  berth_graph_release(l->from);
  berth_graph_release(l->to);
  berth_lower_callees_drop(l, 0);
  berth_arena_clear(&l->arena);
  berth_free(l->nodes);
  berth_free(l->callees);
  berth_mutex_deinit(&l->lock);
  berth_free(l);
}

// Fills |spec| from |node|, whose inputs were followed. Those that come round a
// loop are not there yet: another one stands in.
static berth_code_t node_describe(berth_lowering_t *l, const berth_node_t *node,
                                  berth_node_spec_t *spec, berth_error_t *err) {
  size_t inputs = (size_t)node->input_count,
         waits = (size_t)node->control_count;
  berth_out_t *ins = berth_arena_alloc(&l->arena, (inputs + 1) * sizeof(*ins));
  int32_t *controls =
      berth_arena_alloc(&l->arena, (waits + 1) * sizeof(*controls));
  if (ins == NULL || controls == NULL) return no_memory(err);
  for (size_t i = 0; i < inputs; ++i) {
    berth_out_t out = node->inputs[i];
    if (out.node >= node->id) out = node->inputs[0];
    ins[i] = berth_lowering_out(l, out);
  }
  for (size_t i = 0; i < waits; ++i) {
    controls[i] = l->nodes[node->controls[i]].done;
  }
  *spec = (berth_node_spec_t){.op = node->op->name,
                              .name = node->name,
                              .device = node->device,
                              .inputs = ins,
                              .input_count = node->input_count,
                              .controls = controls,
                              .control_count = node->control_count,
                              .attrs = node->attrs,
                              .attr_count = node->attr_count};
  return BERTH_OK;
}

// Notes what the next node has become.
static bool node_note(berth_lowering_t *l, berth_lowered_t lowered) {
  berth_mutex_lock(&l->lock);
  berth_lowered_t *nodes =
      berth_grow(l->nodes, l->count, &l->capacity, sizeof(*nodes));
  if (nodes != NULL) {
    l->nodes = nodes;
    nodes[l->count++] = lowered;
  }
  berth_mutex_unlock(&l->lock);
  return nodes != NULL;
}

// Keeps the node of |spec|, which cannot be lowered for the reason |why|, as it
// is: only a run that needs it fails, with |code|.
static berth_code_t node_keep(berth_lowering_t *l, berth_node_spec_t *spec,
                              berth_code_t code, const char *why,
                              berth_lowered_t *lowered, berth_error_t *err) {
  size_t count = (size_t)spec->attr_count;
  berth_attr_t *attrs =
      berth_arena_alloc(&l->arena, (count + 2) * sizeof(*attrs));
  char *text = berth_arena_strndup(&l->arena, why, strlen(why));
  const berth_function_t *function = berth_functions_find(l->from, spec->op);
  if (attrs == NULL || text == NULL) return no_memory(err);
  if (function != NULL) {
    BERTH_TRY(berth_functions_add(l->to, function->def, err));
  }
  attrs[0] = (berth_attr_t){
      BERTH_WHY_NOT, {.kind = BERTH_ATTR_STRING, .s = {text, strlen(text)}}};
  attrs[1] = (berth_attr_t){BERTH_WHY_NOT_CODE,
                            {.kind = BERTH_ATTR_INT, .i = (int64_t)code}};
  if (count > 0) memcpy(attrs + 2, spec->attrs, count * sizeof(*attrs));
  spec->attrs = attrs;
  spec->attr_count += 2;
  return plain_add(l, spec, -1, lowered, err);
}

// Stores what node |id|, of |unfolding|, is: the same node of what the unfolded
// one has become.
static berth_code_t unfolded_find(berth_lowering_t *l,
                                  const berth_unfolding_t *unfolding,
                                  int32_t id, berth_lowered_t *out,
                                  berth_error_t *err) {
  const berth_lowered_t *whole = &l->nodes[unfolding->node];
  if (whole->has_calls) {
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "%s calls a function that is not to be inlined (_noinline), and was "
        "run "
        "before a gradient was taken through it. Make the gradient first, or a "
        "new session.",
        berth_graph_get(l->from, unfolding->node)->name);
  }
  int32_t node = whole->first + id - unfolding->first;
  size_t count = (size_t)berth_graph_get(l->from, id)->output_count;
  berth_out_t *outs = berth_arena_alloc(&l->arena, (count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (size_t i = 0; i < count; ++i) outs[i] = (berth_out_t){node, (int)i};
  *out = (berth_lowered_t){
      .outs = outs, .out_count = (int32_t)count, .done = node, .first = node};
  return BERTH_OK;
}

static berth_code_t node_follow(berth_lowering_t *l, int32_t id,
                                berth_error_t *err) {
  berth_lowered_t lowered;
  berth_node_spec_t spec;
  int32_t made = berth_graph_node_count(l->to);
  const berth_unfolding_t *unfolding = berth_unfolding_around(l->from, id);
  BERTH_TRY(node_describe(l, berth_graph_get(l->from, id), &spec, err));
  berth_error_t why = {0};
  l->has_calls = false;
  l->is_unfolding = berth_unfolding_find(l->from, id) != NULL;
  berth_code_t code =
      unfolding != NULL ? unfolded_find(l, unfolding, id, &lowered, &why)
                        : berth_lower_spec(l, &spec, -1, true, &lowered, &why);
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    (void)berth_error_set_text(err, code, berth_error_message(&why));
  } else if (code != BERTH_OK) {
    berth_graph_truncate(l->to, made);
    l->depth = 0;
    code = node_keep(l, &spec, code, berth_error_message(&why), &lowered, err);
  }
  berth_error_clear(&why);
  if (code != BERTH_OK) return code;
  if (unfolding == NULL) lowered.first = made;
  lowered.has_calls = l->has_calls && !l->is_unfolding;
  return node_note(l, lowered) ? BERTH_OK : no_memory(err);
}

// Closes the loops that end in nodes from |first| on, which have become nodes
// from |made| on.
static berth_code_t loops_close(berth_lowering_t *l, int32_t first,
                                int32_t made, berth_error_t *err) {
  for (int32_t id = first; id < (int32_t)l->count; ++id) {
    const berth_node_t *node = berth_graph_get(l->from, id);
    if (l->nodes[id].done < made) continue;  // Of an unfolding: closed.
    for (int32_t i = 0; i < node->input_count; ++i) {
      if (node->inputs[i].node < id) continue;
      const berth_node_t *merge = berth_graph_get(l->to, l->nodes[id].done);
      BERTH_TRY(berth_merge_set_input(
          l->to, merge, i, berth_lowering_out(l, node->inputs[i]), err));
    }
  }
  return BERTH_OK;
}

berth_code_t berth_lowering_follow(berth_lowering_t *l, berth_error_t *err) {
  berth_graph_lock(l->from);
  berth_graph_lock(l->to);
  int32_t count = berth_graph_node_count(l->from), first = (int32_t)l->count;
  int32_t made = berth_graph_node_count(l->to);
  size_t callees = l->callee_count;
  berth_code_t code = BERTH_OK;
  for (int32_t id = first; code == BERTH_OK && id < count; ++id) {
    code = node_follow(l, id, err);
  }
  if (code == BERTH_OK) code = loops_close(l, first, made, err);
  if (code == BERTH_OK) code = berth_lower_callees(l, err);
  if (code != BERTH_OK) {
    berth_graph_truncate(l->to, made);
    berth_lower_callees_drop(l, callees);
    berth_mutex_lock(&l->lock);
    l->count = (size_t)first;
    berth_mutex_unlock(&l->lock);
  }
  berth_graph_unlock(l->to);
  berth_graph_unlock(l->from);
  return code;
}

berth_graph_t *berth_lowering_graph(const berth_lowering_t *l) { return l->to; }

// Returns what |node| has become; nothing for one that does not exist.
static berth_lowered_t lowered_of(berth_lowering_t *l, int32_t node) {
  berth_lowered_t lowered = {.done = INT32_MAX};
  berth_mutex_lock(&l->lock);
  if (node >= 0 && (size_t)node < l->count) lowered = l->nodes[node];
  berth_mutex_unlock(&l->lock);
  return lowered;
}

berth_out_t berth_lowering_fetch(berth_lowering_t *l, berth_out_t out,
                                 int32_t *out_node) {
  berth_lowered_t node = lowered_of(l, out.node);
  bool is_known = out.index >= 0 && out.index < node.out_count;
  if (is_known) {
    out = node.outs[out.index];
  } else {
    out.node = node.done;
  }
  *out_node = out.node == node.done ? -1 : node.done;
  return out;
}

berth_out_t berth_lowering_out(berth_lowering_t *l, berth_out_t out) {
  int32_t node = -1;
  return berth_lowering_fetch(l, out, &node);
}

int32_t berth_lowering_node(berth_lowering_t *l, int32_t node) {
  return lowered_of(l, node).done;
}
