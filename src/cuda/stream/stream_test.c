// stream_test.c - Streams, events, recordings and copies, on the software GPU.
#define TESTING_OWN_IMAGE
#include "base/clock.h"
#include "base/parallel.h"
#include "cuda/cuda_testing.h"
#include "cuda/stream/device_internal.h"

// A started device with what the tests ask of it.
typedef struct card {
  berth_device_t *device;
  const berth_stream_ops_t *ops;
  berth_stream_t *compute, *in, *out;
  berth_error_t err;
} card_t;

static bool open_card(card_t *card, int index) {
  berth_device_wish_t wish = testing_wish(index, 256 * MIB);
  memset(card, 0, sizeof(*card));
  card->device = testing_open(&wish);
  if (card->device == NULL) return false;
  card->ops = card->device->backend->streams;
  card->compute = testing_lane(card->device, BERTH_LANE_COMPUTE);
  card->in = testing_lane(card->device, BERTH_LANE_IN);
  card->out = testing_lane(card->device, BERTH_LANE_OUT);
  return true;
}

#define OK(card, expr) ASSERT_OK(expr, &(card).err)

// Copies in on one lane, adds on another, copies out on a third. Every round
// reuses the memory, so that a missing event is a race.
TEST(cuda_stream, orders_lanes_by_events) {
  enum { COUNT = 4096, ROUNDS = 20 };
  static float in[COUNT], out[COUNT];
  card_t card;
  berth_event_t *fed = NULL, *added = NULL, *fetched = NULL;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  OK(card, card.ops->event_create(card.device, &fed, &card.err));
  OK(card, card.ops->event_create(card.device, &added, &card.err));
  OK(card, card.ops->event_create(card.device, &fetched, &card.err));
  berth_buffer_t *a = testing_alloc(card.device, sizeof(in));
  berth_buffer_t *b = testing_alloc(card.device, sizeof(in));
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < COUNT; ++i) in[i] = (float)(i + round);
    OK(card, card.ops->wait(card.in, added, &card.err));
    OK(card, card.ops->copy(card.in, card.device, a->data, NULL, in, sizeof(in),
                            &card.err));
    OK(card, card.ops->record(card.in, fed, &card.err));
    OK(card, card.ops->wait(card.compute, fed, &card.err));
    OK(card, card.ops->wait(card.compute, fetched, &card.err));
    OK(card, testing_launch_add(card.compute, b->data, a->data, a->data, COUNT,
                                &card.err));
    OK(card, card.ops->record(card.compute, added, &card.err));
    OK(card, card.ops->wait(card.out, added, &card.err));
    OK(card, card.ops->copy(card.out, NULL, out, card.device, b->data,
                            sizeof(out), &card.err));
    OK(card, card.ops->record(card.out, fetched, &card.err));
    OK(card, card.ops->event_sync(fetched, &card.err));
    EXPECT_NEAR(out[0], 2 * round, 0);
    EXPECT_NEAR(out[COUNT - 1], 2 * (COUNT - 1 + round), 0);
  }
  card.ops->event_destroy(fed);
  card.ops->event_destroy(added);
  card.ops->event_destroy(fetched);
  card.ops->event_destroy(NULL);
  berth_buffer_release(a);
  berth_buffer_release(b);
  berth_device_release(card.device);
}

TEST(cuda_stream, replays_what_was_recorded) {
  enum { COUNT = 256, REPLAYS = 10 };
  static float host[COUNT];
  card_t card;
  berth_stream_t *stream = NULL;
  berth_recording_t *recording = NULL;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_buffer_t *sum = testing_alloc(card.device, sizeof(host));
  berth_buffer_t *one = testing_alloc(card.device, sizeof(host));
  berth_call_t call = {.err = &card.err, .stream = card.compute};
  for (int i = 0; i < COUNT; ++i) host[i] = 1.0f;
  OK(card, berth_cuda_clear(&call, sum->data, sizeof(host)));
  OK(card, card.ops->copy(card.compute, card.device, one->data, NULL, host,
                          sizeof(host), &card.err));
  OK(card, card.ops->record_begin(card.device, &stream, &card.err));
  EXPECT_TRUE(berth_cuda_thread_records());
  OK(card, testing_launch_add(stream, sum->data, sum->data, one->data, COUNT,
                              &card.err));
  // Memory may be taken and given back meanwhile.
  berth_buffer_release(testing_alloc(card.device, 8 * MIB));
  OK(card, card.ops->record_end(stream, &recording, &card.err));
  EXPECT_FALSE(berth_cuda_thread_records());
  for (int i = 0; i < REPLAYS; ++i) {
    OK(card, card.ops->replay(card.compute, recording, NULL, 0, &card.err));
  }
  OK(card, card.ops->copy(card.compute, NULL, host, card.device, sum->data,
                          sizeof(host), &card.err));
  OK(card, card.ops->sync(card.compute, &card.err));
  EXPECT_NEAR(host[0], REPLAYS, 0);
  EXPECT_NEAR(host[COUNT - 1], REPLAYS, 0);
  card.ops->recording_destroy(recording);
  card.ops->recording_destroy(NULL);
  berth_buffer_release(sum);
  berth_buffer_release(one);
  berth_device_release(card.device);
}

