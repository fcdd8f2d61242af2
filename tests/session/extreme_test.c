// extreme_test.c - Numbers at the ends of their range, in every op that takes
// sizes, positions, axes or counts.
//
// Whether such a call can be is the op's to say; it answers, and no sum or
// product in it overflows: the sanitizers watch. Values come from a seed, and
// a call that is too much for memory asks for far too much.
#include "session_testing.h"

// Inputs by letters, separated by blanks:
//   f<dims>  floats of these dimensions, one digit each
//   t<dims>  strings
//   v<n>     a vector of n extreme numbers; m<n><m> a matrix
//   s        an extreme scalar
//   +        what follows up to the next blank is one more of a list
// Attributes with an extreme value follow as @name, fixed ones as @name=value,
// lists of one as #name.
typedef struct op_case {
  const char *op;
  const char *text;
} op_case_t;

static const op_case_t CASES[] = {
    {"Slice", "f43 v2 v2"},
    {"Slice", "f0 v0 v0"},
    {"Slice", "f04 v2 v2"},
    {"StridedSlice", "f43 v2 v2 v2"},
    {"StridedSlice", "f43 v1 v1 v1"},
    {"StridedSlice", "f43 v2 v2 v2 @begin_mask @end_mask"},
    {"StridedSlice", "f43 v2 v2 v2 @ellipsis_mask @new_axis_mask"},
    {"StridedSlice", "f43 v2 v2 v2 @shrink_axis_mask"},
    {"StridedSlice", "f04 v2 v2 v2"},
    {"ReverseV2", "f43 v1"},
    {"GatherV2", "f43 v2 s"},
    {"GatherV2", "f43 v2 s @batch_dims"},
    {"Gather", "f43 v2"},
    {"GatherNd", "f43 m22"},
    {"Range", "s s s"},
    {"LinSpace", "f f s"},
    {"Tile", "f43 v2"},
    {"Tile", "f04 v2"},
    {"Pad", "f43 m22"},
    {"PadV2", "f43 m22 f"},
    {"MirrorPad", "f43 m22 $mode=REFLECT"},
    {"MirrorPad", "f43 m22 $mode=SYMMETRIC"},
    {"Fill", "v2 f"},
    {"Fill", "v3 f"},
    {"Reshape", "f43 v2"},
    {"Reshape", "f43 v3"},
    {"Reshape", "f04 v3"},
    {"ConcatV2", "+f43 +f43 s"},
    {"Concat", "s +f43 +f43"},
    {"Split", "s f43 @num_split=2"},
    {"Split", "s f43 @num_split"},
    {"SplitV", "f43 v2 s @num_split=2"},
    {"Unpack", "f43 @num=4 @axis"},
    {"Unpack", "f43 @num @axis=0"},
    {"Pack", "+f43 +f43 @axis"},
    {"OneHot", "v2 s f f"},
    {"OneHot", "v2 s f f @axis"},
    {"BroadcastTo", "f3 v2"},
    {"BroadcastTo", "f v3"},
    {"BroadcastArgs", "v2 v2"},
    {"Transpose", "f43 v2"},
    {"ExpandDims", "f43 s"},
    {"Squeeze", "f141 #squeeze_dims"},
    {"ArgMax", "f43 s"},
    {"ArgMin", "f43 s"},
    {"TopKV2", "f43 s"},
    {"TopK", "f43 @k"},
    {"InTopKV2", "f43 v4 s"},
    {"InTopK", "f43 v4 @k"},
    {"RandomUniform", "v2"},
    {"RandomStandardNormal", "v2"},
    {"TruncatedNormal", "v2"},
    {"RandomUniformInt", "v2 s s"},
    {"RandomShuffle", "v2"},
    {"Multinomial", "f43 s"},
    {"StatelessRandomUniform", "v2 v2"},
    {"Sum", "f43 v1"},
    {"Mean", "f43 v2"},
    {"Max", "f43 s"},
    {"Prod", "f43 v2"},
    {"All", "f43 v2"},
    {"Cumsum", "f43 s"},
    {"Bincount", "v2 s f2"},
    {"UnsortedSegmentSum", "f43 v4 s"},
    {"ScatterNd", "m21 f23 v2"},
    {"ReverseSequence", "f43 v4 @seq_dim @batch_dim"},
    {"ReverseSequence", "f43 v4 @seq_dim=1 @batch_dim=0"},
    {"DepthToSpace", "f1224 @block_size"},
    {"SpaceToDepth", "f1224 @block_size"},
    {"SpaceToBatchND", "f1224 v2 m22"},
    {"BatchToSpaceND", "f4224 v2 m22"},
    {"MatrixBandPart", "f43 s s"},
    {"Unique", "v3"},
    {"Where", "v3"},
    {"DynamicStitch", "+v2 +v2 +f2 +f2"},
    {"InvertPermutation", "v3"},
    {"Bitcast", "v2 !type=1"},
    {"Abs", "v3"},
    {"Neg", "v3"},
    {"Sign", "v3"},
    {"Square", "v3"},
    {"Add", "v3 v3"},
    {"Sub", "v3 v3"},
    {"Mul", "v3 v3"},
    {"Div", "v3 v3"},
    {"FloorDiv", "v3 v3"},
    {"FloorMod", "v3 v3"},
    {"TruncateDiv", "v3 v3"},
    {"TruncateMod", "v3 v3"},
    {"Pow", "v3 v3"},
    {"SquaredDifference", "v3 v3"},
    {"LeftShift", "v3 v3"},
    {"RightShift", "v3 v3"},
    {"Sum", "v3 v1"},
    {"Prod", "v3 v1"},
    {"Mean", "v3 v1"},
    {"AddN", "+v3 +v3 +v3"},
    {"Cumsum", "v3 s"},
    {"MatMul", "m22 m22"},
    {"Cast", "v3 !DstT=1"},
    {"Cast", "v3 !DstT=3"},
    {"Cast", "v3 !DstT=6"},
    {"Shape", "v3"},
    {"AsString", "v3 @precision"},
    {"AsString", "f43 @precision"},
    {"AsString", "f43 @width"},
    {"AsString", "f43 @precision @width"},
    {"Substr", "t3 v3 v3"},
    {"StringSplit", "t3 t"},
    {"StringFormat", "+f43 $template=%s @summarize"},
    {"Print", "f43 +f43 @summarize @first_n=0"},
    {"FIFOQueueV2", "@capacity !component_types"},
    {"RandomShuffleQueueV2", "@capacity @min_after_dequeue !component_types"},
    {"PaddingFIFOQueueV2", "@capacity !component_types"},
    {"Softmax", "f43"},
    {"Einsum", "+f43 +f34 $equation=ab,bc->ac"},
    {"Einsum", "+f43 +f34 $equation=ab,ba->"},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

// ---- Numbers ----

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % below;
}

