// torture_test.c - Sessions and eager calls without memory.
#include "torture_testing.h"

// A tensor, or a failure with a code.
static berth_code_t floats(int64_t count, berth_tensor_t **out,
                           berth_error_t *err) {
  berth_code_t code =
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(count), out, err);
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    ((float *)berth_tensor_data(*out))[i] = (float)i;
  }
  return code;
}

static void release_all(berth_tensor_t **tensors, int count) {
  for (int i = 0; i < count; ++i) berth_tensor_release(tensors[i]);
}

// ---- A graph with a bit of everything ----

typedef struct parts {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, count, y, late, v, set, text, taken, called;
  berth_node_id_t put;
} parts_t;

static void same(berth_host_call_t *call, void *arg) {
  (void)arg;
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

static void build_values(parts_t *p) {
  berth_graph_t *g = p->graph;
  p->x = hole(g, "x");
  p->count = berth_placeholder(g, "count", BERTH_INT32);
  berth_scope_push(g, "scope");
  berth_device_push(g, "/cpu:0");
  berth_out_t c = const_scalar(g, NULL, 2);
  berth_out_t d = berth_square(g, NULL, c);
  p->y = berth_add_v2(g, "y", berth_mul(g, NULL, p->x, d), c);
  berth_device_pop(g);
  berth_scope_pop(g);
  berth_out_t zero = berth_const_i32(g, NULL, (int32_t[]){0}, BERTH_SCALAR);
  berth_out_t one = berth_const_i32(g, NULL, (int32_t[]){1}, BERTH_SCALAR);
  p->late = berth_neg(g, "late", berth_range(g, NULL, zero, p->count, one));
}

static void build_state(parts_t *p) {
  berth_graph_t *g = p->graph;
  p->v = berth_variable_v2(g, "v", BERTH_SHAPE(4), BERTH_FLOAT);
  p->set = berth_assign(g, "set", p->v, p->y);
  p->set = berth_assign_add(g, "add", p->set, p->y);
  berth_out_t queue = float_queue(g, "queue", 2);
  p->taken = dequeue(g, "taken", queue);
  p->put = berth_queue_enqueue_v2(g, "put", queue, &p->y, 1);
  p->called = callback(g, "called", "same", &p->taken, 1);
}

static berth_code_t parts_open(parts_t *p, const berth_config_t *config,
                               berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  p->graph = berth_graph_create();
  if (p->graph == NULL) {
    snprintf(err->text, sizeof err->text, "no graph");
    return BERTH_RESOURCE_EXHAUSTED;
  }
  build_values(p);
  build_state(p);
  BUILT(p->graph);
  STEP(berth_session_create(p->graph, config, &p->session, err));
done:
  return code;
}

static void parts_close(parts_t *p) {
  if (p->session != NULL) berth_session_close(p->session);
  berth_session_destroy(p->session);
  berth_graph_release(p->graph);
}

// Runs most of the graph, with its queue and its callback.
static berth_code_t parts_run(parts_t *p, berth_error_t *err) {
  berth_tensor_t *feeds[2] = {NULL}, *results[4] = {NULL};
  berth_out_t fetches[] = {p->y, p->late, p->set, p->called};
  void *metadata = NULL;
  size_t metadata_size = 0;
  berth_code_t code = BERTH_OK;
  STEP(floats(4, &feeds[0], err));
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &(int32_t){3},
                              &feeds[1], err));
  berth_feed_t fed[] = {{p->x, feeds[0]}, {p->count, feeds[1]}};
  berth_run_t run = {.feeds = fed,
                     .feed_count = 2,
                     .fetches = fetches,
                     .fetch_count = 4,
                     .results = results,
                     .targets = &p->put,
                     .target_count = 1,
                     .trace = true,
                     .output_partition_graphs = true,
                     .out_metadata = &metadata,
                     .out_metadata_size = &metadata_size};
  STEP(berth_session_run_with(p->session, &run, err));
  EXPECT_EQ(element(results[0], 3), 14);
  EXPECT_EQ(element(results[1], 2), -2);
  EXPECT_EQ(element(results[2], 3), 28);
  EXPECT_EQ(element(results[3], 3), 14);
