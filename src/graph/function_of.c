// function_of.c - Makes a function of a graph.
//
// Values of the body are called as FunctionDefs call them: an argument by its
// name, an output of a node by `node:output:index`, the index counted within
// the output's list. Arguments, outputs and nodes share one set of names;
// arguments and outputs get lower-case ones made of the nodes behind them.
#include <stdio.h>
#include <string.h>

#include "graph/export.h"
#include "graph/function.h"
#include "wire/message.h"

typedef Berth__Wire__FunctionDef function_def_t;
typedef Berth__Wire__OpDef__ArgDef arg_def_t;

typedef struct maker {
  const char *name;  // Of the function.
  const berth_graph_t *body;
  int32_t node_count;
  const berth_out_t *inputs;
  int32_t input_count;
  berth_arena_t arena;
  berth_map_t taken;        // Names in use.
  const char **node_names;  // In the function; NULL for nodes that are inputs.
  int32_t *first_input;     // By node: the last input that is an output of it.
  int32_t *next_input;      // By input: the next one of the same node, or -1.
  function_def_t *def;
  berth_error_t *err;
} maker_t;

static berth_code_t no_memory(const maker_t *maker) {
  return berth_error_no_memory(maker->err, "a function");
}

static char *text_lend(const char *text) { return (char *)(uintptr_t)text; }

// ---- Names ----

// Returns |name|, with a number behind it if it is taken, and takes it; NULL
// when memory is short.
static char *name_take(maker_t *maker, const char *name) {
  size_t capacity = strlen(name) + 16;
  char *text = berth_arena_alloc(&maker->arena, capacity);
  if (text == NULL) return NULL;
  snprintf(text, capacity, "%s", name);
  for (int number = 0;
       berth_map_find(&maker->taken, text, strlen(text)) != NULL; ++number) {
    snprintf(text, capacity, "%s_%d", name, number);
  }
  return berth_map_set(&maker->taken, text, strlen(text), 0) ? text : NULL;
}

// The same for an argument: small letters, digits and underscores, a letter
// first.
static char *arg_name_take(maker_t *maker, const char *name) {
  char *text = berth_arena_alloc(&maker->arena, strlen(name) + 2);
  if (text == NULL) return NULL;
  size_t size = 0;
  for (; *name != '\0'; ++name) {
    bool is_upper = *name >= 'A' && *name <= 'Z';
    bool is_letter = is_upper || (*name >= 'a' && *name <= 'z');
    if (size == 0 && !is_letter) continue;
    bool is_kept = is_letter || (*name >= '0' && *name <= '9');
    text[size++] = (char)(is_upper ? *name - 'A' + 'a' : is_kept ? *name : '_');
  }
  text[size] = '\0';
  return name_take(maker, size > 0 ? text : "unknown");
}

// ---- Values ----

// Returns which input of the function |out| is, or -1.
static int32_t input_find(const maker_t *maker, berth_out_t out) {
  for (int32_t i = maker->first_input[out.node]; i >= 0;
       i = maker->next_input[i]) {
    if (maker->inputs[i].index == out.index) return i;
  }
  return -1;
}

// Returns what |out| is called in the function, or NULL when memory is short.
static char *value_text(maker_t *maker, berth_out_t out) {
  int32_t input = input_find(maker, out);
  if (input >= 0) return maker->def->signature->input_arg[input]->name;
  const berth_node_t *node = berth_graph_get(maker->body, out.node);
  int arg = 0, first = 0, count = 0;
  for (; arg < node->op->output_count; ++arg) {
    berth_node_output_range(node, arg, &first, &count);
    if (out.index < first + count) break;
  }
  const char *name = maker->node_names[out.node];
  const char *arg_name = node->op->outputs[arg].name;
  size_t size = strlen(name) + strlen(arg_name) + 16;
  char *text = berth_arena_alloc(&maker->arena, size);
  if (text == NULL) return NULL;
  snprintf(text, size, "%s:%s:%d", name, arg_name, (int)out.index - first);
  return text;
}

// Checks that |out| can be had in the function.
static berth_code_t value_check(const maker_t *maker, berth_out_t out,
                                berth_error_t *err) {
  if (out.node < 0 || out.node >= maker->node_count || out.index < 0 ||
      out.index >= berth_graph_get(maker->body, out.node)->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Function '%s': the body has no output %d of node "
                           "%d",
                           maker->name, (int)out.index, (int)out.node);
  }
  return BERTH_OK;
}

// ---- Signature ----

static arg_def_t *arg_make(maker_t *maker, char *name, berth_out_t out) {
  arg_def_t *arg = berth_message_new(&berth__wire__op_def__arg_def__descriptor,
                                     &maker->arena);
  if (arg == NULL || name == NULL) return NULL;
  const berth_node_t *node = berth_graph_get(maker->body, out.node);
  arg->name = name;
  arg->type =
      (Berth__Wire__DataType)berth_dtype_base(node->output_types[out.index]);
  return arg;
}

