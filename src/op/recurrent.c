// recurrent.c - Cells of recurrent networks: checks and sizes.
#include "op/recurrent.h"

#include <string.h>

#include "graph/shape_fn.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Checks ----

// What a dimension of an input must be, and how that is put in words.
typedef struct rule {
  int input;
  int axis;
  int64_t size;
  const char *text;  // Of what it is, "dims" or "dim_size", and of the size.
} rule_t;

// Checks |count| rules, in order.
static berth_code_t check_rules(const berth_case_t *op, const rule_t *rules,
                                int count, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    int64_t found = op->inputs[rules[i].input].dims[rules[i].axis];
    if (found == rules[i].size) continue;
    return INVALID("%s: %lld vs. %lld", rules[i].text, (long long)found,
                   (long long)rules[i].size);
  }
  return BERTH_OK;
}

// Checks the ranks of inputs, a digit each; "-" is any.
static berth_code_t check_ranks(const berth_case_t *op, const char *ranks,
                                berth_error_t *err) {
  for (int i = 0; ranks[i] != '\0'; ++i) {
    int32_t rank = ranks[i] - '0';
    if (ranks[i] == '-' || op->inputs[i].rank == rank) continue;
    return INVALID("Rank of %s must be %d, got %d",
                   op->node->op->inputs[i].name, (int)rank,
                   (int)op->inputs[i].rank);
  }
  return BERTH_OK;
}

static void set_outputs(berth_case_t *op, int first, int count,
                        berth_dims_t dims) {
  for (int i = 0; i < count; ++i) berth_case_output(op, first + i, dims);
}

// ---- LSTM ----

static void read_attrs(const berth_case_t *op, berth_recurrent_t *out) {
  bool is_second = strstr(op->node->op->name, "V2") != NULL;
  *out = (berth_recurrent_t){
      .dtype = op->inputs[op->input_count - 1].dtype,
      .has_peephole = berth_node_attr_bool(op->node, "use_peephole", false),
      .is_second = is_second,
      .forget_bias = berth_node_attr_float(op->node, "forget_bias",
                                           is_second ? 0.0f : 1.0f),
      .clip = berth_node_attr_float(op->node, "cell_clip", 0.0f)};
}

// Checks what x, at input |x|, and the seven behind it are: the state before,
// weights and biases.
static berth_code_t check_lstm(const berth_case_t *op, int x,
                               berth_recurrent_t *out, berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[x];
  out->batch = in[0].dims[in[0].rank - 2];
  out->input = in[0].dims[in[0].rank - 1];
  out->cell = in[1].dims[1];
  const rule_t rules[] = {
      {x + 1, 0, out->batch, "cs_prev.dims(0) != batch_size"},
      {x + 2, 0, out->batch, "h_prev.dims(0) != batch_size"},
      {x + 2, 1, out->cell, "h_prev.dims(1) != cell_size"},
      {x + 3, 0, out->input + out->cell,
       "w.dim_size(0) != input_size + cell_size"},
      {x + 3, 1, out->cell * 4, "w.dim_size(1) != cell_size * 4"},
      {x + 7, 0, out->cell * 4, "b.dim_size(0) != cell_size * 4"}};
  BERTH_TRY(check_rules(op, rules, 6, err));
  static const char *const names[] = {"wci", "wcf", "wco"};
  for (int i = 0; out->has_peephole && i < 3; ++i) {
    if (in[4 + i].count == out->cell) continue;
    return INVALID("%s must have cell_size elements: %lld vs. %lld", names[i],
                   (long long)in[4 + i].count, (long long)out->cell);
  }
  return BERTH_OK;
}

berth_code_t berth_op_lstm_cell(berth_case_t *op, berth_recurrent_t *out,
                                berth_error_t *err) {
  read_attrs(op, out);
  BERTH_TRY(check_ranks(op, "22221111", err));
  BERTH_TRY(check_lstm(op, 0, out, err));
  if (op->inputs[1].count == 0) {
    return INVALID("cs_prev_tensor is empty, has shape: (%lld,%lld).",
                   (long long)out->batch, (long long)out->cell);
  }
  set_outputs(op, 0, 7, (berth_dims_t){2, (int64_t[]){out->batch, out->cell}});
  return BERTH_OK;
}