done:
  // On failure nothing is stored.
  if (code != BERTH_OK) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(results[i] == NULL);
    EXPECT_TRUE(metadata == NULL);
  }
  berth_text_free(metadata);
  release_all(feeds, 2);
  release_all(results, 4);
  return code;
}

// ---- Scenarios ----

static berth_code_t build_place_run_close(berth_error_t *err) {
  parts_t p = {0};
  berth_code_t code = BERTH_OK;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 2;
  STEP(berth_host_register("same", same, NULL, err));
  STEP(parts_open(&p, &config, err));
  STEP(parts_run(&p, err));
  STEP(parts_run(&p, err));
done:
  parts_close(&p);
  return code;
}

TEST(torture, build_place_run_close) {
  torture("alloc", build_place_run_close);
  ASSERT_OK(berth_host_register("same", NULL, NULL, NULL), NULL);
}

// A session that a run has failed in works on.
TEST(torture, a_session_survives) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_host_register("same", same, NULL, &err), &err);
  bool is_met = true;
  for (int64_t nth = 1; is_met && harness_failures == 0; ++nth) {
    parts_t p = {0};
    ASSERT_OK(parts_open(&p, NULL, &err), &err);
    berth_fault_arm("alloc", nth);
    berth_code_t code = parts_run(&p, &err);
    is_met = berth_fault_disarm() >= nth;
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
    // An element that was put and not taken would come out first.
    parts_t fresh = p;
    ASSERT_OK(berth_session_create(p.graph, NULL, &fresh.session, &err), &err);
    ASSERT_OK(parts_run(&fresh, &err), &err);
    berth_session_destroy(fresh.session);
    berth_tensor_t *fed = ramp(4), *result = NULL;
    ASSERT_OK(berth_session_run(p.session, &(berth_feed_t){p.x, fed}, 1, &p.set,
                                1, &result, &err),
              &err);
    EXPECT_EQ(element(result, 3), 28);
    berth_tensor_release(result);
    berth_tensor_release(fed);
    parts_close(&p);
  }
  ASSERT_OK(berth_host_register("same", NULL, NULL, &err), &err);
}

static berth_code_t partial_run(berth_error_t *err) {
  parts_t p = {0};
  berth_partial_t *partial = NULL;
  berth_tensor_t *feeds[2] = {NULL}, *results[3] = {NULL};
  berth_code_t code = BERTH_OK;
  STEP(parts_open(&p, NULL, err));
  STEP(floats(4, &feeds[0], err));
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &(int32_t){3},
                              &feeds[1], err));
  berth_out_t holes[] = {p.x, p.count}, fetches[] = {p.y, p.set, p.late};
  STEP(berth_partial_create(p.session, holes, 2, fetches, 3, NULL, 0, &partial,
                            err));
  STEP(berth_partial_run(partial, &(berth_feed_t){p.x, feeds[0]}, 1, fetches, 2,
                         results, err));
  EXPECT_EQ(element(results[0], 3), 14);
  EXPECT_EQ(element(results[1], 3), 28);
  STEP(berth_partial_run(partial, &(berth_feed_t){p.count, feeds[1]}, 1,
                         &fetches[2], 1, &results[2], err));
  EXPECT_EQ(element(results[2], 2), -2);
done:
  release_all(feeds, 2);
  release_all(results, 3);
  berth_partial_destroy(partial);
  parts_close(&p);
  return code;
}

TEST(torture, partial_run) { torture("alloc", partial_run); }

static berth_code_t callable_run(berth_error_t *err) {
  parts_t p = {0};
  berth_callable_t *callable = NULL;
  berth_tensor_t *fed = NULL, *result = NULL;
  berth_code_t code = BERTH_OK;
  STEP(parts_open(&p, NULL, err));
  STEP(berth_callable_create(p.session, &p.x, 1, &p.y, 1, NULL, 0, &callable,
                             err));
  for (int64_t size = 1; size < 12; ++size) {
    STEP(floats(size, &fed, err));
    STEP(berth_callable_run(callable, &fed, &result, err));
    EXPECT_EQ(element(result, size - 1), 4 * (double)(size - 1) + 2);
    release_all(&fed, 1);
    release_all(&result, 1);
    fed = result = NULL;
  }
done:
  berth_tensor_release(fed);
  berth_tensor_release(result);
  berth_callable_destroy(callable);
  parts_close(&p);
  return code;
}

