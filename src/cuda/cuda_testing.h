// cuda_testing.h - What the tests of the CUDA backend have in common.
#ifndef BERTH_CUDA_CUDA_TESTING_H_
#define BERTH_CUDA_CUDA_TESTING_H_

#include "base/alloc.h"
#include "cuda/code/image.h"
#include "cuda/code/launch.h"
#include "cuda/stream/device.h"
#include "harness.h"
#include "simulate.h"

#define MIB ((uint64_t)1 << 20)
#define TESTING_PREFIX "/job:localhost/replica:0/task:0"

#ifdef TESTING_OWN_IMAGE
// Stands in for the kernels of the build: the software GPU finds its examples
// by name in any module.
berth_code_t berth_cuda_image(const char *module, int cc_major, int cc_minor,
                              void **out_image, berth_error_t *err) {
  (void)module, (void)cc_major, (void)cc_minor;
  *out_image = berth_strdup(".version 6.0\n.target sm_50\n.entry nothing()");
  return *out_image != NULL ? BERTH_OK : berth_error_no_memory(err, "code");
}
#endif

// Simulates |spec| in this process, with accounts of its own. Ends the test
// where the machine's own card is to be tested.
static inline void testing_simulate(const char *spec) {
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("for simulated cards alone");
  simulate_cards(spec);
}

// A device on card |card| with |limit| bytes that are mapped page by page.
static inline berth_device_wish_t testing_wish(int card, uint64_t limit) {
  return (berth_device_wish_t){.card = card,
                               .id = card,
                               .policy = berth_policy_mapped(limit),
                               .description = "a test"};
}

// Opens and starts it; NULL when that fails.
static inline berth_device_t *testing_open(const berth_device_wish_t *wish) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  berth_code_t code =
      berth_cuda_device_open(wish, TESTING_PREFIX, &device, &err);
  if (code == BERTH_OK) code = berth_device_start(device, &err);
  simulate_forget();
  if (code != BERTH_OK) {
    HARNESS_FAIL("a device cannot be opened: %s", berth_error_message(&err));
    berth_error_clear(&err);
    berth_device_release(device);
    return NULL;
  }
  return device;
}

static inline berth_stream_t *testing_lane(berth_device_t *device,
                                           berth_lane_t lane) {
  return device->backend->lane(device, lane);
}

// Takes |size| bytes of |device|; NULL when there are none.
static inline berth_buffer_t *testing_alloc(berth_device_t *device,
                                            size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  if (device->allocator->alloc(device->allocator, size, &buffer, &err) !=
      BERTH_OK) {
    HARNESS_FAIL("no memory: %s", berth_error_message(&err));
    berth_error_clear(&err);
  }
  return buffer;
}

// The arguments of the software GPU's example kernels.
typedef struct testing_add {
  float *out;
  const float *a;
  const float *b;
  uint64_t count;
} testing_add_t;

typedef struct testing_fail {
  int fault;
} testing_fail_t;

// Queues berth_example_add on the compute lane of |device|.
static inline berth_code_t testing_launch_add(berth_stream_t *stream,
                                              float *out, const float *a,
                                              const float *b, uint64_t count,
                                              berth_error_t *err) {
  berth_call_t call = {.err = err, .stream = stream};
  testing_add_t params = {out, a, b, count};
  return berth_cuda_launch(&call,
                           berth_cuda_kernel("example", "berth_example_add"),
                           count, &params, sizeof(params));
}

// Queues a kernel that fails with |fault|.
static inline berth_code_t testing_launch_fail(berth_stream_t *stream,
                                               int fault, berth_error_t *err) {
  berth_call_t call = {.err = err, .stream = stream};
  testing_fail_t params = {fault};
  return berth_cuda_launch(&call,
                           berth_cuda_kernel("example", "berth_example_fail"),
                           1, &params, sizeof(params));
}

#endif  // BERTH_CUDA_CUDA_TESTING_H_
