// table.c - Writing the schema table.
//
// Arrays that say the same are written once: half of all ops take "x: T", and
// every pointer in the table costs the loader a relocation. A piece is built as
// text first and looked up among those already written.
#include <stdarg.h>
#include <string.h>

#include "graph/op_hash.h"
#include "model.h"

enum { PIECE_ROOM = 16 << 10, MAX_PIECES = 8192, POOL_ROOM = 8 << 20 };

typedef struct piece {
  char text[PIECE_ROOM];
  size_t size;
} piece_t;

static char pool[POOL_ROOM];  // Texts of all pieces written.
static size_t pool_used;
static struct {
  const char *text;
  int id;
} written[MAX_PIECES];
static int written_count;

static void put(piece_t *piece, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(piece_t *piece, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t room = PIECE_ROOM - piece->size;
  int size = vsnprintf(piece->text + piece->size, room, format, args);
  va_end(args);
  if (size > 0) piece->size += (size_t)size < room ? (size_t)size : room - 1;
}

// Appends |text| as a C literal.
static void put_literal(piece_t *piece, const char *text) {
  put(piece, "\"");
  for (; *text != '\0'; ++text) {
    if (*text == '\n') {
      put(piece, "\\n");
    } else if (*text == '\t') {
      put(piece, "\\t");
    } else {
      put(piece, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
  }
  put(piece, "\"");
}

// Writes `static const <type> <prefix>_<id><suffix> = <piece>;` unless an equal
// one is there, and returns its id.
static int write_piece(FILE *file, const char *type, const char *prefix,
                       const char *suffix, const piece_t *piece) {
  for (int i = 0; i < written_count; ++i) {
    const char *text = written[i].text;
    if (strcmp(text, prefix) == 0 &&
        strcmp(text + strlen(prefix) + 1, piece->text) == 0) {
      return written[i].id;
    }
  }
  int id = written_count;
  fprintf(file, "static const %s %s_%d%s = %s;\n", type, prefix, id, suffix,
          piece->text);
  size_t prefix_size = strlen(prefix) + 1;
  if (written_count == MAX_PIECES ||
      pool_used + prefix_size + piece->size + 1 > POOL_ROOM) {
    return id;  // Too many to remember: a duplicate at worst.
  }
  char *copy = &pool[pool_used];
  memcpy(copy, prefix, prefix_size);
  memcpy(copy + prefix_size, piece->text, piece->size + 1);
  pool_used += prefix_size + piece->size + 1;
  written[written_count].text = copy;
  written[written_count++].id = id;
  return id;
}

uint64_t opgen_type_bits(const set_t *set) {
  uint64_t bits = 0;
  for (int i = 0; i < set->count; ++i) bits |= (uint64_t)1 << set->types[i];
  return bits;
}

int opgen_write_texts(FILE *file, const set_t *set) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < set->count; ++i) {
    put_literal(&piece, set->texts[i]);
    put(&piece, ", ");
  }
  put(&piece, "NULL}");
  return write_piece(file, "char *const", "texts", "[]", &piece);
}

int opgen_write_order(FILE *file, const set_t *set) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < set->count; ++i) put(&piece, "%d,", set->types[i]);
  put(&piece, "}");
  return write_piece(file, "uint8_t", "order", "[]", &piece);
}

// ---- Arguments ----

// Writes the arguments and puts a pointer to them into |out|.
static void write_args(FILE *file, const arg_t *args, int count, piece_t *out) {
  static piece_t piece;
  piece.size = 0;
  if (count == 0) {
    put(out, "NULL, ");
    return;
  }
  put(&piece, "{");
  for (int i = 0; i < count; ++i) {
    const arg_t *arg = &args[i];
    put(&piece, "{\"%s\", (berth_dtype_t)%d, %d, %d, %d, %s},", arg->name,
        arg->type, arg->type_attr, arg->list_attr, arg->number_attr,
        arg->is_ref ? "true" : "false");
  }
  put(&piece, "}");
  put(out, "args_%d, ",
      write_piece(file, "berth_arg_schema_t", "args", "[]", &piece));
}

