// parse.c - Reading ops.def.
//
// One function per statement. An error makes the lexer answer TOKEN_END from
// then on, so loops only have to stop at that.
#include <stdlib.h>
#include <string.h>

#include "graph/schema.h"
#include "lexer.h"
#include "model.h"

enum { MAX_GROUPS = 64 };

op_t opgen_ops[MAX_OPS];
int opgen_op_count;
op_t opgen_known[MAX_KNOWN];
int opgen_known_count;

static value_t values[MAX_VALUES];
static int value_count;

const char *const opgen_type_names[BERTH_DTYPE_COUNT] = {
    [BERTH_FLOAT] = "float",
    [BERTH_DOUBLE] = "double",
    [BERTH_INT32] = "int32",
    [BERTH_UINT8] = "uint8",
    [BERTH_INT16] = "int16",
    [BERTH_INT8] = "int8",
    [BERTH_STRING] = "string",
    [BERTH_COMPLEX64] = "complex64",
    [BERTH_INT64] = "int64",
    [BERTH_BOOL] = "bool",
    [BERTH_QINT8] = "qint8",
    [BERTH_QUINT8] = "quint8",
    [BERTH_QINT32] = "qint32",
    [BERTH_BFLOAT16] = "bfloat16",
    [BERTH_QINT16] = "qint16",
    [BERTH_QUINT16] = "quint16",
    [BERTH_UINT16] = "uint16",
    [BERTH_COMPLEX128] = "complex128",
    [BERTH_HALF] = "half",
    [BERTH_RESOURCE] = "resource",
    [BERTH_VARIANT] = "variant",
    [BERTH_UINT32] = "uint32",
    [BERTH_UINT64] = "uint64",
    [BERTH_FLOAT8_E5M2] = "float8_e5m2",
    [BERTH_FLOAT8_E4M3FN] = "float8_e4m3fn",
    [BERTH_FLOAT8_E4M3FNUZ] = "float8_e4m3fnuz",
    [BERTH_FLOAT8_E4M3B11FNUZ] = "float8_e4m3b11fnuz",
    [BERTH_FLOAT8_E5M2FNUZ] = "float8_e5m2fnuz",
    [BERTH_INT4] = "int4",
    [BERTH_UINT4] = "uint4",
    [BERTH_INT2] = "int2",
    [BERTH_UINT2] = "uint2",
    [BERTH_FLOAT4_E2M1FN] = "float4_e2m1fn",
};

static const char *const kind_names[KIND_COUNT] = {
    "string", "int", "float", "bool", "type", "shape", "tensor", "func"};

static struct {
  const char *name;
  set_t set;
} groups[MAX_GROUPS];
static int group_count;

static int find_type(const char *name) {
  for (int i = 0; i < BERTH_DTYPE_COUNT; ++i) {
    if (opgen_type_names[i] != NULL && strcmp(opgen_type_names[i], name) == 0) {
      return i;
    }
  }
  return 0;
}

static const set_t *find_group(const char *name) {
  for (int i = 0; i < group_count; ++i) {
    if (strcmp(groups[i].name, name) == 0) return &groups[i].set;
  }
  return NULL;
}

int opgen_find_attr(const op_t *op, const char *name) {
  for (int i = 0; i < op->attr_count; ++i) {
    if (strcmp(op->attrs[i].name, name) == 0) return i;
  }
  return -1;
}

// ---- Sets ----

static void set_add(lexer_t *lexer, set_t *set, int type) {
  if (set->count == MAX_SET) {
    lexer_fail(lexer, "too many members", "");
  } else {
    set->types[set->count++] = (uint8_t)type;
  }
}

static void set_add_text(lexer_t *lexer, set_t *set, const char *text) {
  set->is_text = true;
  if (set->count == MAX_TEXTS) {
    lexer_fail(lexer, "too many members", "");
  } else {
    set->texts[set->count++] = text;
  }
}

