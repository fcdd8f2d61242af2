// layout_test.c - A program gets one layout for each shape, and one that was
// made too early does not stay.
//
// Results are right without layouts, only many times as slow; so the layouts
// are counted here.
#include <semaphore.h>

#include "guard_testing.h"
#include "runtime/session_internal.h"
#include "threads/threads_testing.h"

#include "exec/layout.h"

enum { ADDS = 400, SHAPES = 6 };

// Returns the program with the most steps.
static berth_program_t *largest_program(berth_session_t *session) {
  berth_program_t *found = NULL;
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry = atomic_load(&session->programs.buckets[i]);
    for (; entry != NULL; entry = entry->next) {
      if (found == NULL || entry->program->step_count > found->step_count) {
        found = entry->program;
      }
    }
  }
  return found;
}

static int count_layouts(const berth_program_t *program) {
  int count = 0;
  const berth_layout_t *layout = atomic_load(&program->layouts);
  for (; layout != NULL; layout = layout->next) ++count;
  return count;
}

static berth_out_t add_often(berth_graph_t *graph, berth_out_t x) {
  berth_out_t y = x;
  for (int i = 0; i < ADDS; ++i) {
    y = berth_add_v2(graph, NULL, i % 2 == 0 ? x : y, x);
  }
  return y;
}

// ---- Threads ----

typedef struct scene {
  rig_t rig;
  berth_out_t x, y;
  int64_t size;
  atomic_int begun;  // Threads that are about to run.
} scene_t;

static void run_once(worker_t *worker) {
  scene_t *scene = worker->shared;
  atomic_fetch_add(&scene->begun, 1);
  double value =
      fetch_alone(&scene->rig, scene->y, scene->x, ramp(scene->size));
  EXPECT_EQ(value, 0);
}

// Lets a crew run with a new shape, all of whom find no layout for it: whoever
// looks for one cannot make it before all have looked.
static void run_together(scene_t *scene, berth_program_t *program) {
  crew_t crew;
  atomic_store(&scene->begun, 0);
  berth_mutex_lock(&program->lock);
  crew_start(&crew, run_once, scene);
  while (atomic_load(&scene->begun) < CREW) sleep_ms(1);
  sleep_ms(20);
  berth_mutex_unlock(&program->lock);
  crew_join(&crew);
}

// Threads that all come with a new shape at the same time get one layout.
TEST(layout, of_a_shape_is_made_once) {
  scene_t scene;
  rig_init(&scene.rig);
  scene.x = hole(scene.rig.graph, "x");
  scene.y = add_often(scene.rig.graph, scene.x);
  ASSERT_OK(rig_open(&scene.rig, NULL), &scene.rig.err);
  EXPECT_EQ(fetch_fed(&scene.rig, scene.y, scene.x, ramp(1)), 0);
  berth_program_t *program = largest_program(scene.rig.session);
  EXPECT_EQ(count_layouts(program), 1);
  for (int i = 1; i < SHAPES; ++i) {
    scene.size = i + 1;
    run_together(&scene, program);
    EXPECT_EQ(count_layouts(program), i + 1);
  }
  rig_clear(&scene.rig);
}

// ---- Variables ----

// True when the newest layout of |program| prepares all steps in advance.
static bool is_planned(const berth_program_t *program) {
  const berth_layout_t *layout = atomic_load(&program->layouts);
  return layout != NULL && !layout->has_late &&
         !atomic_load(&((berth_layout_t *)(uintptr_t)layout)->is_stale);
}

// A run before the variable has a value fails; later ones are planned.
TEST(layout, made_before_a_variable_is_made_anew) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  state_t v = state_add(rig.graph, "v", NULL, false, BERTH_SHAPE(8));
  berth_node_id_t init = change_add(rig.graph, &v, "Assign", x);
  berth_out_t y = add_often(rig.graph, v.read);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, y)));
  EXPECT_EQ(rig.err.code, BERTH_FAILED_PRECONDITION);
  berth_error_clear(&rig.err);
  berth_tensor_t *fed = ramp(8);
  ASSERT_OK(run_fed(&rig, init, x, fed), &rig.err);
  berth_tensor_release(fed);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fetch(&rig, y), 0);
  EXPECT_TRUE(is_planned(largest_program(rig.session)));
  rig_clear(&rig);
}