// ---- Attributes ----

static const char *const kind_enums[KIND_COUNT] = {
    "STRING", "INT", "FLOAT", "BOOL", "TYPE", "SHAPE", "TENSOR", "FUNC"};

static int type_number(const char *name) {
  for (int i = 0; i < BERTH_DTYPE_COUNT; ++i) {
    if (opgen_type_names[i] != NULL && strcmp(opgen_type_names[i], name) == 0) {
      return i;
    }
  }
  return 0;
}

// How the members of a value's union, and arrays of them, are called.
static const struct {
  const char *type, *member, *array;
} value_words[KIND_COUNT] = {{"berth_attr_text_t", "s", "strings"},
                             {"int64_t", "i", "ints"},
                             {"float", "f", "floats"},
                             {"bool", "b", "bools"},
                             {"berth_dtype_t", "type", "types"},
                             {"berth_dims_t", "shape", "shapes"},
                             {"berth_table_tensor_t", "tensor", "tensors"},
                             {"berth_attr_func_t", "func", "funcs"}};

// Writes a tensor; returns its number.
static int write_tensor(FILE *file, const value_t *value) {
  static int count;
  const char *type = value->type == BERTH_UINT8 ? "uint8_t" : "int32_t";
  fprintf(file, "static const %s elements_%d[] = {", type, count);
  for (int i = 0; i < value->item_count; ++i) {
    fprintf(file, "%s,", value->items[i]);
  }
  fprintf(file, "};\nBERTH_TABLE_TENSOR(%d, %d, %d, %d)\n", count, value->type,
          value->is_scalar ? 0 : 1, value->item_count);
  return count++;
}

// Appends one value as an initialiser.
static void put_value(FILE *file, piece_t *piece, kind_t kind,
                      const value_t *value) {
  static piece_t dims;
  switch (kind) {
    case KIND_STRING:
      put(piece, "{");
      put_literal(piece, value->text);
      put(piece, ", %zu}", strlen(value->text));
      break;
    case KIND_FLOAT:
      if (strstr(value->text, "inf") != NULL) {
        put(piece, "%sINFINITY", value->text[0] == '-' ? "-" : "");
      } else {
        put(piece, "%sf", value->text);
      }
      break;
    case KIND_TYPE:
      put(piece, "(berth_dtype_t)%d", type_number(value->text));
      break;
    case KIND_SHAPE:
      if (value->text != NULL || value->item_count == 0) {
        put(piece, "{%d, NULL}", value->text != NULL ? -1 : 0);
        break;
      }
      dims.size = 0;
      put(&dims, "{");
      for (int i = 0; i < value->item_count; ++i) {
        put(&dims, "%s,", value->items[i]);
      }
      put(&dims, "}");
      put(piece, "{%d, ints_%d}", value->item_count,
          write_piece(file, "int64_t", "ints", "[]", &dims));
      break;
    case KIND_TENSOR:
      put(piece, "&tensor_%d", write_tensor(file, value));
      break;
    default:
      put(piece, "%s", value->text);
      break;
  }
}

// Writes the elements of a list; returns its number.
static int write_list(FILE *file, const attr_t *attr) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < attr->default_count; ++i) {
    put_value(file, &piece, attr->kind, &attr->defaults[i]);
    put(&piece, ",");
  }
  put(&piece, "}");
  return write_piece(file, value_words[attr->kind].type,
                     value_words[attr->kind].array, "[]", &piece);
}