static void set_remove(set_t *set, const set_t *gone) {
  int kept = 0;
  for (int i = 0; i < set->count; ++i) {
    bool is_gone = false;
    for (int j = 0; j < gone->count; ++j) {
      is_gone |= gone->types[j] == set->types[i];
    }
    if (!is_gone) set->types[kept++] = set->types[i];
  }
  set->count = kept;
}

// Adds a type, the members of a group, or a quoted text.
static void parse_member(lexer_t *lexer, set_t *set) {
  if (lexer->token == TOKEN_TEXT) {
    set_add_text(lexer, set, lexer_value(lexer));
    return;
  }
  const char *name = lexer_word(lexer);
  const set_t *group = find_group(name);
  if (group != NULL) {
    for (int i = 0; i < group->count; ++i) {
      set_add(lexer, set, group->types[i]);
    }
  } else if (find_type(name) != 0) {
    set_add(lexer, set, find_type(name));
  } else {
    lexer_fail(lexer, "unknown type or group", name);
  }
}

// Reads members with commas between them; "- x" takes away.
static void parse_members(lexer_t *lexer, set_t *set) {
  do {
    parse_member(lexer, set);
    while (lexer_accept(lexer, "-")) {
      set_t gone = {0};
      parse_member(lexer, &gone);
      set_remove(set, &gone);
    }
  } while (lexer_accept(lexer, ","));
}

static void parse_set(lexer_t *lexer, set_t *set) {
  if (!lexer_accept(lexer, "{")) {
    parse_member(lexer, set);
    return;
  }
  parse_members(lexer, set);
  lexer_expect(lexer, "}");
}

// types name = member, member
static void parse_types(lexer_t *lexer) {
  if (group_count == MAX_GROUPS) {
    lexer_fail(lexer, "too many groups", "");
    return;
  }
  groups[group_count].name = lexer_word(lexer);
  lexer_expect(lexer, "=");
  parse_members(lexer, &groups[group_count].set);
  ++group_count;
}

// ---- Arguments and attributes ----

// name: [N *] type | Ref(type)
static void parse_arg(lexer_t *lexer, arg_t *arg) {
  arg->line = lexer->token_line;
  arg->name = lexer_word(lexer);
  lexer_expect(lexer, ":");
  arg->type_name = lexer_word(lexer);
  if (lexer_accept(lexer, "*")) {
    arg->number_name = arg->type_name;
    arg->type_name = lexer_word(lexer);
  }
  if (strcmp(arg->type_name, "Ref") == 0) {
    arg->is_ref = true;
    lexer_expect(lexer, "(");
    arg->type_name = lexer_word(lexer);
    lexer_expect(lexer, ")");
  }
}

static void parse_args(lexer_t *lexer, arg_t *args, int *count) {
  do {
    if (*count == MAX_ARGS) {
      lexer_fail(lexer, "too many arguments", "");
      return;
    }
    parse_arg(lexer, &args[(*count)++]);
  } while (lexer_accept(lexer, ","));
}

static int find_kind(const char *name) {
  for (int i = 0; i < KIND_COUNT; ++i) {
    if (strcmp(kind_names[i], name) == 0) return i;
  }
  return -1;
}

// A kind, or a set of what is allowed.
static void parse_kind(lexer_t *lexer, attr_t *attr) {
  int kind = lexer->token == TOKEN_WORD ? find_kind(lexer->text) : -1;
  if (kind >= 0) {
    attr->kind = (kind_t)kind;
    lexer_next(lexer);
    return;
  }
  parse_set(lexer, &attr->allowed);
  attr->kind = attr->allowed.is_text ? KIND_STRING : KIND_TYPE;
}

// Reads the members of a shape or tensor up to |end|.
static void parse_items(lexer_t *lexer, value_t *value, const char *end) {
  while (!lexer_at(lexer, end) && lexer->token != TOKEN_END) {
    if (value->item_count == MAX_ITEMS) {
      lexer_fail(lexer, "too many members", "");
      return;
    }
    value->items[value->item_count++] = lexer_word(lexer);
    if (!lexer_accept(lexer, ",")) break;
  }
  lexer_expect(lexer, end);
}

