// fault_test.c - Every call of the driver and of NVML fails once.
//
// A scenario uses all that the backend can do. It is run with the first, second
// … call of each symbol failing, each time in a process of its own, which then
// tries again without a fault. Nothing may crash, hang or leak, and the second
// try must succeed unless the driver could not be started at all.
#define TESTING_OWN_IMAGE
#include <signal.h>

#include "cuda/card/card.h"
#include "cuda/cuda_testing.h"
#include "cuda/stream/device_internal.h"

enum {
  // Of one symbol; later ones are like those before.
  MOST_CALLS = BERTH_TSAN ? 2 : 6,
  SECONDS = 120,
  SIZE = 256 << 10,  // Enough to be staged.
};

static const char *const symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/driver_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/nvml_symbols.inc"
};

// What a scenario has; zeroed is nothing.
typedef struct scene {
  berth_device_t *first, *second;
  berth_buffer_t *a, *b, *pinned, *plain;
  berth_event_t *event;
  berth_recording_t *recording;
  berth_device_t *third;
  char *host;
} scene_t;

static void leave(scene_t *scene) {
  const berth_stream_ops_t *ops = berth_cuda_backend.streams;
  ops->event_destroy(scene->event);
  ops->recording_destroy(scene->recording);
  berth_buffer_release(scene->a);
  berth_buffer_release(scene->b);
  berth_buffer_release(scene->pinned);
  berth_buffer_release(scene->plain);
  berth_device_release(scene->first);
  berth_device_release(scene->second);
  berth_device_release(scene->third);
  berth_free(scene->host);
}

static berth_code_t open_device(int card, int id, berth_card_source_t source,
                                berth_device_t **out, berth_error_t *err) {
  berth_device_wish_t wish = testing_wish(card, 64 * MIB);
  wish.id = id;
  wish.source = source;
  BERTH_TRY(berth_cuda_device_open(&wish, TESTING_PREFIX, out, err));
  return berth_device_start(*out, err);
}

static berth_code_t enter(scene_t *scene, berth_error_t *err) {
  int count = 0;
  uint64_t free_bytes = 0, total_bytes = 0;
  berth_card_process_t processes[4];
  BERTH_TRY(berth_cuda_cards_count(&count, err));
  if (count < 2) return berth_error_set(err, BERTH_NOT_FOUND, "no cards");
  BERTH_TRY(berth_cuda_card_memory(0, &free_bytes, &total_bytes, err));
  // Without NVML nobody knows.
  if (berth_cuda_card_processes(0, processes, 4, &count, err) != BERTH_OK) {
    berth_error_clear(err);
  }
  (void)berth_cuda_cards_api_version();
  (void)berth_cuda_cards_driver_version();
  BERTH_TRY(open_device(0, 0, BERTH_CARD_MAPPED, &scene->first, err));
  BERTH_TRY(open_device(1, 1, BERTH_CARD_MAPPED, &scene->second, err));
  BERTH_TRY(open_device(0, 2, BERTH_CARD_UNIFIED, &scene->third, err));
  scene->host = berth_calloc(1, SIZE);
  return scene->host != NULL ? BERTH_OK : berth_error_no_memory(err, "bytes");
}

static berth_code_t take(berth_allocator_t *allocator, size_t size,
                         berth_buffer_t **out, berth_error_t *err) {
  return allocator->alloc(allocator, size, out, err);
}

static berth_code_t record(scene_t *scene, berth_error_t *err) {
  const berth_stream_ops_t *ops = berth_cuda_backend.streams;
  berth_stream_t *stream = NULL;
  float *a = scene->a->data;
  BERTH_TRY(ops->record_begin(scene->first, &stream, err));
  berth_code_t code = testing_launch_add(stream, a, a, a + 8, 8, err);
  const berth_near_copy_t none = {a + 16, a + 8, sizeof(*a)};
  if (code == BERTH_OK) code = ops->copy_near(stream, &none, 1, err);
  berth_code_t end =
      ops->record_end(stream, code == BERTH_OK ? &scene->recording : NULL,
                      code == BERTH_OK ? err : NULL);
  return code == BERTH_OK ? end : code;
}

// Copies in, adds, replays, copies to the other card and out again.
static berth_code_t compute(scene_t *scene, berth_error_t *err) {
  const berth_stream_ops_t *ops = berth_cuda_backend.streams;
  berth_device_t *first = scene->first, *second = scene->second;
  berth_stream_t *lane = testing_lane(first, BERTH_LANE_COMPUTE);
  berth_stream_t *in = testing_lane(first, BERTH_LANE_IN);
  berth_stream_t *out = testing_lane(second, BERTH_LANE_OUT);
  float *a = scene->a->data;
  ((float *)scene->host)[0] = 1.0f;
  ((float *)scene->host)[8] = 2.0f;
  BERTH_TRY(ops->copy(in, first, a, NULL, scene->host, SIZE, err));
  BERTH_TRY(ops->record(in, scene->event, err));
  BERTH_TRY(ops->wait(lane, scene->event, err));
  BERTH_TRY(testing_launch_add(lane, a, a, a + 8, 8, err));
  const berth_near_copy_t moved = {a + 17, a + 8, sizeof(*a)};
  BERTH_TRY(ops->replay(lane, scene->recording, &moved, 1, err));
  BERTH_TRY(ops->copy(lane, second, scene->b->data, first, a, SIZE, err));
  BERTH_TRY(ops->record(lane, scene->event, err));
  BERTH_TRY(ops->event_sync(scene->event, err));
  memset(scene->host, 0, SIZE);
  BERTH_TRY(
      ops->copy(out, NULL, scene->host, second, scene->b->data, SIZE, err));
  BERTH_TRY(ops->sync(out, err));
  if (((float *)scene->host)[0] == 5.0f) return BERTH_OK;
  return berth_error_set(err, BERTH_DATA_LOSS, "wrong result");
}