int opgen_write_value(FILE *file, const attr_t *attr) {
  static piece_t piece;
  piece.size = 0;
  const char *kind = kind_enums[attr->kind];
  const char *member = value_words[attr->kind].member;
  if (attr->is_list && attr->default_count > 0) {
    int list = write_list(file, attr);
    put(&piece, "{BERTH_ATTR_LIST + BERTH_ATTR_%s, %d, {.%s_list = %s_%d}}",
        kind, attr->default_count, member, value_words[attr->kind].array, list);
  } else if (attr->is_list) {
    put(&piece, "{BERTH_ATTR_LIST + BERTH_ATTR_%s, 0, {.i = 0}}", kind);
  } else {
    put(&piece, "{BERTH_ATTR_%s, 0, {.%s = ", kind, member);
    put_value(file, &piece, attr->kind, attr->defaults);
    put(&piece, "}}");
  }
  return write_piece(file, "berth_attr_value_t", "value", "", &piece);
}

// Writes the default and puts a pointer to it into |out|.
static void write_default(FILE *file, const attr_t *attr, piece_t *out) {
  if (attr->has_default) {
    put(out, "&value_%d, ", opgen_write_value(file, attr));
  } else {
    put(out, "NULL, ");
  }
}

static void write_allowed(FILE *file, const set_t *set, piece_t *out) {
  if (set->count == 0) {
    put(out, "0, NULL, NULL, 0},");
  } else if (set->is_text) {
    put(out, "0, texts_%d, NULL, 0},", opgen_write_texts(file, set));
  } else {
    put(out, "0x%llx, NULL, order_%d, %d},",
        (unsigned long long)opgen_type_bits(set), opgen_write_order(file, set),
        set->count);
  }
}

static void write_attrs(FILE *file, const op_t *op, piece_t *out) {
  static piece_t piece;
  piece.size = 0;
  if (op->attr_count == 0) {
    put(out, "NULL, ");
    return;
  }
  put(&piece, "{");
  for (int i = 0; i < op->attr_count; ++i) {
    const attr_t *attr = &op->attrs[i];
    put(&piece, "{\"%s\", %sBERTH_ATTR_%s, %s, %lld, ", attr->name,
        attr->is_list ? "BERTH_ATTR_LIST + " : "", kind_enums[attr->kind],
        attr->has_minimum ? "true" : "false", (long long)attr->minimum);
    write_default(file, attr, &piece);
    write_allowed(file, &attr->allowed, &piece);
  }
  put(&piece, "}");
  put(out, "attrs_%d, ",
      write_piece(file, "berth_attr_schema_t", "attrs", "[]", &piece));
}

// ---- Registrations ----

static void write_constraints(FILE *file, const registration_t *reg,
                              piece_t *out) {
  static piece_t piece;
  piece.size = 0;
  if (reg->constraint_count == 0) {
    put(out, "NULL, ");
    return;
  }
  put(&piece, "{");
  for (int i = 0; i < reg->constraint_count; ++i) {
    const set_t *set = &reg->constraints[i].set;
    put(&piece, "{%d, ", reg->constraints[i].attr);
    if (set->is_text) {
      put(&piece, "0, texts_%d},", opgen_write_texts(file, set));
    } else {
      put(&piece, "0x%llx, NULL},", (unsigned long long)opgen_type_bits(set));
    }
  }
  put(&piece, "}");
  put(out, "constraints_%d, ",
      write_piece(file, "berth_constraint_t", "constraints", "[]", &piece));
}

static void write_registrations(FILE *file, const op_t *op, piece_t *out) {
  static piece_t piece;
  piece.size = 0;
  if (op->registration_count == 0) {
    put(out, "NULL, ");
    return;
  }
  put(&piece, "{");
  for (int i = 0; i < op->registration_count; ++i) {
    const registration_t *reg = &op->registrations[i];
    put(&piece, "{BERTH_FOR_%s, %d, %d, ", reg->device, reg->constraint_count,
        reg->priority);
    write_constraints(file, reg, &piece);
    put(&piece, "\"%s\", 0x%x, 0x%x},", reg->label, reg->host_inputs,
        reg->host_outputs);
  }
  put(&piece, "}");
  put(out, "registrations_%d, ",
      write_piece(file, "berth_registration_t", "registrations", "[]", &piece));
}

