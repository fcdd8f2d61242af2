// stream_test.c - What every device that works beside the host promises of its
// streams: copies, events, recordings, pinned memory.
#include "conformance_testing.h"
#include "device/await.h"

enum { LARGEST = 5 * 1024 * 1024 + 3 };

// A device with two buffers of its own and two of the host.
typedef struct bench {
  berth_device_t *device;
  const berth_stream_ops_t *ops;
  berth_buffer_t *a, *b;
  char *in, *out;
  berth_error_t err;
} bench_t;

static bool bench_open(bench_t *bench) {
  *bench = (bench_t){.device = streaming_device_open()};
  if (bench->device == NULL) return false;
  bench->ops = bench->device->backend->streams;
  bench->a = take(bench->device->allocator, LARGEST);
  bench->b = take(bench->device->allocator, LARGEST);
  bench->in = malloc(LARGEST);
  bench->out = calloc(1, LARGEST);
  if (bench->in == NULL || bench->out == NULL) return false;
  for (int i = 0; i < LARGEST; ++i) bench->in[i] = (char)(i * 31 + i / 1000);
  return bench->a != NULL && bench->b != NULL;
}

static void bench_close(bench_t *bench) {
  berth_buffer_release(bench->a);
  berth_buffer_release(bench->b);
  free(bench->in);
  free(bench->out);
  berth_error_clear(&bench->err);
}

static berth_stream_t *lane_of(const bench_t *bench, berth_lane_t lane) {
  return bench->device->backend->lane(bench->device, lane);
}

static berth_code_t copy_in(bench_t *bench, berth_lane_t lane, void *to,
                            const void *from, size_t size) {
  return bench->ops->copy(lane_of(bench, lane), bench->device, to, NULL, from,
                          size, &bench->err);
}

static berth_code_t copy_out(bench_t *bench, berth_lane_t lane, void *to,
                             const void *from, size_t size) {
  return bench->ops->copy(lane_of(bench, lane), NULL, to, bench->device, from,
                          size, &bench->err);
}

static berth_code_t copy_within(bench_t *bench, berth_stream_t *stream,
                                void *to, const void *from, size_t size) {
  return bench->ops->copy(stream, bench->device, to, bench->device, from, size,
                          &bench->err);
}

static berth_code_t sync_lane(bench_t *bench, berth_lane_t lane) {
  return bench->ops->sync(lane_of(bench, lane), &bench->err);
}

// One stream does things in order, whatever they are.
TEST(streams, copy_any_size_on_any_lane) {
  static const size_t sizes[] = {1, 3, 64, 4097, 65536, 1000001, LARGEST};
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  for (int lane = 0; lane < BERTH_LANES; ++lane) {
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
      berth_lane_t on = (berth_lane_t)lane;
      memset(b.out, 0, LARGEST);
      ASSERT_OK(copy_in(&b, on, b.a->data, b.in, sizes[i]), &b.err);
      ASSERT_OK(
          copy_within(&b, lane_of(&b, on), b.b->data, b.a->data, sizes[i]),
          &b.err);
      ASSERT_OK(copy_out(&b, on, b.out, b.b->data, sizes[i]), &b.err);
      ASSERT_OK(sync_lane(&b, on), &b.err);
      EXPECT_TRUE(memcmp(b.in, b.out, sizes[i]) == 0);
      if (sizes[i] < LARGEST) EXPECT_EQ(b.out[sizes[i]], 0);
    }
  }
  bench_close(&b);
}

// From lane to lane to lane, each behind an event of the one before.
TEST(streams, wait_for_events) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_event_t *events[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(b.ops->event_create(b.device, &events[i], &b.err), &b.err);
  }
  berth_stream_t *in = lane_of(&b, BERTH_LANE_IN);
  berth_stream_t *compute = lane_of(&b, BERTH_LANE_COMPUTE);
  berth_stream_t *out = lane_of(&b, BERTH_LANE_OUT);
  for (int round = 0; round < 20; ++round) {
    memset(b.in, round + 1, MIB);
    ASSERT_OK(copy_in(&b, BERTH_LANE_IN, b.a->data, b.in, MIB), &b.err);
    ASSERT_OK(b.ops->record(in, events[0], &b.err), &b.err);
    ASSERT_OK(b.ops->wait(compute, events[0], &b.err), &b.err);
    ASSERT_OK(copy_within(&b, compute, b.b->data, b.a->data, MIB), &b.err);
    ASSERT_OK(b.ops->record(compute, events[1], &b.err), &b.err);
    ASSERT_OK(b.ops->wait(out, events[1], &b.err), &b.err);
    ASSERT_OK(copy_out(&b, BERTH_LANE_OUT, b.out, b.b->data, MIB), &b.err);
    ASSERT_OK(b.ops->sync(out, &b.err), &b.err);
    EXPECT_EQ(b.out[0], round + 1);
    EXPECT_EQ(b.out[MIB - 1], round + 1);
  }
  for (int i = 0; i < 2; ++i) b.ops->event_destroy(events[i]);
  b.ops->event_destroy(NULL);
  bench_close(&b);
}

