// text_test.c - Kernels of modules that are written, on the software GPU.
#include "cuda/code/text.h"

#include "cuda/cuda_testing.h"
#include "cuda/stream/device_internal.h"

static const char text[] = ".version 6.0\n.target sm_70\n.entry one()";
static const char other[] = ".version 6.0\n.target sm_70\n.entry other()";
static const char *const names[] = {"berth_example_add"};

static berth_device_t *open_card(void) {
  testing_simulate("H200");
  berth_device_wish_t wish = testing_wish(0, 64 * MIB);
  return testing_open(&wish);
}

// Adds by the kernel of |made|; returns the sum.
static float add(berth_device_t *device, berth_cuda_text_t *made) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_stream_t *lane = testing_lane(device, BERTH_LANE_COMPUTE);
  berth_buffer_t *pinned = NULL;
  EXPECT_EQ(device->pinned->alloc(device->pinned, 64, &pinned, &err), BERTH_OK);
  float *at = pinned->data;
  at[0] = 0, at[1] = 2, at[2] = 3;
  testing_add_t params = {at, at + 1, at + 2, 1};
  berth_call_t call = {.err = &err, .stream = lane};
  EXPECT_EQ(berth_cuda_text_launch(&call, made, 0, 1, &params, sizeof(params)),
            BERTH_OK);
  EXPECT_EQ(device->backend->streams->sync(lane, &err), BERTH_OK);
  float sum = at[0];
  berth_buffer_release(pinned);
  return sum;
}

TEST(text, is_loaded_once_and_given_back) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cuda_text_t *a = NULL, *b = NULL, *c = NULL;
  berth_device_t *device = open_card();
  ASSERT_OK(berth_cuda_text_get(device, text, names, 1, &a, &err), &err);
  ASSERT_OK(berth_cuda_text_get(device, text, names, 1, &b, &err), &err);
  ASSERT_OK(berth_cuda_text_get(device, other, names, 1, &c, &err), &err);
  EXPECT_TRUE(a == b && a != c);
  EXPECT_EQ(berth_cuda_text_count(), 2);
  EXPECT_TRUE(add(device, a) == 5);
  berth_cuda_text_drop(a);
  EXPECT_EQ(berth_cuda_text_count(), 2);
  EXPECT_TRUE(add(device, b) == 5);
  berth_cuda_text_drop(b);
  berth_cuda_text_drop(c);
  EXPECT_EQ(berth_cuda_text_count(), 0);
  berth_device_release(device);
}

TEST(text, what_the_driver_refuses_is_said_at_once) {
  static const char *const missing[] = {"berth_example_nothing"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cuda_text_t *made = NULL;
  berth_device_t *device = open_card();
  EXPECT_TRUE(berth_cuda_text_get(device, "no text", names, 1, &made, &err) !=
              BERTH_OK);
  berth_error_clear(&err);
  EXPECT_TRUE(berth_cuda_text_get(device, text, missing, 1, &made, &err) !=
              BERTH_OK);
  EXPECT_TRUE(strstr(berth_error_message(&err), "CUDA_ERROR_NOT_FOUND"));
  berth_error_clear(&err);
  EXPECT_TRUE(made == NULL);
  EXPECT_EQ(berth_cuda_text_count(), 0);
  berth_device_release(device);
}

TEST(text, is_loaded_anew_after_a_reset) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cuda_text_t *made = NULL;
  berth_device_t *device = open_card();
  ASSERT_OK(berth_cuda_text_get(device, text, names, 1, &made, &err), &err);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  EXPECT_TRUE(add(device, made) == 5);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  // Its context is gone, and with it what was loaded there.
  berth_cuda_text_drop(made);
  EXPECT_EQ(berth_cuda_text_count(), 0);
  berth_device_release(device);
}
