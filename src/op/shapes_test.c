// shapes_test.c - What shape functions infer, case by case as TensorFlow.
//
// tests/data/golden/shapes.txt was written by TensorFlow (tools/shape_cases.py says
// how to read it); every line is built here and must come out the same.
#include "harness.h"

#include "base/str.h"
#include "berth/graph.h"
#include "graph/function.h"
#include "graph/graph.h"
#include "graph/shape_fn.h"

enum { MAX_LINE = 4096, MAX_INPUTS = 16 };

static berth_dtype_t type_of(const char *text, size_t size) {
  char name[32] = "";
  memcpy(name, text, size < 31 ? size : 31);
  return berth_dtype_find(name);
}

// Cuts the next word off |*rest|; NULL at the end.
static char *next_word(char **rest) {
  char *word = *rest + strspn(*rest, " ");
  if (*word == '\0') return NULL;
  *rest = word + strcspn(word, " ");
  if (**rest != '\0') *(*rest)++ = '\0';
  return word;
}

// Reads "2,?,3" up to |end| into |dims|; returns how many there are.
static int read_dims(const char *text, const char *end, int64_t *dims) {
  int count = 0;
  while (text < end) {
    if (*text == '?') {
      dims[count++] = -1;
      ++text;
    } else {
      char *next = NULL;
      dims[count++] = strtoll(text, &next, 10);
      text = next;
    }
    if (text < end && *text == ',') ++text;
  }
  return count;
}

// ---- Inputs ----

// A constant of integers or of one float.
static berth_out_t make_constant(berth_graph_t *graph, const char *name,
                                 berth_dtype_t type, const char *value) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t numbers[64] = {0};
  bool is_vector = value[0] == '[';
  const char *end = is_vector ? strchr(value, ']') : value + strlen(value);
  int count = 1;
  float real = 0;
  if (type == BERTH_FLOAT) {
    real = strtof(value, NULL);
  } else {
    count = read_dims(value + is_vector, end, numbers);
  }
  int64_t size = count;
  berth_dims_t shape = {is_vector ? 1 : 0, &size};
  int32_t narrow[64];
  for (int i = 0; i < count; ++i) narrow[i] = (int32_t)numbers[i];
  const void *data = type == BERTH_FLOAT   ? (const void *)&real
                     : type == BERTH_INT64 ? (const void *)numbers
                                           : (const void *)narrow;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(type, shape, data, &tensor, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    return (berth_out_t){BERTH_NO_NODE, 0};
  }
  berth_out_t out = berth_const(graph, name, tensor);
  berth_tensor_release(tensor);
  return out;
}

static berth_out_t make_source(berth_graph_t *graph, const char *op,
                               const char *name, berth_dtype_t type,
                               berth_dims_t shape) {
  berth_op_t *node = berth_op_begin(graph, op, name);
  berth_op_attr_type(node, "dtype", type);
  berth_op_attr_shape(node, "shape", shape);
  return (berth_out_t){berth_op_finish(node), 0};
}

// Makes the input that |text| describes.
static berth_out_t make_input(berth_graph_t *graph, const char *text,
                              int index) {
  char name[16];
  snprintf(name, sizeof(name), "i%d", index);
  const char *op = "Placeholder";
  if (strncmp(text, "ref-", 4) == 0) {
    op = "VariableV2";
    text += 4;
  } else if (strncmp(text, "handle-", 7) == 0) {
    op = "VarHandleOp";
    text += 7;
  }
  size_t size = strcspn(text, ":?[");
  berth_dtype_t type = type_of(text, size);
  if (text[size] == ':') {
    return make_constant(graph, name, type, text + size + 1);
  }
  int64_t dims[16];
  berth_dims_t shape = {-1, NULL};
  if (text[size] == '[') {
    shape.rank = read_dims(text + size + 1, strchr(text, ']'), dims);
    shape.dims = dims;
  }
  return make_source(graph, op, name, type, shape);
}

static void add_inputs(berth_graph_t *graph, berth_op_t *op, char *text) {
  berth_out_t group[MAX_INPUTS];
  int in_group = -1, index = 0;
  for (char *word = next_word(&text); word != NULL; word = next_word(&text)) {
    if (strcmp(word, "(") == 0) {
      in_group = 0;
    } else if (strcmp(word, ")") == 0) {
      berth_op_input_list(op, group, in_group);
      in_group = -1;
    } else if (in_group >= 0) {
      group[in_group++] = make_input(graph, word, index++);
    } else {
      berth_op_input(op, make_input(graph, word, index++));
    }
  }
}