berth_code_t berth_op_lstm_cell_grad(berth_case_t *op, berth_recurrent_t *out,
                                     berth_error_t *err) {
  read_attrs(op, out);
  BERTH_TRY(check_ranks(op, "2222111122222222", err));
  BERTH_TRY(check_lstm(op, 0, out, err));
  static const char *const texts[][2] = {
      {"i.dim_size(0) != batch_size", "i.dim_size(1) != cell_size"},
      {"cs.dim_size(0) != batch_size", "cs.dim_size(1) != cell_size"},
      {"f.dim_size(0) != batch_size", "f.dim_size(1) != cell_size"},
      {"o.dim_size(0) != batch_size", "o.dim_size(1) != cell_size"},
      {"ci.dim_size(0) != batch_size", "ci.dim_size(1) != cell_size"},
      {"co.dim_size(0) != batch_size", "co.dim_size(1) != cell_size"},
      {"cs_grad_tensor.dims(0) != batch_size",
       "cs_grad_tensor.dims(1) != cell_size"},
      {"h_grad_tensor.dims(0) != batch_size",
       "h_grad_tensor.dims(1) != cell_size"}};
  for (int i = 0; i < 8; ++i) {
    const rule_t rules[] = {{8 + i, 0, out->batch, texts[i][0]},
                            {8 + i, 1, out->cell, texts[i][1]}};
    BERTH_TRY(check_rules(op, rules, 2, err));
  }
  const int64_t dims[] = {out->batch, out->cell},
                all[] = {out->batch, out->cell * 4};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  berth_case_output(op, 1, (berth_dims_t){2, all});
  for (int i = 0; i < 3; ++i) {
    berth_case_output(op, 2 + i, berth_case_input_dims(op, 4 + i));
  }
  return BERTH_OK;
}

// What a whole sequence has before its own outputs are set.
static berth_code_t check_sequence(const berth_case_t *op,
                                   berth_recurrent_t *out, berth_error_t *err) {
  read_attrs(op, out);
  if (op->inputs[1].rank != 3) return INVALID("x must be 3D");
  if (op->inputs[2].rank != 2) return INVALID("cs_prev must be 2D");
  if (op->inputs[3].rank != 2) return INVALID("h_prev must be 2D");
  if (op->inputs[4].rank != 2) return INVALID("w must be 2D");
  static const char *const names[] = {"wci", "wcf", "wco", "b"};
  for (int i = 5; i <= 8; ++i) {
    if (op->inputs[i].rank != 1) return INVALID("%s must be 1D", names[i - 5]);
  }
  out->steps = op->inputs[1].dims[0];
  BERTH_TRY(check_lstm(op, 1, out, err));
  if (op->inputs[0].rank != 0) {
    return INVALID("`seq_len_max_tensor` must be rank 0 but is rank %d",
                   (int)op->inputs[0].rank);
  }
  return out->steps > 0 ? BERTH_OK : INVALID("x has no steps");
}

berth_code_t berth_op_lstm(berth_case_t *op, berth_recurrent_t *out,
                           berth_error_t *err) {
  BERTH_TRY(check_sequence(op, out, err));
  const int64_t dims[] = {out->steps, out->batch, out->cell};
  set_outputs(op, 0, 7, (berth_dims_t){3, dims});
  return BERTH_OK;
}

berth_code_t berth_op_lstm_grad(berth_case_t *op, berth_recurrent_t *out,
                                berth_error_t *err) {
  BERTH_TRY(check_sequence(op, out, err));
  for (int i = 9; i < 18; ++i) {
    const berth_case_input_t *in = &op->inputs[i];
    if (in->rank == 3 && in->dims[0] == out->steps &&
        in->dims[1] == out->batch && in->dims[2] == out->cell) {
      continue;
    }
    return INVALID(
        "%s must have a row for each step and a column for each "
        "cell",
        op->node->op->inputs[i].name);
  }
  for (int i = 0; i < 8; ++i) {
    berth_case_output(op, i, berth_case_input_dims(op, i + 1));
  }
  return BERTH_OK;
}