// uint8[255, 0] | int32(1)
static void parse_tensor(lexer_t *lexer, value_t *value) {
  const char *type = lexer_word(lexer);
  value->type = find_type(type);
  if (value->type == 0) lexer_fail(lexer, "unknown type", type);
  value->is_scalar = lexer_accept(lexer, "(");
  if (!value->is_scalar) lexer_expect(lexer, "[");
  parse_items(lexer, value, value->is_scalar ? ")" : "]");
}

// A number, a word, a text, or for shapes [2, 1], for tensors uint8[255, 0].
static void parse_value(lexer_t *lexer, kind_t kind) {
  if (value_count == MAX_VALUES) {
    lexer_fail(lexer, "too many values", "");
    return;
  }
  value_t *value = &values[value_count++];
  if (kind == KIND_TENSOR) {
    parse_tensor(lexer, value);
  } else if (kind == KIND_SHAPE && lexer_accept(lexer, "[")) {
    parse_items(lexer, value, "]");
  } else {
    value->text = lexer_value(lexer);
  }
}

static void parse_default(lexer_t *lexer, attr_t *attr) {
  attr->has_default = true;
  attr->defaults = &values[value_count];
  if (!attr->is_list) {
    parse_value(lexer, attr->kind);
    attr->default_count = 1;
    return;
  }
  lexer_expect(lexer, "[");
  while (!lexer_at(lexer, "]") && lexer->token != TOKEN_END) {
    parse_value(lexer, attr->kind);
    ++attr->default_count;
    if (!lexer_accept(lexer, ",")) break;
  }
  lexer_expect(lexer, "]");
}

// name: kind [>= n] [= default]
static void parse_attr(lexer_t *lexer, op_t *op) {
  if (op->attr_count == MAX_ATTRS) {
    lexer_fail(lexer, "too many attributes in", op->name);
    return;
  }
  attr_t *attr = &op->attrs[op->attr_count++];
  attr->name = lexer_word(lexer);
  lexer_expect(lexer, ":");
  attr->is_list = lexer_accept(lexer, "list");
  if (attr->is_list) lexer_expect(lexer, "(");
  parse_kind(lexer, attr);
  if (attr->is_list) lexer_expect(lexer, ")");
  if (lexer_accept(lexer, "G")) {
    attr->has_minimum = true;
    attr->minimum = strtoll(lexer_word(lexer), NULL, 10);
  }
  if (lexer_accept(lexer, "=")) parse_default(lexer, attr);
}

// ---- Registrations ----

// Marks argument |name| as living in host memory.
static void mark_host(lexer_t *lexer, const op_t *op, registration_t *reg,
                      const char *name) {
  bool is_found = false;
  for (int i = 0; i < op->input_count; ++i) {
    if (strcmp(op->inputs[i].name, name) == 0) {
      reg->host_inputs |= (uint32_t)1 << i;
      is_found = true;
    }
  }
  for (int i = 0; i < op->output_count; ++i) {
    if (strcmp(op->outputs[i].name, name) == 0) {
      reg->host_outputs |= (uint32_t)1 << i;
      is_found = true;
    }
  }
  if (!is_found) lexer_fail(lexer, "no such argument", name);
}

// key: value, where the key is an attribute, host, priority or label.
static void parse_clause(lexer_t *lexer, const op_t *op, registration_t *reg) {
  const char *key = lexer_word(lexer);
  if (strcmp(key, "any") == 0) return;
  lexer_expect(lexer, ":");
  if (strcmp(key, "host") == 0) {
    do {
      mark_host(lexer, op, reg, lexer_word(lexer));
    } while (lexer_accept(lexer, ","));
  } else if (strcmp(key, "priority") == 0) {
    reg->priority = (int)strtol(lexer_word(lexer), NULL, 10);
  } else if (strcmp(key, "label") == 0) {
    reg->label = lexer_word(lexer);
  } else if (opgen_find_attr(op, key) < 0 ||
             reg->constraint_count == MAX_CONSTRAINTS) {
    lexer_fail(lexer, "no such attribute", key);
  } else {
    int index = reg->constraint_count++;
    int attr = opgen_find_attr(op, key);
    reg->constraints[index].attr = attr;
    if (op->attrs[attr].kind == KIND_INT || op->attrs[attr].kind == KIND_BOOL) {
      set_add_text(lexer, &reg->constraints[index].set, lexer_word(lexer));
    } else {
      parse_set(lexer, &reg->constraints[index].set);
    }
  }
}

