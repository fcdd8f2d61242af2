// builders.c - Writing the typed builders, berth/ops.h and ops.c.
//
// Every builder only passes its arguments on to one of two functions of
// graph/builder.c, which walk the op's schema to know what comes: inputs first,
// then the attributes that must be given, in the order of ops.def. The optional
// attributes lie in a struct whose fields follow that order too.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MAX_NAME = 128 };

static bool has_builder(const op_t *op) {
  return op->name[0] != '_' &&
         (op->builder == NULL || strcmp(op->builder, "none") != 0);
}

static bool is_required(const attr_t *attr) {
  return !attr->is_inferred && !attr->has_default;
}

static bool is_optional(const attr_t *attr) {
  return !attr->is_inferred && attr->has_default;
}

static bool has_optional(const op_t *op) {
  for (int i = 0; i < op->attr_count; ++i) {
    if (is_optional(&op->attrs[i])) return true;
  }
  return false;
}

// ---- Names ----

// True when a word begins at |at|: MatMul, RGBToHSV, L2Loss, TopKV2, but not
// inside Conv2D.
static bool begins_word(const char *name, const char *at) {
  if (at == name || !isupper((unsigned char)*at)) return false;
  char before = at[-1], after = at[1];
  if (islower((unsigned char)before)) return true;
  if (*at == 'V' && isdigit((unsigned char)after)) return true;
  return before != '_' && islower((unsigned char)after);
}

static void snake_case(const char *name, char out[MAX_NAME]) {
  size_t size = 0;
  for (const char *at = name; *at != '\0' && size + 3 < MAX_NAME; ++at) {
    if (begins_word(name, at)) out[size++] = '_';
    out[size++] = (char)tolower((unsigned char)*at);
  }
  out[size] = '\0';
}

// Writes the name of a parameter: lower case, no keyword of C or C++.
static void parameter_name(const char *name, char out[MAX_NAME]) {
  static const char *const keywords[] = {
      "default",  "template", "switch", "case",  "new",  "delete", "class",
      "operator", "this",     "and",    "or",    "not",  "xor",    "union",
      "register", "signed",   "export", "graph", "name", "attrs",  "short"};
  snake_case(name, out);
  for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); ++i) {
    if (strcmp(out, keywords[i]) == 0) {
      size_t size = strlen(out);
      out[size] = '_';
      out[size + 1] = '\0';
      return;
    }
  }
}

static void builder_name(const op_t *op, char out[MAX_NAME]) {
  snake_case(op->builder != NULL ? op->builder : op->name, out);
}

// ---- Lines ----

enum { LINE_WIDTH = 80 };

// Writes |text|, broken after commas into lines that begin with |indent|.
static void write_wrapped(FILE *file, const char *text, const char *indent) {
  size_t column = 0;
  while (*text != '\0') {
    const char *comma = strstr(text, ", ");
    size_t size = comma != NULL ? (size_t)(comma - text) + 2 : strlen(text);
    // The blank after a comma may stand past the edge: it is not written there.
    if (column > 0 && column + size > LINE_WIDTH + (comma != NULL ? 1 : 0)) {
      fseek(file, -1, SEEK_CUR);
      fprintf(file, "\n%s", indent);
      column = strlen(indent);
    }
    fwrite(text, 1, size, file);
    column += size;
    text += size;
  }
}

// Calls |write| for |op| and writes what it wrote in lines.
static void write_lines(FILE *file, const op_t *op,
                        void (*write)(FILE *file, const op_t *op),
                        const char *indent) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (memory == NULL) return;
  write(memory, op);
  fclose(memory);
  write_wrapped(file, text, indent);
  free(text);
}

// ---- Parameters ----

static bool is_list(const arg_t *arg) {
  return arg->number_attr >= 0 || arg->list_attr >= 0;
}

// The C type of one value of an attribute.
static const char *value_type(const attr_t *attr) {
  static const char *const types[KIND_COUNT] = {
      "const char *",   "int64_t ",      "float ",           "bool ",
      "berth_dtype_t ", "berth_dims_t ", "berth_tensor_t *", "const char *"};
  return types[attr->kind];
}

// The C type of a pointer to several.
static const char *list_type(const attr_t *attr) {
  static const char *const types[KIND_COUNT] = {
      "const char *const *",     "const int64_t *",
      "const float *",           "const bool *",
      "const berth_dtype_t *",   "const berth_dims_t *",
      "berth_tensor_t *const *", "const char *const *"};
  return types[attr->kind];
}

static void write_input_parameters(FILE *file, const op_t *op) {
  char name[MAX_NAME];
  for (int i = 0; i < op->input_count; ++i) {
    parameter_name(op->inputs[i].name, name);
    if (is_list(&op->inputs[i])) {
      fprintf(file, ", const berth_out_t *%s, int %s_count", name, name);
    } else {
      fprintf(file, ", berth_out_t %s", name);
    }
  }
}

