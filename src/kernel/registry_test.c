// registry_test.c - Which kernel a node gets.
#include "base/fault.h"
#include "base/str.h"
#include "harness.h"
#include "kernel/kernel.h"
#include "op/op_testing.h"
#include "op/types.h"

static const berth_backend_t test = {.type = "TEST"};
static const berth_backend_t other = {.type = "OTHER"};

static bool refuses(const berth_node_t *node, berth_str_t *why) {
  (void)node;
  if (why != NULL) berth_str_printf(why, "never");
  return false;
}

static berth_code_t prepare_nothing(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  (void)prepare;
  (void)err;
  return BERTH_OK;
}

static const berth_kernel_t first[] = {
    {.op = "Neg",
     .types = {{"T", BERTH_TYPE(FLOAT)}},
     .prepare = prepare_nothing},
    {.op = "Abs", .prepare = prepare_nothing, .select = refuses},
    {.op = "Cast",
     .types = {{"SrcT", BERTH_TYPE(FLOAT)}, {"DstT", BERTH_TYPES_INDEX}},
     .prepare = prepare_nothing},
    {.op = NULL},
};
static const berth_kernel_t second[] = {
    {.op = "Neg",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_nothing},
    {.op = NULL},
};

// Finds the kernel of |op| for |type|, and says why not in |why|.
static const berth_kernel_t *find(const berth_backend_t *device, const char *op,
                                  berth_dtype_t type, berth_str_t *why) {
  op_case_t given = {.op = op};
  op_case_type(&given, "T", type);
  const berth_kernel_t *kernel =
      berth_kernel_find(device, op_case_make(&given)->node, why);
  op_case_deinit(&given);
  return kernel;
}

static void expect_none(const berth_backend_t *device, const char *op, berth_dtype_t type,
                        const char *reason) {
  berth_str_t why = {0};
  EXPECT_TRUE(find(device, op, type, &why) == NULL);
  EXPECT_STR(berth_str_get(&why), reason);
  berth_str_clear(&why);
  EXPECT_TRUE(find(device, op, type, NULL) == NULL);
}

static void add_both(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_kernel_add(&test, first, &err), &err);
  ASSERT_OK(berth_kernel_add(&test, second, &err), &err);
}

TEST(registry, tries_kernels_in_the_order_they_came) {
  add_both();
  EXPECT_TRUE(find(&test, "Neg", BERTH_FLOAT, NULL) == &first[0]);
  EXPECT_TRUE(find(&test, "Neg", BERTH_DOUBLE, NULL) == &second[0]);
}

TEST(registry, says_why_there_is_none) {
  add_both();
  expect_none(&test, "Exp", BERTH_FLOAT, "no TEST kernel");
  expect_none(&other, "Neg", BERTH_FLOAT, "no OTHER kernel");
  expect_none(&test, "Abs", BERTH_FLOAT, "never");
  expect_none(&test, "Cast", BERTH_FLOAT, "not for SrcT=INVALID");
}

TEST(registry, wants_every_type_to_fit) {
  add_both();
  op_case_t given = {.op = "Cast"};
  op_case_type(&given, "SrcT", BERTH_FLOAT);
  op_case_type(&given, "DstT", BERTH_INT64);
  EXPECT_TRUE(berth_kernel_find(&test, op_case_make(&given)->node, NULL) ==
              &first[2]);
  given.attrs[1].value.type = BERTH_DOUBLE;
  EXPECT_TRUE(berth_kernel_find(&test, op_case_make(&given)->node, NULL) ==
              NULL);
  op_case_deinit(&given);
}

TEST(registry, knows_which_ops_have_kernels) {
  add_both();
  EXPECT_TRUE(berth_kernel_exists("TEST", "Abs"));
  EXPECT_FALSE(berth_kernel_exists("TEST", "Exp"));
  EXPECT_FALSE(berth_kernel_exists("OTHER", "Abs"));
}

TEST(registry, says_when_memory_is_short) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm("alloc", 1);
  EXPECT_EQ(berth_kernel_add(&test, first, &err), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(berth_fault_disarm(), 1);
  berth_error_clear(&err);
}

TEST(registry, takes_a_few_backends) {
  static const berth_backend_t backends[9] = {{.type = "A"}};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 8; ++i) {
    ASSERT_OK(berth_kernel_add(&backends[i], first, &err), &err);
  }
  EXPECT_FAILS(berth_kernel_add(&backends[8], first, &err), BERTH_INTERNAL,
               &err, "more than 8 backends have kernels");
}