// What a call may be given: nothing that would be a few gigabytes.
static const int64_t CALLED[] = {INT64_MIN,
                                 INT64_MIN + 1,
                                 -(INT64_C(1) << 62),
                                 INT32_MIN,
                                 -3,
                                 -2,
                                 -1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 INT64_C(1) << 50,
                                 INT64_C(1) << 62,
                                 INT64_MAX - 1,
                                 INT64_MAX};
// What a node may be built with.
static const int64_t BUILT[] = {INT64_MIN,
                                INT64_MIN + 1,
                                -(INT64_C(1) << 62),
                                INT32_MIN,
                                -3,
                                -2,
                                -1,
                                0,
                                1,
                                2,
                                3,
                                4,
                                INT32_MAX,
                                INT64_C(1) << 31,
                                INT64_C(1) << 32,
                                INT64_C(1) << 50,
                                INT64_C(1) << 62,
                                INT64_MAX - 1,
                                INT64_MAX};

static bool is_building = false;
static bool is_range = false;  // From the least int32 on there are gigabytes.

static int64_t extreme(void) {
  int64_t value = is_building ? BUILT[draw(sizeof BUILT / 8)]
                              : CALLED[draw(sizeof CALLED / 8)];
  return is_range && value == INT32_MIN ? -7 : value;
}

