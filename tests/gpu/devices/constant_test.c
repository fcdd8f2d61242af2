// constant_test.c - Constants of every type, in graphs and called at once.
#include "gpu_testing.h"

static const berth_dtype_t TYPES[] = {
    BERTH_FLOAT,  BERTH_DOUBLE,     BERTH_INT32,  BERTH_UINT8,
    BERTH_INT16,  BERTH_INT8,       BERTH_INT64,  BERTH_BOOL,
    BERTH_HALF,   BERTH_BFLOAT16,   BERTH_UINT16, BERTH_UINT32,
    BERTH_UINT64, BERTH_COMPLEX64,  BERTH_QINT8,  BERTH_QUINT8,
    BERTH_QINT32, BERTH_COMPLEX128, BERTH_QINT16, BERTH_QUINT16,
};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0], COUNT = 3000 };

static const char *const DEVICES[] = {"/device:CPU:0", "/device:GPU:0", NULL};
enum { DEVICE_COUNT = 3 };

// |count| elements whose bytes are 0 and 1, which every type can have.
static berth_tensor_t *tensor_make(berth_dtype_t dtype, int64_t count,
                                   bool is_repeated) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, BERTH_SHAPE(count), &tensor, NULL) !=
      BERTH_OK) {
    abort();
  }
  size_t size = berth_tensor_size(tensor) / (size_t)count;
  char *bytes = berth_tensor_data(tensor);
  memset(bytes, 0, berth_tensor_size(tensor));
  for (int64_t i = 0; i < count; ++i) {
    bool is_one = is_repeated || i % 3 == 1;
    bytes[(size_t)i * size] = is_one ? '\1' : '\0';
  }
  if (is_repeated) berth_tensor_set_listed(tensor, 1);
  return tensor;
}

// True when |result|, wherever it is, has type and bytes of |value|.
static bool is_same(const berth_tensor_t *result, const berth_tensor_t *value) {
  berth_tensor_t *host = NULL;
  if (berth_tensor_to_host(result, &host, NULL) != BERTH_OK) return false;
  bool same = berth_tensor_dtype(host) == berth_tensor_dtype(value) &&
              berth_tensor_size(host) == berth_tensor_size(value) &&
              memcmp(berth_tensor_data(host), berth_tensor_data(value),
                     berth_tensor_size(host)) == 0;
  berth_tensor_release(host);
  return same;
}

// Sets the attribute as bytes, which keep a repeated value as one.
static void set_value(berth_op_t *op, berth_tensor_t *value) {
  void *proto = NULL;
  size_t size = 0;
  if (berth_tensor_to_proto(value, &proto, &size, NULL) != BERTH_OK) abort();
  unsigned char attr[16];
  size_t head = 0;
  attr[head++] = 0x42;  // AttrValue.tensor
  for (size_t left = size;; left >>= 7) {
    attr[head++] = (unsigned char)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) break;
  }
  char *bytes = malloc(head + size);
  if (bytes == NULL) abort();
  memcpy(bytes, attr, head);
  memcpy(bytes + head, proto, size);
  berth_op_attr_proto(op, "value", bytes, head + size);
  free(bytes);
  berth_text_free(proto);
}

static berth_code_t call_const(berth_context_t *context, berth_tensor_t *value,
                               berth_dtype_t dtype, const char *device,
                               berth_tensor_t **out, berth_error_t *err) {
  berth_op_t *op = berth_op_begin(NULL, "Const", NULL);
  set_value(op, value);
  berth_op_attr_type(op, "dtype", dtype);
  int count = 1;
  berth_code_t code =
      berth_eager_call_op(context, op, device, NULL, 0, out, &count, err);
  berth_op_abandon(op);
  return code;
}

static berth_context_t *context_open(void) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = true;
  berth_context_t *context = NULL;
  if (berth_context_create(&config, &context, NULL) != BERTH_OK) abort();
  return context;
}

TEST(constant, has_its_type_when_called_at_once) {
  simulate(K40C);
  berth_context_t *context = context_open();
  for (int i = 0; i < TYPE_COUNT * 4 * DEVICE_COUNT; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_dtype_t dtype = TYPES[i % TYPE_COUNT];
    int form = i / TYPE_COUNT % 4;
    berth_tensor_t *out = NULL;
    berth_tensor_t *value =
        tensor_make(dtype, form & 1 ? COUNT : 2, (form & 2) != 0);
    ASSERT_OK(call_const(context, value, dtype, DEVICES[i / TYPE_COUNT / 4],
                         &out, &err),
              &err);
    EXPECT_TRUE(is_same(out, value));
    berth_tensor_release(out);
    berth_tensor_release(value);
  }
  berth_context_destroy(context);
}

