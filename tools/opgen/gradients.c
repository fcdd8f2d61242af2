// gradients.c - Writing the table of rules of gradients.
#include <string.h>

#include "model.h"

static bool has_rule(const op_t *op) {
  return op->grad != NULL && strcmp(op->grad, "none") != 0;
}

// True when an op before |index| has the same rule.
static bool is_declared(int index) {
  for (int i = 0; i < index; ++i) {
    if (has_rule(&opgen_ops[i]) &&
        strcmp(opgen_ops[i].grad, opgen_ops[index].grad) == 0) {
      return true;
    }
  }
  return false;
}

void opgen_write_gradients(FILE *file) {
  fprintf(file,
          "// grad_table.c - Written by opgen from ops.def; do not edit.\n"
          "#include \"grad/rule_table.h\"\n\n");
  for (int i = 0; i < opgen_op_count; ++i) {
    if (!has_rule(&opgen_ops[i]) || is_declared(i)) continue;
    fprintf(file, "berth_grad_fn_t berth_grad_%s;\n", opgen_ops[i].grad);
  }
  fprintf(file, "const berth_grad_row_t berth_grad_rows[] = {\n");
  int count = 0;
  for (int i = 0; i < opgen_op_count; ++i) {
    const op_t *op = &opgen_ops[i];
    if (op->grad == NULL) continue;
    fprintf(file, "{\"%s\", %s%s},\n", op->name,
            has_rule(op) ? "berth_grad_" : "",
            has_rule(op) ? op->grad : "NULL");
    ++count;
  }
  fprintf(file, "{NULL, NULL}};\nconst int berth_grad_row_count = %d;\n",
          count);
}
