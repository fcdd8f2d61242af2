// body.c - A function in the place of its call.
//
// Values of a body are called `node:output:index`, or by the name of an
// argument; without an index a name stands for all values of a list. Nodes are
// in any order, so they are sorted first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/wire_attr.h"
#include "lower/lower_internal.h"

typedef Berth__Wire__NodeDef node_def_t;
typedef Berth__Wire__OpDef__ArgDef arg_def_t;

// A range of values.
typedef struct values {
  const berth_out_t *outs;
  int32_t count;
} values_t;

typedef struct body {
  berth_lowering_t *lowering;
  const berth_lower_call_t *call;
  const Berth__Wire__FunctionDef *def;
  int32_t node_count;
  berth_map_t positions;   // Node name -> position.
  berth_map_t args;        // Argument name -> index.
  values_t *arg_values;    // By argument.
  berth_lowered_t *nodes;  // By position.
  int32_t *order;          // Positions.
  const node_def_t *at;    // The node whose inputs are looked for; or NULL.
} body_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a function");
}

static berth_arena_t *arena_of(const body_t *b) { return &b->lowering->arena; }

// ---- Arguments ----

// Returns the attribute |name| of |function|, or NULL.
static const berth_attr_value_t *attr_of(const berth_attr_func_t *function,
                                         const char *name, size_t size) {
  for (int32_t i = 0; i < function->attr_count; ++i) {
    const char *own = function->attrs[i].name;
    if (strlen(own) == size && memcmp(own, name, size) == 0) {
      return &function->attrs[i].value;
    }
  }
  return NULL;
}

static bool is_text(const char *text) {
  return text != NULL && text[0] != '\0';
}

int32_t berth_lower_arg_count(const berth_attr_func_t *function,
                              const arg_def_t *arg) {
  const berth_attr_value_t *value = NULL;
  if (is_text(arg->number_attr)) {
    value = attr_of(function, arg->number_attr, strlen(arg->number_attr));
    return value != NULL && value->kind == BERTH_ATTR_INT ? (int32_t)value->i
                                                          : 1;
  }
  if (!is_text(arg->type_list_attr)) return 1;
  value = attr_of(function, arg->type_list_attr, strlen(arg->type_list_attr));
  return value != NULL ? value->count : 1;
}

berth_dtype_t berth_lower_arg_type(const berth_attr_func_t *function,
                                   const arg_def_t *arg, int32_t index) {
  const berth_attr_value_t *value = NULL;
  if (is_text(arg->type_list_attr)) {
    value = attr_of(function, arg->type_list_attr, strlen(arg->type_list_attr));
    bool is_list =
        value != NULL && (int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_TYPE;
    return is_list && index < value->count ? value->type_list[index]
                                           : BERTH_INVALID;
  }
  if (!is_text(arg->type_attr)) return (berth_dtype_t)arg->type;
  value = attr_of(function, arg->type_attr, strlen(arg->type_attr));
  return value != NULL && value->kind == BERTH_ATTR_TYPE ? value->type
                                                         : BERTH_INVALID;
}

berth_code_t berth_lower_wrong_count(const berth_lower_call_t *call,
                                     int32_t count, berth_error_t *err) {
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "InstantiateOptions.input_devices must have the same length as the "
      "number "
      "of arguments: input_devices length = %d number of arguments = "
      "%d\n\t [[{{node %s}}]]",
      (int)call->input_count, (int)count,
      call->origin != NULL ? call->origin : call->name);
}

// Gives every argument its values.
static berth_code_t args_bind(body_t *b, berth_error_t *err) {
  const Berth__Wire__OpDef *signature = b->def->signature;
  const berth_lower_call_t *call = b->call;
  b->arg_values = berth_arena_calloc(arena_of(b), signature->n_input_arg + 1,
                                     sizeof(*b->arg_values));
  if (b->arg_values == NULL) return no_memory(err);
  int32_t next = 0;
  for (size_t i = 0; i < signature->n_input_arg; ++i) {
    const arg_def_t *arg = signature->input_arg[i];
    int32_t count = berth_lower_arg_count(call->function, arg);
    if (count < 0 || count > (1 << 20) - next) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Function %s: %s is too long a list",
                             signature->name, arg->name);
    }
    bool is_there = count <= call->input_count - next;
    b->arg_values[i] =
        (values_t){call->inputs + (is_there ? next : 0), is_there ? count : 0};
    next += count;
    if (!berth_map_set(&b->args, arg->name, strlen(arg->name), (int64_t)i)) {
      return no_memory(err);
    }
  }
  if (next == call->input_count) return BERTH_OK;
  return berth_lower_wrong_count(call, next, err);
}

