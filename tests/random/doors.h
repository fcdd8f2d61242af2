// doors.h - A graph over GPUs and the host whose parts need every kind of
// order there is. What is fed is a matrix of one number v.
//
//   twice     v + v on GPU:0, which others read while GPU:0 goes on
//   third     2v + v on GPU:0, behind what GPU:1 gets
//   across    2v * v on GPU:1
//   joined    -v * 2v on GPU:1, the second factor from GPU:0
//   home      -2v on the host
//   moved     2v under another name on GPU:1: a copy is what is fetched
//   sliced    -v of eight, on GPU:1: how many GPU:0 computes, and the host
//   reads branched  -(2v * 2v): around a branch, over both GPUs and the host
//   looped    -2v on GPU:1, of what GPU:0 makes anew in every turn of a loop
//   settled   a product of constants on GPU:0
//   seen      -w on GPU:1, of the variable w on GPU:0, which then becomes 2v
//   behind    v on GPU:0, in memory that is taken when w has become 2v
//   told      -u on GPU:1, of the reference u on GPU:0, which before becomes 2v
//             (not in contexts: they have no references)
#ifndef BERTH_TESTS_RANDOM_DOORS_H_
#define BERTH_TESTS_RANDOM_DOORS_H_

#include "guard/guard_testing.h"

enum { SETTLED_SIDE = 64, SLICED = 8 };

typedef struct doors {
  berth_out_t x;
  berth_out_t twice, third, across, joined, home, moved;
  berth_out_t sliced, branched, turned, looped, settled, seen, behind, told;
  state_t w, u;
  berth_node_id_t w_init;
  berth_node_id_t w_set;  // To 2v, behind |seen|.
} doors_t;

// As |size|, floats, but known only when GPU:0 has computed it.
static inline berth_out_t doors_size(berth_graph_t *graph, berth_out_t x,
                                     berth_out_t size) {
  int32_t axes[] = {0, 1};
  berth_device_push(graph, "/gpu:0");
  berth_out_t nothing = berth_max(
      graph, NULL, berth_mul(graph, NULL, x, const_scalar(graph, NULL, 0)),
      const_ints(graph, NULL, axes, 2));
  berth_out_t whole = berth_cast(
      graph, NULL, berth_add_v2(graph, NULL, nothing, size), BERTH_INT32);
  berth_device_pop(graph);
  return whole;
}

// The first elements of |x| on GPU:0, when |before| is done.
static inline berth_out_t doors_part(berth_graph_t *graph, berth_out_t x,
                                     berth_out_t size, berth_node_id_t before) {
  int32_t zeros[] = {0, 0};
  berth_control_push(graph, &before, before != BERTH_NO_NODE);
  berth_device_push(graph, "/gpu:0");
  berth_out_t part =
      berth_slice(graph, NULL, x, const_ints(graph, NULL, zeros, 2), size);
  berth_device_pop(graph);
  berth_control_pop(graph);
  return part;
}

static inline berth_out_t doors_sliced(berth_graph_t *graph, berth_out_t x) {
  const float sizes[] = {1, SLICED};
  berth_out_t size =
      doors_size(graph, x, berth_const_f32(graph, NULL, sizes, BERTH_SHAPE(2)));
  berth_out_t first = doors_part(graph, x, size, BERTH_NO_NODE);
  berth_out_t there = unary_on(graph, "Neg", "/gpu:1", first);
  // Another of the same size, when the first has been copied away.
  berth_out_t second = doors_part(graph, x, size, there.node);
  berth_out_t back = unary_on(graph, "Neg", "/gpu:0", second);
  berth_control_push(graph, &back.node, 1);
  berth_out_t same = unary_on(graph, "Identity", "/gpu:1", there);
  berth_control_pop(graph);
  return same;
}

static inline berth_out_t doors_behind(berth_graph_t *graph, berth_out_t x,
                                       berth_node_id_t before) {
  berth_out_t shape =
      berth_cast(graph, NULL, berth_shape_of(graph, NULL, x), BERTH_FLOAT);
  return doors_part(graph, x, doors_size(graph, x, shape), before);
}

static inline void doors_branch(berth_graph_t *graph, doors_t *doors) {
  bool truth = true;
  berth_tensor_t *one = tensor_of(BERTH_BOOL, BERTH_SCALAR, &truth);
  berth_out_t p = berth_const(graph, NULL, one);
  berth_tensor_release(one);
  berth_node_id_t both = berth_switch(graph, NULL, doors->x, p);
  berth_out_t taken = berth_output(both, 1);
  berth_out_t sum = binary_on(graph, "AddV2", "/gpu:0", taken, taken);
  doors->turned = binary_on(graph, "Mul", "/gpu:1", sum, sum);
  berth_out_t ways[] = {unary_on(graph, "Neg", "/cpu:0", doors->turned),
                        berth_output(both, 0)};
  doors->branched = berth_output(berth_merge(graph, NULL, ways, 2), 0);
}

// What goes round a loop on |device|: |first| to begin with.
static inline berth_out_t doors_enter(berth_graph_t *graph, const char *device,
                                      berth_out_t first) {
  berth_device_push(graph, device);
  berth_out_t in = berth_enter(graph, NULL, first, "turns");
  berth_out_t ways[] = {in, in};
  berth_out_t value = berth_output(berth_merge(graph, NULL, ways, 2), 0);
  berth_device_pop(graph);
  return value;
}