// ---- Attributes ----

static void add_attr(berth_op_t *op, char *text) {
  char *kind = strchr(text, '=');
  *kind++ = '\0';
  char *value = strchr(kind, ':');
  *value++ = '\0';
  int64_t numbers[16];
  int count = 0;
  if (strcmp(kind, "i") == 0) {
    berth_op_attr_int(op, text, strtoll(value, NULL, 10));
  } else if (strcmp(kind, "b") == 0) {
    berth_op_attr_bool(op, text, strcmp(value, "true") == 0);
  } else if (strcmp(kind, "t") == 0) {
    berth_op_attr_type(op, text, berth_dtype_find(value));
  } else if (strcmp(kind, "s") == 0) {
    berth_op_attr_string(op, text, value, strlen(value));
  } else if (strcmp(kind, "lt") == 0) {
    berth_dtype_t types[16];
    for (char *word; count < 16 && (word = strsep(&value, ",")) != NULL;) {
      types[count++] = berth_dtype_find(word);
    }
    berth_op_attr_types(op, text, types, count);
  } else if (strcmp(kind, "ls") == 0) {
    const char *texts[16];
    for (char *word; count < 16 && (word = strsep(&value, ",")) != NULL;) {
      texts[count++] = word;
    }
    berth_op_attr_strings(op, text, texts, NULL, count);
  } else if (strcmp(kind, "lsh") == 0) {
    berth_dims_t shapes[16];
    for (char *word; count < 16 && (word = strsep(&value, ";")) != NULL;) {
      shapes[count] = (berth_dims_t){1, &numbers[count]};
      read_dims(word, word + strlen(word), &numbers[count]);
      ++count;
    }
    berth_op_attr_shapes(op, text, shapes, count);
  } else if (strcmp(kind, "li") == 0) {
    count = read_dims(value, value + strlen(value), numbers);
    berth_op_attr_ints(op, text, numbers, count);
  } else if (strcmp(value, "?") == 0) {
    berth_op_attr_shape(op, text, BERTH_UNKNOWN_RANK);
  } else {
    count = read_dims(value, value + strlen(value), numbers);
    berth_op_attr_shape(op, text, (berth_dims_t){count, numbers});
  }
}

static void add_attrs(berth_op_t *op, char *text) {
  for (char *word = next_word(&text); word != NULL; word = next_word(&text)) {
    add_attr(op, word);
  }
}

// ---- Cases ----

// Appends |text| with newlines and tabs as the file has them.
static void print_escaped(const char *text, berth_str_t *str) {
  for (; *text != '\0'; ++text) {
    if (*text == '\n' || *text == '\t') {
      berth_str_puts(str, *text == '\n' ? "\\n" : "\\t");
    } else {
      berth_str_putc(str, *text);
    }
  }
}

static void print_result(berth_graph_t *graph, berth_op_t *op,
                         berth_str_t *str) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node = BERTH_NO_NODE;
  if (berth_op_try_finish(op, &node, &err) != BERTH_OK) {
    berth_str_puts(str, "! ");
    print_escaped(berth_error_message(&err), str);
    berth_error_clear(&err);
    return;
  }
  for (int i = 0; i < berth_node_output_count(graph, node); ++i) {
    berth_shape_t shape;
    berth_out_shape(graph, (berth_out_t){node, i}, &shape);
    if (i > 0) berth_str_putc(str, ' ');
    berth_shape_print(berth_shape_dims(&shape), str);
  }
}

// Makes a graph in which |name| may be built, though it was removed since.
static berth_graph_t *graph_for(const char *name) {
  berth_graph_t *graph = berth_graph_create();
  const berth_op_schema_t *schema = berth_graph_find_op(graph, name);
  if (schema != NULL && schema->removed_in > 0) {
    graph->producer = schema->removed_in - 1;
  }
  return graph;
}