TEST(streams, let_the_host_wait_for_an_event) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_event_t *event = NULL;
  ASSERT_OK(b.ops->event_create(b.device, &event, &b.err), &b.err);
  berth_stream_t *out = lane_of(&b, BERTH_LANE_OUT);
  ASSERT_OK(copy_in(&b, BERTH_LANE_OUT, b.a->data, b.in, LARGEST), &b.err);
  ASSERT_OK(copy_out(&b, BERTH_LANE_OUT, b.out, b.a->data, LARGEST), &b.err);
  ASSERT_OK(b.ops->record(out, event, &b.err), &b.err);
  ASSERT_OK(b.ops->event_sync(event, &b.err), &b.err);
  EXPECT_TRUE(memcmp(b.in, b.out, LARGEST) == 0);
  // Again, for what has passed.
  ASSERT_OK(b.ops->event_sync(event, &b.err), &b.err);
  b.ops->event_destroy(event);
  bench_close(&b);
}

TEST(streams, say_whether_an_event_is_reached) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_event_t *event = NULL;
  bool done = false;
  ASSERT_OK(b.ops->event_create(b.device, &event, &b.err), &b.err);
  // There is nothing to come yet.
  ASSERT_OK(b.ops->event_query(event, &done, &b.err), &b.err);
  EXPECT_TRUE(done);
  berth_stream_t *out = lane_of(&b, BERTH_LANE_OUT);
  ASSERT_OK(copy_in(&b, BERTH_LANE_OUT, b.a->data, b.in, LARGEST), &b.err);
  ASSERT_OK(copy_out(&b, BERTH_LANE_OUT, b.out, b.a->data, LARGEST), &b.err);
  ASSERT_OK(b.ops->record(out, event, &b.err), &b.err);
  for (done = false; !done;) {
    ASSERT_OK(b.ops->event_query(event, &done, &b.err), &b.err);
  }
  EXPECT_TRUE(memcmp(b.in, b.out, LARGEST) == 0);
  b.ops->event_destroy(event);
  bench_close(&b);
}

static bool refuse(void *arg) {
  ++*(int *)arg;
  return true;
}

// Whoever waits is told when the work is over, or when it is time to give up.
TEST(streams, are_awaited) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_event_t *event = NULL;
  int looks = 0;
  ASSERT_OK(b.ops->event_create(b.device, &event, &b.err), &b.err);
  berth_stream_t *compute = lane_of(&b, BERTH_LANE_COMPUTE);
  ASSERT_OK(copy_in(&b, BERTH_LANE_COMPUTE, b.a->data, b.in, LARGEST), &b.err);
  ASSERT_OK(copy_out(&b, BERTH_LANE_COMPUTE, b.out, b.a->data, LARGEST),
            &b.err);
  ASSERT_OK(b.ops->record(compute, event, &b.err), &b.err);
  berth_code_t code = berth_await_event(b.ops, event, refuse, &looks, &b.err);
  EXPECT_TRUE(code == (looks > 0 ? BERTH_CANCELLED : BERTH_OK));
  ASSERT_OK(berth_await_stream(compute, NULL, NULL, &b.err), &b.err);
  EXPECT_TRUE(memcmp(b.in, b.out, LARGEST) == 0);
  b.ops->event_destroy(event);
  bench_close(&b);
}

// ---- Recordings ----

// Records "b becomes a".
static berth_recording_t *record_copy(bench_t *b) {
  berth_stream_t *stream = NULL;
  berth_recording_t *recording = NULL;
  berth_code_t code = b->ops->record_begin(b->device, &stream, &b->err);
  if (code == BERTH_OK) {
    code = copy_within(b, stream, b->b->data, b->a->data, 1000);
    berth_code_t end = b->ops->record_end(stream, &recording, &b->err);
    if (code == BERTH_OK) code = end;
  }
  if (code != BERTH_OK) HARNESS_FAIL("%s", berth_error_message(&b->err));
  return recording;
}

TEST(streams, replay_what_was_recorded) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_recording_t *recording = record_copy(&b);
  ASSERT_TRUE(recording != NULL);
  for (int round = 1; round <= 5; ++round) {
    memset(b.in, round, 1000);
    ASSERT_OK(copy_in(&b, BERTH_LANE_COMPUTE, b.a->data, b.in, 1000), &b.err);
    ASSERT_OK(b.ops->replay(lane_of(&b, BERTH_LANE_COMPUTE), recording, NULL, 0,
                            &b.err),
              &b.err);
    ASSERT_OK(copy_out(&b, BERTH_LANE_COMPUTE, b.out, b.b->data, 1000), &b.err);
    ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
    EXPECT_EQ(b.out[999], round);
  }
  b.ops->recording_destroy(recording);
  b.ops->recording_destroy(NULL);
  bench_close(&b);
}

