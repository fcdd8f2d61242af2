// bytes.c - Writing the schemas of all ops, as bytes.
//
// graph/op_bytes.h says what the bytes mean. Ops of ops.def come first, then
// those that are only known; each file is in the order of names. Texts that occur often come first, so
// that the numbers that stand for them are short.
#include <stdlib.h>
#include <string.h>

#include "graph/op_bytes.h"
#include "graph/op_hash.h"
#include "model.h"

enum { MAX_WORDS = 65536, MAX_SETS = 2048, BYTES_ROOM = 1 << 20 };

// Returns op |index| of both files.
static const op_t *op_at(int index) {
  return index < opgen_op_count ? &opgen_ops[index]
                                : &opgen_known[index - opgen_op_count];
}

static int op_count(void) { return opgen_op_count + opgen_known_count; }

// ---- Texts ----

typedef struct word {
  const char *text;
  int count;
  uint32_t offset;
} word_t;

static word_t words[MAX_WORDS];  // Sorted by text once all are there.
static int word_count;

static void note(const char *text) {
  if (word_count == MAX_WORDS) {
    fprintf(stderr, "opgen: too many names\n");
    exit(1);
  }
  words[word_count++] = (word_t){text, 1, 0};
}

static void note_args(const arg_t *args, int count) {
  for (int i = 0; i < count; ++i) note(args[i].name);
}

static void note_op(const op_t *op) {
  note(op->name);
  note_args(op->inputs, op->input_count);
  note_args(op->outputs, op->output_count);
  for (int i = 0; i < op->attr_count; ++i) note(op->attrs[i].name);
  for (int i = 0; i < op->registration_count; ++i) {
    note(op->registrations[i].label);
  }
  if (op->removed_text != NULL) note(op->removed_text);
  if (op->rule != NULL) note(op->rule);
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(((const word_t *)a)->text, ((const word_t *)b)->text);
}

static int compare_counts(const void *a, const void *b) {
  const word_t *x = *(word_t *const *)a, *y = *(word_t *const *)b;
  if (x->count != y->count) return y->count - x->count;
  return strcmp(x->text, y->text);
}

// Joins equal words and gives each its offset; returns them in that order.
static word_t **words_arrange(void) {
  static word_t *order[MAX_WORDS];
  qsort(words, (size_t)word_count, sizeof(words[0]), compare_texts);
  int kept = 0;
  for (int i = 0; i < word_count; ++i) {
    if (kept > 0 && compare_texts(&words[kept - 1], &words[i]) == 0) {
      ++words[kept - 1].count;
    } else {
      words[kept++] = words[i];
    }
  }
  word_count = kept;
  for (int i = 0; i < word_count; ++i) order[i] = &words[i];
  qsort(order, (size_t)word_count, sizeof(order[0]), compare_counts);
  uint32_t offset = 0;
  for (int i = 0; i < word_count; ++i) {
    order[i]->offset = offset;
    offset += (uint32_t)strlen(order[i]->text) + 1;
  }
  return order;
}

static void write_texts(FILE *file) {
  word_t *const *order = words_arrange();
  fprintf(file, "const char berth_op_texts[] = {");
  for (int i = 0; i < word_count; ++i) {
    fprintf(file, "\n");
    for (const char *at = order[i]->text; *at != '\0'; ++at) {
      fprintf(file, "%d,", (unsigned char)*at);
    }
    fprintf(file, "0,");
  }
  fprintf(file, "};\n");
}

static uint32_t text_offset(const char *text) {
  word_t key = {text, 0, 0};
  const word_t *word =
      bsearch(&key, words, (size_t)word_count, sizeof(words[0]), compare_texts);
  return word->offset;
}

// ---- Values and sets ----

// Indices of what is written once and pointed to, in the order of first use.
typedef struct list {
  char rows[MAX_SETS][96];
  int count;
} list_t;

static list_t values, sets;

