// random.c - Random work on several threads, through every door, on three
// GPUs and the CPU; every value is known exactly. With BERTH_TEST_GPU=1 the
// machine's own card is divided into three.
//
//   random_random [--minutes N] [--seed N] [--threads N] [NAME]
//
// A value is a matrix whose elements are all the same whole number, so it is
// known what each call makes of it, and bytes that somebody else has written,
// or nobody yet, are seen. Threads keep a few values each, look at them late or
// never, and drop them while they are still computed.
#include <unistd.h>

// The harness's main() gets what is left of the arguments.
int harness_main(int argc, char **argv);
#define main harness_main
#include "guard/guard_testing.h"
#undef main
#include "cancel/cancel_testing.h"
#include "doors.h"
#include "recorder.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { MOST_ROWS = 120, COLS = 64, DEFAULT_SECONDS = 6 };
#else
enum { MOST_ROWS = 700, COLS = 128, DEFAULT_SECONDS = 5 };
#endif

enum { KEPT = 12, MOST_THREADS = 8, GPUS = 3, MOST = 1 << 18 };

static double seconds = DEFAULT_SECONDS;
static uint64_t seed = 1;
static int threads = 0;  // 0: the seed says.

static const char *const eager_devices[] = {"/gpu:0", "/gpu:1", "/gpu:2",
                                            "/cpu:0"};
static const char *const names[] = {"GPU:0", "GPU:1", "GPU:2", "CPU:0"};

// What all threads share.
typedef struct world {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_session_t *calls, *session;  // The context's, and one of its own.
  doors_t doors;
  state_t v;
  berth_node_id_t v_init, v_add;
  berth_tensor_t *ones;  // Of the variable's shape.
  atomic_int adds[2];  // To the variable of |session|, and to that of |calls|.
  int64_t end_ns;
  atomic_bool has_failed;
  atomic_llong steps;
} world_t;

// A matrix of |rows| by COLS, all |value|.
typedef struct kept {
  berth_tensor_t *tensor;
  int64_t rows;
  float value;
} kept_t;

typedef struct hand {
  world_t *world;
  dice_t dice;
  int number;
  kept_t kept[KEPT];
  berth_tensor_t *unit;  // COLS by COLS, all one.
  berth_error_t err;
  pthread_t thread;
} hand_t;

// ---- Values ----

static bool hand_fail(hand_t *hand, const char *what) {
  HARNESS_FAIL("seed %llu, thread %d: %s: %s", (unsigned long long)seed,
               hand->number, what, berth_error_message(&hand->err));
  atomic_store(&hand->world->has_failed, true);
  berth_error_clear(&hand->err);
  return false;
}

static void hand_check(hand_t *hand, const kept_t *kept, const char *what) {
  int64_t other = count_other(kept->tensor, kept->value);
  if (other == 0 &&
      berth_tensor_count(kept->tensor) == kept->rows * (int64_t)COLS) {
    return;
  }
  HARNESS_FAIL("seed %llu, thread %d: %s: %lld of %lld are not %g",
               (unsigned long long)seed, hand->number, what, (long long)other,
               (long long)(kept->rows * COLS), (double)kept->value);
  atomic_store(&hand->world->has_failed, true);
}

// Puts a value in the place of another one, which is looked at or not.
static void hand_keep(hand_t *hand, berth_tensor_t *tensor, int64_t rows,
                      float value) {
  kept_t *place = &hand->kept[dice_below(&hand->dice, KEPT)];
  if (place->tensor != NULL && dice_below(&hand->dice, 3) == 0) {
    hand_check(hand, place, "a value that is dropped");
  }
  berth_tensor_release(place->tensor);
  *place = (kept_t){tensor, rows, value};
  bool fits = value < MOST && value > -MOST;
  if (!fits || dice_below(&hand->dice, 6) == 0) {
    berth_tensor_release(place->tensor);
    place->tensor = NULL;
  }
}

// Returns a value that there is, or makes one.
static kept_t *hand_pick(hand_t *hand) {
  kept_t *place = &hand->kept[dice_below(&hand->dice, KEPT)];
  if (place->tensor == NULL) {
    int64_t rows = 1 + dice_below(&hand->dice, MOST_ROWS);
    float value = (float)(dice_below(&hand->dice, 9) - 4);
    *place = (kept_t){full(BERTH_SHAPE(rows, COLS), value), rows, value};
  }
  return place;
}

// ---- What a thread does ----

