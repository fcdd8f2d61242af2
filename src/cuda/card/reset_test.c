// reset_test.c - Faults, resets and forks, on the software GPU.
#define TESTING_OWN_IMAGE
#include <time.h>

#include "base/fault.h"
#include "cuda/card/card.h"
#include "cuda/card/driver.h"
#include "cuda/cuda_testing.h"
#include "cuda/stream/device_internal.h"
#include "device/reclaim.h"

static uint64_t used_bytes(void) {
  uint64_t free_bytes = 0, total_bytes = 0;
  EXPECT_EQ(berth_cuda_card_memory(0, &free_bytes, &total_bytes, NULL),
            BERTH_OK);
  return total_bytes - free_bytes;
}

static berth_code_t copy_in(berth_device_t *device, berth_buffer_t *buffer,
                            const void *from, berth_error_t *err) {
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  return device->backend->streams->copy(lane, device, buffer->data, NULL, from,
                                        buffer->size, err);
}

static berth_code_t copy_out(berth_device_t *device, berth_buffer_t *buffer,
                             void *to, berth_error_t *err) {
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_code_t code =
      ops->copy(lane, NULL, to, device, buffer->data, buffer->size, err);
  return code == BERTH_OK ? ops->sync(lane, err) : code;
}

TEST(reset, gives_everything_back_and_keeps_contents) {
  berth_error_t err = BERTH_ERROR_INIT;
  static char in[100000], out[100000];
  berth_buffer_t *pinned = NULL;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(in));
  void *address = buffer->data;
  memset(in, 'k', sizeof(in));
  ASSERT_OK(copy_in(device, buffer, in, &err), &err);
  ASSERT_OK(device->pinned->alloc(device->pinned, 64, &pinned, &err), &err);
  memset(pinned->data, 'p', 64);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  EXPECT_EQ(used_bytes(), 0);
  EXPECT_EQ(((char *)pinned->data)[63], 'p');
  ASSERT_OK(copy_out(device, buffer, out, &err), &err);
  EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
  EXPECT_TRUE(buffer->data == address);
  EXPECT_TRUE(used_bytes() > 0);
  // Pinned memory is pinned again: the card writes it.
  float *host = pinned->data;
  host[0] = host[1] = 1.0f;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  ASSERT_OK(testing_launch_add(lane, host, host, host + 1, 1, &err), &err);
  ASSERT_OK(device->backend->streams->sync(lane, &err), &err);
  EXPECT_NEAR(host[0], 2, 0);
  berth_buffer_release(pinned);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

// What the driver says of |buffer|, in the context of |device|.
static bool is_registered(berth_device_t *device, berth_buffer_t *buffer) {
  const berth_cuda_card_t *card = ((berth_cuda_device_t *)device)->card;
  CUdeviceptr address = 0;
  EXPECT_EQ(berth_device_start(device, NULL), BERTH_OK);
  EXPECT_EQ(BERTH_CU(cuCtxSetCurrent, card->context), CUDA_SUCCESS);
  bool is_known = BERTH_CU(cuMemHostGetDevicePointer_v2, &address, buffer->data,
                           0) == CUDA_SUCCESS;
  EXPECT_EQ(is_known, berth_cuda_is_pinned(card, buffer->data, buffer->size));
  return is_known;
}

// Kernels of one card go on in pinned memory while another one is reset.
TEST(reset, leaves_what_is_pinned_with_other_cards) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *devices[2] = {NULL, NULL};
  berth_buffer_t *pinned[2] = {NULL, NULL};
  testing_simulate("Tesla K20m*2");
  for (int i = 0; i < 2; ++i) {
    berth_device_wish_t wish = testing_wish(i, 64 * MIB);
    devices[i] = testing_open(&wish);
    ASSERT_TRUE(devices[i] != NULL);
  }
  for (int i = 0; i < 2; ++i) {
    berth_allocator_t *allocator = devices[i]->pinned;
    ASSERT_OK(allocator->alloc(allocator, 64, &pinned[i], &err), &err);
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(berth_cuda_card_reset(i, true, &err), &err);
    EXPECT_TRUE(is_registered(devices[1 - i], pinned[1 - i]));
    EXPECT_TRUE(is_registered(devices[i], pinned[i]));
  }
  for (int i = 0; i < 2; ++i) {
    berth_buffer_release(pinned[i]);
    berth_device_release(devices[i]);
  }
}

