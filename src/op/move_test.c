// move_test.c - What ops that move elements mean: shapes, moves, errors.
#include "op/move.h"

#include "base/fault.h"
#include "base/str.h"
#include "harness.h"
#include "op/array.h"
#include "op/op_testing.h"

// Returns |moves| as text, one after the other: "0+4>3+0 3:2>5 2:1>1" goes from
// argument 0, offset 4, to argument 3, offset 0, in levels of count, source's
// step and target's.
static const char *show(const berth_moves_t *moves) {
  static char shown[1024];
  berth_str_t str = {0};
  for (const berth_move_t *move = moves->first; move != NULL;
       move = move->next) {
    if (move != moves->first) berth_str_printf(&str, ", ");
    berth_str_printf(&str, "%d+%lld>%d+%lld", (int)move->from_arg,
                     (long long)move->from_offset, (int)move->to_arg,
                     (long long)move->to_offset);
    for (int32_t i = 0; i < move->level_count; ++i) {
      berth_str_printf(&str, " %lld:%lld>%lld",
                       (long long)move->levels[i].count,
                       (long long)move->levels[i].from_step,
                       (long long)move->levels[i].to_step);
    }
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

// ---- Descriptions ----

TEST(move, drops_and_joins_levels) {
  op_case_t given = {.op = "Identity"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_DOUBLE, BERTH_SHAPE(2, 3, 4));
  berth_case_t *op = op_case_make(&given);
  berth_moves_init(&moves, BERTH_DOUBLE);
  // All contiguous, with a level of one index between.
  berth_move_spec_t whole = {3, 5, 0, {2, 1, 12}, {12, 99, 1}, {12, 77, 1}};
  ASSERT_OK(berth_moves_add(op, &moves, &whole, 0, 1, &err), &err);
  // Contiguous in the source alone.
  berth_move_spec_t spread = {2, 0, 0, {2, 12}, {12, 1}, {24, 1}};
  ASSERT_OK(berth_moves_add(op, &moves, &spread, 0, 1, &err), &err);
  berth_move_spec_t nothing = {2, 0, 0, {2, 0}, {1, 1}, {1, 1}};
  ASSERT_OK(berth_moves_add(op, &moves, &nothing, 0, 1, &err), &err);
  EXPECT_EQ(moves.count, 2);
  EXPECT_STR(show(&moves), "0+5>1+0 24:1>1, 0+0>1+0 2:12>24 12:1>1");
  EXPECT_EQ(moves.first->size, 8);
  op_case_deinit(&given);
}

TEST(move, joins_lists) {
  op_case_t given = {.op = "Identity"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves, rest, none;
  berth_move_spec_t one = {1, 0, 0, {2}, {1}, {1}};
  berth_move_spec_t other = {1, 3, 4, {5}, {1}, {1}};
  berth_case_t *op = op_case_make(&given);
  berth_moves_init(&moves, BERTH_FLOAT);
  berth_moves_init(&rest, BERTH_FLOAT);
  berth_moves_init(&none, BERTH_FLOAT);
  ASSERT_OK(berth_moves_add(op, &moves, &one, 0, 1, &err), &err);
  ASSERT_OK(berth_moves_add(op, &rest, &other, 0, 1, &err), &err);
  berth_moves_join(&moves, &none);
  berth_moves_join(&moves, &rest);
  EXPECT_EQ(moves.count, 2);
  EXPECT_EQ(rest.count, 0);
  EXPECT_STR(show(&moves), "0+0>1+0 2:1>1, 0+3>1+4 5:1>1");
  op_case_deinit(&given);
}

TEST(move, says_when_memory_is_short) {
  op_case_t given = {.op = "Identity"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  berth_move_spec_t spec = {1, 0, 0, {2}, {1}, {1}};
  berth_case_t *op = op_case_make(&given);
  berth_moves_init(&moves, BERTH_FLOAT);
  berth_fault_arm("alloc", 1);
  EXPECT_EQ(berth_moves_add(op, &moves, &spec, 0, 1, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(berth_fault_disarm(), 1);
  EXPECT_EQ(moves.count, 0);
  berth_error_clear(&err);
  op_case_deinit(&given);
}

// ---- Concat ----

TEST(concat, moves_each_input_to_a_window) {
  op_case_t given = {.op = "ConcatV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 2));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 5));
  op_case_ints(&given, BERTH_SCALAR, -1);
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_concat_v2(op, &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,7]");
  EXPECT_EQ(op->alias, -1);
  EXPECT_STR(show(&moves), "0+0>3+0 3:2>7 2:1>1, 1+0>3+2 3:5>7 5:1>1");
  op_case_deinit(&given);
}

TEST(concat, of_one_is_one_level) {
  op_case_t given = {.op = "ConcatV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 2));
  op_case_longs(&given, BERTH_SCALAR, 0);
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_concat_v2(op, &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,2]");
  EXPECT_EQ(op->alias, -1);
  EXPECT_STR(show(&moves), "0+0>2+0 6:1>1");
  op_case_deinit(&given);
}

TEST(concat, refuses_shapes_that_do_not_fit) {
  op_case_t given = {.op = "ConcatV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 2));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4, 5));
  op_case_ints(&given, BERTH_SCALAR, 1);
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_concat_v2(op_case_make(&given), &moves, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "ConcatOp : Dimension 0 in both shapes must be equal: shape[0] "
               "= [3,2] vs. shape[1] = [4,5]");
  op_case_deinit(&given);
}

TEST(pack, moves_each_input_to_a_new_axis) {
  op_case_t given = {.op = "Pack"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_int(&given, "axis", 1);
  op_case_input(&given, BERTH_INT64, BERTH_SHAPE(2, 3));
  op_case_input(&given, BERTH_INT64, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_INT64);
  ASSERT_OK(berth_op_pack(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,2,3]");
  EXPECT_STR(show(&moves), "0+0>2+0 2:3>6 3:1>1, 1+0>2+3 2:3>6 3:1>1");
  op_case_deinit(&given);
}

// ---- Pad ----

static void pad_given(op_case_t *given, const char *name) {
  *given = (op_case_t){.op = name};
  op_case_input(given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(given, BERTH_SHAPE(2, 2), 1, 0, 0, 2);
  op_case_output(given, BERTH_FLOAT);
}

TEST(pad, moves_the_input_between_zeros) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pad_t pad;
  pad_given(&given, "Pad");
  ASSERT_OK(berth_op_pad(op_case_make(&given), &pad, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,5]");
  EXPECT_STR(show(&pad.inside), "0+0>2+5 2:3>5 3:1>1");
  EXPECT_EQ(pad.around.count, 0);
  op_case_deinit(&given);
}

TEST(pad, repeats_the_constant_in_slabs) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pad_t pad;
  pad_given(&given, "PadV2");
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  ASSERT_OK(berth_op_pad(op_case_make(&given), &pad, &err), &err);
  EXPECT_STR(show(&pad.inside), "0+0>3+5 2:3>5 3:1>1");
  EXPECT_STR(show(&pad.around), "2+0>3+0 5:0>1, 2+0>3+8 2:0>5 2:0>1");
  op_case_deinit(&given);
}

TEST(pad, with_nothing_is_the_input) {
  op_case_t given = {.op = "Pad"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pad_t pad;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SHAPE(2, 2), 0, 0, 0, 0);
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_pad(op, &pad, &err), &err);
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(pad.inside.count + pad.around.count, 0);
  op_case_deinit(&given);
}

TEST(pad, refuses_what_it_cannot_add) {
  op_case_t given = {.op = "Pad"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pad_t pad;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SHAPE(2, 2), 0, 0, 0, -1);
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_pad(op_case_make(&given), &pad, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Paddings must be non-negative: 0 -1");
  EXPECT_STR(op_case_shape(&given, 0), "?");
  op_case_deinit(&given);
}

TEST(mirror_pad, reads_backwards) {
  op_case_t given = {.op = "MirrorPad"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_text(&given, "mode", "REFLECT");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
  op_case_ints(&given, BERTH_SHAPE(1, 2), 2, 1);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_mirror_pad(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[7]");
  EXPECT_STR(show(&moves), "0+2>2+0 2:-1>1, 0+0>2+2 4:1>1, 0+2>2+6");
  op_case_deinit(&given);
}

// ---- DiagPart ----

static void diag_given(op_case_t *given, berth_dims_t dims) {
  *given = (op_case_t){.op = "DiagPart"};
  op_case_input(given, BERTH_FLOAT, dims);
  op_case_output(given, BERTH_FLOAT);
}

TEST(diag_part, is_one_level) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  diag_given(&given, BERTH_SHAPE(4, 4));
  ASSERT_OK(berth_op_diag_part(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4]");
  EXPECT_STR(show(&moves), "0+0>1+0 4:5>1");
  op_case_deinit(&given);
  diag_given(&given, BERTH_SHAPE(2, 3, 2, 3));
  ASSERT_OK(berth_op_diag_part(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_STR(show(&moves), "0+0>1+0 6:7>1");
  op_case_deinit(&given);
}

TEST(diag_part, of_one_element_is_the_input) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  diag_given(&given, BERTH_SHAPE(1, 1, 1, 1));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_diag_part(op, &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[1,1]");
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(moves.count, 0);
  op_case_deinit(&given);
}

TEST(diag_part, of_nothing_moves_nothing) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  diag_given(&given, BERTH_SHAPE(0, 2, 0, 2));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_diag_part(op, &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[0,2]");
  EXPECT_EQ(op->alias, -1);
  EXPECT_EQ(moves.count, 0);
  op_case_deinit(&given);
}

TEST(diag_part, refuses_halves_that_differ) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  diag_given(&given, BERTH_SHAPE(2, 3, 2, 4));
  EXPECT_FAILS(berth_op_diag_part(op_case_make(&given), &moves, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Invalid shape [2,3,2,4]: dimensions 1 and 3 do not match.");
  op_case_deinit(&given);
  diag_given(&given, BERTH_SHAPE(2, 2, 2));
  EXPECT_FAILS(berth_op_diag_part(op_case_make(&given), &moves, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "The rank of the tensor should be                             "
               "             even and positive, got shape [2,2,2]");
  op_case_deinit(&given);
}

// ---- StridedSlice ----

static void slice_given(op_case_t *given, int32_t begin, int32_t end,
                        int32_t stride) {
  *given = (op_case_t){.op = "StridedSlice"};
  op_case_input(given, BERTH_FLOAT, BERTH_SHAPE(8, 4));
  op_case_ints(given, BERTH_SHAPE(1), begin);
  op_case_ints(given, BERTH_SHAPE(1), end);
  op_case_ints(given, BERTH_SHAPE(1), stride);
  op_case_output(given, BERTH_FLOAT);
}

TEST(strided_slice, of_neighbouring_rows_is_one_level) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  slice_given(&given, 2, 5, 1);
  ASSERT_OK(berth_op_strided_slice(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,4]");
  EXPECT_STR(show(&moves), "0+8>4+0 12:1>1");
  op_case_deinit(&given);
}

TEST(strided_slice, goes_backwards_and_skips) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  slice_given(&given, -1, 1, -3);
  ASSERT_OK(berth_op_strided_slice(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,4]");
  EXPECT_STR(show(&moves), "0+28>4+0 2:-12>4 4:1>1");
  op_case_deinit(&given);
}

TEST(strided_slice, drops_an_axis) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  slice_given(&given, 3, 4, 1);
  op_case_int(&given, "shrink_axis_mask", 1);
  ASSERT_OK(berth_op_strided_slice(op_case_make(&given), &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4]");
  EXPECT_STR(show(&moves), "0+12>4+0 4:1>1");
  op_case_deinit(&given);
}

TEST(strided_slice, of_all_is_the_input) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  slice_given(&given, 0, 8, 1);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_strided_slice(op, &moves, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[8,4]");
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(moves.count, 0);
  op_case_deinit(&given);
}

TEST(strided_slice, refuses_no_stride_and_bad_indices) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  slice_given(&given, 0, 8, 0);
  EXPECT_FAILS(berth_op_strided_slice(op_case_make(&given), &moves, &err),
               BERTH_INVALID_ARGUMENT, &err, "strides[0] must be non-zero");
  op_case_deinit(&given);
  slice_given(&given, 8, 9, 1);
  op_case_int(&given, "shrink_axis_mask", 1);
  EXPECT_FAILS(berth_op_strided_slice(op_case_make(&given), &moves, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "slice index 8 of dimension 0 out of bounds.");
  op_case_deinit(&given);
}

// ---- Checks ----

// A check says what is wrong with a move of [4] to [4], and nothing otherwise.
static void expect_wrong(int from_arg, int64_t from_offset, int64_t to_offset,
                         int64_t to_step, const char *wrong) {
  op_case_t given = {.op = "Identity"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  berth_case_output(op, 0, BERTH_SHAPE(4));
  berth_moves_init(&moves, BERTH_FLOAT);
  berth_move_spec_t spec = {1, from_offset, to_offset, {2}, {1}, {to_step}};
  ASSERT_OK(berth_moves_add(op, &moves, &spec, from_arg, 1, &err), &err);
  const char *found = berth_moves_check(op, &moves);
  EXPECT_STR(found != NULL ? found : "", wrong);
  op_case_deinit(&given);
}

TEST(move, check_finds_what_is_outside) {
  expect_wrong(0, 0, 0, 1, "");
  expect_wrong(0, 2, 3, -3, "");
  expect_wrong(0, 3, 0, 1, "a move reads outside of its input");
  expect_wrong(0, -1, 0, 1, "a move reads outside of its input");
  expect_wrong(0, 0, 3, 1, "a move writes outside of its output");
  expect_wrong(0, 0, 2, -3, "a move writes outside of its output");
  expect_wrong(1, 0, 0, 1, "a move is not from an input to an output");
}

static void expect_case(int8_t alias, uint32_t may_overwrite,
                        berth_dims_t output, uint32_t traits,
                        const char *wrong) {
  op_case_t given = {.op = "Identity"};
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  berth_case_output(op, 0, output);
  op->alias = alias;
  op->may_overwrite = may_overwrite;
  const char *found = berth_case_check(op, traits);
  EXPECT_STR(found != NULL ? found : "", wrong);
  op_case_deinit(&given);
}

TEST(case, check_finds_what_does_not_fit) {
  expect_case(0, 1, BERTH_SHAPE(2, 2), 0, "");
  expect_case(-1, 0, BERTH_SHAPE(3), 0, "");
  expect_case(-1, 0, (berth_dims_t){-1, NULL}, BERTH_OP_MAKES, "");
  expect_case(-1, 0, (berth_dims_t){-1, NULL}, 0,
              "an output has no shape, and the op does not make it");
  expect_case(-1, 0, BERTH_SHAPE(2, -1), 0, "an output has half a shape");
  expect_case(1, 0, BERTH_SHAPE(4), 0, "the alias is no input");
  expect_case(0, 0, BERTH_SHAPE(3), 0, "an alias has another size");
  expect_case(-1, 1, BERTH_SHAPE(3), 0,
              "an input of another size may be overwritten");
}
