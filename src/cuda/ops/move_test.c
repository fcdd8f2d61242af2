// move_test.c - Kernels that only move elements, against the CPU's.
//
// Each op with elements of every size, in layouts that take each way through
// move_plan.c: blocks, nests of loops with wide and with narrow units, tiles,
// joins.
#include "harness.h"

#include "cuda/kernel_driver.h"

enum { SIZES = 5 };

// Returns a type for each size of an element. TensorFlow registers different
// ones for bytes, so |byte| is asked for.
static berth_dtype_t type_of(int class, berth_dtype_t byte) {
  const berth_dtype_t types[] = {byte, BERTH_HALF, BERTH_FLOAT, BERTH_DOUBLE,
                                 BERTH_COMPLEX128};
  return types[class];
}

static void add_random(driver_t *driver, berth_dtype_t type,
                       berth_dims_t shape) {
  driver_input(driver, driver_random(type, shape, -100, 100));
}

// ---- Joining and cutting ----

// Concatenates tensors of shape [outer, widths[i]] along axis 1.
static void check_concat(berth_dtype_t type, int64_t outer, int count,
                         const int64_t *widths) {
  driver_t driver = {.op = "ConcatV2"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tidx", BERTH_INT32);
  driver_int(&driver, "N", count);
  for (int i = 0; i < count; ++i) {
    add_random(&driver, type, BERTH_SHAPE(outer, widths[i]));
  }
  driver_input(&driver, driver_ints(BERTH_SCALAR, 1));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, concat_of_columns) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_INT8);
    check_concat(type, 5, 2, (const int64_t[]){16, 32});
    check_concat(type, 5, 3, (const int64_t[]){3, 8, 1});
    check_concat(type, 1, 3, (const int64_t[]){4, 2, 6});
    check_concat(type, 7, 4, (const int64_t[]){1, 1, 1, 1});
    check_concat(type, 100, 2, (const int64_t[]){33, 64});
  }
}

TEST(move, concat_with_empty_inputs) {
  check_concat(BERTH_FLOAT, 3, 3, (const int64_t[]){2, 0, 5});
  check_concat(BERTH_FLOAT, 3, 3, (const int64_t[]){0, 4, 0});
  check_concat(BERTH_FLOAT, 3, 2, (const int64_t[]){0, 0});
  check_concat(BERTH_FLOAT, 0, 2, (const int64_t[]){2, 3});
}

TEST(move, concat_of_many_rows) {
  driver_t driver = {.op = "Concat"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_int(&driver, "N", 12);
  driver_input(&driver, driver_ints(BERTH_SCALAR, 0));
  for (int i = 0; i < 12; ++i) {
    add_random(&driver, BERTH_FLOAT, BERTH_SHAPE(i + 1, 7));
  }
  driver_output(&driver, BERTH_FLOAT);
  driver_check(&driver, 0);
}

static void check_pack(berth_dtype_t type, int64_t axis, berth_dims_t shape,
                       int count) {
  driver_t driver = {.op = "Pack"};
  driver_type(&driver, "T", type);
  driver_int(&driver, "N", count);
  driver_int(&driver, "axis", axis);
  for (int i = 0; i < count; ++i) add_random(&driver, type, shape);
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, pack) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_BOOL);
    check_pack(type, 0, BERTH_SHAPE(3, 5), 4);
    check_pack(type, 1, BERTH_SHAPE(3, 5), 4);
    check_pack(type, -1, BERTH_SHAPE(3, 5), 3);
    check_pack(type, 0, BERTH_SCALAR, 5);
  }
  check_pack(BERTH_FLOAT, 1, BERTH_SHAPE(2, 2), 1);  // An alias.
  check_pack(BERTH_FLOAT, 0, BERTH_SHAPE(0), 3);
}

static void check_unpack(berth_dtype_t type, int64_t axis, berth_dims_t shape) {
  driver_t driver = {.op = "Unpack"};
  int count = (int)shape.dims[axis < 0 ? axis + shape.rank : axis];
  driver_type(&driver, "T", type);
  driver_int(&driver, "num", count);
  driver_int(&driver, "axis", axis);
  add_random(&driver, type, shape);
  for (int i = 0; i < count; ++i) driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, unpack) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_UINT8);
    check_unpack(type, 0, BERTH_SHAPE(4, 6));
    check_unpack(type, 1, BERTH_SHAPE(3, 4, 8));
    check_unpack(type, -1, BERTH_SHAPE(5, 3));
    check_unpack(type, 0, BERTH_SHAPE(1, 3));
  }
}