// A card whose pinned memory is not pinned is not started.
TEST(reset, refuses_a_card_whose_memory_cannot_be_pinned_again) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *pinned = NULL;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  ASSERT_OK(device->pinned->alloc(device->pinned, 64, &pinned, &err), &err);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  berth_fault_arm("cuMemHostRegister_v2", 1);
  EXPECT_TRUE(berth_device_start(device, &err) != BERTH_OK);
  EXPECT_TRUE(strstr(berth_error_message(&err), "pinning host memory") != NULL);
  berth_error_clear(&err);
  EXPECT_EQ(berth_fault_disarm(), 1);
  EXPECT_TRUE(is_registered(device, pinned));
  // What nobody uses is not pinned again.
  berth_buffer_release(pinned);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  berth_fault_arm("cuMemHostRegister_v2", 1);
  ASSERT_OK(berth_device_start(device, &err), &err);
  EXPECT_EQ(berth_fault_disarm(), 0);
  berth_device_release(device);
}

// Keeps a buffer, as frames do between runs.
typedef struct keeper {
  berth_reclaimer_t reclaimer;
  berth_buffer_t *kept;
  int asked;
} keeper_t;

static bool give_up(void *arg, berth_device_t *device) {
  keeper_t *keeper = arg;
  (void)device;
  ++keeper->asked;
  berth_buffer_release(keeper->kept);
  keeper->kept = NULL;
  return true;
}