static berth_code_t inputs_make(maker_t *maker) {
  Berth__Wire__OpDef *signature = maker->def->signature;
  size_t count = (size_t)maker->input_count;
  signature->input_arg =
      berth_arena_calloc(&maker->arena, count, sizeof(void *));
  maker->next_input = berth_arena_calloc(&maker->arena, count, sizeof(int32_t));
  if (signature->input_arg == NULL || maker->next_input == NULL) {
    return no_memory(maker);
  }
  for (int32_t i = 0; i < maker->input_count; ++i) {
    berth_out_t out = maker->inputs[i];
    BERTH_TRY(value_check(maker, out, maker->err));
    const char *node = berth_graph_get(maker->body, out.node)->name;
    if (input_find(maker, out) >= 0) {
      return berth_error_set(maker->err, BERTH_INVALID_ARGUMENT,
                             "TF_Output %s:%d appears more than once in the "
                             "input list",
                             node, (int)out.index);
    }
    arg_def_t *arg = arg_make(maker, arg_name_take(maker, node), out);
    if (arg == NULL) return no_memory(maker);
    signature->input_arg[signature->n_input_arg++] = arg;
    maker->next_input[i] = maker->first_input[out.node];
    maker->first_input[out.node] = i;
  }
  return BERTH_OK;
}

// Names the nodes of the body; nodes that are inputs stay outside.
static berth_code_t nodes_name(maker_t *maker) {
  for (int32_t i = 0; i < maker->node_count; ++i) {
    if (maker->first_input[i] >= 0) continue;
    const berth_node_t *node = berth_graph_get(maker->body, i);
    maker->node_names[i] = name_take(maker, node->name);
    if (maker->node_names[i] == NULL) return no_memory(maker);
    maker->def->signature->is_stateful |= node->op->is_stateful;
  }
  return BERTH_OK;
}

static berth_code_t output_name_check(maker_t *maker, const char *const *names,
                                      int index) {
  for (int i = 0; i < index; ++i) {
    if (strcmp(names[i], names[index]) != 0) continue;
    return berth_error_set(maker->err, BERTH_INVALID_ARGUMENT,
                           "Cannot have duplicate output names. Name '%s' "
                           "appears more than once in 'output_names' array.",
                           names[index]);
  }
  return BERTH_OK;
}

// Checks that the body or the inputs have |out|.
static berth_code_t output_check(maker_t *maker, berth_out_t out) {
  BERTH_TRY(value_check(maker, out, maker->err));
  if (maker->first_input[out.node] < 0 || input_find(maker, out) >= 0) {
    return BERTH_OK;
  }
  return berth_error_set(maker->err, BERTH_INVALID_ARGUMENT,
                         "TF_Output %s:%d is neither in the function body nor "
                         "among function inputs. Encountered while creating "
                         "function '%s'",
                         berth_graph_get(maker->body, out.node)->name,
                         (int)out.index, maker->name);
}

static berth_code_t output_make(maker_t *maker, berth_out_t out,
                                const char *const *names, int index) {
  BERTH_TRY(output_check(maker, out));
  char *name = NULL;
  if (names != NULL) {
    BERTH_TRY(output_name_check(maker, names, index));
    name = text_lend(names[index]);
    if (!berth_map_set(&maker->taken, name, strlen(name), 0)) name = NULL;
  } else {
    name = arg_name_take(maker, berth_graph_get(maker->body, out.node)->name);
  }
  arg_def_t *arg = arg_make(maker, name, out);
  if (arg == NULL) return no_memory(maker);
  Berth__Wire__OpDef *signature = maker->def->signature;
  signature->output_arg[signature->n_output_arg++] = arg;
  return BERTH_OK;
}

static berth_code_t outputs_make(maker_t *maker, const berth_out_t *outputs,
                                 const char *const *names, int count) {
  maker->def->signature->output_arg =
      berth_arena_calloc(&maker->arena, (size_t)count, sizeof(void *));
  if (maker->def->signature->output_arg == NULL) return no_memory(maker);
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(output_make(maker, outputs[i], names, i));
  }
  return BERTH_OK;
}

// Says where each output comes from, once the nodes have their names.
static berth_code_t returns_make(maker_t *maker, const berth_out_t *outputs,
                                 int count) {
  function_def_t *def = maker->def;
  def->ret = berth_arena_calloc(&maker->arena, (size_t)count, sizeof(void *));
  if (def->ret == NULL) return no_memory(maker);
  for (int i = 0; i < count; ++i) {
    Berth__Wire__FunctionDef__RetEntry *ret = berth_message_new(
        &berth__wire__function_def__ret_entry__descriptor, &maker->arena);
    if (ret == NULL) return no_memory(maker);
    ret->key = def->signature->output_arg[i]->name;
    ret->value = value_text(maker, outputs[i]);
    if (ret->value == NULL) return no_memory(maker);
    def->ret[def->n_ret++] = ret;
  }
  return BERTH_OK;
}