// ---- Order ----

// Returns the node that |input| comes from, or -1 for an argument.
static int32_t source_of(const body_t *b, const char *input) {
  if (input[0] == '^') ++input;
  size_t size = strcspn(input, ":");
  int64_t *found = berth_map_find(&b->positions, input, size);
  return found != NULL ? (int32_t)*found : -1;
}

// True when the edge from |source| to |user| closes a loop.
static bool is_back(const body_t *b, int32_t source, int32_t user) {
  return strcmp(b->def->node_def[user]->op, "Merge") == 0 &&
         strcmp(b->def->node_def[source]->op, "NextIteration") == 0;
}

// Returns how many edges lead to |user| from nodes of the body that come first.
static int32_t edges_count(const body_t *b, int32_t user) {
  const node_def_t *def = b->def->node_def[user];
  int32_t count = 0;
  for (size_t i = 0; i < def->n_input; ++i) {
    int32_t source = source_of(b, def->input[i]);
    count += source >= 0 && !is_back(b, source, user);
  }
  return count;
}

// A list of who uses each node.
typedef struct uses {
  int32_t *first;  // By node, and one more: into |users|.
  int32_t *users;
  int32_t *pending;
} uses_t;

static berth_code_t uses_list(const body_t *b, uses_t *uses,
                              berth_error_t *err) {
  size_t nodes = (size_t)b->node_count, edges = 0;
  uses->first = berth_arena_calloc(arena_of(b), nodes + 3, sizeof(int32_t));
  uses->pending = berth_arena_calloc(arena_of(b), nodes + 1, sizeof(int32_t));
  if (uses->first == NULL || uses->pending == NULL) return no_memory(err);
  for (int32_t n = 0; n < b->node_count; ++n) {
    uses->pending[n] = edges_count(b, n);
    edges += (size_t)uses->pending[n];
  }
  uses->users = berth_arena_alloc(arena_of(b), (edges + 1) * sizeof(int32_t));
  if (uses->users == NULL) return no_memory(err);
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t n = 0; n < b->node_count; ++n) {
      const node_def_t *def = b->def->node_def[n];
      for (size_t i = 0; i < def->n_input; ++i) {
        int32_t source = source_of(b, def->input[i]);
        if (source < 0 || is_back(b, source, n)) continue;
        if (pass == 0) {
          ++uses->first[source + 2];
        } else {
          uses->users[uses->first[source + 1]++] = n;
        }
      }
    }
    for (size_t n = 0; pass == 0 && n < nodes; ++n) {
      uses->first[n + 2] += uses->first[n + 1];
    }
  }
  return BERTH_OK;
}

// Puts the nodes in order: those without inputs as they come, others behind
// the last of theirs.
static berth_code_t order_find(body_t *b, berth_error_t *err) {
  uses_t uses = {0};
  BERTH_TRY(uses_list(b, &uses, err));
  b->order = berth_arena_alloc(arena_of(b),
                               ((size_t)b->node_count + 1) * sizeof(*b->order));
  if (b->order == NULL) return no_memory(err);
  int32_t count = 0;
  for (int32_t n = 0; n < b->node_count; ++n) {
    if (uses.pending[n] == 0) b->order[count++] = n;
  }
  for (int32_t i = 0; i < count; ++i) {
    int32_t n = b->order[i];
    for (int32_t u = uses.first[n]; u < uses.first[n + 1]; ++u) {
      if (--uses.pending[uses.users[u]] == 0) b->order[count++] = uses.users[u];
    }
  }
  if (count == b->node_count) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Function %s has a cycle that is no loop",
                         b->def->signature->name);
}

// ---- Inputs of a node ----

// Says that |text| names nothing: an input of the node at |b->at|, or a result.
static berth_code_t unknown(const body_t *b, const char *text,
                            berth_error_t *err) {
  if (b->at == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Return %s is not found.", text);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "input %s is not found: {{node %s}}\n\tIn {{node %s}}",
                         text, b->at->name, b->at->name);
}

