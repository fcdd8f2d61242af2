// gpu_run_testing.h - What the tests of sessions on GPUs share.
#ifndef BERTH_TESTS_GPU_RUN_GPU_RUN_TESTING_H_
#define BERTH_TESTS_GPU_RUN_GPU_RUN_TESTING_H_

#include "session/session_testing.h"
#include "simulate.h"

// Makes |spec| the GPUs of this process, unless BERTH_TEST_GPU wants the
// machine's own.
static inline void simulate(const char *spec) {
  if (getenv("BERTH_TEST_GPU") != NULL) return;
  simulate_cards(spec);
  atexit(simulate_forget);
}

// The same for |spec|, which is |count| cards: the machine's own is divided
// into as many GPUs.
static inline void simulate_many(const char *spec, int count) {
  if (getenv("BERTH_TEST_GPU") == NULL) {
    simulate(spec);
    return;
  }
  enum { MOST = 8 };
  float limits[MOST];
  for (int i = 0; i < MOST; ++i) limits[i] = 1024;
  const berth_virtual_devices_t card = {.memory_limit_mb = limits,
                                        .memory_limit_count = count};
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_error_t err = BERTH_ERROR_INIT;
  config.gpu.visible_devices = "0";
  config.gpu_experimental.virtual_devices = &card;
  config.gpu_experimental.virtual_device_count = 1;
  if (berth_process_configure(&config, &err) != BERTH_OK) {
    HARNESS_FAIL("no GPUs: %s", berth_error_message(&err));
  }
  berth_error_clear(&err);
}

// A matrix of floats whose element i is |scale| * (i % 7).
static inline berth_tensor_t *matrix(int64_t rows, int64_t cols, float scale) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(rows, cols), &tensor,
                          NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
    return NULL;
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < rows * cols; ++i) values[i] = scale * (float)(i % 7);
  return tensor;
}

// Element (row, col) of the product of two such matrices.
static inline double product_at(const berth_tensor_t *a,
                                const berth_tensor_t *b, int64_t row,
                                int64_t col) {
  int64_t inner = berth_tensor_shape(a).dims[1];
  int64_t cols = berth_tensor_shape(b).dims[1];
  const float *x = berth_tensor_data(a), *y = berth_tensor_data(b);
  double sum = 0;
  for (int64_t k = 0; k < inner; ++k) {
    sum += (double)x[row * inner + k] * (double)y[k * cols + col];
  }
  return sum;
}

#endif  // BERTH_TESTS_GPU_RUN_GPU_RUN_TESTING_H_
