// example.h - Ops that read records: ParseExampleV2 and its kin, DecodeCSV.
#ifndef BERTH_OP_EXAMPLE_H_
#define BERTH_OP_EXAMPLE_H_

#include "op/case.h"

// What ParseExampleV2, ParseExample and ParseSingleExample read: features of
// three kinds, and where among the inputs their keys and defaults are. Outputs
// are the places, values and shapes of sparse ones, then dense ones, then the
// values and row splits of ragged ones.
typedef struct berth_example_plan {
  int sparse, dense, ragged;
  bool is_batch;       // Records make a vector.
  bool has_key_lists;  // Keys are one input for each feature (ParseExample).
  int names;           // Input; -1: there are none, and attributes have keys.
  int sparse_keys, dense_keys, ragged_keys;  // Inputs.
  int defaults;                              // The first of those inputs.
} berth_example_plan_t;

// Checks |op| and describes the work; all outputs are made by the run. Fails
// with BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_op_parse_example(
    berth_case_t *op, berth_example_plan_t *out_plan, berth_error_t *err);

// True when |shape|, of one record's values, does not say how many rows there
// are.
static inline bool berth_example_has_rows(const berth_dims_t *shape) {
  return shape->rank > 0 && shape->dims[0] < 0;
}

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
