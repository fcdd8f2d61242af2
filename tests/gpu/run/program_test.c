// program_test.c - Programs that run on a GPU, and between it and the host.
#include "gpu_run_testing.h"

typedef struct product {
  rig_t rig;
  berth_out_t x, y, z;
} product_t;

static void product_open(product_t *p) {
  simulate("Tesla K40c");
  rig_init(&p->rig);
  berth_device_push(p->rig.graph, "/gpu:0");
  p->x = hole(p->rig.graph, "x");
  p->y = hole(p->rig.graph, "y");
  p->z = berth_matmul(p->rig.graph, "z", p->x, p->y);
  berth_device_pop(p->rig.graph);
  ASSERT_OK(rig_open(&p->rig, NULL), &p->rig.err);
}

// Multiplies matrices of the given sizes and compares some elements.
static void product_check(product_t *p, int64_t rows, int64_t inner,
                          int64_t cols, float scale) {
  berth_tensor_t *a = matrix(rows, inner, scale), *result = NULL;
  berth_tensor_t *b = matrix(inner, cols, 1);
  berth_feed_t feeds[] = {{p->x, a}, {p->y, b}};
  ASSERT_OK(berth_session_run(p->rig.session, feeds, 2, &p->z, 1, &result,
                              &p->rig.err),
            &p->rig.err);
  EXPECT_TRUE(strstr(berth_tensor_device(result), "CPU:0") != NULL);
  for (int64_t row = 0; row < rows; row += rows / 2 + 1) {
    for (int64_t col = 0; col < cols; col += cols / 2 + 1) {
      EXPECT_EQ(element(result, row * cols + col), product_at(a, b, row, col));
    }
  }
  berth_tensor_release(a);
  berth_tensor_release(b);
  berth_tensor_release(result);
}

// Runs of one shape use one frame: the second is recorded, later ones are
// replayed.
TEST(gpu, gives_new_results_for_new_feeds) {
  product_t p;
  product_open(&p);
  for (int i = 1; i <= 6; ++i) product_check(&p, 2, 3, 2, (float)i);
  rig_clear(&p.rig);
}

TEST(gpu, copies_what_is_too_large_for_pinned_memory) {
  product_t p;
  product_open(&p);
  for (int i = 1; i <= 4; ++i) product_check(&p, 64, 32, 48, (float)i);
  for (int i = 1; i <= 4; ++i) product_check(&p, 300, 200, 260, (float)i);
  rig_clear(&p.rig);
}

// Past the limit on layouts every step is late.
TEST(gpu, runs_any_number_of_shapes) {
  product_t p;
  product_open(&p);
  for (int i = 1; i <= 20; ++i) product_check(&p, i, 2 * i, i + 1, 1);
  rig_clear(&p.rig);
}

// Frames of several shapes do not fit side by side; those that are idle go.
TEST(gpu, needs_memory_for_one_shape_at_a_time) {
  simulate("Tesla K40c");
  const float limit = 96;
  berth_virtual_devices_t one = {.memory_limit_mb = &limit,
                                 .memory_limit_count = 1};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_devices = &one;
  config.gpu_experimental.virtual_device_count = 1;
  rig_t rig;
  rig_init(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t twice = berth_add_v2(rig.graph, "twice", x, x);
  berth_out_t axis = const_ints(rig.graph, "axis", (int32_t[]){0}, 1);
  berth_out_t sum = berth_max(rig.graph, "most", twice, axis);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  for (int64_t mib = 24; mib <= 40; mib += 4) {
    int64_t count = mib << 18;
    EXPECT_EQ(fetch_fed(&rig, sum, x, ramp(count)), 2.0 * (double)(count - 1));
  }
  // What can never fit is an error, after which the session goes on.
  EXPECT_TRUE(isnan(fetch_fed(&rig, sum, x, ramp(INT64_C(60) << 18))));
  EXPECT_EQ(rig.err.code, BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&rig.err);
  EXPECT_EQ(fetch_fed(&rig, sum, x, ramp(100)), 198);
  rig_clear(&rig);
}

TEST(gpu, multiplies_nothing) {
  product_t p;
  product_open(&p);
  berth_tensor_t *a = matrix(0, 3, 1), *b = matrix(3, 0, 1), *result = NULL;
  berth_feed_t feeds[] = {{p.x, a}, {p.y, b}};
  ASSERT_OK(
      berth_session_run(p.rig.session, feeds, 2, &p.z, 1, &result, &p.rig.err),
      &p.rig.err);
  EXPECT_EQ(berth_tensor_count(result), 0);
  berth_tensor_release(a);
  berth_tensor_release(b);
  berth_tensor_release(result);
  rig_clear(&p.rig);
}

// host -> card -> host -> card -> host, with work on each.
TEST(gpu, goes_back_and_forth) {
  simulate("Tesla K40c");
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x"), value = x;
  for (int i = 0; i < 6; ++i) {
    berth_device_push(rig.graph, i % 2 == 0 ? "/gpu:0" : "/cpu:0");
    value = berth_add_v2(rig.graph, NULL, value, x);
    berth_device_pop(rig.graph);
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int64_t count = 4; count <= 40000; count *= 10) {
    for (int i = 0; i < 3; ++i) {
      berth_tensor_t *fed = ramp(count), *result = NULL;
      ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1,
                                  &value, 1, &result, &rig.err),
                &rig.err);
      EXPECT_EQ(element(result, 3), 21);
      EXPECT_EQ(element(result, count - 1), 7.0 * (double)(count - 1));
      berth_tensor_release(fed);
      berth_tensor_release(result);
    }
  }
  rig_clear(&rig);
}

