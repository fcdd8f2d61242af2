// hostile_test.c - Graphs and values made to break a runtime.
//
// Whatever comes: a clear error that names the node, and a graph and a session
// that work on.
#include "session_testing.h"

// ---- Values ----

enum { MOST_INPUTS = 4, MOST_VALUES = 4 };

// An input: floats ('f') or int32 ('i') of the given dimensions. |count| of
// |values| are given; a float input of other sizes is filled with zeros.
typedef struct value {
  char kind;
  int rank;
  int64_t dims[3];
  int32_t values[MOST_VALUES];
} value_t;

// An op whose inputs cannot be: BERTH_OK stands for any error.
typedef struct bad_op {
  const char *op;
  value_t inputs[MOST_INPUTS];
  int input_count;
} bad_op_t;

#define F(...)                                                      \
  {                                                                 \
    'f', sizeof((int64_t[]){__VA_ARGS__}) / 8, {__VA_ARGS__}, { 0 } \
  }
#define F0             \
  {                    \
    'f', 0, {0}, { 0 } \
  }
#define I0(value)          \
  {                        \
    'i', 0, {0}, { value } \
  }
#define I(...)                                                      \
  {                                                                 \
    'i', 1, {sizeof((int32_t[]){__VA_ARGS__}) / 4}, { __VA_ARGS__ } \
  }
#define HUGE_INT 2147483647

static const bad_op_t BAD_OPS[] = {
    {"Reshape", {F(4), I(5)}, 2},
    {"Reshape", {F(4), I(-2, -2)}, 2},
    {"Reshape", {F(4), I(-1, -1)}, 2},
    {"Reshape", {F(4), I(-1, 3)}, 2},
    {"Reshape", {F(4), I(HUGE_INT, HUGE_INT, HUGE_INT)}, 2},
    {"Reshape", {F(4), I(-1, 0)}, 2},
    {"Fill", {I(-1), F0}, 2},
    {"Fill", {I(HUGE_INT, HUGE_INT), F0}, 2},
    {"Fill", {I(HUGE_INT, HUGE_INT, HUGE_INT, HUGE_INT), F0}, 2},
    {"Fill", {I(3), F(2)}, 2},
    {"Range", {I0(0), I0(10), I0(0)}, 3},
    {"Range", {I0(0), I0(10), I0(-1)}, 3},
    {"Tile", {F(2, 2), I(2)}, 2},
    {"Tile", {F(2, 2), I(-1, 1)}, 2},
    {"Tile", {F(2, 2), I(HUGE_INT, HUGE_INT)}, 2},
    {"Slice", {F(4), I(2), I(5)}, 3},
    {"Slice", {F(4), I(-1), I(1)}, 3},
    {"Slice", {F(4), I(1, 1), I(1, 1)}, 3},
    {"Slice", {F(4), I(HUGE_INT), I(HUGE_INT)}, 3},
    {"StridedSlice", {F(4), I(0), I(4), I(0)}, 4},
    {"StridedSlice", {F(4), I(0, 0), I(1, 1), I(1, 1)}, 4},
    {"StridedSlice", {F(4), I(0), I(1, 2), I(1)}, 4},
    {"Transpose", {F(2, 3), I(0)}, 2},
    {"Transpose", {F(2, 3), I(0, 0)}, 2},
    {"Transpose", {F(2, 3), I(0, 7)}, 2},
    {"Transpose", {F(2, 3), I(-9, 0)}, 2},
    {"ExpandDims", {F(2, 3), I0(9)}, 2},
    {"ExpandDims", {F(2, 3), I0(-9)}, 2},
    {"GatherV2", {F(4), I(4), I0(0)}, 3},
    {"GatherV2", {F(4), I(-1), I0(0)}, 3},
    {"GatherV2", {F(4), I(0), I0(3)}, 3},
    {"Sum", {F(2, 3), I(2)}, 2},
    {"Sum", {F(2, 3), I(-3)}, 2},
    {"Max", {F(2, 3), I(0, 0)}, 2},
    {"ArgMax", {F(2, 3), I0(5)}, 2},
    {"ArgMax", {F(0, 3), I0(0)}, 2},
    {"MatMul", {F(2, 3), F(2, 3)}, 2},
    {"MatMul", {F(2), F(2)}, 2},
    {"AddV2", {F(2), F(3)}, 2},
    {"BiasAdd", {F(2, 3), F(2)}, 2},
    {"OneHot", {I(0), I0(-1), F0, F0}, 4},
    {"OneHot", {I(0, 1, 2, 3), I0(HUGE_INT), F0, F0}, 4},
    {"FloorDiv", {I(1), I(0)}, 2},
    {"FloorMod", {I(1), I(0)}, 2},
};

