// schema_test.c - Looking op schemas up, and printing them.
#include "graph/schema.h"

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
  EXPECT_EQ(berth_schema_count(), 480);
  for (int i = 0; i < berth_schema_count(); ++i) {
    const berth_op_schema_t *schema = berth_schema_at(i);
    EXPECT_TRUE(berth_schema_find(schema->name) == schema);
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

TEST(schema, berth_has_an_op_of_its_own_for_callbacks) {
  expect_print("BerthCallback",
               "Op<name=BerthCallback; signature=input: -> output:; "
               "attr=token:string; attr=Tin:list(type),min=0; "
               "attr=Tout:list(type),min=0; is_stateful=true>");
}
