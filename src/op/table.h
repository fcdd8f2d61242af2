// table.h - Ops on tables from keys to values.
//
// What they check depends on the table, which is known only in a run: the
// kernels check it.
#ifndef BERTH_OP_TABLE_H_
#define BERTH_OP_TABLE_H_

#include "op/case.h"

// Leaves the outputs of an op on a table open.
BERTH_NODISCARD berth_code_t berth_op_on_table(berth_case_t *op,
                                               berth_error_t *err);

// Checks what fills a table from a file: one name, and a delimiter.
BERTH_NODISCARD berth_code_t berth_op_table_file(berth_case_t *op,
                                                 berth_error_t *err);

// GenerateVocabRemapping: checks |op| and sets its outputs.
BERTH_NODISCARD berth_code_t berth_op_vocabulary(berth_case_t *op,
                                                 berth_error_t *err);

#endif  // BERTH_OP_TABLE_H_