static void parse_registration(lexer_t *lexer, op_t *op, const char *device) {
  if (op->registration_count == MAX_REGISTRATIONS) {
    lexer_fail(lexer, "too many registrations of", op->name);
    return;
  }
  registration_t *reg = &op->registrations[op->registration_count++];
  reg->device = device;
  reg->label = "";
  do {
    parse_clause(lexer, op, reg);
  } while (lexer_accept(lexer, ";"));
}

// ---- Ops ----

// Sets what |name| stands for in |op|; false when it is no flag.
static bool set_flag(op_t *op, const char *name) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {
      {"stateful", &op->is_stateful},
      {"commutative", &op->is_commutative},
      {"aggregate", &op->is_aggregate},
      {"uninitialized", &op->is_uninitialized},
      {"distributed", &op->is_distributed},
  };
  for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); ++i) {
    if (strcmp(flags[i].name, name) != 0) continue;
    *flags[i].flag = true;
    return true;
  }
  return false;
}

// Sets the trait |name| of |op|; false when it is none.
static bool set_trait(op_t *op, const char *name) {
  static const struct {
    const char *name;
    uint32_t trait;
  } traits[] = {
      {"makes", BERTH_OP_MAKES},   {"blocks", BERTH_OP_BLOCKS},
      {"impure", BERTH_OP_IMPURE}, {"updates", BERTH_OP_UPDATES},
      {"moves", BERTH_OP_MOVES},   {"constant", BERTH_OP_CONSTANT},
      {"fed", BERTH_OP_FED},       {"shapes", BERTH_OP_SHAPES},
      {"passes", BERTH_OP_PASSES}, {"reads", BERTH_OP_READS},
      {"asks", BERTH_OP_ASKS},     {"views", BERTH_OP_VIEWS},
      {"checks", BERTH_OP_CHECKS},
  };
  for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); ++i) {
    if (strcmp(traits[i].name, name) != 0) continue;
    op->traits |= traits[i].trait;
    return true;
  }
  return false;
}

static void parse_flags(lexer_t *lexer, op_t *op) {
  do {
    const char *name = lexer_word(lexer);
    if (!set_flag(op, name) && !set_trait(op, name)) {
      lexer_fail(lexer, "unknown flag", name);
      return;
    }
  } while (lexer_accept(lexer, ","));
}

// Returns the input of |op| called |name|, or -1; |*after_list| says whether
// one before it stands for several values.
static int find_input(const op_t *op, const char *name, bool *after_list) {
  *after_list = false;
  for (int i = 0; i < op->input_count; ++i) {
    if (strcmp(op->inputs[i].name, name) == 0) return i;
    *after_list = *after_list || op->inputs[i].number_name != NULL;
  }
  return -1;
}

// reads argument, argument: the bits of inputs, the last one as such where its
// number is not known.
static void parse_reads(lexer_t *lexer, op_t *op) {
  do {
    bool after_list;
    const char *name = lexer_word(lexer);
    int index = find_input(op, name, &after_list);
    if (index < 0) {
      lexer_fail(lexer, "no such argument", name);
    } else if (after_list && index != op->input_count - 1) {
      lexer_fail(lexer, "an argument behind several must be the last", name);
    } else {
      op->value_inputs |=
          after_list ? BERTH_OP_LAST_INPUT : UINT32_C(1) << index;
    }
  } while (lexer_accept(lexer, ","));
}

