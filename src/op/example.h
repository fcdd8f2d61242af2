// example.h - Ops that read records: ParseExampleV2, DecodeCSV.
#ifndef BERTH_OP_EXAMPLE_H_
#define BERTH_OP_EXAMPLE_H_

#include "op/case.h"

// How many features of either kind are read. Inputs are the records, their
// names, the keys of sparse, dense and ragged features, and the defaults of
// dense ones; outputs the places, values and shapes of sparse ones, then dense
// ones.
typedef struct berth_example_plan {
  int sparse, dense;
} berth_example_plan_t;

// Checks |op|, sets the shapes of dense outputs and describes the work; all
// outputs are made by the run. Fails with BERTH_INVALID_ARGUMENT, and with
// BERTH_UNIMPLEMENTED for ragged features and those of unknown length.
BERTH_NODISCARD berth_code_t berth_op_parse_example(
    berth_case_t *op, berth_example_plan_t *out_plan, berth_error_t *err);

// ---- csv.c ----

// What DecodeCSV reads: |fields| of each record. Texts are the node's.
typedef struct berth_csv {
  int64_t records;
  int32_t fields;
  char mark;               // Between fields.
  bool has_quotes;         // A field may stand between quotes.
  const char *missing;     // What stands for no value.
  const int64_t *columns;  // Which fields are read; NULL: all.
} berth_csv_t;

// Checks |op|, sets its outputs and describes the work.
BERTH_NODISCARD berth_code_t berth_op_decode_csv(berth_case_t *op,
                                                 berth_csv_t *out_csv,
                                                 berth_error_t *err);

#endif  // BERTH_OP_EXAMPLE_H_
