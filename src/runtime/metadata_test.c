// metadata_test.c - Tests of what a run tells about itself.
//
// The expected partitions are those of TensorFlow 2.21 for the same program.
#include "base/str.h"
#include "berth/berth.h"
#include "harness.h"
#include "wire/message.h"
#include "wire/run.pb-c.h"

typedef Berth__Wire__RunMetadata metadata_t;

// The program of the recording: a fed matrix crosses to CPU:1 and comes back.
typedef struct fixture {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_tensor_t *value;
  berth_out_t fed, fetched;
  berth_arena_t arena;
  metadata_t *metadata;
  float result;
} fixture_t;

static void build(fixture_t *f) {
  berth_graph_t *g = f->graph;
  berth_device_push(g, "/cpu:0");
  berth_op_t *op = berth_op_begin(g, "Placeholder", "a");
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SHAPE(2, 2));
  f->fed = (berth_out_t){berth_op_finish(op), 0};
  berth_node_id_t k = berth_no_op(g, "k");
  berth_device_pop(g);
  berth_device_push(g, "/cpu:1");
  berth_out_t b = berth_matmul(g, "b", f->fed, f->fed);
  berth_out_t c = berth_add_v2(g, "c", f->fed, b);
  berth_control_push(g, &k, 1);
  berth_out_t e = berth_identity(g, "e", c);
  berth_control_pop(g);
  berth_device_pop(g);
  berth_device_push(g, "/cpu:0");
  berth_out_t axes =
      berth_const_i32(g, "Const", (int32_t[]){0, 1}, BERTH_SHAPE(2));
  f->fetched = berth_sum(g, "d", e, axes);
  berth_device_pop(g);
}

// Runs with metadata; true when all went well.
static bool fixture_run(fixture_t *f, int cpus) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = cpus;
  config.allow_soft_placement = true;
  f->graph = berth_graph_create();
  build(f);
  float values[] = {1, 2, 3, 4};
  void *bytes = NULL;
  size_t size = 0;
  berth_tensor_t *result = NULL;
  bool ok =
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(2, 2), values, &f->value,
                             &err) == BERTH_OK &&
      berth_session_create(f->graph, &config, &f->session, &err) == BERTH_OK;
  berth_feed_t feed = {f->fed, f->value};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &f->fetched,
                     .fetch_count = 1,
                     .results = &result,
                     .trace = true,
                     .output_partition_graphs = true,
                     .out_metadata = &bytes,
                     .out_metadata_size = &size};
  ok = ok && berth_session_run_with(f->session, &run, &err) == BERTH_OK;
  if (ok) f->result = *(float *)berth_tensor_data(result);
  ok = ok && berth_message_unpack(
                 &berth__wire__run_metadata__descriptor, bytes, size, &f->arena,
                 (ProtobufCMessage **)(void *)&f->metadata, &err) == BERTH_OK;
  if (!ok) HARNESS_FAIL("%s", berth_error_message(&err));
  berth_tensor_release(result);
  berth_text_free(bytes);
  berth_error_clear(&err);
  return ok;
}

static void fixture_end(fixture_t *f) {
  berth_arena_clear(&f->arena);
  berth_session_destroy(f->session);
  berth_tensor_release(f->value);
  berth_graph_release(f->graph);
}

// Prints a graph as lines `name Op input input`.
static void print_graph(const Berth__Wire__GraphDef *graph, berth_str_t *str) {
  for (size_t i = 0; i < graph->n_node; ++i) {
    const Berth__Wire__NodeDef *node = graph->node[i];
    berth_str_printf(str, "%s %s", node->name, node->op);
    for (size_t j = 0; j < node->n_input; ++j) {
      berth_str_printf(str, " %s", node->input[j]);
    }
    for (size_t j = 0; j < node->n_attr; ++j) {
      if (strcmp(node->attr[j]->key, "tensor_name") != 0) continue;
      const ProtobufCBinaryData *text = &node->attr[j]->value->s;
      berth_str_printf(str, " <%.*s>", (int)text->len, (char *)text->data);
    }
    berth_str_putc(str, '\n');
  }
}

TEST(metadata, splits_the_graph_as_tensorflow_does) {
  fixture_t f = {0};
  ASSERT_TRUE(fixture_run(&f, 2));
  EXPECT_NEAR(f.result, 64, 0);
  ASSERT_TRUE(f.metadata->n_partition_graphs == 2);
  berth_str_t first = {0}, second = {0};
  print_graph(f.metadata->partition_graphs[0], &first);
  print_graph(f.metadata->partition_graphs[1], &second);
  EXPECT_STR(berth_str_get(&first),
             "k NoOp\n"
             "k/ctrl/_2 Const ^k\n"
             "k/_3 _Send k/ctrl/_2 <edge_5_k>\n"
             "Const Const\n"
             "e/_7 _Recv <edge_6_e>\n"
             "d Sum e/_7 Const\n"
             "_arg_a_0_0 _Arg\n"
             "_arg_a_0_0/_0 _Send _arg_a_0_0 <edge_12__arg_a_0_0>\n"
             "_retval_d_0_0 _Retval d\n");
  EXPECT_STR(berth_str_get(&second),
             "_arg_a_0_0/_1 _Recv <edge_12__arg_a_0_0>\n"
             "b MatMul _arg_a_0_0/_1 _arg_a_0_0/_1\n"
             "c AddV2 _arg_a_0_0/_1 b\n"
             "k/_4 _Recv <edge_5_k>\n"
             "k/_5 Identity k/_4\n"
             "e Identity c ^k/_5\n"
             "e/_6 _Send e <edge_6_e>\n");
  berth_str_clear(&first);
  berth_str_clear(&second);
  fixture_end(&f);
}

