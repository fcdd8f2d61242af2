// order_test.c - Streams wait for each other wherever they share a value.
//
// A session makes the layouts; what they order is worked out anew here
// (order_testing.h). Leaving out any event of a plain program must show as a
// race, so the checker is known to see one.
#include "gpu/devices/gpu_testing.h"
#include "order_testing.h"
#include "runtime/session_internal.h"
#include "session/session_testing.h"

#if defined(__SANITIZE_THREAD__)
enum { SEEDS = 10 };
#else
enum { SEEDS = 40 };
#endif

enum { GPUS = 3, SMALL = 8, LARGE = 5000, MOST_NODES = 40 };

static const char machine[] = "Tesla K20m*3";

static const char *device_name(int device) {
  static const char *const names[] = {"/gpu:0", "/gpu:1", "/gpu:2", "/cpu:0"};
  return names[device % (GPUS + 1)];
}

// Returns the only layout of the program with the most steps.
static const berth_layout_t *find_layout(berth_session_t *session) {
  const berth_layout_t *found = NULL;
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry = atomic_load(&session->programs.buckets[i]);
    for (; entry != NULL; entry = entry->next) {
      berth_program_t *program = entry->program;
      if (found == NULL || program->step_count > found->program->step_count) {
        found = atomic_load(&program->layouts);
      }
    }
  }
  return found;
}

// ---- Programs ----

// A feed of |size| elements and what is made of it.
typedef struct chain {
  rig_t rig;
  berth_out_t x, last;
} chain_t;

static berth_out_t add_on(berth_graph_t *graph, int device, berth_out_t a,
                          berth_out_t b) {
  berth_device_push(graph, device_name(device));
  berth_out_t sum = berth_add_v2(graph, NULL, a, b);
  berth_device_pop(graph);
  return sum;
}

// Runs with |size| elements and returns one of the result.
static double chain_run(chain_t *chain, int64_t size) {
  berth_tensor_t *fed = ramp(size), *result = NULL;
  berth_feed_t feed = {chain->x, fed};
  berth_code_t code = berth_session_run(
      chain->rig.session, &feed, 1, &chain->last, 1, &result, &chain->rig.err);
  double value = (double)NAN;
  if (code == BERTH_OK) {
    value = element(result, berth_tensor_count(result) - 1);
  } else {
    HARNESS_FAIL("%s", berth_error_message(&chain->rig.err));
  }
  berth_tensor_release(result);
  berth_tensor_release(fed);
  return value;
}

// Every device adds the feed to what the one before has made.
static void chain_open(chain_t *chain, int length) {
  simulate(machine);
  rig_init(&chain->rig);
  chain->x = hole(chain->rig.graph, "x");
  chain->last = chain->x;
  for (int i = 0; i < length; ++i) {
    chain->last = add_on(chain->rig.graph, i, chain->last, chain->x);
  }
  ASSERT_OK(rig_open(&chain->rig, NULL), &chain->rig.err);
}

static void expect_ordered(int64_t size, int length) {
  chain_t chain;
  chain_open(&chain, length);
  EXPECT_EQ(chain_run(&chain, size), (double)(length + 1) * (double)(size - 1));
  const berth_layout_t *layout = find_layout(chain.rig.session);
  ASSERT_TRUE(layout != NULL && layout->lanes != NULL);
  order_t order = order_check(layout, NOTHING_LEFT_OUT);
  EXPECT_EQ(order.races, 0);
  EXPECT_TRUE(order.edges >= length);
  // Each of them is needed.
  EXPECT_TRUE(wait_count(layout) >= length - 1);
  EXPECT_EQ(count_caught(layout), wait_count(layout));
  rig_clear(&chain.rig);
}

TEST(gpu_order, large_values_along_a_chain) { expect_ordered(LARGE, 8); }

TEST(gpu_order, small_values_along_a_chain) { expect_ordered(SMALL, 8); }

// ---- Other names ----

static berth_out_t negate_on(berth_graph_t *graph, int device, berth_out_t x) {
  berth_device_push(graph, device_name(device));
  berth_out_t negative = berth_neg(graph, NULL, x);
  berth_device_pop(graph);
  return negative;
}

static berth_out_t rename_on(berth_graph_t *graph, int device, berth_out_t x) {
  berth_device_push(graph, device_name(device));
  berth_out_t same = berth_identity(graph, NULL, x);
  berth_device_pop(graph);
  return same;
}

// Negates on GPU:0, renames on |device| and, if |goes_on|, negates on GPU:1.
static void expect_renamed(int64_t size, int device, bool goes_on) {
  chain_t chain;
  simulate(machine);
  rig_init(&chain.rig);
  berth_graph_t *graph = chain.rig.graph;
  chain.x = hole(graph, "x");
  chain.last = rename_on(graph, device, negate_on(graph, 0, chain.x));
  if (goes_on) chain.last = negate_on(graph, 1, chain.last);
  ASSERT_OK(rig_open(&chain.rig, NULL), &chain.rig.err);
  EXPECT_EQ(chain_run(&chain, size), (goes_on ? 1 : -1) * (size - 1));
  const berth_layout_t *layout = find_layout(chain.rig.session);
  ASSERT_TRUE(layout != NULL && layout->lanes != NULL);
  EXPECT_EQ(order_check(layout, NOTHING_LEFT_OUT).races, 0);
  rig_clear(&chain.rig);
}

