// rule_table.h - Which op has which rule, written by opgen from ops.def.
#ifndef BERTH_GRAD_RULE_TABLE_H_
#define BERTH_GRAD_RULE_TABLE_H_

#include "grad/rule.h"

typedef struct berth_grad_row {
  const char *op;
  berth_grad_fn_t *rule;  // NULL: nothing to go through.
} berth_grad_row_t;

// Sorted by op; one row more, of NULLs, ends it.
extern const berth_grad_row_t berth_grad_rows[];
extern const int berth_grad_row_count;

#endif  // BERTH_GRAD_RULE_TABLE_H_
