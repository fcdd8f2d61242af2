// idle_memory_test.c - Memory that only idle runs hold is there for others.
//
// A program keeps the arena of its last run for the next one. When memory gets
// short, whoever asks for it, that arena goes before anything is refused.
#include "guard_testing.h"

enum { LIMIT_MB = 64, ELEMENTS = 5 << 20 };  // 20 MiB, of which an arena has 2.

// sum(f * exp(f)) of ELEMENTS numbers that are all fed |p|.
static berth_out_t tower(berth_graph_t *graph, berth_out_t p) {
  int32_t count[] = {ELEMENTS}, axis[] = {0};
  berth_out_t f = berth_fill(graph, NULL, const_ints(graph, NULL, count, 1), p);
  berth_out_t e = berth_exp(graph, NULL, f);
  berth_out_t m = berth_mul(graph, NULL, f, e);
  return berth_sum(graph, NULL, m, const_ints(graph, NULL, axis, 1));
}

static berth_out_t scalar_hole(berth_graph_t *graph, const char *name) {
  berth_op_t *op = berth_op_begin(graph, "Placeholder", name);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SCALAR);
  return berth_output(berth_op_finish(op), 0);
}

typedef struct scene {
  rig_t rig;
  berth_out_t p[2], sum[2], v_init;
} scene_t;

static void scene_open(scene_t *scene) {
  simulate("Tesla K40c");
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(divide_card((float[]){LIMIT_MB}, 1, &err), &err);
  rig_init(&scene->rig);
  berth_graph_t *graph = scene->rig.graph;
  berth_device_push(graph, "/gpu:0");
  for (int i = 0; i < 2; ++i) {
    scene->p[i] = scalar_hole(graph, i == 0 ? "p" : "q");
    scene->sum[i] = tower(graph, scene->p[i]);
  }
  // As much as an arena, of a variable.
  int32_t count[] = {2 * ELEMENTS};
  berth_out_t zeros =
      berth_fill(graph, NULL, const_ints(graph, NULL, count, 1), scene->p[1]);
  berth_out_t v =
      berth_variable_v2(graph, "v", BERTH_SHAPE(2 * ELEMENTS), BERTH_FLOAT);
  scene->v_init = berth_assign(graph, "v_init", v, zeros);
  berth_device_pop(graph);
  ASSERT_OK(rig_open(&scene->rig, NULL), &scene->rig.err);
}

// Programs that fit one at a time run one after the other, over and over.
TEST(idle_memory, of_another_program) {
  scene_t scene;
  scene_open(&scene);
  for (int run = 0; run < 6; ++run) {
    double value =
        fetch_fed(&scene.rig, scene.sum[run % 2], scene.p[run % 2], scalar(0));
    EXPECT_EQ(value, 0);
    EXPECT_STR(berth_error_message(&scene.rig.err), "");
    berth_error_clear(&scene.rig.err);
  }
  rig_clear(&scene.rig);
}

// What a run hands out or stores is as large as the arena of another.
TEST(idle_memory, for_a_variable) {
  scene_t scene;
  scene_open(&scene);
  EXPECT_EQ(fetch_fed(&scene.rig, scene.sum[0], scene.p[0], scalar(0)), 0);
  berth_tensor_t *zero = scalar(0);
  EXPECT_EQ(run_fed(&scene.rig, scene.v_init.node, scene.p[1], zero), BERTH_OK);
  EXPECT_STR(berth_error_message(&scene.rig.err), "");
  berth_tensor_release(zero);
  rig_clear(&scene.rig);
}

// An eager call beside a session whose run is over.
TEST(idle_memory, for_an_eager_call) {
  scene_t scene;
  scene_open(&scene);
  EXPECT_EQ(fetch_fed(&scene.rig, scene.sum[0], scene.p[0], scalar(0)), 0);
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  int32_t size = 2 * ELEMENTS;
  berth_tensor_t *inputs[] = {tensor_of(BERTH_INT32, BERTH_SHAPE(1), &size),
                              scalar(3)};
  berth_tensor_t *filled = NULL;
  int count = 1;
  EXPECT_EQ(berth_eager_call(context, "Fill", "/gpu:0", inputs, 2, &filled,
                             &count, &err),
            BERTH_OK);
  EXPECT_STR(berth_error_message(&err), "");
  EXPECT_EQ(count_other(filled, 3), 0);
  berth_tensor_release(filled);
  berth_tensor_release(inputs[0]);
  berth_tensor_release(inputs[1]);
  berth_context_destroy(context);
  berth_error_clear(&err);
  rig_clear(&scene.rig);
}
