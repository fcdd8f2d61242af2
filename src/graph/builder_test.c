// builder_test.c - Building ops by name and by the typed builders.
#include "graph/builder.h"

#include "berth/ops.h"
#include "harness.h"
#include "tensor/tensor.h"

static berth_out_t input(berth_graph_t *graph, berth_dims_t shape) {
  berth_placeholder_attrs_t attrs = BERTH_PLACEHOLDER_ATTRS;
  attrs.shape = shape;
  return berth_placeholder_with(graph, "x", BERTH_FLOAT, &attrs);
}

static void expect_node(berth_graph_t *graph, berth_node_id_t node,
                        const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_graph_error(graph, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    berth_error_clear(&err);
    return;
  }
  berth_str_t str = {0};
  berth_node_print(graph, berth_graph_get(graph, node), &str);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

TEST(builder, typed_builders_infer_what_inputs_say) {
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(2, 2));
  expect_node(g, berth_matmul(g, NULL, x, x).node,
              "{{node MatMul}} = MatMul[T=DT_FLOAT, grad_a=false, "
              "grad_b=false, transpose_a=false, transpose_b=false](x, x)");
  berth_matmul_attrs_t attrs = BERTH_MATMUL_ATTRS;
  attrs.transpose_b = true;
  expect_node(g, berth_matmul_with(g, "d", x, x, &attrs).node,
              "{{node d}} = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, "
              "transpose_a=false, transpose_b=true](x, x)");
  berth_out_t both[2] = {x, x};
  expect_node(g, berth_add_n(g, NULL, both, 2).node,
              "{{node AddN}} = AddN[N=2, T=DT_FLOAT](x, x)");
  berth_graph_release(g);
}

TEST(builder, required_attributes_are_parameters) {
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(4, 2));
  expect_node(g, berth_cast(g, NULL, x, BERTH_INT32).node,
              "{{node Cast}} = Cast[DstT=DT_INT32, SrcT=DT_FLOAT, "
              "Truncate=false](x)");
  int32_t zero = 0;
  berth_node_id_t parts = berth_split(
      g, NULL, berth_const_i32(g, "axis", &zero, BERTH_SCALAR), x, 2);
  expect_node(g, parts,
              "{{node Split}} = Split[T=DT_FLOAT, num_split=2](axis, x)");
  berth_out_t last = berth_output(parts, 1);
  EXPECT_EQ(berth_out_dtype(g, last), BERTH_FLOAT);
  EXPECT_EQ(berth_out_dtype(g, berth_output(parts, 2)), BERTH_INVALID);
  berth_dtype_t types[2] = {BERTH_FLOAT, BERTH_INT32};
  expect_node(g, berth_fifo_queue_v2(g, NULL, types, 2).node,
              "{{node FIFOQueueV2}} = FIFOQueueV2[capacity=-1, "
              "component_types=[DT_FLOAT, DT_INT32], container=\"\", "
              "shapes=[], shared_name=\"\"]()");
  berth_graph_release(g);
}

TEST(builder, optional_attributes_of_every_kind_are_read) {
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(1, 8, 1, 1));
  int64_t strides[4] = {1, 2, 2, 1}, dilations[4] = {1, 3, 1, 1};
  berth_conv2d_attrs_t conv = BERTH_CONV2D_ATTRS;
  conv.use_cudnn_on_gpu = false;
  conv.dilations = dilations;
  conv.dilations_count = 4;
  conv.data_format = "NHWC";
  expect_node(g,
              berth_conv2d_with(g, "c", x, x, strides, 4, "SAME", &conv).node,
              "{{node c}} = Conv2D[T=DT_FLOAT, data_format=\"NHWC\", "
              "dilations=[1, 3, 1, 1], explicit_paddings=[], padding=\"SAME\", "
              "strides=[1, 2, 2, 1], use_cudnn_on_gpu=false](x, x)");
  berth_leaky_relu_attrs_t leaky = BERTH_LEAKY_RELU_ATTRS;
  leaky.alpha = 0.5f;
  expect_node(g, berth_leaky_relu_with(g, "l", x, &leaky).node,
              "{{node l}} = LeakyRelu[T=DT_FLOAT, alpha=0.5](x)");
  const char *devices[2] = {"/cpu:0", "/gpu:0"};
  berth_var_handle_op_attrs_t handle = BERTH_VAR_HANDLE_OP_ATTRS;
  handle.shared_name = "v";
  handle.allowed_devices = devices;
  handle.allowed_devices_count = 2;
  expect_node(
      g,
      berth_var_handle_op_with(g, "v", BERTH_FLOAT, BERTH_SHAPE(2), &handle)
          .node,
      "{{node v}} = VarHandleOp[allowed_devices=[\"/cpu:0\", \"/gpu:0\"], "
      "container=\"\", debug_name=\"\", dtype=DT_FLOAT, shape=[2], "
      "shared_name=\"v\"]()");
  berth_arg_max_attrs_t arg = BERTH_ARG_MAX_ATTRS;
  arg.output_type = BERTH_INT32;
  int32_t axis = 1;
  berth_out_t dimension = berth_const_i32(g, "dim", &axis, BERTH_SCALAR);
  berth_out_t best = berth_arg_max_with(g, "m", x, dimension, &arg);
  EXPECT_EQ(berth_out_dtype(g, best), BERTH_INT32);
  berth_graph_release(g);
}

