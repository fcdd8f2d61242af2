// move_plan_test.c - What is launched for which moves.
#include "cuda/ops/move_plan.h"

#include "harness.h"

#include "cuda/kernel_driver.h"

// A plan and what it was made with.
typedef struct planned {
  berth_arena_t arena;
  berth_moves_t parts;
  berth_prepare_t prepare;
} planned_t;

static void planned_init(planned_t *planned) {
  *planned = (planned_t){.prepare = {.op = {.alias = -1}}};
  planned->prepare.op.arena = &planned->arena;
  berth_moves_init(&planned->parts, BERTH_FLOAT);
}

// Adds a move with levels of {count, step in source, in target}.
static void planned_add(planned_t *planned, int from_arg, int to_arg,
                        int64_t from_offset, int64_t to_offset, int rank,
                        const int64_t (*levels)[3]) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_move_spec_t *spec = berth_calloc(1, sizeof(*spec));
  ASSERT_TRUE(spec != NULL);
  spec->rank = rank;
  spec->from_offset = from_offset;
  spec->to_offset = to_offset;
  for (int i = 0; i < rank; ++i) {
    spec->dims[i] = levels[i][0];
    spec->from_steps[i] = levels[i][1];
    spec->to_steps[i] = levels[i][2];
  }
  ASSERT_OK(berth_moves_add(&planned->prepare.op, &planned->parts, spec,
                            from_arg, to_arg, &err),
            &err);
  berth_free(spec);
}

static const berth_cuda_moves_t *planned_make(planned_t *planned) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (driver_device(&planned->prepare.device, &err) != BERTH_OK ||
      berth_cuda_moves_plan(&planned->prepare, &planned->parts, &err) !=
          BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    berth_error_clear(&err);
    return NULL;
  }
  return planned->prepare.plan;
}

// Plans one move of elements of |dtype| and returns what came of it.
static const berth_cuda_move_t *plan_one_of(planned_t *planned,
                                            berth_dtype_t dtype, int rank,
                                            const int64_t (*levels)[3]) {
  planned_init(planned);
  planned->parts.dtype = dtype;
  planned_add(planned, 0, 1, 0, 0, rank, levels);
  const berth_cuda_moves_t *moves = planned_make(planned);
  return moves != NULL && moves->count == 1 ? &moves->items[0] : NULL;
}

static const berth_cuda_move_t *plan_one(planned_t *planned, int rank,
                                         const int64_t (*levels)[3]) {
  return plan_one_of(planned, BERTH_FLOAT, rank, levels);
}

static void expect_kernel(const berth_cuda_move_t *move, const char *name) {
  ASSERT_TRUE(move != NULL);
  EXPECT_EQ(move->kernel, berth_cuda_kernel("move", name));
}