// Records copies of |from| and of what is a thousand bytes behind it, as one.
static berth_recording_t *record_near(bench_t *b,
                                      const berth_near_copy_t *copies) {
  berth_stream_t *stream = NULL;
  berth_recording_t *recording = NULL;
  berth_code_t code = b->ops->record_begin(b->device, &stream, &b->err);
  if (code == BERTH_OK) {
    code = b->ops->copy_near(stream, copies, 2, &b->err);
    if (code == BERTH_OK) {
      code = b->ops->copy_near(stream, copies + 2, 1, &b->err);
    }
    berth_code_t end = b->ops->record_end(stream, &recording, &b->err);
    if (code == BERTH_OK) code = end;
  }
  if (code != BERTH_OK) HARNESS_FAIL("%s", berth_error_message(&b->err));
  return recording;
}

// Every replay copies where it is told, though the next one is told before that
// is done.
TEST(streams, replay_copies_elsewhere) {
  enum { ROUNDS = 8, PIECE = 100 };
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  if (!b.ops->records_copies(b.device)) {
    bench_close(&b);
    SKIP("copies are not recorded");
  }
  for (int i = 0; i < 3 * ROUNDS * PIECE; ++i) {
    b.in[i] = (char)(i / PIECE + 1);
  }
  ASSERT_OK(
      copy_in(&b, BERTH_LANE_COMPUTE, b.a->data, b.in, 3 * ROUNDS * PIECE),
      &b.err);
  berth_near_copy_t copies[3];
  berth_recording_t *recording = NULL;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < 3; ++i) {
      size_t at = (size_t)((3 * round + i) * PIECE);
      // The last piece of all comes first.
      size_t to = (size_t)(3 * ROUNDS - 1) * PIECE - at;
      copies[i] = (berth_near_copy_t){(char *)b.b->data + to,
                                      (char *)b.a->data + at, PIECE};
    }
    if (recording == NULL) recording = record_near(&b, copies);
    ASSERT_TRUE(recording != NULL);
    ASSERT_OK(b.ops->replay(lane_of(&b, BERTH_LANE_COMPUTE), recording, copies,
                            3, &b.err),
              &b.err);
  }
  ASSERT_OK(
      copy_out(&b, BERTH_LANE_COMPUTE, b.out, b.b->data, 3 * ROUNDS * PIECE),
      &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  for (int i = 0; i < 3 * ROUNDS * PIECE; ++i) {
    EXPECT_EQ(b.out[i], 3 * ROUNDS - i / PIECE);
  }
  b.ops->recording_destroy(recording);
  bench_close(&b);
}

// What is recorded is not done meanwhile, and what is thrown away never.
TEST(streams, do_nothing_while_they_record) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  memset(b.in, 1, 1000);
  ASSERT_OK(copy_in(&b, BERTH_LANE_COMPUTE, b.b->data, b.in, 1000), &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  memset(b.in, 2, 1000);
  ASSERT_OK(copy_in(&b, BERTH_LANE_COMPUTE, b.a->data, b.in, 1000), &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  berth_stream_t *stream = NULL;
  ASSERT_OK(b.ops->record_begin(b.device, &stream, &b.err), &b.err);
  ASSERT_OK(copy_within(&b, stream, b.b->data, b.a->data, 1000), &b.err);
  ASSERT_OK(b.ops->record_end(stream, NULL, &b.err), &b.err);
  b.ops->recording_destroy(record_copy(&b));
  ASSERT_OK(copy_out(&b, BERTH_LANE_COMPUTE, b.out, b.b->data, 1000), &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  EXPECT_EQ(b.out[0], 1);
  bench_close(&b);
}

// ---- Pinned memory, stamps ----

TEST(streams, use_pinned_memory_where_it_is) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  berth_buffer_t *pinned = take(b.device->pinned, 4096);
  ASSERT_TRUE(pinned != NULL);
  memset(pinned->data, 7, 4096);  // The host writes it,
  berth_stream_t *stream = lane_of(&b, BERTH_LANE_COMPUTE);
  ASSERT_OK(copy_within(&b, stream, b.a->data, pinned->data, 4096), &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  memset(pinned->data, 0, 4096);
  ASSERT_OK(copy_within(&b, stream, pinned->data, b.a->data, 4096), &b.err);
  ASSERT_OK(sync_lane(&b, BERTH_LANE_COMPUTE), &b.err);
  EXPECT_EQ(((char *)pinned->data)[4095], 7);  // and reads it.
  berth_buffer_release(pinned);
  bench_close(&b);
}

TEST(streams, stamp_the_time) {
  bench_t b;
  ASSERT_TRUE(bench_open(&b));
  int64_t stamps[3] = {0};
  berth_stream_t *stream = lane_of(&b, BERTH_LANE_COMPUTE);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(b.ops->stamp(stream, &stamps[i], &b.err), &b.err);
    ASSERT_OK(copy_within(&b, stream, b.b->data, b.a->data, LARGEST), &b.err);
  }
  ASSERT_OK(b.ops->sync(stream, &b.err), &b.err);
  EXPECT_TRUE(stamps[0] > 0);
  EXPECT_TRUE(stamps[1] > stamps[0]);
  EXPECT_TRUE(stamps[2] > stamps[1]);
  bench_close(&b);
}