// An op whose result does not fit into any memory, in the middle of a run.
TEST(hostile, a_value_too_large_for_memory) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t dims = berth_placeholder(rig.graph, "dims", BERTH_INT32);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t twenty = const_ints(rig.graph, "twenty", (int32_t[]){1 << 20}, 1);
  berth_out_t tiled = berth_tile(rig.graph, "tiled", x, twenty);
  berth_out_t sum = berth_sum(rig.graph, "sum", tiled,
                              const_ints(rig.graph, "all", (int32_t[]){0}, 1));
  berth_out_t filled = berth_fill(rig.graph, "filled", dims, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, sum, x, ramp(2)), 1 << 20);
  // 2^20 times 2^25 floats: 128 terabytes in an arena.
  berth_tensor_t *wide = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(1 << 25), &wide, NULL),
            NULL);
  EXPECT_TRUE(isnan(fetch_fed(&rig, sum, x, wide)));
  EXPECT_EQ(rig.err.code, BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "{{node tiled}}") != NULL);
  berth_error_clear(&rig.err);
  // The same in a tensor that a late step makes.
  int32_t huge[] = {1 << 30, 1 << 20};
  berth_tensor_t *one = scalar(1), *result = NULL,
                 *shape = tensor_of(BERTH_INT32, BERTH_SHAPE(2), huge);
  berth_feed_t feeds[] = {{dims, shape}, {x, one}};
  EXPECT_EQ(
      berth_session_run(rig.session, feeds, 2, &filled, 1, &result, &rig.err),
      BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "{{node filled}}") != NULL);
  berth_error_clear(&rig.err);
  EXPECT_EQ(fetch_fed(&rig, sum, x, ramp(2)), 1 << 20);
  berth_tensor_release(one);
  berth_tensor_release(shape);
  rig_clear(&rig);
}

static berth_tensor_t *value_tensor(const value_t *value) {
  berth_tensor_t *tensor = NULL;
  berth_dtype_t dtype = value->kind == 'f' ? BERTH_FLOAT : BERTH_INT32;
  berth_dims_t dims = {value->rank, value->dims};
  EXPECT_EQ(berth_tensor_create(dtype, dims, &tensor, NULL), BERTH_OK);
  if (berth_tensor_size(tensor) > 0) {
    memset(berth_tensor_data(tensor), 0, berth_tensor_size(tensor));
  }
  if (value->kind == 'i') {
    memcpy(berth_tensor_data(tensor), value->values, berth_tensor_size(tensor));
  }
  return tensor;
}

// The node of |bad| over |inputs|; what the graph refuses at once is no node.
static berth_code_t add_bad(rig_t *rig, const bad_op_t *bad,
                            const berth_out_t *inputs, berth_out_t *out) {
  berth_op_t *op = berth_op_begin(rig->graph, bad->op, "bad");
  for (int i = 0; i < bad->input_count; ++i) berth_op_input(op, inputs[i]);
  out->index = 0;
  return berth_op_try_finish(op, &out->node, &rig->err);
}

static void expect_named(rig_t *rig, const bad_op_t *bad, int index,
                         berth_code_t code) {
  const char *text = berth_error_message(&rig->err);
  // TensorFlow's own text of this one names no node.
  bool is_named =
      strstr(text, "bad") != NULL ||
      strstr(text, "Invalid value in tensor used for shape") != NULL;
  if (code == BERTH_OK || !is_named) {
    HARNESS_FAIL("case %d, %s: %s: %s", index, bad->op, berth_code_name(code),
                 text);
  }
  berth_error_clear(&rig->err);
}

// Everything is a constant: the graph or the first run refuses it.
static void try_constants(const bad_op_t *bad, int index) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t inputs[MOST_INPUTS], out = {BERTH_NO_NODE, 0};
  for (int i = 0; i < bad->input_count; ++i) {
    berth_tensor_t *tensor = value_tensor(&bad->inputs[i]);
    inputs[i] = berth_const(rig.graph, NULL, tensor);
    berth_tensor_release(tensor);
  }
  berth_out_t good = const_scalar(rig.graph, "good", 1);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_code_t code = add_bad(&rig, bad, inputs, &out);
  if (code == BERTH_OK) {
    berth_tensor_t *result = NULL;
    code = berth_session_run(rig.session, NULL, 0, &out, 1, &result, &rig.err);
    berth_tensor_release(result);
  }
  expect_named(&rig, bad, index, code);
  EXPECT_EQ(fetch(&rig, good), 1);
  rig_clear(&rig);
}

