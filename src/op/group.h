// group.h - Ops that make groups of elements: running sums, segments,
// partitions, counts.
//
// Each function checks its op and sets its outputs, as far as they are known
// before the run; some describe the work. All fail with BERTH_INVALID_ARGUMENT
// in TensorFlow's words and with BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_GROUP_H_
#define BERTH_OP_GROUP_H_

#include "op/case.h"
#include "op/index.h"

// Declares berth_op_<name>(), which sets the outputs.
#define BERTH_OP_GROUP(name)                                     \
  BERTH_NODISCARD berth_code_t berth_op_##name(berth_case_t *op, \
                                               berth_error_t *err)

// ---- scan.c ----

// What Cumsum and its like do along one dimension; the tensor is seen as
// [outer, length, inner].
typedef struct berth_scan {
  berth_dtype_t dtype;
  int64_t outer, length, inner;
  bool exclusive, reverse;
} berth_scan_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_scan(berth_case_t *op,
                                           berth_scan_t *out_scan,
                                           berth_error_t *err);

// ---- segment.c ----

// What SegmentSum, UnsortedSegmentSum and their like do: |rows| of |inner|
// elements are joined by the number of their segment.
typedef struct berth_segments {
  berth_dtype_t dtype, index_type;
  berth_combine_t combine;
  bool is_mean;
  int64_t rows, inner;
  int64_t count;      // Segments of an unsorted one; -1: the last number tells.
  berth_dims_t ids;   // For messages, in the op's arena.
  berth_dims_t rest;  // Dimensions of a row, there too.
} berth_segments_t;

// Checks |op|, sets its output, if it is known already, and describes the work.
BERTH_NODISCARD berth_code_t berth_op_segments(berth_case_t *op,
                                               berth_segments_t *out_segments,
                                               berth_error_t *err);

// Checks that |shape| begins with the dimensions of |prefix|, both of known
// rank: `Dimensions must be equal, but are 4 and 3`. For shape functions.
BERTH_NODISCARD berth_code_t berth_shape_merge_prefix(berth_dims_t shape,
                                                      berth_dims_t prefix,
                                                      berth_error_t *err);

// ---- sparse_segment.c ----

// What is made of the rows of a segment.
typedef enum berth_sparse_join {
  BERTH_SPARSE_SUM,
  BERTH_SPARSE_MEAN,
  BERTH_SPARSE_SQRT_N,  // The sum by the root of how many there are.
} berth_sparse_join_t;

// What SparseSegmentSum and its like do: row number indices[i] of the input, of
// |inner| elements, belongs to segment segment_ids[i]. A gradient goes the
// other way: from the rows of segments to those that indices name.
typedef struct berth_sparse_segments {
  berth_sparse_join_t join;
  bool is_grad;
  berth_dtype_t dtype, index_type, id_type;
  int64_t count;      // Indices.
  int64_t data_rows;  // Of input 0.
  int64_t rows;       // That come out, or may; -1: the last segment tells.
  int64_t inner;
  berth_dims_t rest;  // Dimensions of a row, in the op's arena.
} berth_sparse_segments_t;

// Checks |op|, sets its outputs, if they are known already, and describes the
// work.
BERTH_NODISCARD berth_code_t berth_op_sparse_segments(
    berth_case_t *op, berth_sparse_segments_t *out_segments,
    berth_error_t *err);

// ---- partition.c ----

// DynamicPartition, and DynamicStitch with its parallel twin: shapes are known
// when they have run.
BERTH_OP_GROUP(partition);
BERTH_OP_GROUP(stitch);

// ---- count.c ----

// What Bincount and DenseBincount do: |rows| rows of |columns| numbers, each of
// which counts in the bin that it names, of |size| for each row.
typedef struct berth_bins {
  int64_t rows, columns, size;
  bool has_weights, is_binary;
  berth_dtype_t index_type;
} berth_bins_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_bincount(berth_case_t *op,
                                               berth_bins_t *out_bins,
                                               berth_error_t *err);

// HistogramFixedWidth, NthElement, LowerBound and UpperBound.
BERTH_OP_GROUP(histogram);
BERTH_OP_GROUP(nth_element);
BERTH_OP_GROUP(bound);

// where.c: ListDiff, and the later ones of Unique, with an axis and counts.
BERTH_OP_GROUP(list_diff);
BERTH_NODISCARD berth_code_t berth_op_unique_along(berth_case_t *op,
                                                   int32_t *out_axis,
                                                   berth_error_t *err);

// shape.c: BroadcastArgs, BroadcastGradientArgs, ConcatOffset.
BERTH_OP_GROUP(broadcast_args);
BERTH_OP_GROUP(concat_offset);

#endif  // BERTH_OP_GROUP_H_