static berth_code_t play(scene_t *scene, berth_error_t *err) {
  BERTH_TRY(enter(scene, err));
  BERTH_TRY(take(scene->first->allocator, SIZE, &scene->a, err));
  BERTH_TRY(take(scene->second->allocator, SIZE, &scene->b, err));
  BERTH_TRY(take(scene->third->allocator, 100, &scene->plain, err));
  BERTH_TRY(take(scene->first->pinned, 100, &scene->pinned, err));
  BERTH_TRY(berth_cuda_backend.streams->event_create(scene->first,
                                                     &scene->event, err));
  BERTH_TRY(record(scene, err));
  berth_call_t call = {.err = err,
                       .stream = testing_lane(scene->first, BERTH_LANE_PEER)};
  BERTH_TRY(berth_cuda_clear(&call, scene->a->data, 64));
  BERTH_TRY(berth_cuda_wait(&call, NULL));
  BERTH_TRY(compute(scene, err));
  berth_buffer_release(scene->plain);
  scene->plain = NULL;
  BERTH_TRY(berth_cuda_card_reset(0, true, err));
  berth_cuda_backend.streams->recording_destroy(scene->recording);
  scene->recording = NULL;
  BERTH_TRY(record(scene, err));
  return compute(scene, err);
}

static const char *symbol;
static int64_t nth;
static int calls_pipe[2];

// Symbols that give something back: what they fail to give stays taken.
static bool is_giver(void) {
  static const char *const words[] = {
      "Free", "Release", "Unmap", "Reset", "Destroy", "Unload", "Unregister"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
    if (strstr(symbol, words[i]) != NULL) return true;
  }
  return false;
}

static uint64_t used_bytes(void) {
  uint64_t free_bytes = 0, total_bytes = 0;
  if (berth_cuda_card_memory(0, &free_bytes, &total_bytes, NULL) != BERTH_OK) {
    return 0;
  }
  return total_bytes - free_bytes;
}

// Runs in a process of its own.
static void try_fault(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  scene_t scene = {0};
  harness_failures = 0;
  alarm(SECONDS);
  testing_simulate("Tesla K20m*2");
  berth_fault_arm(symbol, nth);
  berth_code_t code = play(&scene, &err);
  leave(&scene);
  int64_t calls = berth_fault_disarm();
  if (code != BERTH_OK && berth_error_message(&err)[0] == '\0') {
    HARNESS_FAIL("%s:%d fails without a text", symbol, (int)nth);
  }
  berth_error_clear(&err);
  scene_t again = {0};
  code = play(&again, &err);
  leave(&again);
  if (code != BERTH_OK && strcmp(symbol, "cuInit") != 0) {
    HARNESS_FAIL("after %s:%d: %s", symbol, (int)nth,
                 berth_error_message(&err));
  }
  berth_error_clear(&err);
  EXPECT_EQ(berth_cuda_card_reset(0, false, NULL) == BERTH_OK ||
                strcmp(symbol, "cuInit") == 0,
            true);
  // Without NVML the question itself opens a context.
  bool has_nvml = strncmp(symbol, "nvml", 4) != 0;
  if (!is_giver() && has_nvml) EXPECT_EQ(used_bytes(), 0);
  simulate_forget();
  EXPECT_EQ(write(calls_pipe[1], &calls, sizeof(calls)), sizeof(calls));
  // What was not given back is the driver's, and would be found as a leak.
  if (is_giver()) _Exit(harness_failures > 0 ? 1 : 0);
}

// Returns how many calls of the symbol the scenario made; -1 for a failure.
static int64_t run_fault(void) {
  const harness_test_t test = {symbol, try_fault, NULL};
  int64_t calls = -1;
  if (harness_run(&test) != 0) {
    HARNESS_FAIL("%s:%d", symbol, (int)nth);
    return -1;
  }
  if (read(calls_pipe[0], &calls, sizeof(calls)) != sizeof(calls)) return -1;
  return calls;
}

TEST(cuda_fault, at_every_call) {
  int faults = 0, reached = 0;
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("for simulated cards alone");
  ASSERT_TRUE(pipe(calls_pipe) == 0);
  for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); ++i) {
    symbol = symbols[i];
    // Until the scenario makes fewer calls than that.
    for (nth = 1; nth <= MOST_CALLS && run_fault() >= nth; ++nth) ++faults;
    if (nth > 1) ++reached;
  }
  printf("%d faults at %d of %d symbols\n", faults, reached,
         (int)(sizeof(symbols) / sizeof(symbols[0])));
  EXPECT_TRUE(reached > 50);
}