TEST(cuda_stream, throws_a_recording_away) {
  card_t card;
  berth_stream_t *stream = NULL;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_buffer_t *buffer = testing_alloc(card.device, 64);
  OK(card, card.ops->record_begin(card.device, &stream, &card.err));
  berth_call_t call = {.err = &card.err, .stream = stream};
  OK(card, berth_cuda_clear(&call, buffer->data, 64));
  // A plain source must not break what is recorded.
  berth_buffer_t *pinned = NULL;
  EXPECT_EQ(card.device->pinned->alloc(card.device->pinned, 64 * MIB, &pinned,
                                       &card.err),
            BERTH_FAILED_PRECONDITION);
  berth_error_clear(&card.err);
  OK(card, card.ops->record_end(stream, NULL, &card.err));
  berth_buffer_release(buffer);
  berth_device_release(card.device);
}

static void fill(unsigned char *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)((i * 31 + seed) >> 3);
  }
}

// Through pinned pieces, more of them than there are slots.
TEST(cuda_stream, copies_pageable_memory_in_pieces) {
  enum { SIZE = (43 << 20) + 12345 };
  card_t card;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  unsigned char *in = berth_alloc(SIZE), *out = berth_calloc(1, SIZE);
  berth_buffer_t *buffer = testing_alloc(card.device, SIZE);
  ASSERT_TRUE(in != NULL && out != NULL && buffer != NULL);
  fill(in, SIZE, 7);
  OK(card, card.ops->copy(card.in, card.device, buffer->data, NULL, in, SIZE,
                          &card.err));
  // The caller's memory is free again.
  unsigned char first = in[0], last = in[SIZE - 1];
  memset(in, 0, SIZE);
  OK(card, card.ops->sync(card.in, &card.err));
  OK(card, card.ops->copy(card.out, NULL, out, card.device, buffer->data, SIZE,
                          &card.err));
  EXPECT_EQ(out[0], first);
  EXPECT_EQ(out[SIZE - 1], last);
  fill(in, SIZE, 7);
  EXPECT_EQ(memcmp(in, out, SIZE), 0);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
  berth_free(in);
  berth_free(out);
}

// The card writes pinned memory at the host's address.
TEST(cuda_stream, launches_on_pinned_memory) {
  card_t card;
  berth_buffer_t *pinned = NULL;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  OK(card, card.device->pinned->alloc(card.device->pinned, 3 * sizeof(float),
                                      &pinned, &card.err));
  const berth_cuda_card_t *own = ((berth_cuda_stream_t *)card.compute)->card;
  EXPECT_TRUE(berth_cuda_is_pinned(own, pinned->data, 3 * sizeof(float)));
  EXPECT_FALSE(berth_cuda_is_pinned(own, &card, sizeof(card)));
  float *host = pinned->data;
  host[0] = 2.0f;
  host[1] = 3.0f;
  OK(card,
     testing_launch_add(card.compute, host + 2, host, host + 1, 1, &card.err));
  OK(card, card.ops->sync(card.compute, &card.err));
  EXPECT_NEAR(host[2], 5, 0);
  berth_device_release(card.device);
  host[2] = 1.0f;  // The memory outlives its device.
  berth_buffer_release(pinned);
}