// Returns how many values attribute |name| of |def|, a number or a list of types,
// stands for.
static int32_t length_of(const node_def_t *def, const char *name) {
  for (size_t i = 0; i < def->n_attr; ++i) {
    const Berth__Wire__AttrValue *value = def->attr[i]->value;
    if (value == NULL || strcmp(def->attr[i]->key, name) != 0) continue;
    if (value->value_case == BERTH__WIRE__ATTR_VALUE__VALUE_I) {
      return value->i >= 0 && value->i < INT32_MAX ? (int32_t)value->i : 0;
    }
    bool is_list = value->value_case == BERTH__WIRE__ATTR_VALUE__VALUE_LIST;
    return is_list ? (int32_t)value->list->n_type : 0;
  }
  return 0;
}

// Stores which of the results of a call of |op|, a function, that |def| describes
// are the output called |name|: false when none is.
static bool results_find(const node_def_t *def, const berth_op_schema_t *op,
                         const char *name, size_t size, int32_t *out_first,
                         int32_t *out_count) {
  *out_first = 0;
  for (int i = 0; i < op->output_count; ++i) {
    const berth_arg_schema_t *arg = &op->outputs[i];
    int attr = arg->number_attr >= 0 ? arg->number_attr : arg->list_attr;
    *out_count = attr < 0 ? 1 : length_of(def, op->attrs[attr].name);
    if (strlen(arg->name) == size && memcmp(arg->name, name, size) == 0) {
      return true;
    }
    *out_first += *out_count;
  }
  return false;
}

// Stores the values that |rest|, `output` or `output:index`, of |lowered| means.
static berth_code_t output_find(const body_t *b, int32_t position,
                                const char *rest, values_t *out,
                                const char *text, berth_error_t *err) {
  const berth_lowered_t *lowered = &b->nodes[position];
  const node_def_t *def = b->def->node_def[position];
  const berth_op_schema_t *op = berth_graph_find_op(b->lowering->from, def->op);
  size_t size = strcspn(rest, ":");
  int32_t first = 0, count = lowered->out_count;
  // A node that was copied knows the ranges of its outputs, a function has them
  // in its signature; what else was lowered has one output argument, all of its
  // values.
  const berth_node_t *node =
      count > 0 ? berth_graph_get(b->lowering->to, lowered->outs[0].node)
                : NULL;
  bool is_copy = node != NULL && op != NULL && node->op == op;
  if (op != NULL && op->is_function) {
    if (!results_find(def, op, rest, size, &first, &count) ||
        first + count > lowered->out_count) {
      return unknown(b, text, err);
    }
  } else if (is_copy) {
    int arg = 0;
    for (; arg < op->output_count; ++arg) {
      const char *name = op->outputs[arg].name;
      if (strlen(name) == size && memcmp(name, rest, size) == 0) break;
    }
    if (arg == op->output_count) return unknown(b, text, err);
    berth_node_output_range(node, arg, &first, &count);
  }
  if (rest[size] == ':') {
    long index = strtol(rest + size + 1, NULL, 10);
    if (index < 0 || index >= count) return unknown(b, text, err);
    first += (int32_t)index;
    count = 1;
  }
  *out = (values_t){lowered->outs + first, count};
  return BERTH_OK;
}

// Stores the values that |text| means.
static berth_code_t values_find(const body_t *b, const char *text,
                                values_t *out, berth_error_t *err) {
  size_t size = strcspn(text, ":");
  const char *rest = text[size] == ':' ? text + size + 1 : text + size;
  int32_t position = source_of(b, text);
  if (position >= 0) {
    bool is_whole = rest[0] == '\0';
    if (is_whole) {
      *out = (values_t){b->nodes[position].outs, b->nodes[position].out_count};
      return BERTH_OK;
    }
    return output_find(b, position, rest, out, text, err);
  }
  int64_t *arg = berth_map_find(&b->args, text, size);
  if (arg == NULL) return unknown(b, text, err);
  *out = b->arg_values[*arg];
  if (rest[0] == '\0') return BERTH_OK;
  long index = strtol(rest, NULL, 10);
  if (index < 0 || index >= out->count) return unknown(b, text, err);
  *out = (values_t){out->outs + index, 1};
  return BERTH_OK;
}