// Everything is fed: a layout, or a late step, refuses it, twice.
static void try_feeds(const bad_op_t *bad, int index) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t inputs[MOST_INPUTS], out = {BERTH_NO_NODE, 0};
  berth_feed_t feeds[MOST_INPUTS];
  for (int i = 0; i < bad->input_count; ++i) {
    bool is_float = bad->inputs[i].kind == 'f';
    inputs[i] = berth_placeholder(rig.graph, NULL,
                                  is_float ? BERTH_FLOAT : BERTH_INT32);
    feeds[i] = (berth_feed_t){inputs[i], value_tensor(&bad->inputs[i])};
  }
  berth_out_t good = const_scalar(rig.graph, "good", 1);
  ASSERT_OK(add_bad(&rig, bad, inputs, &out), &rig.err);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 2; ++i) {
    berth_tensor_t *result = NULL;
    berth_code_t code = berth_session_run(rig.session, feeds, bad->input_count,
                                          &out, 1, &result, &rig.err);
    berth_tensor_release(result);
    expect_named(&rig, bad, index, code);
  }
  EXPECT_EQ(fetch(&rig, good), 1);
  for (int i = 0; i < bad->input_count; ++i) {
    berth_tensor_release(feeds[i].tensor);
  }
  rig_clear(&rig);
}

TEST(hostile, values_as_constants) {
  for (size_t i = 0; i < sizeof(BAD_OPS) / sizeof(*BAD_OPS); ++i) {
    try_constants(&BAD_OPS[i], (int)i);
  }
}

TEST(hostile, values_as_feeds) {
  for (size_t i = 0; i < sizeof(BAD_OPS) / sizeof(*BAD_OPS); ++i) {
    try_feeds(&BAD_OPS[i], (int)i);
  }
}

// ---- GraphDefs ----

// A text that import, placement or a run of node "n" must refuse, naming
// |culprit|.
typedef struct bad_graph {
  const char *culprit;
  const char *text;
} bad_graph_t;

#define FLOAT_CONST(name, shape)                                         \
  "node { name: '" name                                                  \
  "' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { " \
  "key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { " shape  \
  " } float_val: 1 } } } }"

static const bad_graph_t BAD_GRAPHS[] = {
    {"cycle",
     "node { name: 'n' op: 'Neg' input: 'n' "
     "attr { key: 'T' value { type: DT_FLOAT } } }"},
    {"n", "node { name: 'n' op: 'NoOp' input: '^n' }"},
    {"cycle",
     "node { name: 'a' op: 'NoOp' input: '^n' } "
     "node { name: 'n' op: 'NoOp' input: '^a' }"},
    {"n", FLOAT_CONST("n", "dim { size: -3 }")},
    {"n", FLOAT_CONST("n",
                      "dim { size: 4611686018427387904 } "
                      "dim { size: 4611686018427387904 }")},
    {"n", FLOAT_CONST("n", "dim { size: 9223372036854775807 }")},
    {"n", FLOAT_CONST("n", "unknown_rank: true")},
    {"n", "node { name: 'n' op: 'Const' }"},
    {"n",
     "node { name: 'n' op: 'Const' "
     "attr { key: 'dtype' value { type: DT_FLOAT } } }"},
    {"n",
     "node { name: 'n' op: 'Const' "
     "attr { key: 'dtype' value { i: 3 } } }"},
    {"NoSuchOp", "node { name: 'n' op: 'NoSuchOp' }"},
    {"missing", "node { name: 'n' op: 'NoOp' input: '^missing' }"},
    {"n", FLOAT_CONST("c", "") " node { name: 'n' op: 'Neg' input: 'c:7' "
                               "attr { key: 'T' value { type: DT_FLOAT } } }"},
    {"n", FLOAT_CONST("c", "") " node { name: 'n' op: 'Neg' input: 'c' "
                               "attr { key: 'T' value { type: DT_INT32 } } }"},
    {"n", FLOAT_CONST("c", "") " node { name: 'n' op: 'Neg' input: 'c' }"},
    {"n",
     "node { name: 'n' op: 'AddN' "
     "attr { key: 'T' value { type: DT_FLOAT } } "
     "attr { key: 'N' value { i: 1000000000 } } }"},
    {"n", "node { name: 'n' op: 'NoOp' } node { name: 'n' op: 'NoOp' }"},
    {"n", "node { name: 'n' op: 'NoOp' device: '/gpu:x' }"},
    {"n", "node { name: 'n' op: 'NoOp' device: '////' }"},
    {"n",
     "node { name: 'n' op: 'Placeholder' attr { key: 'dtype' value { "
     "type: DT_FLOAT } } attr { key: 'shape' value { shape { dim { "
     "size: -7 } } } } }"},
    {"bad name", "node { name: 'bad name' op: 'NoOp' }"},
    {"Type mismatch between value (float) and dtype (int32)\n\t [[{{node n}}]]",
     "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 "
     "} } attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { "
     "} float_val: 1 } } } }"},
};

