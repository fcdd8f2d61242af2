// call.c - Calls that stay calls, and the functions they call.
//
//   call ── PartitionedCall, BERTH_CALLEE: 3 ──> callees[3]
//                                                args ── body ── results
//
// A function stays one when it is on the way to itself, when it asks for it, or
// when it is called in too many others to be put there. Its body is in the same
// graph as everything else, once for all calls with equal attributes, and hangs
// together with nothing: who calls it runs it as a program of its own.
//
// Bodies are made behind all nodes, one after the other, so that functions which
// call each other need no depth.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "lower/lower_internal.h"
#include "tensor/dtype.h"

typedef Berth__Wire__OpDef__ArgDef arg_def_t;

// Room for the values of a signature.
typedef struct values {
  berth_dtype_t *types;
  int32_t count;
} values_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a function");
}

// ---- Which calls stay ----

static bool is_set(const Berth__Wire__FunctionDef *def, const char *name) {
  for (size_t i = 0; i < def->n_attr; ++i) {
    const Berth__Wire__AttrValue *value = def->attr[i]->value;
    if (strcmp(def->attr[i]->key, name) != 0 || value == NULL) continue;
    return value->value_case == BERTH__WIRE__ATTR_VALUE__VALUE_B && value->b;
  }
  return false;
}

bool berth_lower_stays(const berth_lowering_t *l,
                       const berth_function_t *function) {
  if (l->depth >= BERTH_LOWER_DEPTH) return true;
  for (int i = 0; i < l->depth; ++i) {
    if (l->stack[i] == function) return true;
  }
  return !l->is_unfolding && is_set(function->def, "_noinline");
}

// ---- Signatures ----

// Lists the types of the values that |args| of |function| stand for.
static berth_code_t values_list(berth_lowering_t *l,
                                const berth_attr_func_t *function,
                                arg_def_t *const *args, size_t arg_count,
                                values_t *out, berth_error_t *err) {
  enum { MOST = 1 << 20 };
  size_t count = 0;
  for (size_t i = 0; i < arg_count; ++i) {
    int32_t values = berth_lower_arg_count(function, args[i]);
    if (values < 0 || values > MOST - (int64_t)count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Function %s: %s is too long a list",
                             function->name, args[i]->name);
    }
    count += (size_t)values;
  }
  out->types = berth_arena_alloc(&l->arena, (count + 1) * sizeof(*out->types));
  if (out->types == NULL) return no_memory(err);
  out->count = 0;
  for (size_t i = 0; i < arg_count; ++i) {
    int32_t values = berth_lower_arg_count(function, args[i]);
    for (int32_t k = 0; k < values; ++k) {
      out->types[out->count++] = berth_lower_arg_type(function, args[i], k);
    }
  }
  return BERTH_OK;
}

// Checks that |call| gives what the function takes.
static berth_code_t args_check(const berth_lowering_t *l,
                               const berth_lower_call_t *call,
                               const values_t *wanted, berth_error_t *err) {
  if (wanted->count != call->input_count) {
    return berth_lower_wrong_count(call, wanted->count, err);
  }
  for (int32_t i = 0; i < wanted->count; ++i) {
    berth_dtype_t given = berth_lower_type(l, call->inputs[i]);
    if (given == wanted->types[i]) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "%s: Expects arg[%d] to be %s but %s is provided", call->name, (int)i,
        berth_dtype_name(wanted->types[i]), berth_dtype_name(given));
  }
  return BERTH_OK;
}

// ---- Callees ----

static bool is_same(const berth_attr_func_t *a, const berth_attr_func_t *b) {
  if (strcmp(a->name, b->name) != 0 || a->attr_count != b->attr_count) {
    return false;
  }
  for (int32_t i = 0; i < a->attr_count; ++i) {
    if (strcmp(a->attrs[i].name, b->attrs[i].name) != 0 ||
        !berth_attr_equal(&a->attrs[i].value, &b->attrs[i].value)) {
      return false;
    }
  }
  return true;
}

