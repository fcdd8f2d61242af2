// train.c - Fits a line to four points, by a graph and by a tape.
//
//   loss = tf.reduce_mean(tf.square(w * x + b - y))
//   step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
//
//   with tf.GradientTape() as tape:
//     loss = tf.reduce_mean(tf.square(w * x + b - y))
//   dw, db = tape.gradient(loss, [w, b])
#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 4, STEPS = 200 };

static const float X[POINTS] = {0, 1, 2, 3}, Y[POINTS] = {1, 3, 5, 7};

// ---- By a graph ----

// A trainable number, and what sets it to zero.
typedef struct parameter {
  berth_out_t handle;
  berth_node_id_t start;
} parameter_t;

static parameter_t parameter(berth_graph_t *g, const char *name) {
  parameter_t p;
  berth_var_handle_op_attrs_t attrs = BERTH_VAR_HANDLE_OP_ATTRS;
  attrs.shared_name = name;  // Variables without one are one variable.
  p.handle =
      berth_var_handle_op_with(g, name, BERTH_FLOAT, BERTH_SCALAR, &attrs);
  p.start = berth_assign_variable_op(
      g, NULL, p.handle, berth_const_f32(g, NULL, &(float){0}, BERTH_SCALAR));
  return p;
}

static berth_out_t loss_of(berth_graph_t *g, berth_out_t w, berth_out_t b) {
  berth_out_t x = berth_const_f32(g, "x", X, BERTH_SHAPE(POINTS));
  berth_out_t y = berth_const_f32(g, "y", Y, BERTH_SHAPE(POINTS));
  berth_out_t guess = berth_add(g, NULL, berth_mul(g, NULL, x, w), b);
  berth_out_t off = berth_square(g, NULL, berth_sub(g, NULL, guess, y));
  return berth_mean(g, "loss", off,
                    berth_const_i32(g, NULL, &(int32_t){0}, BERTH_SCALAR));
}

static berth_code_t run(berth_session_t *session, const berth_node_id_t *nodes,
                        int count, berth_error_t *err) {
  berth_run_t wish = {.targets = nodes, .target_count = count};
  return berth_session_run_with(session, &wish, err);
}

static berth_code_t train_graph(berth_graph_t *g, berth_error_t *err) {
  parameter_t w = parameter(g, "w"), b = parameter(g, "b");
  berth_out_t reads[] = {
      berth_read_variable_op(g, NULL, w.handle, BERTH_FLOAT),
      berth_read_variable_op(g, NULL, b.handle, BERTH_FLOAT)};
  berth_out_t loss = loss_of(g, reads[0], reads[1]);
  berth_out_t xs[] = {w.handle, b.handle};
  berth_slope_t slopes[2];
  berth_code_t code = berth_gradients(g, &loss, 1, xs, 2, NULL, slopes, err);
  if (code != BERTH_OK) return code;
  berth_out_t rate = berth_const_f32(g, "rate", &(float){0.1F}, BERTH_SCALAR);
  berth_node_id_t starts[] = {w.start, b.start};
  berth_node_id_t steps[] = {berth_resource_apply_gradient_descent(
                                 g, NULL, w.handle, rate, slopes[0].values),
                             berth_resource_apply_gradient_descent(
                                 g, NULL, b.handle, rate, slopes[1].values)};
  berth_session_t *session = NULL;
  berth_tensor_t *found[2] = {NULL, NULL};
  code = berth_session_create(g, NULL, &session, err);
  if (code == BERTH_OK) code = run(session, starts, 2, err);
  for (int i = 0; code == BERTH_OK && i < STEPS; ++i) {
    code = run(session, steps, 2, err);
  }
  if (code == BERTH_OK) {
    code = berth_session_run(session, NULL, 0, reads, 2, found, err);
  }
  if (code == BERTH_OK) {
    printf("graph: y = %.2f x + %.2f\n", *(float *)berth_tensor_data(found[0]),
           *(float *)berth_tensor_data(found[1]));
  }
  for (int i = 0; i < 2; ++i) berth_tensor_release(found[i]);
  berth_session_destroy(session);
  return code;
}

// ---- By a tape ----

// Calls an op of two inputs, which the tape notes, and lets go of |a|.
static berth_code_t call(berth_context_t *context, berth_tape_t *tape,
                         const char *op, berth_tensor_t **a, berth_tensor_t *b,
                         berth_error_t *err) {
  berth_tensor_t *out = NULL;
  int count = 1;
  berth_code_t code = berth_tape_call(context, &tape, 1, op, NULL, NULL,
                                      (berth_tensor_t *[]){*a, b},
                                      b == NULL ? 1 : 2, &out, &count, err);
  if (code != BERTH_OK) return code;
  berth_tensor_release(*a);
  *a = out;
  return BERTH_OK;
}

// One step: the slopes of the loss by |line|, w and b, and less of them.
static berth_code_t tape_step(berth_context_t *context, berth_tensor_t *x,
                              berth_tensor_t *y, berth_tensor_t *const *line,
                              float *values, berth_error_t *err) {
  berth_tape_t *tape = NULL;
  berth_tensor_t *loss = berth_tensor_retain(x);
  berth_tape_slope_t slopes[2] = {0};
  berth_code_t code = berth_tape_create(context, &tape, err);
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    code = berth_tape_watch(tape, line[i], err);
  }
  const char *ops[] = {"Mul", "AddV2", "Sub", "Square"};
  berth_tensor_t *others[] = {line[0], line[1], y, NULL};
  for (int i = 0; code == BERTH_OK && i < 4; ++i) {
    code = call(context, tape, ops[i], &loss, others[i], err);
  }
  if (code == BERTH_OK) {  // The slopes of the sum.
    berth_tape_wish_t wish = {
        .ys = &loss, .y_count = 1, .xs = line, .x_count = 2, .slopes = slopes};
    code = berth_tape_gradient(tape, &wish, err);
  }
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    values[i] -= 0.1F / POINTS * *(float *)berth_tensor_data(slopes[i].values);
  }
  for (int i = 0; i < 2; ++i) berth_tensor_release(slopes[i].values);
  berth_tensor_release(loss);
  berth_tape_destroy(tape);
  return code;
}

static berth_code_t train_tape(berth_context_t *context, berth_error_t *err) {
  berth_tensor_t *x = NULL, *y = NULL;
  float values[2] = {0, 0};
  berth_code_t code =
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(POINTS), X, &x, err);
  if (code == BERTH_OK) {
    code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(POINTS), Y, &y, err);
  }
  for (int i = 0; code == BERTH_OK && i < STEPS; ++i) {
    berth_tensor_t *line[2] = {NULL, NULL};
    for (int j = 0; code == BERTH_OK && j < 2; ++j) {
      code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &values[j],
                                    &line[j], err);
    }
    if (code == BERTH_OK) code = tape_step(context, x, y, line, values, err);
    for (int j = 0; j < 2; ++j) berth_tensor_release(line[j]);
  }
  if (code == BERTH_OK) {
    printf("tape:  y = %.2f x + %.2f\n", values[0], values[1]);
  }
  berth_tensor_release(x);
  berth_tensor_release(y);
  return code;
}

int main(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_context_t *context = NULL;
  berth_code_t code = train_graph(graph, &err);
  if (code == BERTH_OK) code = berth_context_create(NULL, &context, &err);
  if (code == BERTH_OK) code = train_tape(context, &err);
  if (code != BERTH_OK) fprintf(stderr, "%s\n", berth_error_message(&err));
  berth_error_clear(&err);
  berth_context_destroy(context);
  berth_graph_release(graph);
  return code == BERTH_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