// The host counts the turns; neither GPU has to wait for the other.
static inline void doors_loop(berth_graph_t *graph, doors_t *doors) {
  enum { VALUES = 3 };
  const char *devices[VALUES] = {"/cpu:0", "/gpu:0", "/gpu:1"};
  berth_out_t zero = const_scalar(graph, NULL, 0);
  berth_enter_attrs_t attrs = BERTH_ENTER_ATTRS;
  attrs.is_constant = true;
  berth_out_t most = berth_enter_with(graph, NULL, const_scalar(graph, NULL, 5),
                                      "turns", &attrs);
  berth_out_t values[VALUES], next[VALUES];
  berth_node_id_t go[VALUES];
  for (int i = 0; i < VALUES; ++i) {
    values[i] = doors_enter(graph, devices[i], i == 0 ? zero : doors->x);
  }
  berth_device_push(graph, "/cpu:0");
  berth_out_t on =
      berth_loop_cond(graph, NULL, berth_less(graph, NULL, values[0], most));
  berth_device_pop(graph);
  for (int i = 0; i < VALUES; ++i) {
    berth_device_push(graph, devices[i]);
    go[i] = berth_switch(graph, NULL, values[i], on);
    berth_device_pop(graph);
  }
  berth_out_t v = berth_output(go[1], 1);
  berth_control_push(graph, &go[0], 1);
  berth_out_t one = const_scalar(graph, NULL, 1);
  berth_control_pop(graph);
  next[0] = binary_on(graph, "AddV2", "/cpu:0", berth_output(go[0], 1), one);
  berth_out_t twice = binary_on(graph, "AddV2", "/gpu:0", v, v);
  next[1] = binary_on(graph, "Sub", "/gpu:0", twice, v);
  next[2] = unary_on(graph, "Neg", "/gpu:1", twice);
  for (int i = 0; i < VALUES; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_device_push(graph, devices[i]);
    berth_out_t again = berth_next_iteration(graph, NULL, next[i]);
    berth_device_pop(graph);
    ASSERT_OK(berth_graph_close_loop(graph, values[i].node, again, &err), &err);
  }
  berth_device_push(graph, "/gpu:1");
  doors->looped = berth_exit(graph, NULL, berth_output(go[2], 0));
  berth_device_pop(graph);
}

static inline berth_out_t doors_settled(berth_graph_t *graph) {
  berth_tensor_t *ones = full(BERTH_SHAPE(SETTLED_SIDE, SETTLED_SIDE), 1);
  berth_device_push(graph, "/gpu:0");
  berth_out_t c = berth_const(graph, NULL, ones);
  berth_out_t product = berth_matmul(graph, NULL, c, c);
  berth_device_pop(graph);
  berth_tensor_release(ones);
  return product;
}

static inline berth_out_t doors_told(berth_graph_t *graph, doors_t *doors) {
  doors->u = state_add(graph, "u", "/gpu:0", true, BERTH_UNKNOWN_RANK);
  berth_op_t *op =
      change_begin(graph, &doors->u, "Assign",
                   binary_on(graph, "AddV2", "/gpu:0", doors->x, doors->x));
  berth_op_attr_bool(op, "validate_shape", false);
  berth_node_id_t set = berth_op_finish(op);
  berth_control_push(graph, &set, 1);
  berth_out_t read = unary_on(graph, "Identity", "/gpu:0", doors->u.handle);
  berth_control_pop(graph);
  return unary_on(graph, "Neg", "/gpu:1", read);
}

static inline void doors_build(berth_graph_t *graph, doors_t *doors) {
  berth_out_t x = hole(graph, "x");
  doors->x = x;
  doors->twice = binary_on(graph, "AddV2", "/gpu:0", x, x);
  doors->third = binary_on(graph, "AddV2", "/gpu:0", doors->twice, x);
  doors->across = binary_on(graph, "Mul", "/gpu:1", doors->twice, x);
  // The copy stands before the name, and not before the product.
  doors->moved = unary_on(graph, "Identity", "/gpu:1", doors->twice);
  doors->joined = binary_on(graph, "Mul", "/gpu:1",
                            unary_on(graph, "Neg", "/gpu:1", x), doors->moved);
  doors->home = unary_on(graph, "Neg", "/cpu:0", doors->twice);
  doors->sliced = doors_sliced(graph, x);
  doors_branch(graph, doors);
  doors_loop(graph, doors);
  doors->settled = doors_settled(graph);
  doors->w = state_add(graph, "w", "/gpu:0", false, BERTH_UNKNOWN_RANK);
  doors->w_init = change_add(graph, &doors->w, "Assign", x);
  doors->seen = unary_on(graph, "Neg", "/gpu:1", doors->w.read);
  berth_op_t *op = change_begin(graph, &doors->w, "Assign",
                                binary_on(graph, "AddV2", "/gpu:0", x, x));
  berth_op_control(op, doors->seen.node);
  doors->w_set = berth_op_finish(op);
  doors->behind = doors_behind(graph, x, doors->w_set);
  doors->told = doors_told(graph, doors);
}

#endif  // BERTH_TESTS_RANDOM_DOORS_H_
