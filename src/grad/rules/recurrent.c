// recurrent.c - Recurrent layers that are one op.
#include "grad/rules/words.inc"

BERTH_GRAD(block_lstm) {
  enum { INPUTS = 9, OUTPUTS = 7, CELLS = 1, HIDDEN = 6 };
  value_t values[INPUTS + OUTPUTS + 2];
  int counts[INPUTS + OUTPUTS + 2], count = 0;
  for (int i = 0; i < INPUTS; ++i) values[count++] = in(g, i);
  for (int i = 0; i < OUTPUTS; ++i) values[count++] = out(g, i);
  values[count++] = dy(g, CELLS);
  values[count++] = dy(g, HIDDEN);
  for (int i = 0; i < count; ++i) counts[i] = -1;
  berth_grad_begin(g, "BlockLSTMGrad", NULL);
  berth_grad_copy(g, "use_peephole");
  value_t made = berth_grad_make_lists(g, values, counts, count);
  for (int i = 1; i < INPUTS; ++i) give(g, i, berth_out_at(made, i - 1));
}