// ---- The table ----

static const char *truth(bool value) { return value ? "true" : "false"; }

static void write_op(FILE *file, const op_t *op, piece_t *out) {
  put(out, "  {\"%s\", ", op->name);
  write_args(file, op->inputs, op->input_count, out);
  write_args(file, op->outputs, op->output_count, out);
  write_attrs(file, op, out);
  write_registrations(file, op, out);
  put(out, "%d, %d, %d, %d, %s, %s, %s, %s, %s, false, ", op->input_count,
      op->output_count, op->attr_count, op->registration_count,
      truth(op->is_stateful), truth(op->is_aggregate),
      truth(op->is_commutative), truth(op->is_uninitialized),
      truth(op->is_distributed));
  put(out, "BERTH_FLOW_%s, BERTH_OWNS_%s, 0x%x, 0x%x, 0x%x, %d, ",
      op->flow != NULL ? op->flow : "RUN",
      op->owns != NULL ? op->owns : "NOTHING", op->traits, op->value_inputs,
      op->keep_inputs, op->removed_in);
  if (op->removed_text != NULL) {
    put_literal(out, op->removed_text);
  } else {
    put(out, "NULL");
  }
  if (op->shape != NULL) {
    put(out, ", berth_infer_%s, NULL},\n", op->shape);
  } else if (op->rule != NULL) {
    put(out, ", berth_infer_by_rule, \"%s\"},\n", op->rule);
  } else {
    put(out, ", NULL, NULL},\n");
  }
}

// Writes the hash table that berth_schema_find() probes.
static void write_slots(FILE *file) {
  static int slots[BERTH_OP_SLOTS];
  for (int i = 0; i < opgen_op_count; ++i) {
    uint32_t slot = berth_op_hash(opgen_ops[i].name) % BERTH_OP_SLOTS;
    while (slots[slot] != 0) slot = (slot + 1) % BERTH_OP_SLOTS;
    slots[slot] = i + 1;
  }
  fprintf(file, "const uint16_t berth_op_slots[BERTH_OP_SLOTS] = {");
  for (int i = 0; i < BERTH_OP_SLOTS; ++i) {
    fprintf(file, "%s%d,", i % 16 == 0 ? "\n" : "", slots[i]);
  }
  fprintf(file, "};\n");
}

// Declares the shape functions that ops name, each once.
static void write_shape_functions(FILE *file) {
  for (int i = 0; i < opgen_op_count; ++i) {
    const char *name = opgen_ops[i].shape;
    bool is_new = name != NULL;
    for (int k = 0; is_new && k < i; ++k) {
      const char *other = opgen_ops[k].shape;
      is_new = other == NULL || strcmp(other, name) != 0;
    }
    if (!is_new) continue;
    fprintf(file,
            "berth_code_t berth_infer_%s(berth_shape_context_t *c,\n"
            "    berth_error_t *err);\n",
            name);
  }
}

void opgen_write_table(FILE *file) {
  static piece_t rows[MAX_OPS];
  fprintf(file,
          "// op_table.c - Written by opgen from ops.def; do not edit.\n"
          "#include <math.h>\n\n"
          "#include \"graph/op_table.h\"\n"
          "#include \"graph/shape_rule.h\"\n\n");
  write_shape_functions(file);
  for (int i = 0; i < opgen_op_count; ++i) {
    write_op(file, &opgen_ops[i], &rows[i]);
  }
  fprintf(file, "const berth_op_schema_t berth_op_table[] = {\n");
  for (int i = 0; i < opgen_op_count; ++i) fputs(rows[i].text, file);
  fprintf(file, "};\nconst int berth_op_table_count = %d;\n", opgen_op_count);
  write_slots(file);
  opgen_write_known(file);
}