// Copies |from|, which is gone when its call is lowered.
static berth_code_t function_copy(berth_lowering_t *l,
                                  const berth_attr_func_t *from,
                                  berth_attr_func_t *to, berth_error_t *err) {
  size_t count = (size_t)from->attr_count;
  berth_attr_t *attrs =
      berth_arena_calloc(&l->arena, count + 1, sizeof(*attrs));
  const char *name =
      berth_arena_strndup(&l->arena, from->name, strlen(from->name));
  if (attrs == NULL || name == NULL) return no_memory(err);
  *to = (berth_attr_func_t){name, 0, attrs};
  for (size_t i = 0; i < count; ++i) {
    const char *own = from->attrs[i].name;
    attrs[i].name = berth_arena_strndup(&l->arena, own, strlen(own));
    if (attrs[i].name == NULL) return no_memory(err);
    BERTH_TRY(berth_attr_copy(&from->attrs[i].value, &l->arena, &attrs[i].value,
                              err));
    ++to->attr_count;
  }
  return BERTH_OK;
}

static void function_drop(const berth_attr_func_t *function) {
  for (int32_t i = 0; i < function->attr_count; ++i) {
    berth_attr_drop_tensors(&function->attrs[i].value);
  }
}

// Returns the name of the node that makes the handle |out|, or NULL.
static const char *owner_of(const berth_lowering_t *l, berth_out_t out) {
  static const char *const passing[] = {"Identity", "Switch", "Merge", "Enter",
                                        "Exit"};
  enum { MOST = 1000 };
  if (berth_lower_type(l, out) != BERTH_RESOURCE) return NULL;
  for (int step = 0; step < MOST; ++step) {
    const berth_node_t *node = berth_graph_get(l->to, out.node);
    bool passes = false;
    for (int i = 0; i < BERTH_COUNT_OF(passing); ++i) {
      passes = passes || strcmp(node->op->name, passing[i]) == 0;
    }
    if (!passes) return node->input_count == 0 ? node->name : NULL;
    out = node->inputs[0];
  }
  return NULL;
}

// Makes the callee of |call|, without a body.
static berth_code_t callee_make(berth_lowering_t *l,
                                const berth_lower_call_t *call,
                                berth_lower_callee_t *made,
                                berth_error_t *err) {
  BERTH_TRY(function_copy(l, call->function, &made->function, err));
  size_t size = strlen(made->function.name) + 16;
  char *scope = berth_arena_alloc(&l->arena, size);
  if (scope == NULL) return no_memory(err);
  // No name of a program begins like this.
  snprintf(scope, size, ".%d.%s", (int)l->callee_count, made->function.name);
  made->owners = berth_arena_alloc(
      &l->arena, ((size_t)call->input_count + 1) * sizeof(*made->owners));
  if (made->owners == NULL) return no_memory(err);
  for (int32_t i = 0; i < call->input_count; ++i) {
    const char *owner = owner_of(l, call->inputs[i]);
    made->owners[i] = NULL;
    if (owner == NULL) continue;
    made->owners[i] = berth_arena_strndup(&l->arena, owner, strlen(owner));
    if (made->owners[i] == NULL) return no_memory(err);
  }
  made->callee.name = made->function.name;
  made->callee.scope = scope;
  made->callee.done = -1;
  made->is_old = call->is_old;
  return BERTH_OK;
}

// Stores the number of the callee of |call|, a new one if need be.
static berth_code_t callee_get(berth_lowering_t *l,
                               const berth_lower_call_t *call,
                               int64_t *out_number, berth_error_t *err) {
  for (size_t i = 0; i < l->callee_count; ++i) {
    if (l->callees[i]->is_old != call->is_old ||
        !is_same(&l->callees[i]->function, call->function)) {
      continue;
    }
    *out_number = (int64_t)i;
    return BERTH_OK;
  }
  berth_lower_callee_t **callees = berth_grow(
      l->callees, l->callee_count, &l->callee_capacity, sizeof(*callees));
  if (callees == NULL) return no_memory(err);
  l->callees = callees;
  berth_lower_callee_t *made = berth_arena_calloc(&l->arena, 1, sizeof(*made));
  if (made == NULL) return no_memory(err);
  berth_code_t code = callee_make(l, call, made, err);
  if (code != BERTH_OK) {
    function_drop(&made->function);
    return code;
  }
  *out_number = (int64_t)l->callee_count;
  callees[l->callee_count++] = made;
  return BERTH_OK;
}

