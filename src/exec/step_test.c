// step_test.c - Plans of late steps.
#include "exec/step.h"

#include <pthread.h>

#include "base/clock.h"
#include "exec/exec_testing.h"
#include "exec/inputs.h"

enum { THREADS = 8, SHAPES = 6 };

static atomic_int prepared;

// Takes its time, so that several would do it at once if they could.
static berth_code_t count_and_prepare(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  atomic_fetch_add(&prepared, 1);
  berth_sleep_ns(2000000);
  return rig_prepare(prepare, err);
}

static const berth_kernel_t counting = {.op = "Neg",
                                        .prepare = count_and_prepare};

typedef struct crew {
  rig_t rig;
  berth_step_t step;
  int64_t size;
  pthread_barrier_t all_here;
} crew_t;

static berth_code_t call_once(crew_t *crew, int64_t size) {
  berth_tensor_t *input = NULL;
  berth_inputs_t in;
  BERTH_TRY(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(size), &input, NULL));
  memset(input->data, 0, input->size);
  berth_code_t code = berth_inputs_init(&in, &crew->step, NULL);
  if (code == BERTH_OK) {
    berth_inputs_set(&in, 0, input);
    berth_late_call_t call = berth_inputs_call(
        &in, &crew->step, crew->rig.devices, crew->rig.host.container, NULL);
    code = berth_step_call(&crew->step, &call, NULL);
    if (code == BERTH_OK) berth_tensor_release(in.outputs[0]);
    berth_inputs_deinit(&in);
  }
  berth_tensor_release(input);
  return code;
}

static void *call_together(void *arg) {
  crew_t *crew = arg;
  pthread_barrier_wait(&crew->all_here);
  EXPECT_EQ(call_once(crew, crew->size), BERTH_OK);
  return NULL;
}

// Threads that come with a new shape at the same time make one plan of it: the
// few that a step keeps are not used up.
TEST(step, a_plan_is_made_once) {
  static crew_t crew;
  rig_init(&crew.rig);
  berth_out_t out = rig_one(&crew.rig, "Neg", -1, rig_feed(&crew.rig));
  crew.step = (berth_step_t){.node = berth_graph_get(crew.rig.graph, out.node),
                             .kernel = &counting,
                             .input_count = 1,
                             .output_count = 1,
                             .blocker = -1,
                             .on_host = true};
  EXPECT_EQ(pthread_barrier_init(&crew.all_here, NULL, THREADS), 0);
  for (int i = 1; i <= SHAPES; ++i) {
    pthread_t threads[THREADS];
    crew.size = i;
    for (int k = 0; k < THREADS; ++k) {
      EXPECT_EQ(pthread_create(&threads[k], NULL, call_together, &crew), 0);
    }
    for (int k = 0; k < THREADS; ++k) pthread_join(threads[k], NULL);
    EXPECT_EQ(atomic_load(&prepared), i);
  }
  for (int i = 1; i <= SHAPES; ++i) EXPECT_EQ(call_once(&crew, i), BERTH_OK);
  EXPECT_EQ(atomic_load(&prepared), SHAPES);
  pthread_barrier_destroy(&crew.all_here);
  berth_step_deinit(&crew.step);
  rig_clear(&crew.rig);
}
