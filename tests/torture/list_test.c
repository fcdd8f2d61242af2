// list_test.c - Lists, arrays and stacks of a run without memory.
#include "torture_testing.h"

static berth_out_t number(rig_t *rig, int32_t value) {
  return berth_const_i32(rig->graph, NULL, &value, BERTH_SCALAR);
}

static berth_out_t rows(rig_t *rig) {
  const float values[] = {1, 2, 3, 4};
  return berth_const_f32(rig->graph, NULL, values, BERTH_SHAPE(2, 2));
}

// Makes a list, changes it in several ways and reads it.
static berth_out_t list_use(rig_t *rig) {
  berth_graph_t *g = rig->graph;
  berth_out_t any = number(rig, -1), item = rows(rig);
  berth_out_t from = berth_tensor_list_from_tensor(g, NULL, item, any);
  berth_out_t row = berth_tensor_list_get_item(g, NULL, from, number(rig, 1),
                                               any, BERTH_FLOAT);
  berth_out_t more = berth_tensor_list_push_back(g, NULL, from, row);
  berth_out_t set =
      berth_tensor_list_set_item(g, NULL, more, number(rig, 0), row);
  berth_out_t zeros = berth_zeros_like(g, NULL, set);
  berth_out_t both[] = {set, zeros};
  berth_out_t sum = berth_add_n(g, NULL, both, 2);
  berth_node_id_t pop =
      berth_tensor_list_pop_back(g, NULL, sum, any, BERTH_FLOAT);
  return berth_tensor_list_stack(g, NULL, (berth_out_t){pop, 0}, any,
                                 BERTH_FLOAT);
}

// Makes an array and gradients of it, and reads those.
static berth_out_t array_use(rig_t *rig) {
  berth_graph_t *g = rig->graph;
  berth_out_t zero = number(rig, 0), item = rows(rig);
  berth_node_id_t array =
      berth_tensor_array_v3(g, NULL, number(rig, 2), BERTH_FLOAT);
  berth_out_t handle = {array, 0};
  berth_out_t written = berth_tensor_array_write_v3(g, NULL, handle, zero, item,
                                                    (berth_out_t){array, 1});
  berth_node_id_t grad =
      berth_tensor_array_grad_v3(g, NULL, handle, written, "g");
  berth_out_t to = {grad, 0};
  berth_out_t once = berth_tensor_array_write_v3(g, NULL, to, zero, item,
                                                 (berth_out_t){grad, 1});
  berth_out_t twice =
      berth_tensor_array_write_v3(g, NULL, to, zero, item, once);
  return berth_tensor_array_read_v3(g, NULL, to, zero, twice, BERTH_FLOAT);
}

// Adds an op of 2016 with up to four inputs.
static berth_out_t old_op(rig_t *rig, const char *name,
                          const berth_out_t *inputs, int count,
                          const char *type_attr) {
  berth_op_t *op = berth_op_begin(rig->graph, name, NULL);
  for (int i = 0; i < count; ++i) berth_op_input(op, inputs[i]);
  if (type_attr != NULL) berth_op_attr_type(op, type_attr, BERTH_FLOAT);
  if (strstr(name, "Grad") != NULL) {
    berth_op_attr_string(op, "source", "g", 1);
  }
  return (berth_out_t){berth_op_finish(op), 0};
}

// Writes to an array that texts name, and reads it.
static berth_out_t old_use(rig_t *rig) {
  const float none = 0;
  berth_out_t zero = number(rig, 0), item = rows(rig), size = number(rig, 2);
  berth_out_t flow = berth_const_f32(rig->graph, NULL, &none, BERTH_SCALAR);
  berth_out_t array = old_op(rig, "TensorArrayV2", &size, 1, "dtype");
  berth_out_t more[] = {array, zero, item, flow};
  more[3] = old_op(rig, "TensorArrayWriteV2", more, 4, NULL);
  berth_out_t of[] = {array, more[3]};
  more[0] = old_op(rig, "TensorArrayGradV2", of, 2, NULL);
  more[3] = old_op(rig, "TensorArrayWriteV2", more, 4, NULL);
  more[3] = old_op(rig, "TensorArrayWriteV2", more, 4, NULL);
  berth_out_t from[] = {more[0], zero, more[3]};
  return old_op(rig, "TensorArrayReadV2", from, 3, "dtype");
}

// Lets |graph| take ops that were removed since.
static berth_code_t grow_old(berth_graph_t *graph, berth_error_t *err) {
  const char text[] = "versions { producer: 10 }";
  return berth_graph_import_text(graph, text, strlen(text), NULL, err);
}

static berth_code_t used(berth_out_t (*use)(rig_t *), berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  rig_t rig = {0};
  berth_tensor_t *result = NULL;
  rig_init(&rig);
  if (rig.graph == NULL) return berth_graph_error(NULL, err);
  STEP(grow_old(rig.graph, err));
  berth_out_t fetch = use(&rig);
  BUILT(rig.graph);
  STEP(berth_session_create(rig.graph, NULL, &rig.session, err));
  // The second run finds its steps prepared.
  for (int i = 0; i < 2; ++i) {
    STEP(berth_session_run(rig.session, NULL, 0, &fetch, 1, &result, err));
    EXPECT_EQ(((const float *)berth_tensor_data(result))[3],
              use == list_use ? 4.0F : 8.0F);
    berth_tensor_release(result);
    result = NULL;
  }
done:
  berth_tensor_release(result);
  rig_clear(&rig);
  return code;
}

static berth_code_t lists(berth_error_t *err) { return used(list_use, err); }

static berth_code_t arrays(berth_error_t *err) { return used(array_use, err); }

static berth_code_t old_arrays(berth_error_t *err) {
  return used(old_use, err);
}

TEST(torture, lists_without_memory) { torture("alloc", lists); }

TEST(torture, arrays_without_memory) { torture("alloc", arrays); }

TEST(torture, old_arrays_without_memory) { torture("alloc", old_arrays); }