static berth_tensor_t *eager(hand_t *hand, const char *op, berth_tensor_t *a,
                             berth_tensor_t *b) {
  berth_tensor_t *inputs[] = {a, b}, *output = NULL;
  int count = 1;
  const char *device = eager_devices[dice_below(&hand->dice, GPUS + 1)];
  if (berth_eager_call(hand->world->context, op, device, inputs,
                       b != NULL ? 2 : 1, &output, &count,
                       &hand->err) != BERTH_OK) {
    hand_fail(hand, op);
  }
  return output;
}

static void do_eager(hand_t *hand) {
  kept_t a = *hand_pick(hand);
  berth_tensor_retain(a.tensor);
  berth_tensor_t *made = NULL;
  float value = 0;
  switch (dice_below(&hand->dice, 5)) {
    case 0:
      made = eager(hand, "AddV2", a.tensor, a.tensor);
      value = a.value + a.value;
      break;
    case 1:
      made = eager(hand, "Mul", a.tensor, a.tensor);
      value = a.value * a.value;
      break;
    case 2:
      made = eager(hand, "Neg", a.tensor, NULL);
      value = -a.value;
      break;
    case 3:
      made = eager(hand, "OnesLike", a.tensor, NULL);
      value = 1;
      break;
    default:
      made = eager(hand, "MatMul", a.tensor, hand->unit);
      value = a.value * COLS;
      break;
  }
  berth_tensor_release(a.tensor);
  if (made != NULL) hand_keep(hand, made, a.rows, value);
}

static void do_copy(hand_t *hand) {
  kept_t a = *hand_pick(hand);
  berth_tensor_t *there = NULL;
  berth_tensor_retain(a.tensor);
  if (berth_eager_copy(hand->world->context, a.tensor,
                       names[dice_below(&hand->dice, GPUS + 1)], &there,
                       &hand->err) != BERTH_OK) {
    hand_fail(hand, "copy");
  }
  berth_tensor_release(a.tensor);
  if (there != NULL) hand_keep(hand, there, a.rows, a.value);
}

// What can be fetched, and what it is made of v.
typedef struct part {
  berth_out_t out;
  float value;
  int64_t count;  // Of elements; 0: as many as are fed.
} part_t;

enum { PARTS = 11 };

static void parts_list(const doors_t *doors, float v, part_t *parts) {
  const part_t all[PARTS] = {
      {doors->twice, 2 * v, 0},
      {doors->across, 2 * v * v, 0},
      {doors->third, 3 * v, 0},
      {doors->joined, -2 * v * v, 0},
      {doors->home, -2 * v, 0},
      {doors->moved, 2 * v, 0},
      {doors->branched, -4 * v * v, 0},
      {doors->turned, 4 * v * v, 0},
      {doors->looped, -2 * v, 0},
      {doors->sliced, -v, SLICED},
      {doors->settled, SETTLED_SIDE, (int64_t)SETTLED_SIDE * SETTLED_SIDE}};
  memcpy(parts, all, sizeof(all));
}

// Keeps what is a matrix, and looks at the rest.
static void part_take(hand_t *hand, const part_t *part, berth_tensor_t *result,
                      int64_t rows) {
  if (result == NULL) return;
  if (part->count == 0) {
    hand_keep(hand, result, rows, part->value);
    return;
  }
  if (berth_tensor_count(result) != part->count ||
      count_other(result, part->value) != 0) {
    hand_fail(hand, "a part of other size");
  }
  berth_tensor_release(result);
}

// Runs parts of the graph, as a function or in a session, with a value of any
// device.
static void do_run(hand_t *hand) {
  enum { MOST_PARTS = 3 };
  world_t *world = hand->world;
  kept_t a = *hand_pick(hand);
  bool is_call = dice_below(&hand->dice, 2) == 0;
  part_t parts[PARTS];
  berth_out_t outs[MOST_PARTS];
  berth_tensor_t *results[MOST_PARTS] = {NULL};
  parts_list(&world->doors, a.value, parts);
  berth_tensor_retain(a.tensor);
  berth_feed_t feed = {world->doors.x, a.tensor};
  int first = dice_below(&hand->dice, PARTS);
  int count = 1 + dice_below(&hand->dice, MOST_PARTS);
  for (int i = 0; i < count; ++i) outs[i] = parts[(first + i) % PARTS].out;
  if (berth_session_run(is_call ? world->calls : world->session, &feed, 1, outs,
                        count, results, &hand->err) != BERTH_OK) {
    hand_fail(hand, is_call ? "call" : "run");
  }
  berth_tensor_release(a.tensor);
  for (int i = 0; i < count; ++i) {
    part_take(hand, &parts[(first + i) % PARTS], results[i], a.rows);
  }
}