// Imports and runs |text|; the code of whatever fails first.
static berth_code_t import_and_run(rig_t *rig, const char *text, size_t size) {
  berth_code_t code =
      berth_graph_import_text(rig->graph, text, size, NULL, &rig->err);
  if (code != BERTH_OK) {
    EXPECT_EQ(berth_graph_node_count(rig->graph), 1);
    EXPECT_EQ(berth_graph_function_count(rig->graph), 0);
    return code;
  }
  return run_target(rig, berth_graph_find(rig->graph, "n"));
}

TEST(hostile, graphs) {
  for (size_t i = 0; i < sizeof(BAD_GRAPHS) / sizeof(*BAD_GRAPHS); ++i) {
    const bad_graph_t *bad = &BAD_GRAPHS[i];
    rig_t rig;
    rig_init(&rig);
    berth_out_t good = const_scalar(rig.graph, "good", 1);
    ASSERT_OK(rig_open(&rig, NULL), &rig.err);
    berth_code_t code = import_and_run(&rig, bad->text, strlen(bad->text));
    const char *text = berth_error_message(&rig.err);
    if (code == BERTH_OK || strstr(text, bad->culprit) == NULL) {
      HARNESS_FAIL("graph %d: %s: %s", (int)i, berth_code_name(code), text);
    }
    if (berth_graph_node_count(rig.graph) == 1) EXPECT_EQ(fetch(&rig, good), 1);
    rig_clear(&rig);
  }
}

// Every beginning of a sound GraphDef, and every byte of it turned round.
static void *sound_graph(size_t *out_size) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = const_scalar(graph, "a", 1);
  berth_out_t x = hole(graph, "x");
  berth_device_push(graph, "/cpu:0");
  berth_out_t sum = berth_add_v2(graph, "sum", a, x);
  berth_device_pop(graph);
  berth_neg(graph, "n", sum);
  void *bytes = NULL;
  EXPECT_EQ(berth_graph_export(graph, &bytes, out_size, NULL), BERTH_OK);
  berth_graph_release(graph);
  return bytes;
}

// Takes |bytes| as far as they go: import, placement, a run of every node.
static void try_bytes(const void *bytes, size_t size) {
  rig_t rig;
  rig_init(&rig);
  berth_code_t code =
      berth_graph_import(rig.graph, bytes, size, NULL, &rig.err);
  if (code != BERTH_OK) {
    EXPECT_EQ(berth_graph_node_count(rig.graph), 0);
    EXPECT_TRUE(berth_error_message(&rig.err)[0] != '\0');
  } else if (rig_open(&rig, NULL) == BERTH_OK) {
    for (int i = 0; i < berth_graph_node_count(rig.graph); ++i) {
      berth_error_clear(&rig.err);
      if (run_target(&rig, i) != BERTH_OK) {
        EXPECT_TRUE(berth_error_message(&rig.err)[0] != '\0');
      }
    }
  }
  rig_clear(&rig);
}

TEST(hostile, truncated_graphs) {
  size_t size = 0;
  char *bytes = sound_graph(&size);
  for (size_t cut = 0; cut <= size; ++cut) {
    // A copy of its own, so that reading on is noticed.
    char *copy = malloc(cut > 0 ? cut : 1);
    ASSERT_TRUE(copy != NULL);
    memcpy(copy, bytes, cut);
    try_bytes(copy, cut);
    free(copy);
  }
  berth_text_free(bytes);
}

TEST(hostile, graphs_with_a_wrong_byte) {
  size_t size = 0;
  unsigned char *bytes = sound_graph(&size);
  static const unsigned char wrong[] = {0x00, 0x7f, 0x80, 0xff, 0x01};
  for (size_t at = 0; at < size; ++at) {
    unsigned char right = bytes[at];
    for (size_t i = 0; i < sizeof wrong; ++i) {
      bytes[at] = wrong[i];
      try_bytes(bytes, size);
    }
    bytes[at] = right;
  }
  berth_text_free(bytes);
}

