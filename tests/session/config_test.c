// config_test.c - What a session's configuration does.
#include "session_testing.h"

#define LOCAL "/job:localhost/replica:0/task:0/device:"

TEST(config, one_cpu_by_default) {
  rig_t rig;
  rig_init(&rig);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(berth_session_device_count(rig.session), 1);
  EXPECT_STR(berth_session_device_name(rig.session, 0), LOCAL "CPU:0");
  EXPECT_TRUE(berth_session_device_name(rig.session, 1) == NULL);
  EXPECT_TRUE(berth_session_device_name(rig.session, -1) == NULL);
  rig_clear(&rig);
}

TEST(config, two_cpus) {
  rig_t rig;
  rig_init(&rig);
  berth_device_push(rig.graph, "/cpu:1");
  berth_out_t c = const_scalar(rig.graph, "c", 4);
  berth_device_pop(rig.graph);
  berth_out_t n = berth_neg(rig.graph, "n", c);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 2;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  EXPECT_EQ(berth_session_device_count(rig.session), 2);
  EXPECT_STR(berth_session_device_name(rig.session, 1), LOCAL "CPU:1");
  EXPECT_EQ(fetch(&rig, n), -4);
  berth_node_placement_t placement;
  ASSERT_OK(berth_session_placement(rig.session, c.node, &placement, &rig.err),
            &rig.err);
  EXPECT_STR(placement.device, LOCAL "CPU:1");
  ASSERT_OK(berth_session_placement(rig.session, n.node, &placement, &rig.err),
            &rig.err);
  EXPECT_STR(placement.device, LOCAL "CPU:0");
  rig_clear(&rig);
}

TEST(config, no_cpu) {
  rig_t rig;
  rig_init(&rig);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 0;
  EXPECT_FAILS(rig_open(&rig, &config), BERTH_NOT_FOUND, &rig.err,
               "No CPU devices are available in this process");
  EXPECT_TRUE(rig.session == NULL);
  rig_clear(&rig);
}

TEST(config, more_cpus_than_any_machine) {
  rig_t rig;
  rig_init(&rig);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = INT32_MAX;
  EXPECT_EQ(rig_open(&rig, &config), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "2147483647") != NULL);
  EXPECT_TRUE(rig.session == NULL);
  rig_clear(&rig);
}

static berth_out_t on_missing_gpu(berth_graph_t *graph) {
  berth_device_push(graph, "/gpu:3");
  berth_out_t c = const_scalar(graph, "c", 4);
  berth_device_pop(graph);
  return c;
}

TEST(config, a_missing_device_is_an_error) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t c = on_missing_gpu(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, c)));
  EXPECT_EQ(rig.err.code, BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err),
                     "Cannot assign a device for operation c") != NULL);
  rig_clear(&rig);
}

TEST(config, soft_placement_takes_what_is_there) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t c = on_missing_gpu(rig.graph);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = true;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  EXPECT_EQ(fetch(&rig, c), 4);
  berth_node_placement_t placement;
  ASSERT_OK(berth_session_placement(rig.session, c.node, &placement, &rig.err),
            &rig.err);
  EXPECT_EQ(placement.reason, BERTH_REASON_SOFT_NO_DEVICE);
  rig_clear(&rig);
}

TEST(config, pruned_placement_leaves_the_rest_alone) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t bad = on_missing_gpu(rig.graph);
  berth_out_t good = const_scalar(rig.graph, "good", 5);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.place_pruned_graph = true;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  EXPECT_EQ(fetch(&rig, good), 5);
  EXPECT_TRUE(isnan(fetch(&rig, bad)));
  EXPECT_EQ(fetch(&rig, good), 5);
  rig_clear(&rig);
}

TEST(config, a_graph_with_an_error_has_no_session) {
  rig_t rig;
  rig_init(&rig);
  berth_op_t *op = berth_op_begin(rig.graph, "NoSuchOp", "n");
  EXPECT_EQ(berth_op_finish(op), BERTH_NO_NODE);
  EXPECT_TRUE(rig_open(&rig, NULL) != BERTH_OK);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "NoSuchOp") != NULL);
  EXPECT_TRUE(rig.session == NULL);
  rig_clear(&rig);
}

TEST(config, constants_are_kept_or_not) {
  for (int keep = 0; keep < 2; ++keep) {
    rig_t rig;
    rig_init(&rig);
    berth_out_t a = const_scalar(rig.graph, "a", 3);
    berth_out_t b = berth_square(rig.graph, "b", a);
    berth_out_t shape = const_ints(rig.graph, "shape", (int32_t[]){1, 1}, 2);
    berth_out_t c = berth_reshape(rig.graph, "c", b, shape);
    berth_config_t config = BERTH_CONFIG_INIT;
    config.keep_constants = keep != 0;
    ASSERT_OK(rig_open(&rig, &config), &rig.err);
    berth_out_t fetches[] = {b, c};
    berth_tensor_t *first[2], *second[2];
    ASSERT_OK(
        berth_session_run(rig.session, NULL, 0, fetches, 2, first, &rig.err),
        &rig.err);
    ASSERT_OK(
        berth_session_run(rig.session, NULL, 0, fetches, 2, second, &rig.err),
        &rig.err);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(element(first[i], 0), 9);
      EXPECT_EQ(element(second[i], 0), 9);
      EXPECT_EQ(berth_tensor_data(first[i]) == berth_tensor_data(second[i]),
                keep != 0);
      berth_tensor_release(first[i]);
      berth_tensor_release(second[i]);
    }
    rig_clear(&rig);
  }
}

TEST(config, a_session_keeps_its_own_copy) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t c = const_scalar(rig.graph, "c", 1);
  berth_config_t config;
  // device_count { key: "CPU" value: 3 }
  static const unsigned char bytes[] = {0x0a, 7,   0x0a, 3, 'C',
                                        'P',  'U', 0x10, 3};
  ASSERT_OK(berth_config_parse(bytes, sizeof bytes, &config, &rig.err),
            &rig.err);
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  berth_config_clear(&config);
  EXPECT_EQ(berth_session_device_count(rig.session), 3);
  EXPECT_EQ(fetch(&rig, c), 1);
  rig_clear(&rig);
}

TEST(config, garbage_is_refused) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 5;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_config_parse("\xff\xff\xff", 3, &config, &err),
            BERTH_DATA_LOSS);
  EXPECT_TRUE(berth_error_message(&err)[0] != '\0');
  EXPECT_EQ(config.cpu_count, 5);
  berth_error_clear(&err);
}
