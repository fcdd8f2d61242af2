// block_test.c - Kernels whose threads work together, at any size of launch.
//
// The software GPU runs one thread whatever it is asked for, so this says most
// on a real card.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "cuda/math/team.h"
#include "cuda/ops/reduction_params.h"

enum { OUTPUTS = 36, VALUES = 1001 };

// Returns a copy of |data| on the card, NULL when that fails.
static berth_tensor_t *on_card(berth_device_t *device, const float *data,
                               int64_t count) {
  berth_tensor_t *host = driver_tensor(BERTH_FLOAT, BERTH_SHAPE(count), data);
  berth_tensor_t *card = NULL;
  if (driver_move(device, host, &card, NULL) != BERTH_OK) card = NULL;
  berth_tensor_release(host);
  return card;
}

// Sums |VALUES| numbers for each of |OUTPUTS| outputs with a launch of this
// size, and expects what a loop gives. Small whole numbers: sums are exact.
static void expect_sums(berth_reduction_params_t params, unsigned blocks,
                        unsigned threads, const float *numbers) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  ASSERT_OK(driver_device(&device, &err), &err);
  float sums[OUTPUTS] = {0};
  berth_tensor_t *in = on_card(device, numbers, OUTPUTS * VALUES);
  berth_tensor_t *out = on_card(device, sums, OUTPUTS);
  berth_tensor_t *back = NULL;
  ASSERT_TRUE(in != NULL && out != NULL);
  params.in = in->data;
  params.out = out->data;
  berth_call_t call = {.err = &err, .stream = driver_stream(device)};
  int kernel = berth_cuda_kernel("reduce_sum", "berth_sum_f32");
  ASSERT_OK(berth_cuda_launch_blocks(&call, kernel, blocks, threads, &params,
                                     sizeof(params)),
            &err);
  ASSERT_OK(driver_move(NULL, out, &back, &err), &err);
  int wrong = 0;
  for (int k = 0; k < OUTPUTS; ++k) {
    float sum = 0;
    for (int i = 0; i < VALUES; ++i) {
      sum += numbers[(uint64_t)k * params.kept.steps[0] +
                     (uint64_t)i * params.folded.steps[0]];
    }
    wrong += ((const float *)back->data)[k] != sum;
  }
  EXPECT_EQ(wrong, 0);
  berth_tensor_release(in);
  berth_tensor_release(out);
  berth_tensor_release(back);
}

static berth_reduction_params_t params_of(uint32_t team, bool is_line) {
  berth_reduction_params_t params = {.outputs = OUTPUTS,
                                     .values = VALUES,
                                     .chunks = 1,
                                     .chunk_values = VALUES,
                                     .divisor = 1,
                                     .team = team,
                                     .has_lines = is_line};
  params.kept.rank = params.folded.rank = 1;
  params.kept.dims[0] = OUTPUTS;
  params.folded.dims[0] = VALUES;
  params.kept.steps[0] = is_line ? VALUES : 1;
  params.folded.steps[0] = is_line ? 1 : OUTPUTS;
  return params;
}

TEST(block, reduces_at_any_size) {
  static const unsigned threads[] = {32, 64, 96, 256, 800, 1024};
  static const unsigned blocks[] = {1, 2, 37, 100};
  static float numbers[OUTPUTS * VALUES];
  for (int i = 0; i < OUTPUTS * VALUES; ++i) {
    numbers[i] = (float)(i * 7 % 13 - 4);
  }
  for (uint32_t team = BERTH_TEAM_THREAD; team <= BERTH_TEAM_BLOCK; ++team) {
    for (int t = 0; t < (int)(sizeof(threads) / sizeof(*threads)); ++t) {
      for (int b = 0; b < (int)(sizeof(blocks) / sizeof(*blocks)); ++b) {
        expect_sums(params_of(team, true), blocks[b], threads[t], numbers);
        berth_reduction_params_t columns = params_of(team, false);
        expect_sums(columns, blocks[b], threads[t], numbers);
        columns.is_wide = 1;
        columns.chunk_values = 0;
        expect_sums(columns, blocks[b], threads[t], numbers);
      }
    }
  }
}
