// choose_test.c - From a node to a step: which kernel, on which memory.
#include "exec/choose.h"

#include "exec/exec_testing.h"
#include "op/types.h"

// A step that was chosen for a node.
typedef struct chosen {
  berth_step_t step;
  berth_choice_t choice;
  berth_arena_t arena;
  berth_str_t why;
} chosen_t;

static void choose(rig_t *rig, berth_out_t out, chosen_t *chosen) {
  *chosen = (chosen_t){0};
  const berth_node_t *node = berth_graph_get(rig->graph, out.node);
  ASSERT_OK(berth_step_choose(rig->graph, node, rig->devices,
                              rig_device_of(&rig->host, out.node),
                              &chosen->arena, &chosen->step, &chosen->choice,
                              &chosen->why, &rig->err),
            &rig->err);
}

static void chosen_clear(chosen_t *chosen) {
  berth_arena_clear(&chosen->arena);
  berth_str_clear(&chosen->why);
}

TEST(choose, the_host_works_on_the_host) {
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  choose(&rig, rig_one(&rig, "Neg", -1, rig_feed(&rig)), &chosen);
  EXPECT_TRUE(chosen.step.kernel == &rig_kernels[2]);
  EXPECT_TRUE(chosen.step.on_host);
  EXPECT_EQ(chosen.step.device, 0);
  EXPECT_EQ(chosen.step.blocker, -1);
  EXPECT_EQ(chosen.step.input_count, 1);
  EXPECT_EQ(chosen.step.output_count, 1);
  EXPECT_TRUE(chosen.step.host_outputs == NULL);
  EXPECT_TRUE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 0));
  chosen_clear(&chosen);
  rig_clear(&rig);
}

TEST(choose, a_device_works_on_its_own_memory) {
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  choose(&rig, rig_one(&rig, "Neg", 1, rig_feed(&rig)), &chosen);
  EXPECT_FALSE(chosen.step.on_host);
  EXPECT_EQ(chosen.step.device, 2);
  EXPECT_TRUE(chosen.step.host_outputs == NULL);
  EXPECT_FALSE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 0));
  chosen_clear(&chosen);
  rig_clear(&rig);
}

// Where TensorFlow keeps all of a node's arguments in host memory, the host's
// kernel does the work, for the device.
TEST(choose, whole_numbers_of_a_device_are_the_hosts) {
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  berth_out_t x = berth_placeholder(rig.graph, NULL, BERTH_INT32);
  choose(&rig, rig_add(&rig, 0, x, x), &chosen);
  EXPECT_TRUE(chosen.step.kernel == &rig_kernels[0]);
  EXPECT_TRUE(chosen.step.on_host);
  EXPECT_EQ(chosen.step.device, 1);
  EXPECT_TRUE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 1));
  chosen_clear(&chosen);
  rig_clear(&rig);
}

TEST(choose, without_a_kernel_it_says_why) {
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  choose(&rig, rig_one(&rig, "Tanh", 0, rig_feed(&rig)), &chosen);
  EXPECT_TRUE(chosen.step.kernel == NULL);
  EXPECT_TRUE(chosen.step.host_outputs == NULL);
  chosen_clear(&chosen);
  rig_clear(&rig);
}

// A kernel of a device that reads an argument in advance wants it on the host.
TEST(choose, arguments_in_host_memory) {
  static const berth_kernel_t kernels[] = {{.op = "Tile"}, {.op = NULL}};
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  ASSERT_OK(berth_kernel_add(&fake_backend, kernels, &rig.err), &rig.err);
  berth_out_t x = rig_feed(&rig);
  berth_out_t counts = berth_placeholder(rig.graph, NULL, BERTH_INT32);
  berth_out_t tile =
      rig_op(&rig, "Tile", 0, (berth_out_t[]){x, counts}, 2, NULL, 0);
  choose(&rig, tile, &chosen);
  ASSERT_TRUE(chosen.step.kernel == &kernels[0] && !chosen.step.on_host);
  EXPECT_FALSE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 0));
  EXPECT_TRUE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 1));
  chosen_clear(&chosen);
  rig_clear(&rig);
}

// A Merge of a device says on the host which of its inputs was there.
TEST(choose, an_output_in_host_memory) {
  static const berth_kernel_t kernels[] = {{.op = "Merge"}, {.op = NULL}};
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  ASSERT_OK(berth_kernel_add(&fake_backend, kernels, &rig.err), &rig.err);
  berth_out_t x = rig_feed(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  const berth_out_t both[] = {x, x};
  berth_node_id_t merge = berth_merge(rig.graph, NULL, both, 2);
  berth_device_pop(rig.graph);
  choose(&rig, berth_output(merge, 0), &chosen);
  ASSERT_TRUE(chosen.step.kernel == &kernels[0] && !chosen.step.on_host);
  ASSERT_TRUE(chosen.step.host_outputs != NULL);
  EXPECT_FALSE(chosen.step.host_outputs[0]);
  EXPECT_TRUE(chosen.step.host_outputs[1]);
  chosen_clear(&chosen);
  rig_clear(&rig);
}

// One that looks at shapes alone is the host's, and its input stays where it
// is.
TEST(choose, shapes_are_looked_at_by_the_host) {
  static const berth_kernel_t kernels[] = {{.op = "Shape"}, {.op = NULL}};
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  ASSERT_OK(berth_kernel_add(&fake_host, kernels, &rig.err), &rig.err);
  choose(&rig, rig_one(&rig, "Shape", 0, rig_feed(&rig)), &chosen);
  EXPECT_TRUE(chosen.step.kernel == &kernels[0]);
  EXPECT_TRUE(chosen.step.on_host && chosen.choice.shapes_only);
  chosen_clear(&chosen);
  rig_clear(&rig);
}

// What the CPU hands on anywhere stays in the device's memory.
TEST(choose, the_cpu_hands_on_for_a_device) {
  static const berth_kernel_t kernels[] = {
      {.op = "IdentityN", .anywhere = BERTH_TYPES_ALL}, {.op = NULL}};
  rig_t rig;
  chosen_t chosen;
  rig_init(&rig);
  ASSERT_OK(berth_kernel_add(&fake_host, kernels, &rig.err), &rig.err);
  berth_out_t x = rig_feed(&rig);
  berth_device_push(rig.graph, "/gpu:0");
  const berth_out_t both[] = {x, x};
  berth_node_id_t node = berth_identity_n(rig.graph, NULL, both, 2);
  berth_device_pop(rig.graph);
  choose(&rig, berth_output(node, 0), &chosen);
  EXPECT_TRUE(chosen.step.kernel == &kernels[0]);
  EXPECT_FALSE(chosen.step.on_host);
  EXPECT_FALSE(
      berth_step_wants_on_host(&chosen.step, &chosen.choice, rig.graph, 1));
  chosen_clear(&chosen);
  rig_clear(&rig);
}