static int list_place(list_t *list, const char *row) {
  for (int i = 0; i < list->count; ++i) {
    if (strcmp(list->rows[i], row) == 0) return i;
  }
  if (list->count == MAX_SETS) {
    fprintf(stderr, "opgen: too many different sets or defaults\n");
    exit(1);
  }
  snprintf(list->rows[list->count], sizeof(list->rows[0]), "%s", row);
  return list->count++;
}

static int value_index(FILE *file, const attr_t *attr) {
  char row[96];
  snprintf(row, sizeof(row), "&value_%d", opgen_write_value(file, attr));
  return list_place(&values, row);
}

// |is_ordered|: messages list the members as they are written.
static int set_index(FILE *file, const set_t *set, bool is_ordered) {
  char row[96];
  if (set->is_text) {
    snprintf(row, sizeof(row), "{0, texts_%d, NULL, 0}",
             opgen_write_texts(file, set));
  } else if (is_ordered) {
    snprintf(row, sizeof(row), "{0x%llx, NULL, order_%d, %d}",
             (unsigned long long)opgen_type_bits(set),
             opgen_write_order(file, set), set->count);
  } else {
    snprintf(row, sizeof(row), "{0x%llx, NULL, NULL, 0}",
             (unsigned long long)opgen_type_bits(set));
  }
  return list_place(&sets, row);
}

static void write_list(FILE *file, const char *head, const list_t *list) {
  fprintf(file, "%s = {\n", head);
  for (int i = 0; i < list->count; ++i) fprintf(file, "%s,\n", list->rows[i]);
  fprintf(file, "};\n");
}

// ---- Shape functions ----

static list_t functions;

// Returns the number of the shape function of |op|, from 1; 0 is none.
static int function_number(const op_t *op) {
  char row[96];
  if (op->shape == NULL) return 0;
  snprintf(row, sizeof(row), "berth_infer_%s", op->shape);
  return list_place(&functions, row) + 1;
}

static void write_functions(FILE *file) {
  for (int i = 0; i < opgen_op_count; ++i) function_number(&opgen_ops[i]);
  for (int i = 0; i < functions.count; ++i) {
    fprintf(file, "berth_shape_fn_t %s;\n", functions.rows[i]);
  }
  list_place(&functions, "NULL");
  write_list(file, "berth_shape_fn_t *const berth_op_functions[]", &functions);
}

// ---- Bytes ----

static uint8_t bytes[BYTES_ROOM];
static uint32_t byte_count;

static void put(uint64_t number) {
  do {
    if (byte_count == BYTES_ROOM) {
      fprintf(stderr, "opgen: too many ops\n");
      exit(1);
    }
    uint8_t low = number & 0x7f;
    number >>= 7;
    bytes[byte_count++] = (uint8_t)(low | (number != 0 ? 0x80 : 0));
  } while (number != 0);
}

static void put_args(const arg_t *args, int count) {
  for (int i = 0; i < count; ++i) {
    const arg_t *arg = &args[i];
    int type = arg->type_attr >= 0   ? arg->type_attr
               : arg->list_attr >= 0 ? arg->list_attr
                                     : arg->type;
    put(text_offset(arg->name));
    put((arg->type_attr >= 0 ? BERTH_BYTES_TYPE_ATTR : 0u) |
        (arg->list_attr >= 0 ? BERTH_BYTES_LIST_ATTR : 0u) |
        (arg->number_attr >= 0 ? BERTH_BYTES_NUMBER : 0u) |
        (arg->is_ref ? BERTH_BYTES_REF : 0u));
    put((uint64_t)type);
    if (arg->number_attr >= 0) put((uint64_t)arg->number_attr);
  }
}