const berth_callee_t *berth_lowering_callee(const berth_lowering_t *l,
                                            int64_t number) {
  bool is_there = number >= 0 && (size_t)number < l->callees_made;
  return is_there ? &l->callees[number]->callee : NULL;
}

void berth_lower_callees_drop(berth_lowering_t *l, size_t first) {
  for (size_t i = first; i < l->callee_count; ++i) {
    function_drop(&l->callees[i]->function);
  }
  l->callee_count = first;
  if (l->callees_made > first) l->callees_made = first;
}

// ---- Calls ----

berth_code_t berth_lower_call(berth_lowering_t *l,
                              const berth_lower_call_t *call,
                              const berth_function_t *function,
                              berth_lowered_t *out, berth_error_t *err) {
  const Berth__Wire__OpDef *signature = function->def->signature;
  values_t args, results;
  int64_t number = -1;
  BERTH_TRY(values_list(l, call->function, signature->input_arg,
                        signature->n_input_arg, &args, err));
  BERTH_TRY(values_list(l, call->function, signature->output_arg,
                        signature->n_output_arg, &results, err));
  BERTH_TRY(args_check(l, call, &args, err));
  BERTH_TRY(callee_get(l, call, &number, err));
  if (is_set(function->def, "_noinline")) l->has_calls = true;
  const char *origin = call->origin != NULL ? call->origin : call->name;
  const berth_attr_kind_t types = BERTH_ATTR_LIST + BERTH_ATTR_TYPE;
  berth_attr_t attrs[] = {
      {"Tin", {.kind = types, .count = args.count, .type_list = args.types}},
      {"Tout",
       {.kind = types, .count = results.count, .type_list = results.types}},
      {BERTH_CALLEE, {.kind = BERTH_ATTR_INT, .i = number}},
      {BERTH_ORIGIN,
       {.kind = BERTH_ATTR_STRING, .s = {origin, strlen(origin)}}},
      {"f", {.kind = BERTH_ATTR_FUNC, .func = call->function}}};
  int32_t node = -1;
  BERTH_TRY(berth_lower_add(l, "StatefulPartitionedCall", call->name, NULL,
                            call->device, call->inputs, call->input_count,
                            &call->after, 1, attrs, 5, &node, err));
  berth_out_t *outs =
      berth_arena_alloc(&l->arena, ((size_t)results.count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (int32_t i = 0; i < results.count; ++i) outs[i] = (berth_out_t){node, i};
  *out =
      (berth_lowered_t){.outs = outs, .out_count = results.count, .done = node};
  return BERTH_OK;
}

// ---- Bodies ----

// Adds the node of argument |index|. A handle is where its owner is, and so is
// what works with it.
static berth_code_t arg_make(berth_lowering_t *l,
                             const berth_lower_callee_t *callee, int32_t index,
                             berth_dtype_t type, int32_t *out_node,
                             berth_error_t *err) {
  static const char front[] = "loc:@";
  berth_attr_t attrs[3] = {{"T", {.kind = BERTH_ATTR_TYPE, .type = type}},
                           {"index", {.kind = BERTH_ATTR_INT, .i = index}}};
  berth_attr_text_t group = {0};
  const char *name = callee->owners[index];
  // A call that could not be lowered has left nothing.
  bool is_known =
      name != NULL && berth_graph_lookup(l->to, name, strlen(name)) >= 0;
  if (is_known) {
    size_t size = sizeof(front) + strlen(name);
    char *text = berth_arena_alloc(&l->arena, size);
    if (text == NULL) return no_memory(err);
    snprintf(text, size, "%s%s", front, name);
    group = (berth_attr_text_t){text, size - 1};
    attrs[2] = (berth_attr_t){"_class",
                              {.kind = BERTH_ATTR_LIST + BERTH_ATTR_STRING,
                               .count = 1,
                               .s_list = &group}};
  }
  return berth_lower_add(l, "_Arg", callee->callee.scope, "arg", "", NULL, 0,
                         NULL, 0, attrs, is_known ? 3 : 2, out_node, err);
}

// Makes the nodes that stand for the arguments of |callee|.
static berth_code_t args_make(berth_lowering_t *l, berth_lower_callee_t *callee,
                              const berth_function_t *function,
                              berth_error_t *err) {
  const Berth__Wire__OpDef *signature = function->def->signature;
  values_t args;
  BERTH_TRY(values_list(l, &callee->function, signature->input_arg,
                        signature->n_input_arg, &args, err));
  berth_out_t *outs =
      berth_arena_alloc(&l->arena, ((size_t)args.count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (int32_t i = 0; i < args.count; ++i) {
    int32_t node = -1;
    BERTH_TRY(arg_make(l, callee, i, args.types[i], &node, err));
    outs[i] = (berth_out_t){node, 0};
  }
  callee->callee.args = outs;
  callee->callee.arg_count = args.count;
  return BERTH_OK;
}

// Keeps |lowered| as the results. One that is an argument gets a node of its
// own: what is fed is not fetched.
static berth_code_t results_keep(berth_lowering_t *l,
                                 berth_lower_callee_t *callee,
                                 const berth_lowered_t *lowered,
                                 berth_error_t *err) {
  size_t count = (size_t)lowered->out_count;
  berth_out_t *outs = berth_arena_alloc(&l->arena, (count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (size_t i = 0; i < count; ++i) {
    int32_t node = -1;
    BERTH_TRY(berth_lower_add(l, "Identity", callee->callee.scope, "result", "",
                              &lowered->outs[i], 1, NULL, 0, NULL, 0, &node,
                              err));
    outs[i] = (berth_out_t){node, 0};
  }
  callee->callee.results = outs;
  callee->callee.result_count = lowered->out_count;
  callee->callee.done = lowered->done;
  return BERTH_OK;
}

static berth_code_t body_make(berth_lowering_t *l, berth_lower_callee_t *callee,
                              berth_error_t *err) {
  const berth_function_t *function =
      berth_functions_find(l->from, callee->callee.name);
  if (function == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Failed to find function \"%s\" in function library",
                           callee->callee.name);
  }
  BERTH_TRY(args_make(l, callee, function, err));
  berth_lower_call_t call = {.name = callee->callee.scope,
                             .device = "",
                             .function = &callee->function,
                             .inputs = callee->callee.args,
                             .input_count = callee->callee.arg_count,
                             .after = -1,
                             .is_old = callee->is_old};
  berth_lowered_t lowered;
  l->depth = 0;
  BERTH_TRY(berth_lower_inline(l, &call, function, &lowered, err));
  return results_keep(l, callee, &lowered, err);
}

// Gives |callee| its body, or the reason why it has none.
static berth_code_t callee_finish(berth_lowering_t *l,
                                  berth_lower_callee_t *callee,
                                  berth_error_t *err) {
  int32_t made = berth_graph_node_count(l->to);
  berth_error_t why = {0};
  berth_code_t code = body_make(l, callee, &why);
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    (void)berth_error_set_text(err, code, berth_error_message(&why));
  } else if (code != BERTH_OK) {
    const char *text = berth_error_message(&why);
    berth_graph_truncate(l->to, made);
    callee->callee.why_not = berth_arena_strndup(&l->arena, text, strlen(text));
    code = callee->callee.why_not != NULL ? BERTH_OK : no_memory(err);
  }
  berth_error_clear(&why);
  return code;
}

berth_code_t berth_lower_callees(berth_lowering_t *l, berth_error_t *err) {
  for (; l->callees_made < l->callee_count; ++l->callees_made) {
    BERTH_TRY(callee_finish(l, l->callees[l->callees_made], err));
  }
  return BERTH_OK;
}