// Looks at a variable from another GPU and gives it another value behind that,
// or, where it is a reference, before.
static void do_replace(hand_t *hand) {
  world_t *world = hand->world;
  bool is_ref = dice_below(&hand->dice, 2) == 0;
  kept_t a = *hand_pick(hand);
  berth_tensor_retain(a.tensor);
  berth_feed_t feed = {world->doors.x, a.tensor};
  berth_tensor_t *seen[2] = {NULL};
  berth_out_t outs[] = {is_ref ? world->doors.told : world->doors.seen,
                        world->doors.behind};
  if (berth_session_run(world->session, &feed, 1, outs, is_ref ? 1 : 2, seen,
                        &hand->err) != BERTH_OK) {
    hand_fail(hand, "replace");
  } else {
    // Whatever it was, it was the same everywhere.
    kept_t whole = {seen[0], berth_tensor_count(seen[0]) / COLS,
                    (float)element(seen[0], 0)};
    hand_check(hand, &whole, "a variable that is replaced");
  }
  berth_tensor_release(seen[0]);
  berth_tensor_release(a.tensor);
  if (seen[1] != NULL) hand_keep(hand, seen[1], a.rows, a.value);
}

// Adds one to a variable, and now and then keeps its value, which is the same
// everywhere and stays as it is.
static void do_update(hand_t *hand) {
  world_t *world = hand->world;
  bool is_call = dice_below(&hand->dice, 2) == 0;
  berth_session_t *session = is_call ? world->calls : world->session;
  berth_feed_t feed = {world->doors.x, world->ones};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = &world->v_add,
                     .target_count = 1};
  if (berth_session_run_with(session, &run, &hand->err) != BERTH_OK) {
    hand_fail(hand, "update");
  }
  atomic_fetch_add(&world->adds[is_call], 1);
  if (dice_below(&hand->dice, 4) != 0) return;
  berth_tensor_t *value = NULL, *host = NULL;
  if (berth_session_run(session, NULL, 0, &world->v.read, 1, &value,
                        &hand->err) != BERTH_OK ||
      berth_tensor_to_host(value, &host, &hand->err) != BERTH_OK) {
    hand_fail(hand, "read");
    berth_tensor_release(value);
    return;
  }
  kept_t whole = {value, MOST_ROWS, (float)element(host, 0)};
  berth_tensor_release(host);
  hand_check(hand, &whole, "the variable");
  hand_keep(hand, value, MOST_ROWS, whole.value);
}

static void do_release(hand_t *hand) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_device_release_memory(names[dice_below(&hand->dice, GPUS)], &err) !=
          BERTH_OK &&
      err.code != BERTH_FAILED_PRECONDITION) {
    hand->err = err;
    hand_fail(hand, "release");
    return;
  }
  berth_error_clear(&err);
}

static void hand_step(hand_t *hand) {
  int face = dice_below(&hand->dice, 100);
  if (face < 45) {
    do_eager(hand);
  } else if (face < 60) {
    do_copy(hand);
  } else if (face < 85) {
    do_run(hand);
  } else if (face < 89) {
    do_replace(hand);
  } else if (face < 95) {
    do_update(hand);
  } else if (face < 99) {
    kept_t *kept = hand_pick(hand);
    hand_check(hand, kept, "a value");
  } else {
    do_release(hand);
  }
}

static void *hand_main(void *arg) {
  hand_t *hand = arg;
  hand->unit = full(BERTH_SHAPE(COLS, COLS), 1);
  while (now_ns() < hand->world->end_ns &&
         !atomic_load(&hand->world->has_failed)) {
    hand_step(hand);
    atomic_fetch_add(&hand->world->steps, 1);
  }
  for (int i = 0; i < KEPT; ++i) {
    if (hand->kept[i].tensor != NULL) {
      hand_check(hand, &hand->kept[i], "a value at the end");
    }
    berth_tensor_release(hand->kept[i].tensor);
  }
  berth_tensor_release(hand->unit);
  return NULL;
}

// ---- The world ----