static void put_attr(FILE *file, const attr_t *attr) {
  bool is_limited = attr->allowed.count > 0;
  put(text_offset(attr->name));
  // Kinds are numbered as berth_attr_kind_t, from 1; 16 is added for lists.
  put((uint64_t)attr->kind + 1 + (attr->is_list ? 16 : 0));
  put((attr->has_minimum ? BERTH_BYTES_MINIMUM : 0u) |
      (attr->has_default ? BERTH_BYTES_DEFAULT : 0u) |
      (is_limited ? BERTH_BYTES_ALLOWED : 0u));
  if (attr->has_minimum) put((uint64_t)attr->minimum);
  if (attr->has_default) put((uint64_t)value_index(file, attr));
  if (is_limited) put((uint64_t)set_index(file, &attr->allowed, true));
}

static void put_registration(FILE *file, const registration_t *reg) {
  uint64_t device = strcmp(reg->device, "CPU") == 0   ? 0
                    : strcmp(reg->device, "GPU") == 0 ? 1
                                                      : 2;
  bool has_host = (reg->host_inputs | reg->host_outputs) != 0;
  bool has_rank = reg->priority != 0 || reg->label[0] != '\0';
  put(device);
  put((has_host ? BERTH_BYTES_HOST : 0u) | (has_rank ? BERTH_BYTES_RANK : 0u));
  put((uint64_t)reg->constraint_count);
  for (int i = 0; i < reg->constraint_count; ++i) {
    put((uint64_t)reg->constraints[i].attr);
    put((uint64_t)set_index(file, &reg->constraints[i].set, false));
  }
  if (has_host) {
    put(reg->host_inputs);
    put(reg->host_outputs);
  }
  if (has_rank) {
    put((uint64_t)reg->priority);
    put(text_offset(reg->label));
  }
}

// Puts what only ops of ops.def have.
static void put_work(const op_t *op) {
  put(op->traits);
  put(op->value_inputs);
  put(op->keep_inputs);
  put((uint64_t)op->flow);
  put((uint64_t)op->owns);
  put((uint64_t)function_number(op));
}

static void put_op(FILE *file, const op_t *op) {
  bool is_worked = op->traits != 0 || op->value_inputs != 0 ||
                   op->keep_inputs != 0 || op->flow != 0 || op->owns != 0 ||
                   op->shape != NULL;
  put(text_offset(op->name));
  put((op->is_stateful ? BERTH_BYTES_STATEFUL : 0u) |
      (op->is_aggregate ? BERTH_BYTES_AGGREGATE : 0u) |
      (op->is_commutative ? BERTH_BYTES_COMMUTATIVE : 0u) |
      (op->is_uninitialized ? BERTH_BYTES_UNINITIALIZED : 0u) |
      (op->is_distributed ? BERTH_BYTES_DISTRIBUTED : 0u) |
      (op->removed_in > 0 ? BERTH_BYTES_REMOVED : 0u) |
      (op->rule != NULL ? BERTH_BYTES_RULE : 0u) |
      (is_worked ? BERTH_BYTES_WORK : 0u));
  put((uint64_t)op->input_count);
  put((uint64_t)op->output_count);
  put((uint64_t)op->attr_count);
  put((uint64_t)op->registration_count);
  put_args(op->inputs, op->input_count);
  put_args(op->outputs, op->output_count);
  for (int i = 0; i < op->attr_count; ++i) put_attr(file, &op->attrs[i]);
  for (int i = 0; i < op->registration_count; ++i) {
    put_registration(file, &op->registrations[i]);
  }
  if (op->removed_in > 0) {
    put((uint64_t)op->removed_in);
    put(text_offset(op->removed_text));
  }
  if (op->rule != NULL) put(text_offset(op->rule));
  if (is_worked) put_work(op);
}