// A variable that changes its shape again and again stays planned: what the
// layouts of its earlier shapes leave behind is not in the way.
TEST(layout, of_a_variable_with_many_shapes) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_op_t *op = berth_op_begin(rig.graph, "VarHandleOp", "v");
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", (berth_dims_t){-1, NULL});
  berth_out_t handle = berth_output(berth_op_finish(op), 0);
  state_t v = {.handle = handle};
  op = op_on(rig.graph, "ReadVariableOp", NULL, handle, NO_INPUT);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  v.read = berth_output(berth_op_finish(op), 0);
  berth_node_id_t set = change_add(rig.graph, &v, "Assign", x);
  berth_out_t y = add_often(rig.graph, v.read);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int size = 1; size < 2 * BERTH_MAX_LAYOUTS + 3; ++size) {
    berth_tensor_t *fed = ramp(size);
    ASSERT_OK(run_fed(&rig, set, x, fed), &rig.err);
    berth_tensor_release(fed);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(fetch(&rig, y), 0);
    EXPECT_TRUE(is_planned(largest_program(rig.session)));
    // None of the others is left, nor its memory.
    EXPECT_EQ(count_layouts(largest_program(rig.session)), 1);
  }
  rig_clear(&rig);
}

// ---- Runs that are under way ----

static sem_t may_go_on;
static atomic_bool is_inside;

// Holds up a run of one element; others go on.
static void hold_up(berth_host_call_t *call, void *arg) {
  (void)arg;
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  if (berth_tensor_count(input) == 1) {
    atomic_store(&is_inside, true);
    while (sem_wait(&may_go_on) != 0) continue;
  }
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

static void *run_held_up(void *arg) {
  scene_t *scene = arg;
  EXPECT_EQ(fetch_alone(&scene->rig, scene->y, scene->x, ramp(1)), 0);
  return NULL;
}

// A layout that makes room for others stays while a run uses it.
TEST(layout, stays_while_a_run_uses_it) {
  static const berth_dtype_t types[] = {BERTH_FLOAT};
  scene_t scene;
  pthread_t thread;
  rig_init(&scene.rig);
  sem_init(&may_go_on, 0, 0);
  ASSERT_OK(berth_host_register("hold", hold_up, NULL, &scene.rig.err),
            &scene.rig.err);
  scene.x = hole(scene.rig.graph, "x");
  berth_op_t *op = berth_op_begin(scene.rig.graph, "BerthCallback", NULL);
  berth_op_input_list(op, &scene.x, 1);
  berth_op_attr_string(op, "token", "hold", 4);
  berth_op_attr_types(op, "Tin", types, 1);
  berth_op_attr_types(op, "Tout", types, 1);
  berth_out_t called = berth_output(berth_op_finish(op), 0);
  berth_control_push(scene.rig.graph, &called.node, 1);
  scene.y = add_often(scene.rig.graph, scene.x);
  berth_control_pop(scene.rig.graph);
  ASSERT_OK(rig_open(&scene.rig, NULL), &scene.rig.err);
  ASSERT_TRUE(pthread_create(&thread, NULL, run_held_up, &scene) == 0);
  while (!atomic_load(&is_inside)) sleep_ms(1);
  for (int size = 2; size < 2 * BERTH_MAX_LAYOUTS; ++size) {
    EXPECT_EQ(fetch_fed(&scene.rig, scene.y, scene.x, ramp(size)), 0);
  }
  sem_post(&may_go_on);
  pthread_join(thread, NULL);
  rig_clear(&scene.rig);
  sem_destroy(&may_go_on);
}