// ---- Nodes ----

// Returns `^name` for a node the body waits for.
static char *control_text(maker_t *maker, int32_t id) {
  const char *name = maker->node_names[id];
  if (name == NULL) {
    name = maker->def->signature->input_arg[maker->first_input[id]]->name;
  }
  size_t size = strlen(name) + 2;
  char *text = berth_arena_alloc(&maker->arena, size);
  if (text != NULL) snprintf(text, size, "^%s", name);
  return text;
}

// Makes the NodeDef of node |id| with inputs as functions name them.
static berth_code_t node_make(maker_t *maker, int32_t id) {
  const berth_node_t *node = berth_graph_get(maker->body, id);
  Berth__Wire__NodeDef *def = NULL;
  BERTH_TRY(
      berth_node_to_wire(maker->body, node, &maker->arena, &def, maker->err));
  def->name = text_lend(maker->node_names[id]);
  for (int32_t i = 0; i < node->input_count; ++i) {
    berth_out_t in = node->inputs[i];
    if (maker->node_names[in.node] == NULL && input_find(maker, in) < 0) {
      return berth_error_set(
          maker->err, BERTH_INVALID_ARGUMENT,
          "Input %d, '%s:%d', of node '%s' in function '%s' is not available. "
          "You might need to include it in inputs or include its source node "
          "in the body",
          (int)i, berth_graph_get(maker->body, in.node)->name, (int)in.index,
          node->name, maker->name);
    }
    def->input[i] = value_text(maker, in);
    if (def->input[i] == NULL) return no_memory(maker);
  }
  for (int32_t i = 0; i < node->control_count; ++i) {
    char *text = control_text(maker, node->controls[i]);
    if (text == NULL) return no_memory(maker);
    def->input[node->input_count + i] = text;
  }
  maker->def->node_def[maker->def->n_node_def++] = def;
  return BERTH_OK;
}

static berth_code_t nodes_make(maker_t *maker) {
  maker->def->node_def = berth_arena_calloc(
      &maker->arena, (size_t)maker->node_count, sizeof(void *));
  if (maker->def->node_def == NULL) return no_memory(maker);
  for (int32_t i = 0; i < maker->node_count; ++i) {
    if (maker->node_names[i] != NULL) BERTH_TRY(node_make(maker, i));
  }
  return BERTH_OK;
}

// ---- The whole ----

static berth_code_t maker_prepare(maker_t *maker) {
  size_t count = (size_t)maker->node_count;
  maker->node_names =
      berth_arena_calloc(&maker->arena, count, sizeof *maker->node_names);
  maker->first_input =
      berth_arena_alloc(&maker->arena, count * sizeof(int32_t));
  maker->def =
      berth_message_new(&berth__wire__function_def__descriptor, &maker->arena);
  if (maker->node_names == NULL || maker->first_input == NULL ||
      maker->def == NULL) {
    return no_memory(maker);
  }
  for (size_t i = 0; i < count; ++i) maker->first_input[i] = -1;
  maker->def->signature =
      berth_message_new(&berth__wire__op_def__descriptor, &maker->arena);
  if (maker->def->signature == NULL) return no_memory(maker);
  maker->def->signature->name = text_lend(maker->name);
  return BERTH_OK;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_graph_add_function_of(
    berth_graph_t *graph, const char *name, const berth_graph_t *body,
    const berth_out_t *inputs, int input_count, const berth_out_t *outputs,
    const char *const *output_names, int output_count, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(body, err);
  BERTH_GIVEN_LIST(inputs, input_count, err);
  BERTH_GIVEN_LIST(outputs, output_count, err);
  for (int i = 0; output_names != NULL && i < output_count; ++i) {
    BERTH_GIVEN(output_names[i], err);
  }
  maker_t maker = {.name = name,
                   .body = body,
                   .node_count = berth_graph_node_count(body),
                   .inputs = inputs,
                   .input_count = input_count,
                   .err = err};
  berth_code_t code = maker_prepare(&maker);
  if (code == BERTH_OK) code = inputs_make(&maker);
  if (code == BERTH_OK) {
    code = outputs_make(&maker, outputs, output_names, output_count);
  }
  if (code == BERTH_OK) code = nodes_name(&maker);
  if (code == BERTH_OK) code = returns_make(&maker, outputs, output_count);
  if (code == BERTH_OK) code = nodes_make(&maker);
  if (code == BERTH_OK) {
    berth_graph_lock(graph);
    code = berth_functions_add(graph, maker.def, err);
    berth_graph_unlock(graph);
  }
  berth_map_clear(&maker.taken);
  berth_arena_clear(&maker.arena);
  return code;
}