static void write_bytes(FILE *file) {
  static uint32_t at[MAX_OPS + MAX_KNOWN];
  for (int i = 0; i < op_count(); ++i) {
    at[i] = byte_count;
    put_op(file, op_at(i));
  }
  fprintf(file, "const uint8_t berth_op_bytes[] = {");
  for (uint32_t i = 0; i < byte_count; ++i) {
    fprintf(file, "%s%d,", i % 20 == 0 ? "\n" : "", bytes[i]);
  }
  fprintf(file, "0};\nconst uint32_t berth_op_places[] = {");
  for (int i = 0; i < op_count(); ++i) {
    fprintf(file, "%s%u,", i % 12 == 0 ? "\n" : "", at[i]);
  }
  fprintf(file, "0};\n");
}

// ---- Room and order ----

// Writes the arrays that schemas are made in, as long as all of them need.
static void write_room(FILE *file) {
  int args = 0, attrs = 0, registrations = 0, constraints = 0;
  for (int i = 0; i < op_count(); ++i) {
    const op_t *op = op_at(i);
    args += op->input_count + op->output_count;
    attrs += op->attr_count;
    registrations += op->registration_count;
    for (int r = 0; r < op->registration_count; ++r) {
      constraints += op->registrations[r].constraint_count;
    }
  }
  fprintf(file,
          "berth_op_schema_t berth_op_schemas[%d];\n"
          "berth_arg_schema_t berth_op_args[%d];\n"
          "berth_attr_schema_t berth_op_attrs[%d];\n"
          "berth_registration_t berth_op_registrations[%d];\n"
          "berth_constraint_t berth_op_constraints[%d];\n"
          "atomic_bool berth_op_made[%d];\n"
          "const int berth_op_table_count = %d;\n"
          "const int berth_op_known_count = %d;\n",
          op_count() + 1, args + 1, attrs + 1, registrations + 1,
          constraints + 1, op_count() + 1, opgen_op_count, opgen_known_count);
}

// Writes the hash table of names.
static void write_slots(FILE *file) {
  static int slots[BERTH_OP_SLOTS];
  for (int i = 0; i < op_count(); ++i) {
    uint32_t slot = berth_op_hash(op_at(i)->name) % BERTH_OP_SLOTS;
    while (slots[slot] != 0) slot = (slot + 1) % BERTH_OP_SLOTS;
    slots[slot] = i + 1;
  }
  fprintf(file, "const uint16_t berth_op_slots[BERTH_OP_SLOTS] = {");
  for (int i = 0; i < BERTH_OP_SLOTS; ++i) {
    fprintf(file, "%s%d,", i % 16 == 0 ? "\n" : "", slots[i]);
  }
  fprintf(file, "};\n");
}

// Writes the numbers of all ops in the order of names.
static void write_order(FILE *file) {
  int i = 0, j = 0;
  fprintf(file, "const uint16_t berth_op_order[] = {");
  while (i < opgen_op_count || j < opgen_known_count) {
    bool is_known = i == opgen_op_count ||
                    (j < opgen_known_count &&
                     strcmp(opgen_known[j].name, opgen_ops[i].name) < 0);
    fprintf(file, "%s%d,", (i + j) % 16 == 0 ? "\n" : "",
            is_known ? opgen_op_count + j : i);
    *(is_known ? &j : &i) += 1;
  }
  fprintf(file, "};\n");
}

void opgen_write_table(FILE *file) {
  fprintf(file,
          "// op_table.c - Written by opgen from ops.def; do not edit.\n"
          "#include <math.h>\n\n"
          "#include \"graph/op_table.h\"\n\n");
  for (int i = 0; i < op_count(); ++i) note_op(op_at(i));
  note("");
  write_texts(file);
  write_functions(file);
  write_bytes(file);
  // Neither is empty, which C does not allow.
  if (values.count == 0) list_place(&values, "NULL");
  if (sets.count == 0) list_place(&sets, "{0, NULL, NULL, 0}");
  write_list(file, "const berth_attr_value_t *const berth_op_values[]",
             &values);
  write_list(file, "const berth_op_set_t berth_op_sets[]", &sets);
  write_room(file);
  write_slots(file);
  write_order(file);
}