// Fills the inputs of |spec|. What comes round a loop is not there yet: the
// first input stands in.
static berth_code_t inputs_fill(const body_t *b, int32_t position,
                                berth_node_spec_t *spec, berth_error_t *err) {
  const node_def_t *def = b->def->node_def[position];
  size_t capacity = 0;
  berth_out_t *inputs = NULL;
  int32_t *controls =
      berth_arena_alloc(arena_of(b), (def->n_input + 1) * sizeof(*controls));
  if (controls == NULL) return no_memory(err);
  for (size_t i = 0; i < def->n_input; ++i) {
    const char *text = def->input[i];
    int32_t source = source_of(b, text);
    if (text[0] == '^') {
      if (source < 0) return unknown(b, text, err);
      controls[spec->control_count++] = b->nodes[source].done;
      continue;
    }
    values_t found = {inputs, 1};
    if (source < 0 || !is_back(b, source, position)) {
      BERTH_TRY(values_find(b, text, &found, err));
    }
    size_t needed = (size_t)(spec->input_count + found.count);
    if (needed > capacity) {
      capacity = 2 * needed + def->n_input;
      berth_out_t *more =
          berth_arena_alloc(arena_of(b), capacity * sizeof(*more));
      if (more == NULL) return no_memory(err);
      if (inputs != NULL) {
        memcpy(more, inputs, (size_t)spec->input_count * sizeof(*more));
      }
      inputs = more;
    }
    for (int32_t k = 0; k < found.count; ++k) {
      inputs[spec->input_count++] = found.outs[k];
    }
  }
  spec->inputs = inputs;
  spec->controls = controls;
  return BERTH_OK;
}

// ---- Attributes of a node ----

// Puts the value of the call's attribute in the place of |$name|.
static berth_code_t placeholder_fill(const body_t *b, berth_attr_value_t *value,
                                     berth_error_t *err) {
  if (value->kind != BERTH_ATTR_PLACEHOLDER) return BERTH_OK;
  const berth_attr_value_t *own =
      attr_of(b->call->function, value->s.text, value->s.size);
  if (own == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Function %s is called without its attribute %s",
                           b->def->signature->name, value->s.text);
  }
  return berth_attr_copy(own, arena_of(b), value, err);
}

// Does so in the attributes of the functions that |value| names.
static berth_code_t placeholders_fill(const body_t *b,
                                      berth_attr_value_t *value,
                                      berth_error_t *err) {
  BERTH_TRY(placeholder_fill(b, value, err));
  if (value->kind != BERTH_ATTR_FUNC) return BERTH_OK;
  // The value was made for this node and nobody else has it.
  berth_attr_t *attrs = (berth_attr_t *)(uintptr_t)value->func->attrs;
  for (int32_t i = 0; i < value->func->attr_count; ++i) {
    BERTH_TRY(placeholder_fill(b, &attrs[i].value, err));
  }
  return BERTH_OK;
}

// Renames what a node is to stand beside.
static berth_code_t groups_rename(const body_t *b, berth_attr_t *attr,
                                  berth_error_t *err) {
  static const char prefix[] = "loc:@";
  if (strcmp(attr->name, "_class") != 0 ||
      (int)attr->value.kind != BERTH_ATTR_LIST + BERTH_ATTR_STRING) {
    return BERTH_OK;
  }
  berth_attr_text_t *groups =
      (berth_attr_text_t *)(uintptr_t)attr->value.s_list;
  for (int32_t i = 0; i < attr->value.count; ++i) {
    size_t size = groups[i].size + strlen(b->call->name) + 2;
    char *text = berth_arena_alloc(arena_of(b), size);
    if (text == NULL) return no_memory(err);
    bool is_node = groups[i].size > 5 && memcmp(groups[i].text, prefix, 5) == 0;
    int length = snprintf(text, size, "%s%s/%s", prefix, b->call->name,
                          groups[i].text + (is_node ? 5 : 0));
    if (is_node) groups[i] = (berth_attr_text_t){text, (size_t)length};
  }
  return BERTH_OK;
}

static int compare_attrs(const void *a, const void *b) {
  return strcmp(((const berth_attr_t *)a)->name,
                ((const berth_attr_t *)b)->name);
}