// A value that is fetched and also used further.
TEST(gpu, fetches_what_is_used_again) {
  simulate("Tesla K40c");
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t twice = berth_add_v2(rig.graph, "twice", x, x);
  berth_out_t square = berth_mul(rig.graph, "square", twice, twice);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_out_t fetches[] = {twice, square, twice};
  for (int i = 1; i <= 4; ++i) {
    berth_tensor_t *fed = scalar((float)i), *results[3] = {NULL};
    ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1,
                                fetches, 3, results, &rig.err),
              &rig.err);
    const double wanted[] = {2.0 * i, 4.0 * i * i, 2.0 * i};
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(element(results[k], 0), wanted[k]);
      berth_tensor_release(results[k]);
    }
    berth_tensor_release(fed);
  }
  rig_clear(&rig);
}

TEST(gpu, keeps_variables_on_the_card) {
  simulate("Tesla K40c");
  rig_t rig;
  rig_init(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t v =
      berth_variable_v2(rig.graph, "v", BERTH_SHAPE(2000), BERTH_FLOAT);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t set = berth_assign(rig.graph, "set", v, x);
  berth_out_t grow = berth_assign_add(rig.graph, "grow", v, x);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, v)));
  EXPECT_STR(berth_error_message(&rig.err),
             "Attempting to use uninitialized value v\n\t [[{{node "
             "_retval_v_0_0}}]]");
  EXPECT_EQ(fetch_fed(&rig, set, x, ramp(2000)), 0);
  for (int i = 0; i < 5; ++i) fetch_fed(&rig, grow, x, ramp(2000));
  berth_tensor_t *result = NULL;
  ASSERT_OK(berth_session_run(rig.session, NULL, 0, &v, 1, &result, &rig.err),
            &rig.err);
  EXPECT_EQ(element(result, 1999), 6 * 1999);
  berth_tensor_release(result);
  rig_clear(&rig);
}

// int32 arithmetic is placed on the GPU and runs on the host.
TEST(gpu, runs_whole_numbers_on_the_host) {
  simulate("Tesla K40c");
  rig_t rig;
  rig_init(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t a = const_ints(rig.graph, "a", (int32_t[]){1, 2}, 2);
  berth_out_t b = berth_placeholder(rig.graph, "b", BERTH_INT32);
  berth_out_t sum = berth_add_v2(rig.graph, "sum", a, b);
  berth_out_t real = berth_cast(rig.graph, "real", sum, BERTH_FLOAT);
  berth_out_t twice = berth_add_v2(rig.graph, "twice", real, real);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 3; ++i) {
    berth_tensor_t *fed =
        tensor_of(BERTH_INT32, BERTH_SHAPE(2), (int32_t[]){10 * i, 20});
    EXPECT_EQ(fetch_fed(&rig, twice, b, fed), 2 * (1 + 10 * i));
  }
  rig_clear(&rig);
}

// A shape that comes out of the graph itself.
TEST(gpu, reshapes_by_the_shape_of_another) {
  simulate("Tesla K40c");
  rig_t rig;
  rig_init(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  berth_out_t x = hole(rig.graph, "x"), y = hole(rig.graph, "y");
  berth_out_t shape = berth_shape_of(rig.graph, "shape", y);
  berth_out_t z = berth_reshape(rig.graph, "z", x, shape);
  berth_out_t sum = berth_add_v2(rig.graph, "sum", z, y);
  berth_device_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 3; ++i) {
    berth_tensor_t *flat = ramp(12), *square = matrix(3, 4, 1), *result = NULL;
    berth_feed_t feeds[] = {{x, flat}, {y, square}};
    ASSERT_OK(
        berth_session_run(rig.session, feeds, 2, &sum, 1, &result, &rig.err),
        &rig.err);
    EXPECT_EQ(berth_tensor_shape(result).rank, 2);
    EXPECT_EQ(element(result, 11), 11 + 4);
    berth_tensor_release(flat);
    berth_tensor_release(square);
    berth_tensor_release(result);
  }
  rig_clear(&rig);
}

TEST(gpu, calls_ops_at_once) {
  simulate("Tesla K40c");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  berth_tensor_t *a = matrix(2, 3, 1), *b = matrix(3, 2, 1);
  berth_tensor_t *inputs[] = {a, b}, *c = NULL, *d = NULL, *host = NULL;
  int count = 1;
  ASSERT_OK(berth_eager_call(context, "MatMul", "/gpu:0", inputs, 2, &c, &count,
                             &err),
            &err);
  EXPECT_STR(berth_tensor_device(c),
             "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_TRUE(berth_tensor_stream(c) != NULL);
  berth_tensor_t *both[] = {c, c};
  ASSERT_OK(berth_eager_call(context, "AddV2", NULL, both, 2, &d, &count, &err),
            &err);
  EXPECT_TRUE(strstr(berth_tensor_device(d), "GPU:0") != NULL);
  ASSERT_OK(berth_tensor_to_host(d, &host, &err), &err);
  EXPECT_EQ(element(host, 3), 2 * product_at(a, b, 1, 1));
  char *text = NULL;
  ASSERT_OK(berth_tensor_format(d, &text, &err), &err);
  EXPECT_TRUE(strstr(text, "[[") != NULL);
  berth_text_free(text);
  berth_tensor_release(host);
  berth_tensor_release(d);
  berth_tensor_release(c);
  ASSERT_OK(berth_eager_copy(context, a, "GPU:0", &c, &err), &err);
  ASSERT_OK(berth_eager_copy(context, c, "CPU:0", &host, &err), &err);
  EXPECT_EQ(element(host, 5), element(a, 5));
  berth_tensor_release(host);
  berth_tensor_release(c);
  berth_tensor_release(a);
  berth_tensor_release(b);
  berth_context_destroy(context);
}