TEST(cuda_stream, copies_between_cards) {
  enum { SIZE = 1 << 20 };
  static unsigned char in[SIZE], out[SIZE];
  card_t first, second;
  berth_event_t *copied = NULL;
  testing_simulate("Tesla K20m*2");
  ASSERT_TRUE(open_card(&first, 0) && open_card(&second, 1));
  berth_buffer_t *from = testing_alloc(first.device, SIZE);
  berth_buffer_t *to = testing_alloc(second.device, SIZE);
  berth_buffer_t *also = testing_alloc(second.device, SIZE);
  fill(in, SIZE, 3);
  OK(first, first.ops->event_create(first.device, &copied, &first.err));
  berth_stream_t *peer = testing_lane(first.device, BERTH_LANE_PEER);
  OK(first, first.ops->copy(peer, first.device, from->data, NULL, in, SIZE,
                            &first.err));
  OK(first, first.ops->copy(peer, second.device, to->data, first.device,
                            from->data, SIZE, &first.err));
  OK(first, first.ops->record(peer, copied, &first.err));
  OK(second, second.ops->wait(second.compute, copied, &second.err));
  OK(second, second.ops->copy(second.compute, second.device, also->data,
                              second.device, to->data, SIZE, &second.err));
  OK(second, second.ops->copy(second.compute, NULL, out, second.device,
                              also->data, SIZE, &second.err));
  OK(second, second.ops->sync(second.compute, &second.err));
  EXPECT_EQ(memcmp(in, out, SIZE), 0);
  EXPECT_EQ(first.ops->copy(peer, NULL, out, NULL, in, SIZE, &first.err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&first.err);
  first.ops->event_destroy(copied);
  berth_buffer_release(from);
  berth_buffer_release(to);
  berth_buffer_release(also);
  berth_device_release(first.device);
  berth_device_release(second.device);
}

// A pool must not take memory away that queued work touches.
TEST(cuda_stream, tells_how_far_it_has_come) {
  card_t card;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_timeline_t *timeline = &((berth_cuda_stream_t *)card.compute)->timeline;
  berth_buffer_t *buffer = testing_alloc(card.device, 64 * MIB);
  uint64_t before = atomic_load(&timeline->submitted);
  EXPECT_EQ(timeline->passed(timeline), before);
  berth_call_t call = {.err = &card.err, .stream = card.compute};
  for (int i = 0; i < 8; ++i) {
    OK(card, berth_cuda_clear(&call, buffer->data, 64 * MIB));
  }
  EXPECT_EQ(atomic_load(&timeline->submitted), before + 8);
  EXPECT_TRUE(timeline->passed(timeline) <= before + 8);
  OK(card, timeline->wait(timeline, before + 8, &card.err));
  EXPECT_EQ(timeline->passed(timeline), before + 8);
  // Freed while it may be in use, and given back when that is over.
  for (int i = 0; i < 8; ++i) {
    OK(card, berth_cuda_clear(&call, buffer->data, 64 * MIB));
  }
  berth_buffer_release(buffer);
  (void)berth_device_trim(card.device, 0);
  OK(card, card.ops->sync(card.compute, &card.err));
  (void)berth_device_trim(card.device, 0);
  berth_memory_stats_t stats;
  berth_device_query_memory(card.device, &stats);
  EXPECT_EQ(stats.pool_bytes, 0);
  berth_device_release(card.device);
}

// Memory of a device that work of another one still writes stays where it is.
TEST(cuda_stream, covers_the_memory_of_other_devices) {
  enum { SIZE = 32 << 20 };
  card_t first, second;
  testing_simulate("Tesla K20m*2");
  ASSERT_TRUE(open_card(&first, 0) && open_card(&second, 1));
  berth_buffer_t *from = testing_alloc(first.device, SIZE);
  berth_buffer_t *to = testing_alloc(second.device, SIZE);
  berth_stream_t *peer = testing_lane(second.device, BERTH_LANE_PEER);
  berth_timeline_t *timeline = &((berth_cuda_stream_t *)peer)->timeline;
  uint64_t before = atomic_load(&timeline->submitted);
  for (int i = 0; i < 4; ++i) {
    OK(first, first.ops->copy(first.compute, second.device, to->data,
                              first.device, from->data, SIZE, &first.err));
  }
  EXPECT_EQ(atomic_load(&timeline->submitted), before + 4);
  // Would be unmapped under the copies otherwise, and the process would crash.
  berth_buffer_release(to);
  (void)berth_device_trim(second.device, 0);
  OK(first, first.ops->sync(first.compute, &first.err));
  OK(second, second.ops->sync(peer, &second.err));
  EXPECT_EQ(timeline->passed(timeline), before + 4);
  berth_buffer_release(from);
  berth_device_release(first.device);
  berth_device_release(second.device);
}

typedef struct worker {
  card_t *card;
  bool is_right;
} worker_t;

static void work(void *arg) {
  enum { COUNT = 512 };
  worker_t *worker = arg;
  card_t *card = worker->card;
  berth_error_t err = BERTH_ERROR_INIT;
  float host[COUNT];
  berth_buffer_t *buffer = testing_alloc(card->device, sizeof(host));
  for (int i = 0; i < COUNT; ++i) host[i] = (float)i;
  bool is_done =
      card->ops->copy(card->compute, card->device, buffer->data, NULL, host,
                      sizeof(host), &err) == BERTH_OK &&
      testing_launch_add(card->compute, buffer->data, buffer->data,
                         buffer->data, COUNT, &err) == BERTH_OK &&
      card->ops->copy(card->compute, NULL, host, card->device, buffer->data,
                      sizeof(host), &err) == BERTH_OK &&
      card->ops->sync(card->compute, &err) == BERTH_OK;
  worker->is_right = is_done && host[COUNT - 1] == 2 * (COUNT - 1);
  berth_error_clear(&err);
  berth_buffer_release(buffer);
}

TEST(cuda_stream, is_used_by_several_threads) {
  enum { THREADS = 6 };
  card_t card;
  berth_thread_t threads[THREADS];
  worker_t workers[THREADS];
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){&card, false};
    OK(card, berth_thread_start(&threads[i], work, &workers[i], &card.err));
  }
  for (int i = 0; i < THREADS; ++i) {
    berth_thread_join(&threads[i]);
    EXPECT_TRUE(workers[i].is_right);
  }
  berth_device_release(card.device);
}