// Returns what is left of |value| in 32 bits.
static int32_t narrow(int64_t value) {
  if (value > INT32_MAX) return is_building ? INT32_MAX : 5;
  if (value < INT32_MIN) return is_range ? -5 : INT32_MIN;
  return (int32_t)value;
}

// ---- Inputs ----

static int read_digits(const char *text, int64_t *dims) {
  int rank = 0;
  while (text[rank] >= '0' && text[rank] <= '9') {
    dims[rank] = text[rank] - '0';
    ++rank;
  }
  return rank;
}

static berth_tensor_t *input_make(const char *text, berth_dtype_t index) {
  int64_t dims[8];
  int rank = read_digits(text + 1, dims);
  char kind = text[0];
  berth_dtype_t dtype = kind == 'f'   ? BERTH_FLOAT
                        : kind == 't' ? BERTH_STRING
                                      : index;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, (berth_dims_t){rank, dims}, &tensor, NULL) !=
      BERTH_OK) {
    abort();
  }
  for (int64_t i = 0; i < berth_tensor_count(tensor); ++i) {
    int64_t value = extreme();
    if (dtype == BERTH_FLOAT) {
      ((float *)berth_tensor_data(tensor))[i] = (float)i;
    } else if (dtype == BERTH_INT64) {
      ((int64_t *)berth_tensor_data(tensor))[i] = value;
    } else if (dtype == BERTH_INT32) {
      ((int32_t *)berth_tensor_data(tensor))[i] = narrow(value);
    } else if (berth_tensor_set_string(tensor, i, "text", 4, NULL) !=
               BERTH_OK) {
      abort();
    }
  }
  return tensor;
}

// One reading of a case: its inputs, and an op with the attributes.
enum { MOST_INPUTS = 8 };
typedef struct call {
  berth_tensor_t *inputs[MOST_INPUTS];
  bool is_listed[MOST_INPUTS];
  int input_count;
} call_t;

static void set_attr(berth_op_t *op, const char *word) {
  char name[64];
  snprintf(name, sizeof name, "%.63s", word + 1);
  char *value = strchr(name, '=');
  if (value != NULL) *value++ = '\0';
  if (word[0] == '$') {
    berth_op_attr_string(op, name, value, strlen(value));
  } else if (word[0] == '#') {
    int64_t one = extreme();
    berth_op_attr_ints(op, name, &one, 1);
  } else if (word[0] == '!' && value != NULL) {
    berth_op_attr_type(op, name, (berth_dtype_t)strtol(value, NULL, 10));
  } else if (word[0] == '!') {
    berth_op_attr_types(op, name, (const berth_dtype_t[]){BERTH_FLOAT}, 1);
  } else {
    int64_t fixed = value != NULL ? strtoll(value, NULL, 10) : extreme();
    berth_op_attr_int(op, name, fixed);
  }
}

static void read_case(const op_case_t *one, berth_dtype_t index, berth_op_t *op,
                      call_t *call) {
  char text[128];
  snprintf(text, sizeof text, "%s", one->text);
  *call = (call_t){.input_count = 0};
  char *rest = NULL;
  for (char *word = strtok_r(text, " ", &rest); word != NULL;
       word = strtok_r(NULL, " ", &rest)) {
    if (strchr("@$#!", word[0]) != NULL) {
      set_attr(op, word);
      continue;
    }
    call->is_listed[call->input_count] = word[0] == '+';
    call->inputs[call->input_count++] =
        input_make(word + (word[0] == '+'), index);
  }
}

static void call_clear(call_t *call) {
  for (int i = 0; i < call->input_count; ++i) {
    berth_tensor_release(call->inputs[i]);
  }
}

// ---- Calling and building ----

static void expect_answer(const op_case_t *one, berth_code_t code,
                          berth_error_t *err) {
  bool is_said = code == BERTH_OK || berth_error_message(err)[0] != '\0';
  if (!is_said || code == BERTH_UNKNOWN) {
    HARNESS_FAIL("%s(%s): %s: %s", one->op, one->text, berth_code_name(code),
                 berth_error_message(err));
  }
  berth_error_clear(err);
}

