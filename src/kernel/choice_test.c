// choice_test.c - Where a node runs: which kernel, on what memory.
#include "kernel/choice.h"

#include "base/str.h"
#include "berth/ops.h"
#include "graph/registration.h"
#include "harness.h"
#include "op/types.h"

static berth_code_t prepare_nothing(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  (void)prepare;
  (void)err;
  return BERTH_OK;
}

static const berth_stream_ops_t streams;
static const berth_backend_t cpu = {.type = "CPU"};
static const berth_backend_t gpu = {.type = "GPU", .streams = &streams};

static const berth_kernel_t of_cpu[] = {
    {.op = "AddV2", .prepare = prepare_nothing},
    {.op = "Shape", .prepare = prepare_nothing},
    {.op = "Neg", .prepare = prepare_nothing},
    {.op = "Placeholder", .prepare = prepare_nothing},
    {.op = NULL},
};
static const berth_kernel_t of_gpu[] = {
    {.op = "AddV2", .prepare = prepare_nothing},
    {.op = "Shape", .prepare = prepare_nothing},
    {.op = NULL},
};

// A graph with two placeholders of |type|, and what is asked about.
typedef struct world {
  berth_graph_t *graph;
  berth_out_t x, y;
} world_t;

static void world_init(world_t *world, berth_dtype_t type) {
  static bool is_filled = false;
  if (!is_filled && (berth_kernel_add(&cpu, of_cpu, NULL) != BERTH_OK ||
                     berth_kernel_add(&gpu, of_gpu, NULL) != BERTH_OK)) {
    HARNESS_FAIL("no kernels");
  }
  is_filled = true;
  world->graph = berth_graph_create();
  world->x = berth_placeholder(world->graph, "x", type);
  world->y = berth_placeholder(world->graph, "y", type);
}

static berth_choice_t choose(const world_t *world, const berth_backend_t *device,
                             berth_out_t out) {
  const berth_node_t *node = berth_graph_get(world->graph, out.node);
  return berth_kernel_choose(device, world->graph, node, NULL);
}

TEST(choice, takes_the_kernel_of_the_device) {
  world_t world;
  world_init(&world, BERTH_FLOAT);
  berth_out_t sum = berth_add_v2(world.graph, "sum", world.x, world.y);
  const berth_node_t *node = berth_graph_get(world.graph, sum.node);
  berth_choice_t on_cpu = choose(&world, &cpu, sum);
  EXPECT_TRUE(on_cpu.kernel == &of_cpu[0]);
  EXPECT_TRUE(on_cpu.on_host);
  EXPECT_TRUE(berth_choice_input_on_host(&on_cpu, world.graph, node, 0));
  berth_choice_t on_gpu = choose(&world, &gpu, sum);
  EXPECT_TRUE(on_gpu.kernel == &of_gpu[0]);
  EXPECT_FALSE(on_gpu.on_host);
  EXPECT_FALSE(berth_choice_input_on_host(&on_gpu, world.graph, node, 1));
  EXPECT_FALSE(berth_choice_output_on_host(&on_gpu, node, 0));
  berth_graph_release(world.graph);
}

// TensorFlow registers the sum of int32 for a GPU with all of it on the host.
TEST(choice, runs_on_the_host_what_lives_there) {
  world_t world;
  world_init(&world, BERTH_INT32);
  berth_out_t sum = berth_add_v2(world.graph, "sum", world.x, world.y);
  const berth_node_t *node = berth_graph_get(world.graph, sum.node);
  berth_choice_t choice = choose(&world, &gpu, sum);
  EXPECT_TRUE(choice.kernel == &of_cpu[0]);
  EXPECT_TRUE(choice.on_host);
  EXPECT_TRUE(berth_choice_input_on_host(&choice, world.graph, node, 0));
  EXPECT_TRUE(berth_choice_output_on_host(&choice, node, 0));
  berth_graph_release(world.graph);
}

TEST(choice, runs_on_the_host_what_looks_at_shapes_alone) {
  world_t world;
  world_init(&world, BERTH_FLOAT);
  berth_out_t shape = berth_shape_of(world.graph, "shape", world.x);
  berth_choice_t choice = choose(&world, &gpu, shape);
  EXPECT_TRUE(choice.kernel == &of_cpu[1]);
  EXPECT_TRUE(choice.shapes_only);
  EXPECT_TRUE(choice.on_host);
  berth_graph_release(world.graph);
}

TEST(choice, falls_back_where_any_device_will_do) {
  world_t world;
  world_init(&world, BERTH_FLOAT);
  berth_choice_t choice = choose(&world, &gpu, world.x);
  EXPECT_TRUE(choice.kernel == &of_cpu[3]);
  EXPECT_TRUE(choice.on_host);
  berth_graph_release(world.graph);
}

TEST(choice, has_none_where_the_device_has_none) {
  world_t world;
  berth_str_t why = {0};
  world_init(&world, BERTH_FLOAT);
  berth_out_t neg = berth_neg(world.graph, "neg", world.x);
  berth_choice_t choice = berth_kernel_choose(
      &gpu, world.graph, berth_graph_get(world.graph, neg.node), &why);
  EXPECT_TRUE(choice.kernel == NULL);
  EXPECT_STR(berth_str_get(&why), "no GPU kernel");
  berth_str_clear(&why);
  berth_graph_release(world.graph);
}