static berth_code_t attrs_fill(const body_t *b, int32_t position,
                               berth_node_spec_t *spec, berth_error_t *err) {
  const node_def_t *def = b->def->node_def[position];
  berth_attr_t *attrs =
      berth_arena_calloc(arena_of(b), def->n_attr + 1, sizeof(*attrs));
  if (attrs == NULL) return no_memory(err);
  spec->attrs = attrs;
  if (!b->lowering->is_shaping) {
    attrs[spec->attr_count++] = (berth_attr_t){
        BERTH_ORIGIN,
        {.kind = BERTH_ATTR_STRING, .s = {def->name, strlen(def->name)}}};
  }
  for (size_t i = 0; i < def->n_attr; ++i) {
    const Berth__Wire__NodeDef__AttrEntry *entry = def->attr[i];
    if (entry->value == NULL || strcmp(entry->key, "_output_shapes") == 0) {
      continue;
    }
    berth_attr_t *attr = &attrs[spec->attr_count];
    attr->name = entry->key;
    BERTH_TRY(berth_attr_from_wire(entry->value, arena_of(b), NULL,
                                   &attr->value, err));
    ++spec->attr_count;
    BERTH_TRY(placeholders_fill(b, &attr->value, err));
    BERTH_TRY(groups_rename(b, attr, err));
  }
  qsort(attrs, (size_t)spec->attr_count, sizeof(*attrs), compare_attrs);
  return BERTH_OK;
}

static void attrs_drop(const berth_node_spec_t *spec) {
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    berth_attr_drop_tensors(&spec->attrs[i].value);
  }
}

// ---- Nodes ----

static berth_code_t node_lower(body_t *b, int32_t position,
                               berth_error_t *err) {
  const node_def_t *def = b->def->node_def[position];
  const berth_lower_call_t *call = b->call;
  berth_node_spec_t spec = {
      .op = def->op,
      .name = berth_lower_join(b->lowering, call->name, def->name),
      .device = is_text(def->device) ? def->device : call->device};
  if (spec.name == NULL) return no_memory(err);
  b->at = def;
  BERTH_TRY(inputs_fill(b, position, &spec, err));
  berth_code_t code = attrs_fill(b, position, &spec, err);
  bool follows = edges_count(b, position) > 0;
  if (code == BERTH_OK) {
    code = berth_lower_spec(b->lowering, &spec, call->after, follows,
                            &b->nodes[position], err);
  }
  attrs_drop(&spec);
  return code;
}

static berth_code_t nodes_lower(body_t *b, berth_error_t *err) {
  b->nodes = berth_arena_calloc(arena_of(b), (size_t)b->node_count + 1,
                                sizeof(*b->nodes));
  if (b->nodes == NULL) return no_memory(err);
  for (int32_t i = 0; i < b->node_count; ++i) {
    BERTH_TRY(node_lower(b, b->order[i], err));
  }
  // What comes round loops is there now.
  for (int32_t n = 0; n < b->node_count; ++n) {
    const node_def_t *def = b->def->node_def[n];
    for (size_t i = 0; i < def->n_input; ++i) {
      int32_t source = source_of(b, def->input[i]);
      if (source < 0 || !is_back(b, source, n)) continue;
      BERTH_TRY(berth_merge_set_input(
          b->lowering->to, berth_graph_get(b->lowering->to, b->nodes[n].done),
          (int32_t)i, b->nodes[source].outs[0], err));
    }
  }
  return BERTH_OK;
}

// ---- Results ----

static const char *ret_of(const body_t *b, const char *name) {
  for (size_t i = 0; i < b->def->n_ret; ++i) {
    if (strcmp(b->def->ret[i]->key, name) == 0) return b->def->ret[i]->value;
  }
  return name;
}

static berth_code_t results_fill(body_t *b, berth_lowered_t *out,
                                 berth_error_t *err) {
  b->at = NULL;
  const Berth__Wire__OpDef *signature = b->def->signature;
  int32_t count = 0;
  for (int pass = 0; pass < 2; ++pass) {
    berth_out_t *outs =
        pass == 0 ? NULL
                  : berth_arena_alloc(arena_of(b),
                                      ((size_t)count + 1) * sizeof(*outs));
    if (pass == 1 && outs == NULL) return no_memory(err);
    count = 0;
    for (size_t i = 0; i < signature->n_output_arg; ++i) {
      values_t found = {0};
      const char *text = ret_of(b, signature->output_arg[i]->name);
      BERTH_TRY(values_find(b, text, &found, err));
      for (int32_t k = 0; pass == 1 && k < found.count; ++k) {
        outs[count + k] = found.outs[k];
      }
      count += found.count;
    }
    out->outs = outs;
  }
  out->out_count = count;
  return BERTH_OK;
}