// keeps argument: the bits of inputs, all after the last where it stands for
// several.
static void parse_keeps(lexer_t *lexer, op_t *op) {
  do {
    bool after_list;
    const char *name = lexer_word(lexer);
    int index = find_input(op, name, &after_list);
    if (index < 0 || after_list) {
      lexer_fail(lexer, "no argument that can be kept", name);
      return;
    }
    const arg_t *arg = &op->inputs[index];
    int attr = opgen_find_attr(op, arg->type_name);
    bool is_list =
        arg->number_name != NULL || (attr >= 0 && op->attrs[attr].is_list);
    op->keep_inputs |= is_list ? UINT32_MAX << index : UINT32_C(1) << index;
  } while (lexer_accept(lexer, ","));
}

// A word, and what it stands for in a schema.
typedef struct choice {
  const char *word;
  int number;
} choice_t;

// One of |choices|, which end without a word; returns its number.
static int parse_choice(lexer_t *lexer, const choice_t *choices) {
  const char *word = lexer_word(lexer);
  for (; choices->word != NULL; ++choices) {
    if (strcmp(choices->word, word) == 0) return choices->number;
  }
  lexer_fail(lexer, "unknown word", word);
  return 0;
}

static const choice_t owned_words[] = {
    {"reference", BERTH_OWNS_REFERENCE},     {"handle", BERTH_OWNS_HANDLE},
    {"accumulator", BERTH_OWNS_ACCUMULATOR}, {"queue", BERTH_OWNS_QUEUE},
    {"generator", BERTH_OWNS_GENERATOR},     {"counter", BERTH_OWNS_COUNTER},
    {"function", BERTH_OWNS_FUNCTION},       {NULL, 0}};

static const choice_t flow_words[] = {
    {"switch", BERTH_FLOW_SWITCH},       {"merge", BERTH_FLOW_MERGE},
    {"enter", BERTH_FLOW_ENTER},         {"exit", BERTH_FLOW_EXIT},
    {"next", BERTH_FLOW_NEXT},           {"trigger", BERTH_FLOW_TRIGGER},
    {"loop_cond", BERTH_FLOW_LOOP_COND}, {NULL, 0}};

static void parse_statement(lexer_t *lexer, op_t *op) {
  const char *word = lexer_word(lexer);
  if (strcmp(word, "in") == 0) {
    parse_args(lexer, op->inputs, &op->input_count);
  } else if (strcmp(word, "out") == 0) {
    parse_args(lexer, op->outputs, &op->output_count);
  } else if (strcmp(word, "attr") == 0) {
    parse_attr(lexer, op);
  } else if (strcmp(word, "is") == 0) {
    parse_flags(lexer, op);
  } else if (strcmp(word, "reads") == 0) {
    parse_reads(lexer, op);
  } else if (strcmp(word, "keeps") == 0) {
    parse_keeps(lexer, op);
  } else if (strcmp(word, "owns") == 0) {
    op->owns = parse_choice(lexer, owned_words);
  } else if (strcmp(word, "flow") == 0) {
    op->flow = parse_choice(lexer, flow_words);
  } else if (strcmp(word, "cpu") == 0) {
    parse_registration(lexer, op, "CPU");
  } else if (strcmp(word, "gpu") == 0) {
    parse_registration(lexer, op, "GPU");
  } else if (strcmp(word, "default") == 0) {
    parse_registration(lexer, op, "DEFAULT");
  } else if (strcmp(word, "removed") == 0) {
    op->removed_in = (int)strtol(lexer_word(lexer), NULL, 10);
    op->removed_text = lexer_value(lexer);
  } else if (strcmp(word, "builder") == 0) {
    op->builder = lexer_word(lexer);
  } else if (strcmp(word, "shape") == 0) {
    op->shape = lexer_word(lexer);
  } else if (strcmp(word, "grad") == 0) {
    op->grad = lexer_word(lexer);
  } else {
    lexer_fail(lexer, "unknown statement", word);
  }
}