static void check_split(berth_dtype_t type, int32_t axis, berth_dims_t shape,
                        int count) {
  driver_t driver = {.op = "Split"};
  driver_type(&driver, "T", type);
  driver_int(&driver, "num_split", count);
  driver_input(&driver, driver_ints(BERTH_SCALAR, axis));
  add_random(&driver, type, shape);
  for (int i = 0; i < count; ++i) driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, split) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_BFLOAT16);
    check_split(type, 0, BERTH_SHAPE(6, 5), 3);
    check_split(type, 1, BERTH_SHAPE(9, 16), 2);
    check_split(type, -1, BERTH_SHAPE(2, 3, 6), 6);
    check_split(type, 1, BERTH_SHAPE(2, 3), 1);  // An alias.
  }
  check_split(BERTH_FLOAT, 0, BERTH_SHAPE(0, 5), 2);
}

TEST(move, split_into_unequal_parts) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_BFLOAT16);
    driver_t driver = {.op = "SplitV"};
    driver_type(&driver, "T", type);
    driver_type(&driver, "Tlen", BERTH_INT64);
    driver_int(&driver, "num_split", 4);
    add_random(&driver, type, BERTH_SHAPE(3, 20, 2));
    driver_input(&driver, driver_longs(BERTH_SHAPE(4), 8, 0, -1, 1));
    driver_input(&driver, driver_ints(BERTH_SCALAR, 1));
    for (int k = 0; k < 4; ++k) driver_output(&driver, type);
    driver_check(&driver, 0);
  }
}

// ---- Slices ----

static void check_slice(berth_dtype_t type, berth_dims_t shape,
                        const int32_t *begin, const int32_t *size) {
  driver_t driver = {.op = "Slice"};
  berth_dims_t rank = BERTH_SHAPE(shape.rank);
  driver_type(&driver, "T", type);
  driver_type(&driver, "Index", BERTH_INT32);
  add_random(&driver, type, shape);
  driver_input(&driver, driver_tensor(BERTH_INT32, rank, begin));
  driver_input(&driver, driver_tensor(BERTH_INT32, rank, size));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, slice) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_INT8);
    berth_dims_t shape = BERTH_SHAPE(6, 16, 32);
    check_slice(type, shape, (const int32_t[]){2, 0, 0},
                (const int32_t[]){3, 16, 32});
    check_slice(type, shape, (const int32_t[]){1, 4, 0},
                (const int32_t[]){4, 8, 16});
    check_slice(type, shape, (const int32_t[]){0, 1, 3},
                (const int32_t[]){6, 5, 7});
    check_slice(type, shape, (const int32_t[]){5, 15, 31},
                (const int32_t[]){1, 1, 1});
    check_slice(type, shape, (const int32_t[]){0, 0, 5},
                (const int32_t[]){6, 16, 1});
    check_slice(type, shape, (const int32_t[]){0, 0, 0},
                (const int32_t[]){-1, -1, -1});  // An alias.
    check_slice(type, shape, (const int32_t[]){0, 3, 0},
                (const int32_t[]){6, 0, 32});
  }
}

// The bounds of a strided slice, and its masks.
typedef struct bounds {
  int count;
  int32_t begin[4], end[4], strides[4];
  int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
} bounds_t;

static void check_strided(berth_dtype_t type, berth_dims_t shape,
                          const bounds_t *bounds) {
  driver_t driver = {.op = "StridedSlice"};
  berth_dims_t count = BERTH_SHAPE(bounds->count);
  driver_type(&driver, "T", type);
  driver_type(&driver, "Index", BERTH_INT32);
  driver_int(&driver, "begin_mask", bounds->begin_mask);
  driver_int(&driver, "end_mask", bounds->end_mask);
  driver_int(&driver, "ellipsis_mask", bounds->ellipsis_mask);
  driver_int(&driver, "new_axis_mask", bounds->new_axis_mask);
  driver_int(&driver, "shrink_axis_mask", bounds->shrink_axis_mask);
  add_random(&driver, type, shape);
  driver_input(&driver, driver_tensor(BERTH_INT32, count, bounds->begin));
  driver_input(&driver, driver_tensor(BERTH_INT32, count, bounds->end));
  driver_input(&driver, driver_tensor(BERTH_INT32, count, bounds->strides));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, strided_slice) {
  const bounds_t backwards = {2, {8, 10}, {-20, 1}, {-2, -3}, .end_mask = 1};
  const bounds_t row = {2, {3, 2}, {4, 9}, {1, 2}, .shrink_axis_mask = 1};
  const bounds_t axes = {3,         {0, 0, 1},          {0, 0, 6},
                         {1, 1, 2}, .ellipsis_mask = 2, .new_axis_mask = 1};
  const bounds_t none = {2, {4, 0}, {4, 5}, {1, 1}, .begin_mask = 0};
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_INT8);
    berth_dims_t shape = BERTH_SHAPE(9, 12);
    check_strided(type, shape, &backwards);
    check_strided(type, shape, &row);
    check_strided(type, shape, &axes);
    check_strided(type, shape, &none);
  }
}