// True when node |position| runs, whether anybody wants its values or not: it is
// listed, or is stateful in a function of the old kind, which lists nothing.
static bool acts(const body_t *b, int32_t position) {
  const node_def_t *def = b->def->node_def[position];
  const berth_op_schema_t *op = berth_graph_find_op(b->lowering->from, def->op);
  for (size_t i = 0; i < b->def->n_control_ret; ++i) {
    if (strcmp(b->def->control_ret[i]->value, def->name) == 0) return true;
  }
  return b->call->is_old && op != NULL && op->is_stateful &&
         op->owns == BERTH_OWNS_NOTHING && (op->traits & BERTH_OP_READS) == 0;
}

// Makes every result wait for what acts: who has one knows that it was done.
static berth_code_t results_wait(const body_t *b, berth_lowered_t *out,
                                 berth_error_t *err) {
  size_t count = (size_t)out->out_count;
  berth_out_t *outs =
      berth_arena_alloc(arena_of(b), (count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  for (size_t i = 0; i < count; ++i) {
    int32_t node = -1;
    BERTH_TRY(berth_lower_add(b->lowering, "Identity", b->call->name, "output",
                              b->call->device, &out->outs[i], 1, &out->done, 1,
                              NULL, 0, &node, err));
    outs[i] = (berth_out_t){node, 0};
  }
  out->outs = outs;
  return BERTH_OK;
}

// Makes the node that waits for everything that acts. A call that acts begins
// with all that it is given, read or not: what makes that may act as well.
static berth_code_t done_make(const body_t *b, berth_lowered_t *out,
                              berth_error_t *err) {
  const berth_lower_call_t *call = b->call;
  size_t most = (size_t)b->node_count + (size_t)call->input_count + 1;
  int32_t *controls = berth_arena_alloc(arena_of(b), most * sizeof(*controls));
  if (controls == NULL) return no_memory(err);
  int32_t count = 0;
  for (int32_t n = 0; n < b->node_count; ++n) {
    if (acts(b, n)) controls[count++] = b->nodes[n].done;
  }
  out->done = -1;
  if (count == 0) return BERTH_OK;
  for (int32_t i = 0; call->is_node && i < call->input_count; ++i) {
    controls[count++] = call->inputs[i].node;
  }
  BERTH_TRY(berth_lower_add(b->lowering, "NoOp", b->call->name,
                            "output_control_node", b->call->device, NULL, 0,
                            controls, count, NULL, 0, &out->done, err));
  return results_wait(b, out, err);
}

// ---- The whole ----

static berth_code_t positions_find(body_t *b, berth_error_t *err) {
  for (int32_t n = 0; n < b->node_count; ++n) {
    const char *name = b->def->node_def[n]->name;
    if (!berth_map_set(&b->positions, name, strlen(name), n)) {
      return no_memory(err);
    }
  }
  return BERTH_OK;
}

berth_code_t berth_lower_body(berth_lowering_t *l,
                              const berth_lower_call_t *call,
                              berth_lowered_t *out, berth_error_t *err) {
  const berth_function_t *function =
      berth_functions_find(l->from, call->function->name);
  if (function == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Failed to find function \"%s\" in function library"
                           "\n\t [[{{node %s}}]]",
                           call->function->name, call->name);
  }
  return berth_lower_stays(l, function)
             ? berth_lower_call(l, call, function, out, err)
             : berth_lower_inline(l, call, function, out, err);
}

berth_code_t berth_lower_inline(berth_lowering_t *l,
                                const berth_lower_call_t *call,
                                const berth_function_t *function,
                                berth_lowered_t *out, berth_error_t *err) {
  l->stack[l->depth++] = function;
  body_t b = {.lowering = l,
              .call = call,
              .def = function->def,
              .node_count = (int32_t)function->def->n_node_def};
  berth_code_t code = args_bind(&b, err);
  if (code == BERTH_OK) code = positions_find(&b, err);
  if (code == BERTH_OK) code = order_find(&b, err);
  if (code == BERTH_OK) code = nodes_lower(&b, err);
  if (code == BERTH_OK) code = results_fill(&b, out, err);
  if (code == BERTH_OK) code = done_make(&b, out, err);
  --l->depth;
  berth_map_clear(&b.positions);
  berth_map_clear(&b.args);
  return code;
}