static void call_once(berth_context_t *context, const op_case_t *one,
                      berth_dtype_t index) {
  berth_op_t *op = berth_op_begin(NULL, one->op, NULL);
  call_t call;
  read_case(one, index, op, &call);
  enum { ROOM = 64 };
  berth_tensor_t *outputs[ROOM] = {NULL};
  int count = ROOM;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_eager_call_op(
      context, op, NULL, call.inputs, call.input_count, outputs, &count, &err);
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    berth_tensor_release(outputs[i]);
  }
  expect_answer(one, code, &err);
  berth_op_abandon(op);
  call_clear(&call);
}

// A placeholder with dimensions as extreme as everything else.
static berth_out_t hole_make(berth_graph_t *graph, const char *text) {
  int64_t dims[8];
  int rank = read_digits(text, dims);
  for (int i = 0; i < rank; ++i) {
    int64_t dim = extreme();
    if (dim >= -1) dims[i] = dim;
  }
  berth_op_t *op = berth_op_begin(graph, "Placeholder", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", (berth_dims_t){rank, dims});
  berth_node_id_t node = BERTH_NO_NODE;
  if (berth_op_try_finish(op, &node, NULL) != BERTH_OK) {
    return berth_placeholder(graph, NULL, BERTH_FLOAT);
  }
  return (berth_out_t){node, 0};
}

// Builds the op, on constants, and on placeholders for what is no number.
static void build_once(const op_case_t *one, berth_dtype_t index,
                       bool has_holes) {
  berth_graph_t *graph = berth_graph_create();
  berth_op_t *op = berth_op_begin(graph, one->op, NULL);
  call_t call;
  read_case(one, index, op, &call);
  berth_out_t list[MOST_INPUTS];
  int listed = 0;
  for (int i = 0; i < call.input_count; ++i) {
    berth_dims_t shape = berth_tensor_shape(call.inputs[i]);
    bool is_hole =
        has_holes && berth_tensor_dtype(call.inputs[i]) == BERTH_FLOAT;
    berth_out_t in = is_hole ? hole_make(graph, shape.rank == 0   ? ""
                                                : shape.rank == 1 ? "4"
                                                : shape.rank == 2 ? "43"
                                                                  : "1224")
                             : berth_const(graph, NULL, call.inputs[i]);
    if (call.is_listed[i]) list[listed++] = in;
    bool is_last = i + 1 == call.input_count || !call.is_listed[i + 1];
    if (!call.is_listed[i]) {
      berth_op_input(op, in);
    } else if (is_last) {
      berth_op_input_list(op, list, listed);
      listed = 0;
    }
  }
  berth_node_id_t node = BERTH_NO_NODE;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_op_try_finish(op, &node, &err);
  expect_answer(one, code, &err);
  call_clear(&call);
  berth_graph_release(graph);
}

static void call_often(const op_case_t *one) {
  berth_context_t *context = NULL;
  ASSERT_TRUE(berth_context_create(NULL, &context, NULL) == BERTH_OK);
  is_range = strcmp(one->op, "Range") == 0;
  for (int n = 0; n < 200; ++n) {
    call_once(context, one, n % 2 == 0 ? BERTH_INT64 : BERTH_INT32);
  }
  berth_context_destroy(context);
}

static void build_often(const op_case_t *one) {
  is_building = true;
  for (int n = 0; n < 200; ++n) {
    build_once(one, n % 2 == 0 ? BERTH_INT64 : BERTH_INT32, n % 4 >= 2);
  }
}

// Does |fn| for a case in a process of its own, so that one that dies has a
// name.
static void expect_survived(const op_case_t *one,
                            void (*fn)(const op_case_t *)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    harness_failures = 0;
    fn(one);
    fflush(NULL);
    _exit(harness_failures == 0 ? 0 : 1);
  }
  int status = 0;
  bool is_fine = child > 0 && waitpid(child, &status, 0) == child &&
                 WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!is_fine) HARNESS_FAIL("%s(%s) died or failed", one->op, one->text);
}