TEST(reset, asks_for_what_is_idle_first) {
  berth_error_t err = BERTH_ERROR_INIT;
  keeper_t keeper = {.reclaimer = {.give_up = give_up}};
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  keeper.reclaimer.arg = &keeper;
  keeper.kept = testing_alloc(device, 40 * MIB);
  berth_reclaimer_add(device, &keeper.reclaimer);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  EXPECT_EQ(keeper.asked, 1);
  // And when an allocation finds no room.
  keeper.kept = testing_alloc(device, 40 * MIB);
  berth_buffer_t *buffer = testing_alloc(device, 40 * MIB);
  EXPECT_EQ(keeper.asked, 2);
  EXPECT_TRUE(buffer != NULL);
  berth_reclaimer_remove(device, &keeper.reclaimer);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

static void nap(void *arg) {
  (void)arg;
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

// What another stream than the one that saves still writes is saved too.
TEST(reset, saves_what_is_still_being_written) {
  berth_error_t err = BERTH_ERROR_INIT;
  static char out[64];
  berth_buffer_t *pinned = NULL;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_buffer_t *buffer = testing_alloc(device, sizeof(out));
  ASSERT_OK(device->pinned->alloc(device->pinned, sizeof(out), &pinned, &err),
            &err);
  memset(pinned->data, 'a', sizeof(out));
  ASSERT_OK(copy_in(device, buffer, pinned->data, &err), &err);
  ASSERT_OK(ops->sync(testing_lane(device, BERTH_LANE_COMPUTE), &err), &err);
  memset(pinned->data, 'b', sizeof(out));
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_IN);
  EXPECT_EQ(berth_cuda_api.cuLaunchHostFunc(ops->native(lane), nap, NULL),
            CUDA_SUCCESS);
  ASSERT_OK(ops->copy(lane, device, buffer->data, NULL, pinned->data,
                      sizeof(out), &err),
            &err);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  ASSERT_OK(copy_out(device, buffer, out, &err), &err);
  EXPECT_EQ(memcmp(pinned->data, out, sizeof(out)), 0);
  berth_buffer_release(pinned);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

TEST(reset, loses_contents_unless_told_otherwise) {
  berth_error_t err = BERTH_ERROR_INIT;
  char in[64], out[64];
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(in));
  memset(in, 'k', sizeof(in));
  ASSERT_OK(copy_in(device, buffer, in, &err), &err);
  ASSERT_OK(berth_cuda_card_reset(0, false, &err), &err);
  EXPECT_EQ(used_bytes(), 0);
  ASSERT_OK(copy_out(device, buffer, out, &err), &err);
  EXPECT_TRUE(memcmp(in, out, sizeof(in)) != 0);
  ASSERT_OK(copy_in(device, buffer, in, &err), &err);
  ASSERT_OK(copy_out(device, buffer, out, &err), &err);
  EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

TEST(reset, makes_recordings_stale_and_events_anew) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_stream_t *stream = NULL;
  berth_recording_t *recording = NULL;
  berth_event_t *event = NULL;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  ASSERT_OK(ops->record_begin(device, &stream, &err), &err);
  EXPECT_FAILS(berth_cuda_card_reset(0, false, &err), BERTH_FAILED_PRECONDITION,
               &err, "GPU 0 (Tesla K40c) cannot be reset while it records");
  ASSERT_OK(ops->record_end(stream, &recording, &err), &err);
  ASSERT_OK(ops->event_create(device, &event, &err), &err);
  ASSERT_OK(ops->record(lane, event, &err), &err);
  ASSERT_OK(berth_cuda_card_reset(0, false, &err), &err);
  EXPECT_FAILS(ops->replay(lane, recording, NULL, 0, &err), BERTH_ABORTED, &err,
               "GPU 0 was reset after this was recorded");
  ASSERT_OK(ops->event_sync(event, &err), &err);
  ASSERT_OK(ops->wait(lane, event, &err), &err);
  ASSERT_OK(ops->record(lane, event, &err), &err);
  ASSERT_OK(ops->event_sync(event, &err), &err);
  ops->event_destroy(event);
  ops->recording_destroy(recording);
  berth_device_release(device);
}

TEST(reset, refuses_while_plain_memory_is_in_use) {
  berth_error_t err = BERTH_ERROR_INIT;
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  wish.source = BERTH_CARD_PLAIN;
  wish.policy = berth_policy_bfc(64 * MIB, true, 0);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  wish = testing_wish(0, 64 * MIB);
  wish.id = 1;
  berth_device_t *mapped = testing_open(&wish);
  ASSERT_TRUE(mapped != NULL);
  char in[64], out[64];
  memset(in, 'm', sizeof(in));
  berth_buffer_t *other = testing_alloc(mapped, sizeof(in));
  ASSERT_OK(copy_in(mapped, other, in, &err), &err);
  berth_buffer_t *buffer = testing_alloc(device, 64);
  EXPECT_FAILS(berth_cuda_card_reset(0, true, &err), BERTH_FAILED_PRECONDITION,
               &err,
               TESTING_PREFIX
               "/device:GPU:0: 1 buffers are in use in memory "
               "that is not mapped page by page and goes with a "
               "reset");
  // What had gone already is back.
  ASSERT_OK(copy_out(mapped, other, out, &err), &err);
  EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
  berth_buffer_release(buffer);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  EXPECT_EQ(used_bytes(), 0);
  buffer = testing_alloc(device, 64);
  EXPECT_TRUE(buffer != NULL);
  ASSERT_OK(copy_in(device, buffer, in, &err), &err);
  berth_buffer_release(buffer);
  berth_buffer_release(other);
  berth_device_release(device);
  berth_device_release(mapped);
}

#define FAULT_TEXT                                                            \
  "GPU 0 (Tesla K20m) has failed and cannot be used until it is reset: "      \
  "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory " \
  "access was encountered"

TEST(reset, keeps_the_first_fault_of_a_card) {
  berth_error_t err = BERTH_ERROR_INIT;
  char bytes[64] = "";
  testing_simulate("Tesla K20m*2");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  wish = testing_wish(1, 64 * MIB);
  berth_device_t *healthy = testing_open(&wish);
  ASSERT_TRUE(device != NULL && healthy != NULL);
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(bytes));
  berth_event_t *event = NULL;
  ASSERT_OK(ops->event_create(device, &event, &err), &err);
  ASSERT_OK(testing_launch_fail(lane, 700, &err), &err);
  EXPECT_FAILS(ops->sync(lane, &err), BERTH_INTERNAL, &err, FAULT_TEXT);
  EXPECT_FAILS(ops->sync(lane, &err), BERTH_INTERNAL, &err, FAULT_TEXT);
  EXPECT_FAILS(copy_in(device, buffer, bytes, &err), BERTH_INTERNAL, &err,
               FAULT_TEXT);
  EXPECT_FAILS(ops->record(lane, event, &err), BERTH_INTERNAL, &err,
               FAULT_TEXT);
  EXPECT_FAILS(testing_launch_fail(lane, 719, &err), BERTH_INTERNAL, &err,
               FAULT_TEXT);
  berth_buffer_t *more = NULL;
  EXPECT_EQ(device->allocator->alloc(device->allocator, 8 * MIB, &more, &err),
            BERTH_INTERNAL);
  berth_error_clear(&err);
  // The other card goes on.
  berth_buffer_t *other = testing_alloc(healthy, sizeof(bytes));
  ASSERT_OK(copy_in(healthy, other, bytes, &err), &err);
  EXPECT_FAILS(berth_cuda_card_reset(0, true, &err), BERTH_FAILED_PRECONDITION,
               &err,
               "GPU 0 (Tesla K20m) has failed: what its memory held is lost "
               "and cannot be kept");
  EXPECT_EQ(berth_cuda_card_reset(0, false, &err), BERTH_UNAVAILABLE);
  EXPECT_STR(berth_error_message(&err),
             "GPU 0 (Tesla K20m) has failed, and the driver keeps that for the "
             "whole process; start another one: GPU 0 (Tesla K20m) cannot be "
             "opened: cuDevicePrimaryCtxRetain: CUDA_ERROR_ILLEGAL_ADDRESS "
             "(700): an illegal memory access was encountered");
  berth_error_clear(&err);
  EXPECT_EQ(used_bytes(), 0);
  EXPECT_EQ(ops->sync(lane, &err), BERTH_UNAVAILABLE);
  berth_error_clear(&err);
  ops->event_destroy(event);
  berth_buffer_release(buffer);
  berth_buffer_release(other);
  berth_device_release(device);
  berth_device_release(healthy);
}

