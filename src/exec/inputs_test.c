// inputs_test.c - What one call of a step works with, gathered.
#include "exec/inputs.h"

#include "harness.h"

static berth_tensor_t *number(float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &tensor,
                             NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
  }
  return tensor;
}

// Gathers |count| inputs, every second one owned, and looks at all of them.
static void gather(int count, int outputs) {
  berth_step_t step = {.input_count = count, .output_count = outputs};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_inputs_t in;
  berth_tensor_t *kept = number(7);
  ASSERT_OK(berth_inputs_init(&in, &step, &err), &err);
  bool is_few = count <= BERTH_FEW_INPUTS && outputs <= BERTH_FEW_INPUTS;
  EXPECT_EQ(in.heap == NULL, is_few);
  for (int i = 0; i < count; ++i) {
    berth_inputs_set(&in, i, kept);
    if (i % 2 == 1) {
      berth_tensor_t *own = number((float)i);
      berth_inputs_set(&in, i, own);
      berth_inputs_own(&in, i, own);
    }
  }
  for (int i = 0; i < outputs; ++i) in.outputs[i] = kept;
  for (int i = 0; i < count; ++i) {
    EXPECT_NEAR(*(const float *)in.data[i], i % 2 == 1 ? i : 7, 0);
    EXPECT_EQ(in.inputs[i].dtype, BERTH_FLOAT);
    EXPECT_EQ(in.inputs[i].count, 1);
    EXPECT_TRUE(in.inputs[i].value == in.data[i]);
  }
  EXPECT_EQ(in.owned_count, count / 2);
  berth_inputs_deinit(&in);
  // What was borrowed is still there, and held by nobody else.
  EXPECT_NEAR(*(const float *)berth_tensor_data(kept), 7, 0);
  EXPECT_TRUE(berth_buffer_is_exclusive(kept->buffer));
  berth_tensor_release(kept);
}

TEST(inputs, none) { gather(0, 0); }

TEST(inputs, few) {
  gather(1, 1);
  gather(BERTH_FEW_INPUTS, BERTH_FEW_INPUTS);
}

TEST(inputs, many) {
  gather(BERTH_FEW_INPUTS + 1, 1);
  gather(1, BERTH_FEW_INPUTS + 1);
  gather(1000, 500);
}

// What is described without a tensor has a value on the host alone.
TEST(inputs, addresses) {
  berth_step_t step = {.input_count = 2, .output_count = 0};
  berth_inputs_t in;
  ASSERT_OK(berth_inputs_init(&in, &step, NULL), NULL);
  int64_t dims[] = {2, 3};
  float values[6] = {0};
  berth_dims_t shape = {2, dims};
  berth_inputs_describe(&in, 0, BERTH_FLOAT, shape, 6, values, true);
  berth_inputs_describe(&in, 1, BERTH_FLOAT, shape, 6, values, false);
  EXPECT_TRUE(in.inputs[0].value == values && in.inputs[1].value == NULL);
  EXPECT_TRUE(in.data[1] == values && in.tensors[1] == NULL);
  EXPECT_EQ(in.inputs[1].rank, 2);
  EXPECT_EQ(in.inputs[1].count, 6);
  berth_inputs_deinit(&in);
}