// ---- Waits that are ended ----

static atomic_bool may_go;

static void hold_up(void *arg) {
  (void)arg;
  while (!atomic_load(&may_go)) berth_sleep_ns(1000000);
}

// Nothing behind this is done before |may_go|.
static void block_lane(berth_stream_t *lane) {
  atomic_store(&may_go, false);
  EXPECT_EQ(BERTH_CU(cuLaunchHostFunc, ((berth_cuda_stream_t *)lane)->native,
                     hold_up, NULL),
            CUDA_SUCCESS);
}

static berth_buffer_t *take_pinned(card_t *card) {
  berth_buffer_t *buffer = NULL;
  EXPECT_EQ(
      card->device->pinned->alloc(card->device->pinned, 64, &buffer, NULL),
      BERTH_OK);
  return buffer;
}

// What a kernel left behind writes its answer into memory that nobody else gets
// meanwhile.
TEST(cuda_stream, ends_a_kernels_wait) {
  card_t card;
  atomic_int cancelled = 1;
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)card.compute;
  berth_call_t call = {
      .err = &card.err, .stream = card.compute, .cancelled = &cancelled};
  berth_buffer_t *answer = take_pinned(&card);
  float *at = answer->data;
  block_lane(card.compute);
  OK(card, testing_launch_add(card.compute, at, at, at, 1, &card.err));
  EXPECT_FAILS(berth_cuda_wait(&call, answer), BERTH_CANCELLED, &card.err,
               "Cancelled while waiting for GPU 0");
  berth_buffer_release(answer);
  berth_buffer_t *other = take_pinned(&card);
  EXPECT_TRUE(other->data != (void *)at);
  EXPECT_TRUE(stream->kept != NULL);
  atomic_store(&may_go, true);
  atomic_store(&cancelled, 0);
  OK(card, berth_cuda_wait(&call, other));
  OK(card, berth_cuda_wait(&call, NULL));
  EXPECT_TRUE(stream->kept == NULL);
  berth_buffer_release(other);
  // What is still kept goes with the stream.
  atomic_store(&cancelled, 1);
  block_lane(card.compute);
  EXPECT_EQ(berth_cuda_wait(&call, NULL), BERTH_CANCELLED);
  berth_error_clear(&card.err);
  atomic_store(&may_go, true);
  berth_device_release(card.device);
}