TEST(builder, a_missing_text_is_reported) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(2));
  EXPECT_EQ(berth_check_numerics(g, "c", x, NULL).node, BERTH_NO_NODE);
  EXPECT_FAILS(berth_graph_error(g, &err), BERTH_INVALID_ARGUMENT, &err,
               "NodeDef missing attr 'message' from Op<name=CheckNumerics; "
               "signature=tensor:T -> output:T; attr=T:type,allowed=["
               "DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE]; "
               "attr=message:string; is_stateful=true>; NodeDef: {{node c}}");
  berth_graph_release(g);
}

TEST(builder, calls_after_an_error_do_nothing) {
  berth_graph_t *g = berth_graph_create();
  berth_out_t bad = berth_neg(g, NULL, (berth_out_t){5, 0});
  EXPECT_EQ(bad.node, BERTH_NO_NODE);
  EXPECT_EQ(berth_matmul(g, NULL, bad, bad).node, BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_node_count(g), 0);
  berth_graph_release(g);
}

TEST(builder, many_inputs_and_attributes_fit) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(2));
  berth_op_t *op = berth_op_begin(g, "AddN", "sum");
  berth_out_t many[100];
  for (int i = 0; i < 100; ++i) many[i] = x;
  berth_op_input_list(op, many, 100);
  char name[32];
  for (int i = 0; i < 40; ++i) {
    snprintf(name, sizeof(name), "_note%d", i);
    berth_op_attr_int(op, name, i);
  }
  berth_op_attr_int(op, "_note7", 77);
  berth_node_id_t node = BERTH_NO_NODE;
  ASSERT_OK(berth_op_try_finish(op, &node, &err), &err);
  const berth_node_t *sum = berth_graph_get(g, node);
  EXPECT_EQ(sum->input_count, 100);
  EXPECT_EQ(sum->attr_count, 42);
  EXPECT_EQ(berth_node_attr_int(sum, "N", 0), 100);
  EXPECT_EQ(berth_node_attr_int(sum, "_note7", 0), 77);
  EXPECT_EQ(berth_node_attr_int(sum, "_note39", 0), 39);
  berth_graph_release(g);
}

TEST(builder, nodes_alike_share_their_attributes) {
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(2, 2));
  const berth_node_t *a = berth_graph_get(g, berth_matmul(g, NULL, x, x).node);
  const berth_node_t *b = berth_graph_get(g, berth_matmul(g, NULL, x, x).node);
  EXPECT_TRUE(a->attrs == b->attrs);
  EXPECT_TRUE(a->output_types == b->output_types);
  // A shape that is set belongs to one of them alone.
  berth_error_t err = BERTH_ERROR_INIT;
  berth_out_t u = berth_placeholder(g, NULL, BERTH_FLOAT);
  berth_out_t p = berth_neg(g, NULL, u), q = berth_neg(g, NULL, u);
  ASSERT_OK(berth_out_set_shape(g, p, BERTH_SHAPE(3), &err), &err);
  berth_shape_t shape;
  berth_out_shape(g, q, &shape);
  EXPECT_EQ(shape.rank, -1);
  berth_graph_release(g);
}

TEST(builder, an_op_without_a_graph_stands_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_op_t *op = berth_op_begin(NULL, "MatMul", NULL);
  berth_op_input(op, (berth_out_t){7, 0});
  berth_op_input(op, (berth_out_t){8, 1});
  berth_op_attr_bool(op, "transpose_a", true);
  berth_op_device(op, "/gpu:0");
  berth_node_spec_t spec;
  ASSERT_OK(berth_op_describe(op, &spec, &err), &err);
  EXPECT_STR(spec.op, "MatMul");
  EXPECT_TRUE(spec.name == NULL);
  EXPECT_STR(spec.device, "/gpu:0");
  EXPECT_EQ(spec.input_count, 2);
  EXPECT_EQ(spec.inputs[1].node, 8);
  EXPECT_EQ(spec.arg_count, 2);
  EXPECT_EQ(spec.attr_count, 1);
  EXPECT_STR(spec.attrs[0].name, "transpose_a");
  EXPECT_TRUE(spec.attrs[0].value.b);
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_FAILS(berth_op_try_finish(op, &node, &err), BERTH_FAILED_PRECONDITION,
               &err, "Op 'MatMul' was begun without a graph");
}

TEST(builder, an_attribute_may_come_as_a_message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = input(g, BERTH_SHAPE(2, 2));
  // AttrValue { b: true }
  berth_op_t *op = berth_op_begin(g, "MatMul", "m");
  berth_op_input(op, x);
  berth_op_input(op, x);
  berth_op_attr_proto(op, "transpose_a", "\x28\x01", 2);
  berth_node_id_t node = BERTH_NO_NODE;
  ASSERT_OK(berth_op_try_finish(op, &node, &err), &err);
  EXPECT_TRUE(
      berth_node_attr_bool(berth_graph_get(g, node), "transpose_a", false));
  op = berth_op_begin(g, "MatMul", "n");
  berth_op_attr_proto(op, "transpose_a", "\xff", 1);
  EXPECT_TRUE(berth_op_try_finish(op, &node, &err) != BERTH_OK);
  EXPECT_TRUE(berth_error_message(&err)[0] != '\0');
  berth_error_clear(&err);
  berth_graph_release(g);
}