TEST(move_plan, block) {
  planned_t planned;
  const berth_cuda_move_t *move =
      plan_one(&planned, 1, (const int64_t[][3]){{10, 1, 1}});
  ASSERT_TRUE(move != NULL);
  EXPECT_EQ(move->kind, BERTH_CUDA_MOVE_COPY);
  EXPECT_EQ(move->count, 40);
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, widest_unit) {
  planned_t planned;
  // Rows of 8 floats out of rows of 12: 16 bytes divide both.
  const berth_cuda_move_t *move =
      plan_one(&planned, 2, (const int64_t[][3]){{5, 12, 8}, {8, 1, 1}});
  expect_kernel(move, "berth_move_nest_x16");
  EXPECT_EQ(move->unit, 16);
  EXPECT_EQ(move->count, 10);
  // For addresses of one float each.
  expect_kernel(move->plain, "berth_move_nest_x4");
  EXPECT_EQ(move->plain->count, 40);
  EXPECT_TRUE(move->plain->plain == NULL);
  berth_arena_clear(&planned.arena);

  move = plan_one(&planned, 2, (const int64_t[][3]){{5, 10, 6}, {6, 1, 1}});
  expect_kernel(move, "berth_move_nest_x8");
  berth_arena_clear(&planned.arena);
  move = plan_one(&planned, 2, (const int64_t[][3]){{5, 10, 4}, {4, 2, 1}});
  expect_kernel(move, "berth_move_nest_x4");
  EXPECT_TRUE(move->plain == NULL);
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, offsets_narrow_the_unit) {
  planned_t planned;
  planned_init(&planned);
  planned_add(&planned, 0, 1, 2, 0, 2,
              (const int64_t[][3]){{5, 12, 8}, {8, 1, 1}});
  const berth_cuda_moves_t *moves = planned_make(&planned);
  ASSERT_TRUE(moves != NULL);
  expect_kernel(&moves->items[0], "berth_move_nest_x8");
  EXPECT_EQ(moves->items[0].from_offset, 8);
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, large_places_need_64_bits) {
  planned_t planned;
  const int64_t far = INT64_C(1) << 31;
  const berth_cuda_move_t *move =
      plan_one(&planned, 2, (const int64_t[][3]){{2, far, 4}, {4, 3, 1}});
  expect_kernel(move, "berth_move_wide_x4");
  berth_arena_clear(&planned.arena);
  move =
      plan_one(&planned, 2, (const int64_t[][3]){{2, far - 10, 4}, {4, 3, 1}});
  expect_kernel(move, "berth_move_nest_x4");
  berth_arena_clear(&planned.arena);
  // 2^31 elements, all of them copies of one.
  move =
      plan_one(&planned, 2, (const int64_t[][3]){{far / 4, 1, 4}, {4, 0, 1}});
  expect_kernel(move, "berth_move_wide_x4");
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, tiles) {
  planned_t planned;
  // [40, 70] transposed: 2 by 3 tiles.
  const berth_cuda_move_t *move =
      plan_one(&planned, 2, (const int64_t[][3]){{70, 1, 40}, {40, 70, 1}});
  expect_kernel(move, "berth_move_tiles_x4");
  EXPECT_EQ(move->count, 6);
  EXPECT_EQ(move->blocks, 6);
  berth_arena_clear(&planned.arena);
  // Too narrow for tiles.
  move = plan_one(&planned, 2, (const int64_t[][3]){{70, 1, 4}, {4, 70, 1}});
  expect_kernel(move, "berth_move_nest_x4");
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, short_elements_are_packed_into_words) {
  planned_t planned;
  const int64_t even[][3] = {{70, 1, 40}, {40, 70, 1}};
  const berth_cuda_move_t *move = plan_one_of(&planned, BERTH_HALF, 2, even);
  expect_kernel(move, "berth_move_packed_x2");
  EXPECT_EQ(move->alignment, 4);
  EXPECT_EQ(move->count, 2);
  expect_kernel(move->plain, "berth_move_tiles_x2");
  EXPECT_EQ(move->plain->count, 6);
  berth_arena_clear(&planned.arena);
  // 70 is no multiple of four.
  move = plan_one_of(&planned, BERTH_INT8, 2, even);
  expect_kernel(move, "berth_move_tiles_x1");
  EXPECT_TRUE(move->plain == NULL);
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, repeated_elements_are_written_as_wide_units) {
  planned_t planned;
  const int64_t levels[][3] = {{3, 1, 16}, {16, 0, 1}};
  const berth_cuda_move_t *move = plan_one_of(&planned, BERTH_FLOAT, 2, levels);
  expect_kernel(move, "berth_move_splat_x4");
  EXPECT_EQ(move->alignment, 16);
  EXPECT_EQ(move->count, 12);
  expect_kernel(move->plain, "berth_move_nest_x4");
  EXPECT_EQ(move->plain->count, 48);
  berth_arena_clear(&planned.arena);
  move = plan_one_of(&planned, BERTH_COMPLEX128, 2, levels);
  expect_kernel(move, "berth_move_nest_x16");
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, joins_take_as_many_launches_as_needed) {
  planned_t planned;
  enum { PARTS = 300 };
  planned_init(&planned);
  for (int i = 0; i < PARTS; ++i) {
    planned_add(&planned, i, PARTS, 0, 4 * i, 2,
                (const int64_t[][3]){{3, 4, 4 * PARTS}, {4, 1, 1}});
  }
  const berth_cuda_moves_t *moves = planned_make(&planned);
  ASSERT_TRUE(moves != NULL);
  ASSERT_TRUE(moves->count == 3);
  expect_kernel(&moves->items[2], "berth_move_join_x16");
  EXPECT_EQ(moves->items[0].part_count, 128);
  EXPECT_EQ(moves->items[2].part_count, 44);
  EXPECT_EQ(moves->items[2].whole_offset, 2 * 128 * 16);
  EXPECT_EQ(moves->items[2].part_args[43], 299);
  EXPECT_EQ(moves->items[2].count, 3 * 44);
  expect_kernel(moves->items[2].plain, "berth_move_join_x4");
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, cuts_take_one_element_too) {
  planned_t planned;
  planned_init(&planned);
  for (int i = 0; i < 5; ++i) {
    planned_add(&planned, 0, 1 + i, i, 0, 1, (const int64_t[][3]){{7, 5, 1}});
  }
  const berth_cuda_moves_t *moves = planned_make(&planned);
  ASSERT_TRUE(moves != NULL);
  ASSERT_TRUE(moves->count == 1);
  expect_kernel(&moves->items[0], "berth_move_cut_x4");
  EXPECT_EQ(moves->items[0].count, 35);
  berth_arena_clear(&planned.arena);
}

TEST(move_plan, moves_apart_are_launched_one_by_one) {
  planned_t planned;
  planned_init(&planned);
  planned_add(&planned, 0, 2, 0, 0, 1, (const int64_t[][3]){{7, 1, 1}});
  planned_add(&planned, 1, 2, 0, 9, 1, (const int64_t[][3]){{7, 1, 1}});
  const berth_cuda_moves_t *moves = planned_make(&planned);
  ASSERT_TRUE(moves != NULL);
  ASSERT_TRUE(moves->count == 2);
  EXPECT_EQ(moves->items[1].kind, BERTH_CUDA_MOVE_COPY);
  EXPECT_EQ(moves->items[1].to_offset, 36);
  berth_arena_clear(&planned.arena);
}