TEST(torture, callable_of_many_shapes) { torture("alloc", callable_run); }

static berth_code_t growing_graph(berth_error_t *err) {
  parts_t p = {0};
  berth_tensor_t *fed = NULL, *result = NULL;
  char *text = NULL;
  berth_node_placement_t placement;
  berth_code_t code = BERTH_OK;
  STEP(parts_open(&p, NULL, err));
  STEP(floats(3, &fed, err));
  for (int i = 0; i < 3; ++i) {
    berth_out_t more = berth_neg(p.graph, NULL, p.y);
    BUILT(p.graph);
    STEP(berth_session_run(p.session, &(berth_feed_t){p.x, fed}, 1, &more, 1,
                           &result, err));
    berth_tensor_release(result);
    result = NULL;
    STEP(berth_session_placement(p.session, more.node, &placement, err));
    STEP(berth_session_explain(p.session, more.node, &text, err));
    berth_text_free(text);
    text = NULL;
  }
done:
  berth_tensor_release(fed);
  parts_close(&p);
  return code;
}

TEST(torture, a_graph_that_grows) { torture("alloc", growing_graph); }

// ---- Eager calls ----

static berth_code_t eager_op(berth_context_t *context, const char *op,
                             berth_tensor_t **inputs, int count,
                             berth_error_t *err) {
  berth_tensor_t *outputs[4] = {NULL};
  int output_count = 4;
  berth_code_t code = berth_eager_call(context, op, NULL, inputs, count,
                                       outputs, &output_count, err);
  for (int i = 0; code == BERTH_OK && i < output_count; ++i) {
    berth_tensor_release(outputs[i]);
  }
  return code;
}

static berth_code_t eager_calls(berth_error_t *err) {
  berth_context_t *context = NULL;
  berth_tensor_t *in[3] = {NULL};
  berth_op_t *op = NULL;
  berth_code_t code = BERTH_OK;
  STEP(berth_context_create(NULL, &context, err));
  STEP(floats(4, &in[0], err));
  STEP(floats(4, &in[1], err));
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(2), (int32_t[]){2, 2},
                              &in[2], err));
  STEP(eager_op(context, "AddV2", in, 2, err));
  STEP(eager_op(context, "Neg", in, 1, err));
  STEP(eager_op(context, "AddV2", in, 2, err));
  STEP(
      eager_op(context, "Reshape", (berth_tensor_t *[]){in[0], in[2]}, 2, err));
  op = berth_op_begin(NULL, "ArgMax", NULL);
  berth_op_attr_type(op, "output_type", BERTH_INT32);
  berth_tensor_t *result = NULL, *axis = NULL;
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &(int32_t){0}, &axis,
                              err));
  int count = 1;
  code =
      berth_eager_call_op(context, op, NULL, (berth_tensor_t *[]){in[0], axis},
                          2, &result, &count, err);
  berth_tensor_release(axis);
  berth_tensor_release(result);
done:
  berth_op_abandon(op);
  release_all(in, 3);
  berth_context_destroy(context);
  return code;
}

TEST(torture, eager_calls) { torture("alloc", eager_calls); }

// A context that a call has failed in works on.
TEST(torture, a_context_survives) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *in[] = {ramp(4), ramp(4)};
  bool is_met = true;
  for (int64_t nth = 1; is_met && harness_failures == 0; ++nth) {
    berth_context_t *context = NULL;
    ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
    berth_fault_arm("alloc", nth);
    berth_code_t code = eager_op(context, "Mul", in, 2, &err);
    is_met = berth_fault_disarm() >= nth;
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
    ASSERT_OK(eager_op(context, "Mul", in, 2, &err), &err);
    berth_context_destroy(context);
  }
  release_all(in, 2);
}