// Bytes of one type are never taken for another.
TEST(constant, refuses_another_type_than_promised) {
  simulate(K40C);
  berth_context_t *context = context_open();
  for (int i = 0; i < 2 * DEVICE_COUNT; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *value = tensor_make(BERTH_INT8, i & 1 ? COUNT : 2, true);
    berth_tensor_t *out = NULL;
    EXPECT_EQ(
        call_const(context, value, BERTH_FLOAT, DEVICES[i / 2], &out, &err),
        BERTH_INVALID_ARGUMENT);
    EXPECT_TRUE(strstr(berth_error_message(&err),
                       "Type mismatch between value (int8) and dtype "
                       "(float)") != NULL);
    EXPECT_TRUE(out == NULL);
    berth_error_clear(&err);
    berth_tensor_release(value);
  }
  berth_context_destroy(context);
}

// Fetches a Const, and an Identity of it so that something runs.
static void expect_fetched(berth_tensor_t *value, const char *device) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_device_push(graph, device);
  berth_op_t *op = berth_op_begin(graph, "Const", "c");
  set_value(op, value);
  berth_op_attr_type(op, "dtype", berth_tensor_dtype(value));
  berth_out_t c = berth_output(berth_op_finish(op), 0);
  berth_out_t fetches[] = {c, berth_identity(graph, "i", c)};
  berth_device_pop(graph);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = true;
  berth_session_t *session = NULL;
  ASSERT_OK(berth_session_create(graph, &config, &session, &err), &err);
  berth_tensor_t *results[2] = {NULL, NULL};
  ASSERT_OK(berth_session_run(session, NULL, 0, fetches, 2, results, &err),
            &err);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(is_same(results[i], value));
    berth_tensor_release(results[i]);
  }
  berth_session_destroy(session);
  berth_graph_release(graph);
}

TEST(constant, has_its_type_in_a_graph) {
  simulate(K40C);
  for (int i = 0; i < TYPE_COUNT * 2 * DEVICE_COUNT; ++i) {
    berth_tensor_t *value =
        tensor_make(TYPES[i % TYPE_COUNT], COUNT, (i / TYPE_COUNT & 1) != 0);
    expect_fetched(value, DEVICES[i / TYPE_COUNT / 2]);
    berth_tensor_release(value);
  }
}

// What no memory holds fails when it is used, by name, and nothing else does.
TEST(constant, fails_where_it_is_used_when_it_does_not_fit) {
  simulate(K40C);
  static const char text[] =
      "node { name: 'big' op: 'Const' attr { key: 'dtype' value { type: "
      "DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
      "tensor_shape { dim { size: 1125899906842624 } } float_val: 1 } } } } "
      "node { name: 'one' op: 'Const' attr { key: 'dtype' value { type: "
      "DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
      "tensor_shape { } float_val: 1 } } } }"
      "node { name: 'sum' op: 'AddV2' input: 'big' input: 'one' "
      "attr { key: 'T' value { type: DT_FLOAT } } }";
  berth_import_t import = {.max_constant_bytes = INT64_MAX,
                           .max_expanded_bytes = INT64_MAX};
  for (int i = 0; i < 2; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    import.default_device = DEVICES[i];
    berth_graph_t *graph = berth_graph_create();
    ASSERT_OK(berth_graph_import_text(graph, text, strlen(text), &import, &err),
              &err);
    berth_session_t *session = NULL;
    ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
    for (berth_node_id_t node = 0; node < 3; ++node) {
      berth_out_t fetch = {node, 0};
      berth_tensor_t *result = NULL;
      berth_code_t code =
          berth_session_run(session, NULL, 0, &fetch, 1, &result, &err);
      bool is_big = strcmp(berth_node_name(graph, node), "one") != 0;
      EXPECT_EQ(code, is_big ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
      EXPECT_TRUE(!is_big ||
                  strstr(berth_error_message(&err), "'big'") != NULL);
      berth_tensor_release(result);
      berth_error_clear(&err);
    }
    berth_session_destroy(session);
    berth_graph_release(graph);
  }
}