static void write_attr_parameters(FILE *file, const op_t *op) {
  char name[MAX_NAME];
  for (int i = 0; i < op->attr_count; ++i) {
    const attr_t *attr = &op->attrs[i];
    if (!is_required(attr)) continue;
    parameter_name(attr->name, name);
    if (attr->is_list) {
      fprintf(file, ", %s%s, int %s_count", list_type(attr), name, name);
    } else {
      fprintf(file, ", %s%s", value_type(attr), name);
    }
  }
}

// Writes the arguments of a call, with the commas before them.
static void write_arguments(FILE *file, const op_t *op) {
  char name[MAX_NAME];
  for (int i = 0; i < op->input_count; ++i) {
    parameter_name(op->inputs[i].name, name);
    fprintf(file, ", %s", name);
    if (is_list(&op->inputs[i])) fprintf(file, ", %s_count", name);
  }
  for (int i = 0; i < op->attr_count; ++i) {
    if (!is_required(&op->attrs[i])) continue;
    parameter_name(op->attrs[i].name, name);
    fprintf(file, ", %s", name);
    if (op->attrs[i].is_list) fprintf(file, ", %s_count", name);
  }
}

static bool gives_one(const op_t *op) {
  return op->output_count == 1 && !is_list(&op->outputs[0]);
}

static void write_head(FILE *file, const op_t *op, const char *suffix) {
  char name[MAX_NAME];
  builder_name(op, name);
  fprintf(file, "%s berth_%s%s(berth_graph_t *graph, const char *name",
          gives_one(op) ? "berth_out_t" : "berth_node_id_t", name, suffix);
  write_input_parameters(file, op);
  write_attr_parameters(file, op);
}

static void write_plain_prototype(FILE *file, const op_t *op) {
  write_head(file, op, "");
  fprintf(file, ")");
}

static void write_with_prototype(FILE *file, const op_t *op) {
  char name[MAX_NAME];
  builder_name(op, name);
  write_head(file, op, "_with");
  fprintf(file, ", const berth_%s_attrs_t *attrs)", name);
}

// ---- The header ----

static void write_signature(FILE *file, const arg_t *args, int count) {
  for (int i = 0; i < count; ++i) {
    const arg_t *arg = &args[i];
    fprintf(file, "%s%s: ", i > 0 ? ", " : "", arg->name);
    if (arg->number_name != NULL) fprintf(file, "%s * ", arg->number_name);
    fprintf(file, arg->is_ref ? "Ref(%s)" : "%s", arg->type_name);
  }
}

// Writes the one line that documents a builder.
static void write_comment(FILE *file, const op_t *op) {
  fprintf(file, "\n// %s: ", op->name);
  if (op->input_count == 0) fprintf(file, "nothing");
  write_signature(file, op->inputs, op->input_count);
  fprintf(file, " -> ");
  if (op->output_count == 0) fprintf(file, "nothing");
  write_signature(file, op->outputs, op->output_count);
  fprintf(file, ".\n");
}

static void write_value_comment(FILE *file, const attr_t *attr,
                                const value_t *value) {
  if (value->text == NULL) {
    fprintf(file, value->is_scalar ? "(" : "[");
    for (int i = 0; i < value->item_count; ++i) {
      fprintf(file, "%s%s", i > 0 ? ", " : "", value->items[i]);
    }
    fprintf(file, value->is_scalar ? ")" : "]");
    return;
  }
  if (attr->kind == KIND_STRING) fprintf(file, "\"");
  for (const char *at = value->text; *at != '\0'; ++at) {
    if (*at == '\n' || *at == '\t') {
      fputs(*at == '\n' ? "\\n" : "\\t", file);
    } else {
      fputc(*at, file);
    }
  }
  if (attr->kind == KIND_STRING) fprintf(file, "\"");
}

static void write_default_comment(FILE *file, const attr_t *attr) {
  if (attr->is_list) fprintf(file, "[");
  for (int i = 0; i < attr->default_count; ++i) {
    if (i > 0) fprintf(file, ", ");
    write_value_comment(file, attr, &attr->defaults[i]);
  }
  fprintf(file, attr->is_list ? "]\n" : "\n");
}

static void write_field(FILE *file, const attr_t *attr) {
  char name[MAX_NAME];
  parameter_name(attr->name, name);
  if (attr->is_list) {
    fprintf(file, "  int32_t %s_count;\n  %s%s;  // ", name, list_type(attr),
            name);
  } else {
    fprintf(file, "  %s%s;  // ", value_type(attr), name);
  }
  write_default_comment(file, attr);
}

// The value a field has in the initialiser. Whatever is a pointer starts as
// NULL, which stands for the default.
static void write_initial(FILE *file, const attr_t *attr) {
  if (attr->is_list) {
    fprintf(file, "0, NULL");
  } else if (attr->kind == KIND_SHAPE) {
    fprintf(file, "{-1, NULL}");
  } else if (attr->kind == KIND_FLOAT) {
    fprintf(file, "%sf", attr->defaults->text);
  } else if (attr->kind == KIND_TYPE) {
    fprintf(file, "BERTH_");
    for (const char *at = attr->defaults->text; *at != '\0'; ++at) {
      fputc(toupper((unsigned char)*at), file);
    }
  } else if (attr->kind == KIND_INT || attr->kind == KIND_BOOL) {
    fprintf(file, "%s", attr->defaults->text);
  } else {
    fprintf(file, "NULL");
  }
}