static bool stop_soon(void *arg) { return ++*(int *)arg > 3; }

// Copies in pieces end in the middle; the slots serve the next ones.
TEST(cuda_stream, ends_a_copy_in_pieces) {
  enum { SIZE = 43 << 20 };
  card_t card;
  int looks = 0;
  berth_parallel_scope_t scope = {.poll = stop_soon, .poll_arg = &looks};
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  unsigned char *in = berth_alloc(SIZE), *out = berth_calloc(1, SIZE);
  berth_buffer_t *buffer = testing_alloc(card.device, SIZE);
  ASSERT_TRUE(in != NULL && out != NULL && buffer != NULL);
  memset(in, 3, SIZE);
  in[SIZE / 2] = 4;
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  block_lane(card.in);
  EXPECT_FAILS(card.ops->copy(card.in, card.device, buffer->data, NULL, in,
                              SIZE, &card.err),
               BERTH_CANCELLED, &card.err,
               "Cancelled while copying to or from GPU 0");
  berth_parallel_enter(before);
  atomic_store(&may_go, true);
  OK(card, card.ops->copy(card.in, card.device, buffer->data, NULL, in, SIZE,
                          &card.err));
  OK(card, card.ops->sync(card.in, &card.err));
  looks = 0;
  berth_parallel_enter(&scope);
  block_lane(card.out);
  EXPECT_EQ(card.ops->copy(card.out, NULL, out, card.device, buffer->data, SIZE,
                           &card.err),
            BERTH_CANCELLED);
  berth_error_clear(&card.err);
  berth_parallel_enter(before);
  berth_free(out);  // Nobody writes it any more.
  atomic_store(&may_go, true);
  out = berth_calloc(1, SIZE);
  ASSERT_TRUE(out != NULL);
  OK(card, card.ops->copy(card.out, NULL, out, card.device, buffer->data, SIZE,
                          &card.err));
  EXPECT_EQ(memcmp(in, out, SIZE), 0);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
  berth_free(in);
  berth_free(out);
}

static bool stop_at_once(void *arg) {
  (void)arg;
  return true;
}

// A copy that says it is well has left no part out, whatever the run it is for
// has come to.
TEST(cuda_stream, copies_all_of_a_piece) {
  enum { SIZE = 6 << 20 };
  card_t card;
  berth_parallel_scope_t scope = {.poll = stop_at_once};
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  unsigned char *in = berth_alloc(SIZE), *out = berth_calloc(1, SIZE);
  berth_buffer_t *buffer = testing_alloc(card.device, SIZE);
  ASSERT_TRUE(in != NULL && out != NULL && buffer != NULL);
  fill(in, SIZE, 5);
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  OK(card, card.ops->copy(card.in, card.device, buffer->data, NULL, in, SIZE,
                          &card.err));
  berth_parallel_enter(before);
  OK(card, card.ops->sync(card.in, &card.err));
  OK(card, card.ops->copy(card.out, NULL, out, card.device, buffer->data, SIZE,
                          &card.err));
  EXPECT_EQ(memcmp(in, out, SIZE), 0);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
  berth_free(in);
  berth_free(out);
}

static void copy_slowly(void *arg) {
  card_t *card = arg;
  enum { SIZE = 43 << 20 };
  unsigned char *in = berth_calloc(1, SIZE);
  berth_buffer_t *buffer = testing_alloc(card->device, SIZE);
  EXPECT_EQ(card->ops->copy(card->in, card->device, buffer->data, NULL, in,
                            SIZE, NULL),
            BERTH_OK);
  berth_buffer_release(buffer);
  berth_free(in);
}

// A copy that waits for another one's turn can be ended too.
TEST(cuda_stream, ends_a_copy_that_waits_for_another) {
  enum { SIZE = 1 << 20 };
  static char in[SIZE];
  card_t card;
  int looks = 0;
  berth_thread_t thread;
  berth_parallel_scope_t scope = {.poll = stop_soon, .poll_arg = &looks};
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_buffer_t *buffer = testing_alloc(card.device, SIZE);
  block_lane(card.in);
  OK(card, berth_thread_start(&thread, copy_slowly, &card, &card.err));
  berth_mutex_t *lock = &((berth_cuda_stream_t *)card.in)->staging_lock;
  while (berth_mutex_try_lock(lock)) {
    berth_mutex_unlock(lock);
    berth_sleep_ns(1000000);
  }
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  EXPECT_EQ(card.ops->copy(card.in, card.device, buffer->data, NULL, in, SIZE,
                           &card.err),
            BERTH_CANCELLED);
  berth_error_clear(&card.err);
  berth_parallel_enter(before);
  atomic_store(&may_go, true);
  berth_thread_join(&thread);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
}