TEST(move, reverse) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_INT8);
    for (int32_t axis = -1; axis < 2; ++axis) {
      driver_t driver = {.op = "ReverseV2"};
      driver_type(&driver, "T", type);
      driver_type(&driver, "Tidx", BERTH_INT32);
      add_random(&driver, type, BERTH_SHAPE(5, 3, 16));
      driver_input(&driver, driver_ints(BERTH_SHAPE(1), axis));
      driver_output(&driver, type);
      driver_check(&driver, 0);
    }
  }
}

// ---- Transpositions and repetitions ----

static void check_transpose(berth_dtype_t type, berth_dims_t shape,
                            const int32_t *perm) {
  driver_t driver = {.op = "Transpose"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tperm", BERTH_INT32);
  add_random(&driver, type, shape);
  driver_input(&driver,
               driver_tensor(BERTH_INT32, BERTH_SHAPE(shape.rank), perm));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, transpose) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_INT8);
    const int32_t swap[] = {1, 0};
    check_transpose(type, BERTH_SHAPE(40, 70), swap);
    check_transpose(type, BERTH_SHAPE(64, 32), swap);
    check_transpose(type, BERTH_SHAPE(132, 260), swap);
    check_transpose(type, BERTH_SHAPE(3, 100), swap);
    check_transpose(type, BERTH_SHAPE(9, 8), swap);
    check_transpose(type, BERTH_SHAPE(5, 6, 16), (const int32_t[]){1, 0, 2});
    check_transpose(type, BERTH_SHAPE(36, 40, 2), (const int32_t[]){1, 0, 2});
    check_transpose(type, BERTH_SHAPE(5, 40, 33), (const int32_t[]){0, 2, 1});
    check_transpose(type, BERTH_SHAPE(9, 4, 33), (const int32_t[]){2, 1, 0});
    check_transpose(type, BERTH_SHAPE(2, 3, 10, 11),
                    (const int32_t[]){0, 2, 3, 1});
    check_transpose(type, BERTH_SHAPE(2, 10, 11, 3),
                    (const int32_t[]){0, 3, 1, 2});
  }
}

TEST(move, transpose_of_many_dimensions) {
  // More loops than the kernel for 32 bits takes; a transposition by tiles
  // would have more than it takes around them.
  const int64_t dims[] = {2, 3, 2, 2, 2, 2, 2, 2, 2, 3};
  const int32_t perm[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  check_transpose(BERTH_FLOAT, (berth_dims_t){10, dims}, perm);
  const int64_t large[] = {9, 2, 2, 2, 2, 2, 2, 2, 2, 8};
  check_transpose(BERTH_HALF, (berth_dims_t){10, large}, perm);
}

static void check_tile(berth_dtype_t type, berth_dims_t shape,
                       const int64_t *multiples) {
  driver_t driver = {.op = "Tile"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tmultiples", BERTH_INT64);
  add_random(&driver, type, shape);
  driver_input(&driver,
               driver_tensor(BERTH_INT64, BERTH_SHAPE(shape.rank), multiples));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, tile) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_BOOL);
    check_tile(type, BERTH_SHAPE(3, 16), (const int64_t[]){2, 3});
    check_tile(type, BERTH_SHAPE(3, 5), (const int64_t[]){1, 4});
    check_tile(type, BERTH_SHAPE(1, 1), (const int64_t[]){7, 5});
    // Columns of one unit each, whatever it is.
    check_tile(type, BERTH_SHAPE(3, 2), (const int64_t[]){1, 16});
    check_tile(type, BERTH_SHAPE(3, 4), (const int64_t[]){1, 8});
    check_tile(type, BERTH_SHAPE(4, 2), (const int64_t[]){1, 1});
    check_tile(type, BERTH_SHAPE(4, 2), (const int64_t[]){0, 1});
  }
}

