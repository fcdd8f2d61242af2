// random_test.c - Random numbers of a GPU are the CPU's, run after run.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "state/container.h"

// Two nodes with the same seeds, each with a sequence of its own.
typedef struct twins {
  driver_t gpu, cpu;
  berth_container_t *gpu_container, *cpu_container;
} twins_t;

static void make_node(driver_t *driver, const char *op, const char *attr,
                      berth_dtype_t dtype) {
  driver->op = op;
  driver_type(driver, attr, dtype);
  driver_type(driver, "T", BERTH_INT32);
  driver_int(driver, "seed", 1);
  driver_int(driver, "seed2", 2);
  driver_input(driver, driver_ints(BERTH_SHAPE(1), 0));
  driver_output(driver, dtype);
}

static void twins_init(twins_t *twins, const char *op, const char *attr,
                       berth_dtype_t dtype) {
  *twins = (twins_t){0};
  ASSERT_OK(berth_container_create(&twins->gpu_container, NULL), NULL);
  ASSERT_OK(berth_container_create(&twins->cpu_container, NULL), NULL);
  twins->gpu.container = twins->gpu_container;
  twins->cpu.container = twins->cpu_container;
  make_node(&twins->gpu, op, attr, dtype);
  make_node(&twins->cpu, op, attr, dtype);
}

static void twins_deinit(twins_t *twins) {
  driver_deinit(&twins->gpu);
  driver_deinit(&twins->cpu);
  berth_container_destroy(twins->gpu_container);
  berth_container_destroy(twins->cpu_container);
}

// Runs both for |count| numbers and compares.
static void twins_run(twins_t *twins, int32_t count, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  *(int32_t *)twins->gpu.inputs[0]->data = count;
  *(int32_t *)twins->cpu.inputs[0]->data = count;
  driver_drop_outputs(&twins->cpu);
  ASSERT_OK(driver_call(&twins->gpu, &err), &err);
  ASSERT_OK(driver_call_cpu(&twins->cpu, twins->cpu.outputs, &err), &err);
  const berth_tensor_t *a = twins->gpu.outputs[0], *b = twins->cpu.outputs[0];
  ASSERT_TRUE(a->count == count && b->count == count);
  int wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (driver_is_near(a, b, i, tolerance)) continue;
    if (wrong++ > 0) continue;
    HARNESS_FAIL("%s of %s: number %lld of %d is %.17g, not %.17g",
                 twins->gpu.op, berth_dtype_name(a->dtype), (long long)i, count,
                 driver_get(a, i, 0), driver_get(b, i, 0));
  }
  EXPECT_EQ(wrong, 0);
}

static void check_reals(const char *op, berth_dtype_t dtype, double tolerance) {
  static const int32_t sizes[] = {1, 3, 4, 0, 5, 17, 1000, 20001};
  twins_t twins;
  twins_init(&twins, op, "dtype", dtype);
  for (int i = 0; i < (int)(sizeof(sizes) / sizeof(*sizes)); ++i) {
    twins_run(&twins, sizes[i], tolerance);
  }
  twins_deinit(&twins);
}

static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                      BERTH_BFLOAT16};
static const double ulps[] = {0x1p-23, 0x1p-52, 0x1p-10, 0x1p-7};

TEST(random, uniform_numbers_are_the_same) {
  for (int t = 0; t < 4; ++t) check_reals("RandomUniform", types[t], 0);
}

TEST(random, normal_numbers_are_near) {
  for (int t = 0; t < 4; ++t) {
    check_reals("RandomStandardNormal", types[t], 4 * ulps[t]);
    check_reals("TruncatedNormal", types[t], 4 * ulps[t]);
  }
}

// The first numbers of TensorFlow 2.21 with these seeds.
TEST(random, begins_as_tensorflow_does) {
  twins_t twins;
  twins_init(&twins, "RandomUniform", "dtype", BERTH_FLOAT);
  twins_run(&twins, 1, 0);
  twins_run(&twins, 3, 0);
  static const uint32_t expected[] = {0x3edcfa78, 0x3d468420, 0x3f75a81c};
  EXPECT_TRUE(memcmp(twins.gpu.outputs[0]->data, expected, sizeof(expected)) ==
              0);
  twins_deinit(&twins);
}

static void add_limits(driver_t *driver, berth_tensor_t *low,
                       berth_tensor_t *high) {
  driver_input(driver, low);
  driver_input(driver, high);
}

TEST(random, integers_are_the_same) {
  twins_t twins;
  twins_init(&twins, "RandomUniformInt", "Tout", BERTH_INT32);
  add_limits(&twins.gpu, driver_ints(BERTH_SCALAR, -7),
             driver_ints(BERTH_SCALAR, 1000));
  add_limits(&twins.cpu, driver_ints(BERTH_SCALAR, -7),
             driver_ints(BERTH_SCALAR, 1000));
  twins_run(&twins, 3, 0);
  twins_run(&twins, 5003, 0);
  twins_deinit(&twins);
  twins_init(&twins, "RandomUniformInt", "Tout", BERTH_INT64);
  add_limits(&twins.gpu, driver_longs(BERTH_SCALAR, INT64_MIN),
             driver_longs(BERTH_SCALAR, INT64_MAX));
  add_limits(&twins.cpu, driver_longs(BERTH_SCALAR, INT64_MIN),
             driver_longs(BERTH_SCALAR, INT64_MAX));
  twins_run(&twins, 3, 0);
  twins_run(&twins, 5003, 0);
  twins_deinit(&twins);
}

TEST(random, integers_need_room) {
  berth_error_t err = BERTH_ERROR_INIT;
  twins_t twins;
  twins_init(&twins, "RandomUniformInt", "Tout", BERTH_INT32);
  add_limits(&twins.gpu, driver_ints(BERTH_SCALAR, 5),
             driver_ints(BERTH_SCALAR, 5));
  *(int32_t *)twins.gpu.inputs[0]->data = 2;
  EXPECT_EQ(driver_call(&twins.gpu, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err), "Need minval < maxval, got 5 >= 5");
  berth_error_clear(&err);
  twins_deinit(&twins);
}