// A small copy to memory that is not pinned is ended in the same way: nobody
// writes that memory afterwards.
TEST(cuda_stream, ends_a_small_copy) {
  enum { COUNT = 16 };
  card_t card;
  int looks = 0;
  float in[COUNT];
  berth_parallel_scope_t scope = {.poll = stop_soon, .poll_arg = &looks};
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_buffer_t *buffer = testing_alloc(card.device, sizeof(in));
  float *out = berth_calloc(COUNT, sizeof(*out));
  ASSERT_TRUE(buffer != NULL && out != NULL);
  for (int i = 0; i < COUNT; ++i) in[i] = (float)(i + 1);
  OK(card, card.ops->copy(card.out, card.device, buffer->data, NULL, in,
                          sizeof(in), &card.err));
  OK(card, card.ops->sync(card.out, &card.err));
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  block_lane(card.out);
  EXPECT_FAILS(card.ops->copy(card.out, NULL, out, card.device, buffer->data,
                              sizeof(in), &card.err),
               BERTH_CANCELLED, &card.err, "Cancelled while waiting for GPU 0");
  berth_parallel_enter(before);
  atomic_store(&may_go, true);
  OK(card, card.ops->sync(card.out, &card.err));
  EXPECT_NEAR(out[COUNT - 1], 0, 0);
  // One that is not ended is done when it returns.
  OK(card, card.ops->copy(card.out, NULL, out, card.device, buffer->data,
                          sizeof(in), &card.err));
  EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
  berth_free(out);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
}

// Who waits for memory of a card waits for a ticket, and can be ended.
TEST(cuda_stream, ends_the_wait_for_a_ticket) {
  card_t card;
  int looks = 0;
  berth_parallel_scope_t scope = {.poll = stop_soon, .poll_arg = &looks};
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_buffer_t *buffer = testing_alloc(card.device, 64);
  berth_timeline_t *timeline = &((berth_cuda_stream_t *)card.compute)->timeline;
  block_lane(card.compute);
  OK(card, testing_launch_add(card.compute, buffer->data, buffer->data,
                              buffer->data, 1, &card.err));
  uint64_t ticket = atomic_load(&timeline->submitted);
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  EXPECT_FAILS(timeline->wait(timeline, ticket, &card.err), BERTH_CANCELLED,
               &card.err, "Cancelled while waiting for memory of GPU 0");
  berth_parallel_enter(before);
  atomic_store(&may_go, true);
  OK(card, timeline->wait(timeline, ticket, &card.err));
  EXPECT_TRUE(timeline->passed(timeline) >= ticket);
  berth_buffer_release(buffer);
  berth_device_release(card.device);
}

// What is pinned stays for the copies that read it; they are done with other
// memory when they are queued.
TEST(cuda_stream, keeps_what_copies_read) {
  card_t card;
  static float loose[16];
  testing_simulate("Tesla K40c");
  ASSERT_TRUE(open_card(&card, 0));
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)card.compute;
  berth_buffer_t *pinned = take_pinned(&card);
  berth_buffer_t other;
  berth_buffer_init(&other, loose, sizeof(loose), NULL);
  block_lane(card.compute);
  OK(card, card.ops->keep(card.compute, &other, &card.err));
  EXPECT_TRUE(stream->kept == NULL);
  OK(card, card.ops->keep(card.compute, pinned, &card.err));
  EXPECT_FALSE(berth_buffer_is_exclusive(pinned));
  atomic_store(&may_go, true);
  OK(card, card.ops->sync(card.compute, &card.err));
  berth_call_t call = {.err = &card.err, .stream = card.compute};
  OK(card, berth_cuda_wait(&call, NULL));
  EXPECT_TRUE(berth_buffer_is_exclusive(pinned));
  berth_buffer_release(pinned);
  berth_device_release(card.device);
}