// Wraps |*size| bytes at the end of |buffer| as field |tag|; returns the start.
static unsigned char *wrap(unsigned char *start, size_t *size,
                           unsigned char tag) {
  unsigned char digits[10];
  int count = 0;
  size_t rest = *size;
  do {
    digits[count++] = (unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>= 7;
  } while (rest > 0);
  start -= count + 1;
  start[0] = tag;
  memcpy(start + 1, digits, (size_t)count);
  *size += (size_t)count + 1;
  return start;
}

TEST(hostile, a_million_levels) {
  enum { LEVELS = 1000000, ROOM = 32 << 20 };
  unsigned char *buffer = malloc(ROOM);
  ASSERT_TRUE(buffer != NULL);
  unsigned char *start = buffer + ROOM;
  size_t size = 0;
  // AttrValue { func { attr { value { func { … } } } } }, from the inside out.
  for (int i = 0; i < LEVELS; ++i) {
    static const unsigned char tags[] = {0x52, 0x12, 0x12};
    start = wrap(start, &size, tags[i % 3]);
  }
  static const unsigned char tags[] = {0x12, 0x2a, 0x0a};
  for (int i = 0; i < 3; ++i) start = wrap(start, &size, tags[i]);
  try_bytes(start, size);
  free(buffer);
}

TEST(hostile, functions_that_call_themselves) {
  static const char text[] =
      "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: "
      "DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
      "tensor_shape { } float_val: 1 } } } } "
      "node { name: 'n' op: 'f' input: 'c' } "
      "library { function { signature { name: 'f' input_arg { name: 'x' "
      "type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } "
      "node_def { name: 'again' op: 'f' input: 'x' } "
      "ret { key: 'y' value: 'again:y:0' } } }";
  rig_t rig;
  rig_init(&rig);
  berth_code_t code =
      berth_graph_import_text(rig.graph, text, sizeof text - 1, NULL, &rig.err);
  if (code == BERTH_OK) {
    ASSERT_OK(rig_open(&rig, NULL), &rig.err);
    code = run_target(&rig, berth_graph_find(rig.graph, "n"));
  }
  EXPECT_TRUE(code != BERTH_OK);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "n") != NULL);
  rig_clear(&rig);
}

TEST(hostile, a_gigabyte_of_one_value) {
  static const char text[] =
      FLOAT_CONST("big", "dim { size: 250000000 }")
      " node { name: 'shape' op: 'Shape' input: 'big' attr { key: 'T' value { "
      "type: DT_FLOAT } } }";
  rig_t rig;
  rig_init(&rig);
  berth_code_t code =
      berth_graph_import_text(rig.graph, text, sizeof text - 1, NULL, &rig.err);
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    rig_clear(&rig);
    SKIP("this machine has no gigabyte to spare");
  }
  ASSERT_OK(code, &rig.err);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_out_t shape = {berth_graph_find(rig.graph, "shape"), 0};
  EXPECT_EQ(fetch(&rig, shape), 250000000);
  rig_clear(&rig);
}

// ---- Devices ----

TEST(hostile, devices) {
  static const char *const malformed[] = {
      "gpu",         "/gpu:",     "/gpu:-1",
      "/gpu:1x",     "//gpu:0",   "/gpu:0/",
      "/job:/gpu",   "/task:x",   "/:0",
      "/device:",    "/replica:", "/device:C+",
      "/job:a/job:", "nonsense",  "/gpu:99999999999999999999"};
  for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); ++i) {
    rig_t rig;
    rig_init(&rig);
    berth_op_t *op = berth_op_begin(rig.graph, "NoOp", "lost");
    berth_op_device(op, malformed[i]);
    berth_node_id_t node = BERTH_NO_NODE;
    berth_code_t code = berth_op_try_finish(op, &node, &rig.err);
    if (code == BERTH_OK) {
      ASSERT_OK(rig_open(&rig, NULL), &rig.err);
      code = run_target(&rig, node);
    }
    if (code != BERTH_INVALID_ARGUMENT ||
        strstr(berth_error_message(&rig.err), malformed[i]) == NULL) {
      HARNESS_FAIL("device '%s': %s: %s", malformed[i], berth_code_name(code),
                   berth_error_message(&rig.err));
    }
    rig_clear(&rig);
  }
}