// ---- GRU ----

static berth_code_t check_gru(const berth_case_t *op, berth_recurrent_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  BERTH_TRY(check_ranks(op, "222211", err));
  *out = (berth_recurrent_t){.dtype = in[0].dtype,
                             .batch = in[0].dims[0],
                             .input = in[0].dims[1],
                             .cell = in[1].dims[1]};
  const rule_t rules[] = {
      {1, 0, out->batch, "h_prev.dims(0) != batch_size"},
      {2, 0, out->input + out->cell,
       "w_ru.dim_size(0) != input_size + cell_size"},
      {2, 1, out->cell * 2, "w_ru.dim_size(1) != cell_size * 2"},
      {3, 0, out->input + out->cell,
       "w_c.dim_size(0) != input_size + cell_size"},
      {3, 1, out->cell, "w_c.dim_size(1) != cell_size"},
      {4, 0, out->cell * 2, "b_ru.dim_size(0) != cell_size * 2"},
      {5, 0, out->cell, "b_c.dim_size(0) != cell_size"}};
  return check_rules(op, rules, 7, err);
}

berth_code_t berth_op_gru_cell(berth_case_t *op, berth_recurrent_t *out,
                               berth_error_t *err) {
  BERTH_TRY(check_gru(op, out, err));
  set_outputs(op, 0, 4, (berth_dims_t){2, (int64_t[]){out->batch, out->cell}});
  return BERTH_OK;
}

berth_code_t berth_op_gru_cell_grad(berth_case_t *op, berth_recurrent_t *out,
                                    berth_error_t *err) {
  BERTH_TRY(check_gru(op, out, err));
  BERTH_TRY(check_ranks(op, "------2222", err));
  static const char *const texts[][2] = {
      {"r.dims(0) != batch_size", "r.dims(1) != cell_size"},
      {"u.dims(0) != batch_size", "u.dims(1) != cell_size"},
      {"c.dims(0) != batch_size", "c.dims(1) != cell_size"},
      {"d_h.dims(0) != batch_size", "d_h.dims(1) != cell_size"}};
  for (int i = 0; i < 4; ++i) {
    const rule_t rules[] = {{6 + i, 0, out->batch, texts[i][0]},
                            {6 + i, 1, out->cell, texts[i][1]}};
    BERTH_TRY(check_rules(op, rules, 2, err));
  }
  const int64_t all[] = {out->batch, out->cell * 2};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  set_outputs(op, 1, 2, berth_case_input_dims(op, 1));
  berth_case_output(op, 3, (berth_dims_t){2, all});
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// The gates of all steps: as x, with the size of a cell.
BERTH_INFER(block_lstm) {
  berth_dims_t x, b;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 3, &x, err));
  BERTH_TRY(berth_shape_with_rank(
      c, berth_shape_in(c, berth_shape_inputs(c) - 1), 1, &b, err));
  int64_t cell = -1;
  BERTH_TRY(berth_shape_divide(b.dims[0], 4, &cell, err));
  BERTH_TRY(berth_shape_replace(c, x, 2, cell, &x, err));
  for (int i = 0; i < 7; ++i) c->outputs[i] = x;
  return BERTH_OK;
}

BERTH_INFER(lstm_cell_grad) {
  berth_dims_t x, cs, gates;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &x, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 2, &cs, err));
  int64_t batch = x.dims[0], cell = cs.dims[1];
  BERTH_TRY(berth_shape_replace(c, cs, 0, batch, &cs, err));
  c->outputs[0] = cs;
  BERTH_TRY(
      berth_shape_replace(c, cs, 1, cell < 0 ? -1 : cell * 4, &gates, err));
  c->outputs[1] = gates;
  for (int i = 2; i < 5; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, cell, err));
  }
  return BERTH_OK;
}