// An exit status of 0 says that all went as it must in the child.
static int in_child(berth_device_t *device, berth_buffer_t *buffer) {
  berth_error_t err = BERTH_ERROR_INIT;
  char bytes[64] = "";
  const char *text =
      "GPUs cannot be used in this process: it was forked from one that had "
      "used them already. Fork before the first use of a GPU, or start the "
      "process anew (multiprocessing: \"spawn\")";
  EXPECT_FAILS(berth_device_start(device, &err), BERTH_FAILED_PRECONDITION,
               &err, text);
  EXPECT_FAILS(copy_in(device, buffer, bytes, &err), BERTH_FAILED_PRECONDITION,
               &err, text);
  EXPECT_FAILS(berth_cuda_card_reset(0, false, &err), BERTH_FAILED_PRECONDITION,
               &err, text);
  int count = 0;
  EXPECT_EQ(berth_cuda_cards_count(&count, &err), BERTH_OK);
  EXPECT_EQ(count, 1);
  berth_buffer_release(buffer);
  berth_device_release(device);
  return harness_failures;
}

TEST(reset, leaves_a_forked_child_without_gpus) {
  berth_error_t err = BERTH_ERROR_INIT;
  char bytes[64] = "";
  testing_simulate("Tesla K40c");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  berth_device_t *device = testing_open(&wish);
  ASSERT_TRUE(device != NULL);
  berth_buffer_t *buffer = testing_alloc(device, sizeof(bytes));
  pid_t child = fork();
  if (child == 0) _Exit(in_child(device, buffer));
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  // The parent goes on.
  ASSERT_OK(copy_in(device, buffer, bytes, &err), &err);
  ASSERT_OK(copy_out(device, buffer, bytes, &err), &err);
  berth_buffer_release(buffer);
  berth_device_release(device);
}

TEST(reset, lets_a_child_use_what_the_parent_only_listed) {
  testing_simulate("Tesla K40c");
  int count = 0;
  EXPECT_EQ(berth_cuda_cards_count(&count, NULL), BERTH_OK);
  EXPECT_EQ(count, 1);
  pid_t child = fork();
  if (child == 0) {
    berth_device_wish_t wish = testing_wish(0, 64 * MIB);
    berth_device_t *device = testing_open(&wish);
    berth_device_release(device);
    _Exit(device != NULL ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  simulate_forget();
}