// Runs one line: op, attributes, inputs, what is expected.
static void run_case(char *line) {
  char copy[MAX_LINE];
  snprintf(copy, sizeof(copy), "%s", line);
  char *columns[4] = {line, NULL, NULL, NULL};
  for (int i = 1; i < 4; ++i) {
    columns[i] = strchr(columns[i - 1], '\t');
    if (columns[i] == NULL) {
      HARNESS_FAIL("four columns needed: %s", copy);
      return;
    }
    *columns[i]++ = '\0';
  }
  berth_graph_t *graph = graph_for(columns[0]);
  berth_op_t *op = berth_op_begin(graph, columns[0], "n");
  add_attrs(op, columns[1]);
  add_inputs(graph, op, columns[2]);
  berth_str_t result = {0};
  print_result(graph, op, &result);
  if (strcmp(berth_str_get(&result), columns[3]) != 0) {
    HARNESS_FAIL("%s\n  gave      %s", copy, berth_str_get(&result));
  }
  berth_str_clear(&result);
  berth_graph_release(graph);
}

// Runs the lines of a file in tests/data/golden; returns how many there are.
static int run_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  static char line[MAX_LINE];
  int count = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    run_case(line);
    ++count;
  }
  fclose(file);
  return count;
}

#define GOLDEN BERTH_SOURCE_DIR "/tests/data/golden/"

TEST(shapes, are_those_of_tensorflow) {
  EXPECT_TRUE(run_file(GOLDEN "shapes.txt") > 300);
}

// Those of shapes.def; tools/registry/shape_rules.py writes the file.
TEST(shapes, by_rule_are_those_of_tensorflow) {
  EXPECT_TRUE(run_file(GOLDEN "shape_rules.txt") > 600);
}

// ---- What is known of values ----

static void expect_shape(berth_graph_t *graph, berth_out_t out,
                         const char *expected) {
  berth_shape_t shape;
  berth_str_t str = {0};
  berth_out_shape(graph, out, &shape);
  berth_shape_print(berth_shape_dims(&shape), &str);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

static berth_out_t apply(berth_graph_t *graph, const char *op,
                         const berth_out_t *inputs, int count) {
  berth_op_t *node = berth_op_begin(graph, op, NULL);
  for (int i = 0; i < count; ++i) berth_op_input(node, inputs[i]);
  return (berth_out_t){berth_op_finish(node), 0};
}

TEST(shapes, follow_values_made_of_shapes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = make_input(g, "float[?,3,4]", 0);
  // x.shape[1:], then with a two in front: [2, 3, 4].
  berth_op_t *op = berth_op_begin(g, "StridedSlice", NULL);
  berth_op_input(op, apply(g, "Shape", &x, 1));
  berth_op_input(op, make_input(g, "int32:[1]", 1));
  berth_op_input(op, make_input(g, "int32:[0]", 2));
  berth_op_input(op, make_input(g, "int32:[1]", 3));
  berth_op_attr_int(op, "end_mask", 1);
  berth_out_t tail = {berth_op_finish(op), 0};
  berth_out_t parts[2] = {make_input(g, "int32:[2]", 4), tail};
  op = berth_op_begin(g, "ConcatV2", NULL);
  berth_op_input_list(op, parts, 2);
  berth_op_input(op, make_input(g, "int32:0", 5));
  berth_out_t whole = {berth_op_finish(op), 0};
  expect_shape(g, apply(g, "Reshape", (berth_out_t[]){x, whole}, 2), "[2,3,4]");
  // The first dimension is not known, however it is taken.
  op = berth_op_begin(g, "Pack", NULL);
  berth_out_t rows[2] = {make_input(g, "int32?", 6),
                         make_input(g, "int32:12", 7)};
  berth_op_input_list(op, rows, 2);
  berth_out_t packed = {berth_op_finish(op), 0};
  expect_shape(g, apply(g, "Reshape", (berth_out_t[]){x, packed}, 2), "[?,12]");
  EXPECT_EQ(berth_graph_error(g, &err), BERTH_OK);
  EXPECT_STR(berth_error_message(&err), "");
  berth_graph_release(g);
}

TEST(shapes, are_refined_by_the_caller) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = make_input(g, "float[?,3]", 0);
  ASSERT_OK(berth_out_set_shape(g, x, BERTH_SHAPE(2, -1), &err), &err);
  expect_shape(g, x, "[2,3]");
  EXPECT_FAILS(berth_out_set_shape(g, x, BERTH_SHAPE(3, 3), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Dimension 0 in both shapes must be equal, but are 2 and 3. "
               "Shapes are [2,3] and [3,3].");
  EXPECT_FAILS(berth_out_set_shape(g, x, BERTH_SHAPE(2), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shapes must be equal rank, but are 2 and 1");
  expect_shape(g, x, "[2,3]");
  berth_graph_release(g);
}