static void write_attr_struct(FILE *file, const op_t *op) {
  char name[MAX_NAME];
  builder_name(op, name);
  fprintf(file, "typedef struct berth_%s_attrs {\n", name);
  for (int i = 0; i < op->attr_count; ++i) {
    if (is_optional(&op->attrs[i])) write_field(file, &op->attrs[i]);
  }
  fprintf(file, "} berth_%s_attrs_t;\n#define BERTH_", name);
  for (const char *at = name; *at != '\0'; ++at) {
    fputc(toupper((unsigned char)*at), file);
  }
  fprintf(file, "_ATTRS { ");
  bool is_first = true;
  for (int i = 0; i < op->attr_count; ++i) {
    if (!is_optional(&op->attrs[i])) continue;
    if (!is_first) fprintf(file, ", ");
    write_initial(file, &op->attrs[i]);
    is_first = false;
  }
  fprintf(file, " }\n");
}

static const char *const header_top =
    "// ops.h - A builder for every op.\n"
    "//\n"
    "// Written by opgen from ops.def; do not edit.\n"
    "//\n"
    "//   berth_out_t c = berth_matmul(g, NULL, a, b);\n"
    "//\n"
    "//   berth_matmul_attrs_t attrs = BERTH_MATMUL_ATTRS;\n"
    "//   attrs.transpose_b = true;\n"
    "//   berth_out_t d = berth_matmul_with(g, \"d\", a, c, &attrs);\n"
    "//\n"
    "//   berth_node_id_t parts = berth_split(g, NULL, axis, value, 3);\n"
    "//   berth_out_t last = berth_output(parts, 2);\n"
    "//\n"
    "// One rule for all of them: the graph, the name (NULL: the op's own), "
    "the\n"
    "// inputs, then the attributes that neither follow from the inputs nor "
    "have\n"
    "// a default. Several inputs in one argument are a pointer and a count. "
    "The\n"
    "// other attributes are fields of a struct, passed to the builder that "
    "ends\n"
    "// in _with; begin with its initialiser. NULL in it stands for the "
    "default.\n"
    "//\n"
    "// An op with exactly one output gives that; any other gives its node, "
    "whose\n"
    "// outputs berth_output() names. After an error both are invalid, and "
    "the\n"
    "// graph keeps the error (berth_graph_error()).\n"
    "//\n"
    "// Threads: as all of berth/graph.h.\n"
    "#ifndef BERTH_OPS_H_\n"
    "#define BERTH_OPS_H_\n\n"
    "#include \"berth/graph.h\"\n\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
    "// Returns output |index| of |node|.\n"
    "static inline berth_out_t berth_output(berth_node_id_t node, int index) "
    "{\n"
    "  berth_out_t out;\n"
    "  out.node = node;\n"
    "  out.index = index;\n"
    "  return out;\n"
    "}\n";

void opgen_write_builders_header(FILE *file) {
  fputs(header_top, file);
  for (int i = 0; i < opgen_op_count; ++i) {
    const op_t *op = &opgen_ops[i];
    if (!has_builder(op)) continue;
    write_lines(file, op, write_comment, "//     ");
    fprintf(file, "BERTH_API\n");
    write_lines(file, op, write_plain_prototype, "    ");
    fprintf(file, ";\n");
    if (!has_optional(op)) continue;
    write_attr_struct(file, op);
    fprintf(file, "// The same with attributes.\nBERTH_API\n");
    write_lines(file, op, write_with_prototype, "    ");
    fprintf(file, ";\n");
  }
  fprintf(file, "\n#ifdef __cplusplus\n}\n#endif\n#endif  // BERTH_OPS_H_\n");
}

// ---- The source ----

static void write_definition(FILE *file, const op_t *op, int index,
                             bool is_with) {
  if (is_with) {
    write_with_prototype(file, op);
  } else {
    write_plain_prototype(file, op);
  }
  fprintf(file, " {\n  return berth_build_%s(graph, name, %d, %s",
          gives_one(op) ? "out" : "node", index, is_with ? "attrs" : "NULL");
  write_arguments(file, op);
  fprintf(file, ");\n}\n");
}

void opgen_write_builders_source(FILE *file) {
  fprintf(file,
          "// ops.c - Written by opgen from ops.def; do not edit.\n"
          "#include \"berth/ops.h\"\n\n#include \"graph/builder.h\"\n\n");
  for (int i = 0; i < opgen_op_count; ++i) {
    if (!has_builder(&opgen_ops[i])) continue;
    write_definition(file, &opgen_ops[i], i, false);
    if (has_optional(&opgen_ops[i])) {
      write_definition(file, &opgen_ops[i], i, true);
    }
  }
}
