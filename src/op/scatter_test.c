// scatter_test.c - What ops mean that read and write slices at places.
#include "harness.h"

#include "op/index.h"
#include "op/op_testing.h"

static void given_gather(op_case_t *given, berth_dims_t params,
                         berth_dims_t indices) {
  *given = (op_case_t){.op = "GatherNd"};
  op_case_input(given, BERTH_FLOAT, params);
  op_case_input(given, BERTH_INT32, indices);
  op_case_output(given, BERTH_FLOAT);
}

TEST(gather_nd, gives_a_slice_for_each_place) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_places_t places;
  given_gather(&given, BERTH_SHAPE(4, 5, 6), BERTH_SHAPE(2, 3, 1));
  ASSERT_OK(berth_op_gather_nd(op_case_make(&given), &places, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,5,6]");
  EXPECT_EQ(places.count, 6);
  EXPECT_EQ(places.depth, 1);
  EXPECT_EQ(places.slice, 30);
  op_case_deinit(&given);
}

TEST(gather_nd, refuses_more_indices_than_dimensions) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_places_t places;
  given_gather(&given, BERTH_SHAPE(4), BERTH_SHAPE(2, 3));
  EXPECT_FAILS(berth_op_gather_nd(op_case_make(&given), &places, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "index innermost dimension length must be <= params rank; saw: "
               "3 vs. 1");
  op_case_deinit(&given);
}

TEST(scatter_nd, makes_the_shape_it_is_told) {
  op_case_t given = {.op = "ScatterNd"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_places_t places;
  berth_combine_t combine;
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(2, 1));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SHAPE(2), 4, 3);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_scatter_nd(op_case_make(&given), &combine, &places, &err),
            &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4,3]");
  EXPECT_EQ(combine, BERTH_COMBINE_ADD);
  EXPECT_EQ(places.slice, 3);
  op_case_deinit(&given);
}

TEST(tensor_scatter, has_its_function_in_its_name) {
  static const struct {
    const char *op;
    berth_combine_t combine;
  } ops[] = {{"TensorScatterUpdate", BERTH_COMBINE_SET},
             {"TensorScatterSub", BERTH_COMBINE_SUB},
             {"TensorScatterMax", BERTH_COMBINE_MAX},
             {"ScatterNdNonAliasingAdd", BERTH_COMBINE_ADD}};
  for (int i = 0; i < BERTH_COUNT_OF(ops); ++i) {
    op_case_t given = {.op = ops[i].op};
    berth_error_t err = BERTH_ERROR_INIT;
    berth_places_t places;
    berth_combine_t combine;
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
    op_case_input(&given, BERTH_INT64, BERTH_SHAPE(2, 1));
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2));
    op_case_output(&given, BERTH_FLOAT);
    ASSERT_OK(
        berth_op_scatter_nd(op_case_make(&given), &combine, &places, &err),
        &err);
    EXPECT_EQ(combine, ops[i].combine);
    EXPECT_STR(op_case_shape(&given, 0), "[4]");
    op_case_deinit(&given);
  }
}

// A scatter into a variable of [3,2].
static berth_code_t check_variable(const char *op, berth_dims_t indices,
                                   berth_dims_t updates,
                                   berth_places_t *out_places,
                                   berth_error_t *err) {
  op_case_t given = {.op = op};
  berth_scatter_t scatter;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  op_case_input(&given, BERTH_INT32, indices);
  op_case_input(&given, BERTH_FLOAT, updates);
  berth_code_t code = berth_op_scatter(op_case_make(&given), &scatter, err);
  if (code == BERTH_OK) {
    code = berth_scatter_check(&scatter, BERTH_SHAPE(3, 2), out_places, err);
  }
  op_case_deinit(&given);
  return code;
}

TEST(scatter, is_checked_when_the_variable_is_there) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_places_t places;
  ASSERT_OK(check_variable("ResourceScatterAdd", BERTH_SHAPE(4),
                           BERTH_SHAPE(4, 2), &places, &err),
            &err);
  EXPECT_EQ(places.count, 4);
  EXPECT_EQ(places.slice, 2);
  EXPECT_FAILS(check_variable("ResourceScatterAdd", BERTH_SHAPE(4),
                              BERTH_SHAPE(3, 2), &places, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "The shape of indices ([4]) must be a prefix of the shape of "
               "updates ([3,2])");
  EXPECT_FAILS(check_variable("ResourceScatterNdAdd", BERTH_SHAPE(4, 1),
                              BERTH_SHAPE(4, 3), &places, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Dimensions [1,2) of input[shape=[3,2]] must match dimensions "
               "[1,2) of updates[shape=[4,3]]");
}