// Finds what the type of |arg| is: a fixed type, or an attribute.
static void resolve_arg(lexer_t *lexer, const op_t *op, arg_t *arg) {
  lexer->token_line = arg->line;  // Where a message would point.
  arg->type_attr = arg->list_attr = arg->number_attr = -1;
  int attr = opgen_find_attr(op, arg->type_name);
  if (attr < 0) {
    arg->type = find_type(arg->type_name);
    if (arg->type == 0) lexer_fail(lexer, "unknown type", arg->type_name);
  } else if (op->attrs[attr].is_list) {
    arg->list_attr = attr;
  } else {
    arg->type_attr = attr;
  }
  if (arg->number_name == NULL) return;
  arg->number_attr = opgen_find_attr(op, arg->number_name);
  if (arg->number_attr < 0) {
    lexer_fail(lexer, "unknown attribute", arg->number_name);
  }
}

static void resolve(lexer_t *lexer, op_t *op) {
  for (int i = 0; i < op->input_count; ++i) {
    arg_t *arg = &op->inputs[i];
    resolve_arg(lexer, op, arg);
    if (arg->type_attr >= 0) op->attrs[arg->type_attr].is_inferred = true;
    if (arg->list_attr >= 0) op->attrs[arg->list_attr].is_inferred = true;
    if (arg->number_attr >= 0) op->attrs[arg->number_attr].is_inferred = true;
  }
  for (int i = 0; i < op->output_count; ++i) {
    resolve_arg(lexer, op, &op->outputs[i]);
  }
}

// Refuses what only ops in the first file can have.
static void check_known(lexer_t *lexer, const op_t *op) {
  if (op->shape != NULL || op->grad != NULL || op->builder != NULL ||
      op->owns != 0 || op->flow != 0 || op->traits != 0 ||
      op->value_inputs != 0 || op->keep_inputs != 0) {
    lexer_fail(lexer,
               "an op of ops.def, not one that is only known:", op->name);
  }
}

static void parse_op(lexer_t *lexer, op_t *ops, int *count, int most) {
  if (*count == most) {
    lexer_fail(lexer, "too many ops", "");
    return;
  }
  op_t *op = &ops[(*count)++];
  op->name = lexer_word(lexer);
  while (lexer->token == TOKEN_LINE) {
    lexer_next(lexer);
    if (lexer->token == TOKEN_END || lexer_at(lexer, "op")) break;
    parse_statement(lexer, op);
  }
  resolve(lexer, op);
  if (ops == opgen_known) check_known(lexer, op);
}

static int compare_ops(const void *a, const void *b) {
  return strcmp(((const op_t *)a)->name, ((const op_t *)b)->name);
}

static bool parse_file(const char *path, op_t *ops, int *count, int most) {
  lexer_t lexer;
  if (!lexer_open(&lexer, path)) return false;
  lexer_next(&lexer);
  while (lexer.token != TOKEN_END) {
    if (lexer.token == TOKEN_LINE) {
      lexer_next(&lexer);
    } else if (lexer_accept(&lexer, "types")) {
      parse_types(&lexer);
    } else if (lexer_accept(&lexer, "op")) {
      parse_op(&lexer, ops, count, most);
    } else {
      lexer_fail(&lexer, "expected an op instead of", lexer.text);
    }
  }
  qsort(ops, (size_t)*count, sizeof(op_t), compare_ops);
  for (int i = 1; i < *count; ++i) {
    if (compare_ops(&ops[i - 1], &ops[i]) == 0) {
      lexer_fail(&lexer, "two ops are called", ops[i].name);
    }
  }
  return !lexer.is_failed;
}

// True when no op stands in both files.
static bool check_twice(const char *known) {
  for (int i = 0, j = 0; i < opgen_op_count && j < opgen_known_count;) {
    int order = compare_ops(&opgen_ops[i], &opgen_known[j]);
    if (order == 0) {
      fprintf(stderr, "%s: op '%s' is in the other file too\n", known,
              opgen_ops[i].name);
      return false;
    }
    *(order < 0 ? &i : &j) += 1;
  }
  return true;
}

bool opgen_parse(const char *ops, const char *known) {
  return parse_file(ops, opgen_ops, &opgen_op_count, MAX_OPS) &&
         parse_file(known, opgen_known, &opgen_known_count, MAX_KNOWN) &&
         check_twice(known);
}
