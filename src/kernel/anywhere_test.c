// anywhere_test.c - Kernels of the host that serve every device.
#include "harness.h"
#include "kernel/choice.h"
#include "op/op_testing.h"
#include "op/types.h"

static const berth_stream_ops_t streams;
static const berth_backend_t cpu = {.type = "CPU"};
static const berth_backend_t gpu = {.type = "GPU", .streams = &streams};
static const berth_backend_t tpu = {.type = "TPU", .streams = &streams};

#define KERNEL(name, ...) \
  { .op = name, __VA_ARGS__ }

static const berth_kernel_t cpu_kernels[] = {
    KERNEL("Switch", .anywhere = BERTH_TYPES_ALL),
    KERNEL("Assign", .types = {{"T", BERTH_TYPE(FLOAT) | BERTH_TYPE(INT32)}},
           .anywhere = BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)),
    KERNEL("Neg", .types = {{"T", BERTH_TYPE(FLOAT)}}),
    KERNEL("Identity", .anywhere = BERTH_TYPES_ALL),
    {.op = NULL},
};
static const berth_kernel_t gpu_kernels[] = {
    KERNEL("Identity", .types = {{"T", BERTH_TYPE(FLOAT)}}),
    {.op = NULL},
};

static void add_kernels(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_kernel_add(&cpu, cpu_kernels, &err), &err);
  ASSERT_OK(berth_kernel_add(&gpu, gpu_kernels, &err), &err);
}

// Returns what does |op| for |type| on |device|; why not goes to |why|.
static const berth_kernel_t *find(const berth_backend_t *device, const char *op,
                                  berth_dtype_t type, berth_str_t *why) {
  op_case_t given = {.op = op};
  op_case_type(&given, "T", type);
  const berth_kernel_t *kernel =
      berth_kernel_find(device, op_case_make(&given)->node, why);
  op_case_deinit(&given);
  return kernel;
}

TEST(anywhere, finds_by_device_op_and_types) {
  berth_str_t why = {0};
  add_kernels();
  EXPECT_TRUE(find(&cpu, "Neg", BERTH_FLOAT, &why) == &cpu_kernels[2]);
  EXPECT_STR(berth_str_get(&why), "");
  EXPECT_TRUE(find(&cpu, "Neg", BERTH_INT32, &why) == NULL);
  EXPECT_STR(berth_str_get(&why), "not for T=int32");
  why.size = 0;
  EXPECT_TRUE(find(&gpu, "Neg", BERTH_FLOAT, &why) == NULL);
  EXPECT_STR(berth_str_get(&why), "no GPU kernel");
  berth_str_clear(&why);
}

// What only hands tensors on is the CPU's for devices without a kernel.
TEST(anywhere, finds_what_works_anywhere) {
  add_kernels();
  EXPECT_TRUE(find(&gpu, "Switch", BERTH_FLOAT, NULL) == &cpu_kernels[0]);
  EXPECT_TRUE(find(&cpu, "Switch", BERTH_FLOAT, NULL) == &cpu_kernels[0]);
  EXPECT_TRUE(find(&gpu, "Identity", BERTH_FLOAT, NULL) == &gpu_kernels[0]);
  EXPECT_TRUE(find(&gpu, "Identity", BERTH_INT32, NULL) == &cpu_kernels[3]);
}

// It does so for some types, and for none that it does not do at all.
TEST(anywhere, finds_it_for_the_types_that_it_says) {
  add_kernels();
  EXPECT_TRUE(find(&gpu, "Assign", BERTH_FLOAT, NULL) == &cpu_kernels[1]);
  EXPECT_TRUE(find(&gpu, "Assign", BERTH_INT32, NULL) == NULL);
  EXPECT_TRUE(find(&cpu, "Assign", BERTH_INT32, NULL) == &cpu_kernels[1]);
  EXPECT_TRUE(find(&gpu, "Assign", BERTH_DOUBLE, NULL) == NULL);
}

TEST(anywhere, knows_devices_that_have_kernels) {
  berth_str_t why = {0};
  add_kernels();
  EXPECT_TRUE(berth_kernel_exists("CPU", "Neg"));
  EXPECT_FALSE(berth_kernel_exists("GPU", "Neg"));
  EXPECT_TRUE(berth_kernel_exists("GPU", "Switch"));
  EXPECT_TRUE(berth_kernel_exists("GPU", "Assign"));
  EXPECT_FALSE(berth_kernel_exists("TPU", "Switch"));
  EXPECT_TRUE(find(&tpu, "Switch", BERTH_FLOAT, &why) == NULL);
  EXPECT_STR(berth_str_get(&why), "no TPU kernel");
  berth_str_clear(&why);
}