TEST(gpu_order, values_renamed_on_another_gpu) {
  expect_renamed(SMALL, 1, false);
  expect_renamed(LARGE, 1, false);
}

TEST(gpu_order, values_renamed_on_the_host) {
  expect_renamed(SMALL, GPUS, true);
  expect_renamed(LARGE, GPUS, true);
}

// ---- Random programs ----

static uint64_t random_state;

static int random_below(int limit) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695041U;
  return (int)((random_state >> 33) % (uint64_t)limit);
}

// One op on a device, both drawn at random: some write where they read, some
// only rename.
static berth_out_t random_op(berth_graph_t *graph, berth_out_t a,
                             berth_out_t b) {
  int32_t flat[] = {-1};
  berth_out_t out;
  berth_device_push(graph, device_name(random_below(GPUS + 1)));
  switch (random_below(7)) {
    case 0:
      out = berth_neg(graph, NULL, a);
      break;
    case 1:
      out = berth_reshape(graph, NULL, a, const_ints(graph, NULL, flat, 1));
      break;
    case 2:
      out = berth_identity(graph, NULL, a);
      break;
    case 3:  // One number for all elements.
      out =
          berth_max(graph, NULL, a, const_ints(graph, NULL, (int32_t[]){0}, 1));
      out = berth_add_v2(graph, NULL, out, b);
      break;
    case 4:  // Whole numbers stay on the host.
      out = berth_shape_of(graph, NULL, a);
      out = berth_cast(graph, NULL, out, BERTH_FLOAT);
      out = berth_add_v2(graph, NULL, a, out);
      break;
    default:
      out = berth_add_v2(graph, NULL, a, b);
  }
  berth_device_pop(graph);
  return out;
}

// What is made of earlier values drawn at random; all of it is used.
static berth_out_t random_graph(berth_graph_t *graph, berth_out_t x,
                                int nodes) {
  berth_out_t values[MOST_NODES + 1] = {x};
  berth_out_t sum = x;
  for (int i = 1; i <= nodes; ++i) {
    values[i] =
        random_op(graph, values[random_below(i)], values[random_below(i)]);
  }
  for (int i = 1; i <= nodes; ++i) {
    sum = add_on(graph, random_below(GPUS + 1), sum, values[i]);
  }
  return sum;
}

// What the same graph gives on the CPU.
static double expected_of(berth_graph_t *graph, berth_out_t x, berth_out_t last,
                          int64_t size) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_count = 0;
  config.allow_soft_placement = true;
  chain_t chain = {.rig = {.graph = graph}, .x = x, .last = last};
  double value = (double)NAN;
  if (rig_open(&chain.rig, &config) == BERTH_OK) {
    value = chain_run(&chain, size);
  }
  berth_session_destroy(chain.rig.session);
  berth_error_clear(&chain.rig.err);
  return value;
}

typedef struct totals {
  int edges, waits, caught;
} totals_t;

// Checks every layout of the program.
static void check_layouts(const berth_layout_t *layout, totals_t *totals) {
  for (; layout != NULL; layout = atomic_load(&layout->next)) {
    ASSERT_TRUE(layout->lanes != NULL);
    order_t order = order_check(layout, NOTHING_LEFT_OUT);
    EXPECT_EQ(order.races, 0);
    totals->edges += order.edges;
    totals->waits += wait_count(layout);
    totals->caught += count_caught(layout);
  }
}

static void try_random(int nodes, totals_t *totals) {
  static const int64_t sizes[] = {SMALL, LARGE, SMALL, LARGE, SMALL};
  chain_t chain;
  rig_init(&chain.rig);
  chain.x = hole(chain.rig.graph, "x");
  chain.last = random_graph(chain.rig.graph, chain.x, nodes);
  ASSERT_OK(rig_open(&chain.rig, NULL), &chain.rig.err);
  for (int i = 0; i < 5; ++i) {
    double wanted = expected_of(chain.rig.graph, chain.x, chain.last, sizes[i]);
    EXPECT_NEAR(chain_run(&chain, sizes[i]), wanted, 0);
  }
  check_layouts(find_layout(chain.rig.session), totals);
  rig_clear(&chain.rig);
}

TEST(gpu_order, random_programs) {
  totals_t totals = {0};
  simulate(machine);
  for (int seed = 1; seed <= SEEDS && harness_failures == 0; ++seed) {
    random_state = (uint64_t)seed;
    int nodes = 5 + random_below(MOST_NODES - 5);
    try_random(nodes, &totals);
  }
  printf("%d values between streams, %d waits, %d needed\n", totals.edges,
         totals.waits, totals.caught);
  // Some are implied by others; most are not.
  EXPECT_TRUE(totals.caught > totals.waits / 2);
}
