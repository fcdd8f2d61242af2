// schema_test.c - Looking op schemas up, and printing them.
#include "graph/schema.h"

#include "base/thread.h"
#include "berth/graph.h"
#include "harness.h"

static void expect_print(const char *op, const char *expected) {
  const berth_op_schema_t *schema = berth_schema_find(op);
  ASSERT_TRUE(schema != NULL);
  berth_str_t str = {0};
  berth_schema_print(schema, &str);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

TEST(schema, finds_every_op_and_no_other) {
  enum { OPS = 1620 };
  static bool is_taken[OPS];
  ASSERT_TRUE(berth_schema_count() == OPS);
  for (int i = 0; i < berth_schema_count(); ++i) {
    const berth_op_schema_t *schema = berth_schema_at(i);
    EXPECT_TRUE(berth_schema_find(schema->name) == schema);
    int number = berth_schema_number(schema);
    ASSERT_TRUE(number >= 0 && number < OPS && !is_taken[number]);
    is_taken[number] = true;
    if (i > 0) {
      EXPECT_TRUE(strcmp(berth_schema_at(i - 1)->name, schema->name) < 0);
    }
  }
  EXPECT_TRUE(berth_schema_find("matmul") == NULL);
  EXPECT_TRUE(berth_schema_find("") == NULL);
}

TEST(schema, prints_as_tensorflow) {
  expect_print("Neg",
               "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=["
               "DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, "
               "DT_INT32, DT_INT64, DT_COMPLEX64, DT_COMPLEX128]>");
  expect_print("Const",
               "Op<name=Const; signature= -> output:dtype; attr=value:tensor; "
               "attr=dtype:type>");
  expect_print("IdentityN",
               "Op<name=IdentityN; signature=input: -> output:; "
               "attr=T:list(type),min=1>");
  expect_print("DynamicStitch",
               "Op<name=DynamicStitch; signature=indices:N*int32, data:N*T -> "
               "merged:T; attr=N:int,min=1; attr=T:type>");
  expect_print("Assign",
               "Op<name=Assign; signature=ref:Ref(T), value:T -> "
               "output_ref:Ref(T); attr=T:type; "
               "attr=validate_shape:bool,default=true; "
               "attr=use_locking:bool,default=true; "
               "allows_uninitialized_input=true>");
  expect_print("FIFOQueueV2",
               "Op<name=FIFOQueueV2; signature= -> handle:resource; "
               "attr=component_types:list(type),min=1; "
               "attr=shapes:list(shape),default=[],min=0; "
               "attr=capacity:int,default=-1; attr=container:string,"
               "default=\"\"; attr=shared_name:string,default=\"\"; "
               "is_stateful=true>");
  expect_print("Placeholder",
               "Op<name=Placeholder; signature= -> output:dtype; "
               "attr=dtype:type; attr=shape:shape,default=<unknown>>");
}

TEST(schema, texts_and_flags_are_printed_in_order) {
  berth_str_t str = {0};
  berth_schema_print(berth_schema_find("AddN"), &str);
  const char *tail =
      "DT_UINT64, DT_VARIANT]; is_commutative=true; "
      "is_aggregate=true>";
  EXPECT_STR(str.text + str.size - strlen(tail), tail);
  berth_str_clear(&str);
  berth_schema_print(berth_schema_find("BiasAdd"), &str);
  tail =
      "attr=data_format:string,default=\"NHWC\","
      "allowed=[\"NHWC\", \"NCHW\"]>";
  EXPECT_STR(str.text + str.size - strlen(tail), tail);
  berth_str_clear(&str);
}

TEST(schema, registrations_know_types_host_arguments_and_texts) {
  const berth_op_schema_t *add = berth_schema_find("AddV2");
  const berth_registration_t *hosted = NULL;
  for (int i = 0; i < add->registration_count; ++i) {
    const berth_registration_t *reg = &add->registrations[i];
    if (reg->device == BERTH_FOR_GPU && reg->host_inputs != 0) hosted = reg;
  }
  ASSERT_TRUE(hosted != NULL);
  EXPECT_EQ(hosted->host_inputs, 3);
  EXPECT_EQ(hosted->host_outputs, 1);
  EXPECT_EQ(hosted->constraint_count, 1);
  EXPECT_EQ(hosted->constraints[0].types, BERTH_DTYPE_BIT(BERTH_INT32));
  EXPECT_STR(hosted->label, "");
  const berth_op_schema_t *depth = berth_schema_find("DepthToSpace");
  const berth_constraint_t *format = &depth->registrations[0].constraints[1];
  ASSERT_TRUE(format->texts != NULL);
  EXPECT_STR(depth->attrs[format->attr].name, "data_format");
  EXPECT_STR(format->texts[0], "NHWC");
  EXPECT_TRUE(format->texts[1] == NULL);
}

// ---- Ops that are only known ----

TEST(schema, known_ops_have_defaults_of_every_kind) {
  expect_print(
      "DefaultAttrs",
      "Op<name=DefaultAttrs; signature= -> ; "
      "attr=string_val:string,default=\"abc\"; "
      "attr=string_list_val:list(string),default=[\"abc\", \"\"]; "
      "attr=int_val:int,default=123; "
      "attr=int_list_val:list(int),default=[1, 2, 3]; "
      "attr=float_val:float,default=10; "
      "attr=float_list_val:list(float),default=[10]; "
      "attr=bool_val:bool,default=true; "
      "attr=bool_list_val:list(bool),default=[true, false]; "
      "attr=type_val:type,default=DT_INT32; "
      "attr=type_list_val:list(type),default=[DT_INT32, DT_FLOAT]; "
      "attr=shape_val:shape,default=[2,1]; "
      "attr=shape_list_val:list(shape),default=[[], [1]]; "
      "attr=tensor_val:tensor,default=Tensor<type: int32 shape: [] values: 1>; "
      "attr=tensor_list_val:list(tensor),default=[Tensor<type: int32 shape: [] "
      "values: 1>]>");
}

TEST(schema, known_ops_have_all_that_others_have) {
  expect_print("Batch",
               "Op<name=Batch; signature=in_tensors: -> batched_tensors:, "
               "batch_index:int64, id:int64; attr=num_batch_threads:int; "
               "attr=max_batch_size:int; "
               "attr=max_enqueued_batches:int,default=10; "
               "attr=batch_timeout_micros:int; "
               "attr=allowed_batch_sizes:list(int),default=[]; "
               "attr=grad_timeout_micros:int; "
               "attr=container:string,default=\"\"; "
               "attr=shared_name:string,default=\"\"; "
               "attr=batching_queue:string,default=\"\"; "
               "attr=T:list(type),min=1; is_distributed_communication=true>");
  const berth_op_schema_t *top = berth_schema_find("ApproxTopK");
  ASSERT_TRUE(top != NULL && top->registration_count == 2);
  const berth_registration_t *cpu = &top->registrations[0];
  EXPECT_EQ(cpu->device, BERTH_FOR_CPU);
  ASSERT_TRUE(cpu->constraint_count == 3);
  EXPECT_TRUE(cpu->constraints[0].types & BERTH_DTYPE_BIT(BERTH_UINT64));
  EXPECT_STR(cpu->constraints[1].texts[0], "-1");
  EXPECT_STR(cpu->constraints[2].texts[0], "true");
  EXPECT_STR(cpu->label, "");
  const berth_op_schema_t *old = berth_schema_find("TopK");
  ASSERT_TRUE(old != NULL);
  EXPECT_EQ(old->removed_in, 7);
  EXPECT_STR(old->removed_text, "Use TopKV2 instead");
  EXPECT_EQ(old->registration_count, 0);
  EXPECT_TRUE(berth_schema_find("Namespace>TestStringOutput") != NULL);
  const berth_op_schema_t *label = berth_schema_find("KernelLabel");
  ASSERT_TRUE(label != NULL && label->registration_count > 1);
  EXPECT_STR(label->registrations[1].label, "overload_1");
}

// Looks every op up, from the end or from the start.
static void find_all(void *arg) {
  bool is_reversed = *(const bool *)arg;
  int count = berth_schema_count();
  for (int i = 0; i < count; ++i) {
    int index = is_reversed ? count - 1 - i : i;
    const berth_op_schema_t *schema = berth_schema_find(berth_op_name(index));
    EXPECT_TRUE(schema == berth_schema_at(index));
    EXPECT_STR(schema->name, berth_op_name(index));
    for (int r = 0; r < schema->registration_count; ++r) {
      EXPECT_TRUE(schema->registrations[r].label != NULL);
    }
  }
}

TEST(schema, threads_may_be_the_first_to_ask_together) {
  enum { THREADS = 4 };
  berth_error_t err = BERTH_ERROR_INIT;
  bool is_reversed[THREADS] = {false, true, false, true};
  berth_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], find_all, &is_reversed[i], &err),
              &err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
}

TEST(schema, berth_has_an_op_of_its_own_for_callbacks) {
  expect_print("BerthCallback",
               "Op<name=BerthCallback; signature=input: -> output:; "
               "attr=token:string; attr=Tin:list(type),min=0; "
               "attr=Tout:list(type),min=0; is_stateful=true>");
}