TEST(extreme, numbers_in_calls) {
  for (int i = 0; i < CASE_COUNT; ++i) {
    if (!berth_op_has_kernel(CASES[i].op, "CPU")) continue;
    expect_survived(&CASES[i], call_often);
  }
}

TEST(extreme, numbers_in_graphs) {
  for (int i = 0; i < CASE_COUNT; ++i) expect_survived(&CASES[i], build_often);
}

// ---- Words ----

// Builds the op on [4,3] and constants, and expects TensorFlow's words.
static void expect_words(const char *op, const char *mask, int64_t value,
                         int64_t parts, const int64_t *a, const int64_t *b,
                         const char *words) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_placeholder_attrs_t attrs = BERTH_PLACEHOLDER_ATTRS;
  attrs.shape = BERTH_SHAPE(4, 3);
  berth_out_t in = berth_placeholder_with(graph, "p", BERTH_FLOAT, &attrs);
  berth_op_t *node = berth_op_begin(graph, op, "n");
  berth_op_input(node, in);
  const int64_t *lists[] = {a, b, a};
  for (int i = 0; i < parts; ++i) {
    berth_tensor_t *list = tensor_of(BERTH_INT64, BERTH_SHAPE(2), lists[i]);
    berth_op_input(node, berth_const(graph, NULL, list));
    berth_tensor_release(list);
  }
  if (strcmp(op, "SplitV") == 0) {
    berth_op_input(
        node, berth_const_i32(graph, NULL, (const int32_t[]){0}, BERTH_SCALAR));
  }
  if (mask != NULL) berth_op_attr_int(node, mask, value);
  berth_node_id_t id = BERTH_NO_NODE;
  EXPECT_EQ(berth_op_try_finish(node, &id, &err), BERTH_INVALID_ARGUMENT);
  if (strstr(berth_error_message(&err), words) != berth_error_message(&err)) {
    HARNESS_FAIL("%s: %s\nexpected %s", op, berth_error_message(&err), words);
  }
  berth_error_clear(&err);
  berth_graph_release(graph);
}

TEST(extreme, words_are_those_of_tensorflow) {
  static const int64_t most[] = {INT64_MAX, INT64_MAX}, low[] = {-5, 9},
                       late[] = {5, 0}, rest[] = {-1, -1}, none[] = {1, 1};
  expect_words("SplitV", "num_split", 2, 1, most, NULL,
               "can't split axis of size 4 into pieces of size "
               "[9223372036854775807,9223372036854775807] for ");
  expect_words("SplitV", "num_split", 2, 1, low, NULL,
               "Split size at index 0 must be >= 0. Got: -5 for ");
  expect_words("Slice", NULL, 0, 2, late, rest,
               "Negative dimension size caused by subtracting 5 from 4 for ");
  expect_words("StridedSlice", "ellipsis_mask", INT64_MIN, 3, none, none,
               "Attr ellipsis_mask has value -9223372036854775808 out of range "
               "for an int32 for ");
}

TEST(extreme, sums_of_dimensions_have_an_end) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_placeholder_attrs_t attrs = BERTH_PLACEHOLDER_ATTRS;
  attrs.shape = BERTH_SHAPE(INT64_MAX / 2, 2);
  berth_out_t half = berth_placeholder_with(graph, "p", BERTH_FLOAT, &attrs);
  berth_op_t *node = berth_op_begin(graph, "ConcatV2", "n");
  berth_op_input_list(node, (const berth_out_t[]){half, half, half}, 3);
  berth_op_input(
      node, berth_const_i32(graph, NULL, (const int32_t[]){0}, BERTH_SCALAR));
  berth_node_id_t id = BERTH_NO_NODE;
  EXPECT_EQ(berth_op_try_finish(node, &id, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "Dimension size overflow from adding 9223372036854775806 "
                     "and 4611686018427387903 for ") != NULL);
  berth_error_clear(&err);
  berth_graph_release(graph);
}