static void world_open(world_t *world) {
  berth_config_t config;
  berth_error_t err = BERTH_ERROR_INIT;
  cards_config(&config);
  *world = (world_t){.graph = berth_graph_create()};
  berth_graph_t *graph = world->graph;
  doors_build(graph, &world->doors);
  world->v =
      state_add(graph, "v", "/gpu:2", false, BERTH_SHAPE(MOST_ROWS, COLS));
  world->v_init = change_add(graph, &world->v, "Assign", world->doors.x);
  world->v_add = change_add(graph, &world->v, "AssignAdd", world->doors.x);
  ASSERT_OK(berth_context_create(&config, &world->context, &err), &err);
  ASSERT_OK(berth_context_session(world->context, graph, &world->calls, &err),
            &err);
  ASSERT_OK(berth_session_create(graph, &config, &world->session, &err), &err);
  berth_config_clear(&config);
  world->ones = full(BERTH_SHAPE(MOST_ROWS, COLS), 1);
  berth_tensor_t *zeros = full(BERTH_SHAPE(MOST_ROWS, COLS), 0);
  rig_t rig = {.graph = graph, .session = world->calls};
  ASSERT_OK(run_fed(&rig, world->v_init, world->doors.x, zeros), &rig.err);
  rig.session = world->session;
  ASSERT_OK(run_fed(&rig, world->v_init, world->doors.x, zeros), &rig.err);
  ASSERT_OK(run_fed(&rig, world->doors.w_init, world->doors.x, zeros),
            &rig.err);
  berth_tensor_release(zeros);
}

// The variables have counted every update.
static void world_close(world_t *world) {
  for (int i = 0; i < 2; ++i) {
    rig_t rig = {.graph = world->graph,
                 .session = i == 0 ? world->session : world->calls};
    berth_tensor_t *value = fetch_tensor(&rig, world->v.read);
    EXPECT_EQ(count_other(value, (float)atomic_load(&world->adds[i])), 0);
    berth_tensor_release(value);
    berth_error_clear(&rig.err);
  }
  berth_tensor_release(world->ones);
  berth_session_destroy(world->calls);
  berth_session_destroy(world->session);
  berth_graph_release(world->graph);
  berth_context_destroy(world->context);
}

static void play(bool is_stressed, bool is_recorded) {
  char number[32];
  snprintf(number, sizeof(number), "%llu", (unsigned long long)seed);
  if ((is_stressed || is_recorded) && getenv("BERTH_TEST_GPU") != NULL) {
    SKIP("for simulated cards alone");
  }
  if (is_stressed) setenv("BERTH_SOFTGPU_STRESS", number, 1);
  take_cards("Tesla K20m*3", 3);
  if (is_recorded) recorder_start();
  world_t world;
  world_open(&world);
  static hand_t hands[MOST_THREADS];
  dice_t dice = {seed};
  int count = threads > 0 ? threads : 1 + dice_below(&dice, MOST_THREADS);
  world.end_ns = now_ns() + (int64_t)(seconds * 1e9);
  for (int i = 0; i < count; ++i) {
    hands[i] = (hand_t){
        .world = &world, .number = i, .dice = {seed * 1000 + (uint64_t)i}};
    if (pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]) != 0) {
      HARNESS_FAIL("no thread");
      exit(1);
    }
  }
  for (int i = 0; i < count; ++i) pthread_join(hands[i].thread, NULL);
  printf("%d threads, %lld steps\n", count, atomic_load(&world.steps));
  world_close(&world);
  if (!is_recorded) return;
  printf("%lld works, %lld waits, %lld buffers used again: %lld races\n",
         (long long)recorder.works, (long long)recorder.orders,
         (long long)recorder.reuses, (long long)recorder.races);
  EXPECT_EQ(recorder.races, 0);
}

TEST(random, programs) { play(false, false); }

TEST(random, programs_under_stress) { play(true, false); }

TEST(random, order) {
#if defined(__SANITIZE_THREAD__)
  SKIP("the thread sanitizer sees this itself");
#endif
  play(false, true);
}

TEST(random, order_of_one_thread) {
#if defined(__SANITIZE_THREAD__)
  SKIP("the thread sanitizer sees this itself");
#endif
  threads = 1;
  play(true, true);
}

int main(int argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--minutes") == 0 && has_value) {
      seconds = strtod(argv[++i], NULL) * 60 / 4;  // For each of four.
    } else if (strcmp(argv[i], "--seed") == 0 && has_value) {
      seed = strtoull(argv[++i], NULL, 10);
    } else if (strcmp(argv[i], "--threads") == 0 && has_value) {
      threads = (int)strtol(argv[++i], NULL, 10);
      threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argv[kept] = NULL;
  printf("seed %llu\n", (unsigned long long)seed);
  return harness_main(kept, argv);
}