TEST(metadata, shows_each_node_once_with_times_in_order) {
  fixture_t f = {0};
  ASSERT_TRUE(fixture_run(&f, 2));
  const Berth__Wire__StepStats *stats = f.metadata->step_stats;
  ASSERT_TRUE(stats != NULL && stats->n_dev_stats == 2);
  berth_str_t names = {0};
  for (size_t d = 0; d < stats->n_dev_stats; ++d) {
    const Berth__Wire__DeviceStepStats *device = stats->dev_stats[d];
    int64_t before = 0;
    for (size_t i = 0; i < device->n_node_stats; ++i) {
      const Berth__Wire__NodeExecStats *node = device->node_stats[i];
      EXPECT_TRUE(node->all_start_nanos >= before);
      EXPECT_TRUE(node->op_end_rel_nanos >= 0);
      EXPECT_TRUE(node->all_end_rel_nanos >= node->op_end_rel_nanos);
      before = node->all_start_nanos;
      char needle[64];
      snprintf(needle, sizeof(needle), " %s ", node->node_name);
      EXPECT_TRUE(strstr(berth_str_get(&names), needle) == NULL);
      berth_str_puts(&names, needle);
    }
  }
  static const char *const all[] = {
      "_arg_a_0_0", "Const", "k", "b", "c", "e", "d", "_retval_d_0_0"};
  for (int i = 0; i < 8; ++i) {
    char needle[64];
    snprintf(needle, sizeof(needle), " %s ", all[i]);
    EXPECT_TRUE(strstr(berth_str_get(&names), needle) != NULL);
  }
  berth_str_clear(&names);
  fixture_end(&f);
}

TEST(metadata, shows_inputs_as_the_partitions_name_them) {
  fixture_t f = {0};
  ASSERT_TRUE(fixture_run(&f, 2));
  berth_str_t text = {0};
  for (size_t d = 0; d < f.metadata->step_stats->n_dev_stats; ++d) {
    const Berth__Wire__DeviceStepStats *device =
        f.metadata->step_stats->dev_stats[d];
    for (size_t i = 0; i < device->n_node_stats; ++i) {
      const Berth__Wire__NodeExecStats *node = device->node_stats[i];
      berth_str_printf(&text, "%s", node->timeline_label);
      for (size_t j = 0; j < node->n_memory; ++j) {
        berth_str_printf(&text, " %s %d", node->memory[j]->allocator_name,
                         (int)node->memory[j]->total_bytes);
      }
      for (size_t j = 0; j < node->n_output; ++j) {
        berth_str_printf(
            &text, " -> %s",
            node->output[j]
                ->tensor_description->allocation_description->allocator_name);
      }
      berth_str_putc(&text, '\n');
    }
  }
  const char *found = berth_str_get(&text);
  EXPECT_TRUE(strstr(found, "_arg_a_0_0 = _Arg() -> cpu\n") != NULL);
  EXPECT_TRUE(strstr(found,
                     "b = MatMul(_arg_a_0_0/_1, _arg_a_0_0/_1) cpu 16"
                     " -> cpu\n") != NULL);
  EXPECT_TRUE(strstr(found, "e = Identity(c, ^k/_5)") != NULL);
  EXPECT_TRUE(strstr(found, "_retval_d_0_0 = _Retval(d)\n") != NULL);
  berth_str_clear(&text);
  fixture_end(&f);
}

// Imports |def|, feeds its _Arg and fetches what its _Retval gets.
static void run_again(const Berth__Wire__GraphDef *def, berth_tensor_t *value,
                      float expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *result = NULL;
  ASSERT_OK(berth_message_pack(&def->base, &bytes, &size, &err), &err);
  ASSERT_OK(berth_graph_import(graph, bytes, size, NULL, &err), &err);
  berth_feed_t feed = {{berth_graph_find(graph, "_arg_a_0_0"), 0}, value};
  berth_node_id_t end = berth_graph_find(graph, "_retval_d_0_0");
  ASSERT_TRUE(end != BERTH_NO_NODE);
  berth_out_t fetch = berth_node_input(graph, end, 0);
  ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
  ASSERT_OK(berth_session_run(session, &feed, 1, &fetch, 1, &result, &err),
            &err);
  EXPECT_NEAR(*(float *)berth_tensor_data(result), expected, 0);
  berth_tensor_release(result);
  berth_session_destroy(session);
  berth_graph_release(graph);
  berth_text_free(bytes);
}

TEST(metadata, gives_a_graph_that_imports_and_runs_again) {
  fixture_t f = {0};
  ASSERT_TRUE(fixture_run(&f, 1));
  ASSERT_TRUE(f.metadata->n_partition_graphs == 1);
  run_again(f.metadata->partition_graphs[0], f.value, f.result);
  fixture_end(&f);
}