static void check_broadcast_to(berth_dtype_t type, berth_dims_t shape,
                               berth_dims_t to) {
  driver_t driver = {.op = "BroadcastTo"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tidx", BERTH_INT64);
  add_random(&driver, type, shape);
  driver_input(&driver,
               driver_tensor(BERTH_INT64, BERTH_SHAPE(to.rank), to.dims));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(move, broadcast_to) {
  for (int i = 0; i < SIZES; ++i) {
    berth_dtype_t type = type_of(i, BERTH_BOOL);
    check_broadcast_to(type, BERTH_SHAPE(4, 1, 16), BERTH_SHAPE(2, 4, 3, 16));
    check_broadcast_to(type, BERTH_SHAPE(5, 1), BERTH_SHAPE(5, 48));
    check_broadcast_to(type, BERTH_SHAPE(5, 1), BERTH_SHAPE(5, 7));
    check_broadcast_to(type, BERTH_SCALAR, BERTH_SHAPE(3, 16));
    check_broadcast_to(type, BERTH_SHAPE(3, 1, 1), BERTH_SHAPE(3, 2, 16));
  }
}

// ---- Addresses ----

// Room on the card for |tensor|, |shift| bytes behind an aligned address.
static berth_tensor_t *make_room(berth_device_t *device, size_t size,
                                 size_t shift) {
  berth_tensor_t *room = NULL;
  int64_t bytes = (int64_t)(size + shift);
  if (berth_tensor_make(device->allocator, BERTH_UINT8, 1, &bytes, bytes, &room,
                        NULL) != BERTH_OK) {
    return NULL;
  }
  return room;
}

// Slices columns 4 to 12 out of [3, 16] floats, with source and target at
// addresses |from_shift| and |to_shift| bytes off the aligned ones.
static void check_shifted(size_t from_shift, size_t to_shift) {
  driver_t driver = {.op = "Slice"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  float in[48], out[24];
  for (int i = 0; i < 48; ++i) in[i] = (float)i;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Index", BERTH_INT32);
  driver_input(&driver, driver_tensor(BERTH_FLOAT, BERTH_SHAPE(3, 16), in));
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 0, 4));
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 3, 8));
  driver_output(&driver, BERTH_FLOAT);
  berth_shape_t shape;
  ASSERT_OK(driver_device(&device, &err), &err);
  ASSERT_OK(driver_select(&driver, &berth_cuda_backend, &err), &err);
  ASSERT_OK(driver_prepare(&driver, device, driver.inputs, &shape, &err), &err);
  berth_tensor_t *from = make_room(device, sizeof(in), from_shift);
  berth_tensor_t *to = make_room(device, sizeof(out), to_shift);
  ASSERT_TRUE(from != NULL && to != NULL);
  void *args[] = {(char *)from->data + from_shift, NULL, NULL,
                  (char *)to->data + to_shift};
  const berth_stream_ops_t *streams = device->backend->streams;
  berth_stream_t *stream = driver_stream(device);
  berth_call_t call = {.err = &err, .node = &driver.node, .stream = stream};
  ASSERT_OK(streams->copy(stream, device, args[0], NULL, in, sizeof(in), &err),
            &err);
  ASSERT_OK(driver.prepare.run(driver.prepare.plan, args, &call), &err);
  ASSERT_OK(
      streams->copy(stream, NULL, out, device, args[3], sizeof(out), &err),
      &err);
  ASSERT_OK(streams->sync(stream, &err), &err);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(out[i], in[i / 8 * 16 + 4 + i % 8]);
  berth_tensor_release(from);
  berth_tensor_release(to);
  driver_deinit(&driver);
}

TEST(move, addresses_of_views) {
  check_shifted(0, 0);
  check_shifted(4, 0);
  check_shifted(0, 8);
  check_shifted(12, 4);
}

// ---- What is checked ----

TEST(move, errors_are_those_of_the_cpu) {
  driver_t driver = {.op = "Transpose"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Tperm", BERTH_INT32);
  add_random(&driver, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 0, 0));
  driver_output(&driver, BERTH_FLOAT);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "1 is missing from {0,0}.");
  driver_deinit(&driver);
}
