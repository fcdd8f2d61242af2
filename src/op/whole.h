// whole.h - Ops that compute with whole numbers that stand for fractions, as
// graphs that were quantised hold them.
//
// Each function checks its op and sets its outputs: numbers first, then the
// least and the largest fraction that they stand for. All fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_WHOLE_H_
#define BERTH_OP_WHOLE_H_

#include "op/case.h"
#include "op/conv.h"
#include "op/pool.h"
#include "op/resize.h"

#define BERTH_OP_WHOLE(name)                                           \
  BERTH_NODISCARD berth_code_t berth_op_whole_##name(berth_case_t *op, \
                                                     berth_error_t *err)

// QuantizedRelu, QuantizedRelu6, QuantizeDownAndShrinkRange, Requantize: one
// number for each.
BERTH_OP_WHOLE(unary);
// RequantizationRange: the range alone.
BERTH_OP_WHOLE(range);
// QuantizedReshape.
BERTH_OP_WHOLE(reshape);
// QuantizedInstanceNorm.
BERTH_OP_WHOLE(norm);
// RequantizePerChannel, RequantizationRangePerChannel: ranges of channels.
BERTH_OP_WHOLE(channels);

// QuantizedResizeBilinear.
BERTH_NODISCARD berth_code_t berth_op_whole_resize(berth_case_t *op,
                                                   berth_resize_t *out_resize,
                                                   berth_error_t *err);

// QuantizedAdd, QuantizedMul and QuantizedBiasAdd: number i of one input is
// joined with number (i % |period|) of the other.
typedef struct berth_whole_pair {
  int64_t count;
  int64_t periods[2];  // Numbers of each input.
} berth_whole_pair_t;

// Says how numbers of both inputs are joined.
BERTH_NODISCARD berth_code_t berth_op_whole_pair(berth_case_t *op,
                                                 berth_whole_pair_t *out,
                                                 berth_error_t *err);

// Checks that the ranges of two inputs, the ends of each, ascend, where |node|'s
// op asks for that: a NaN ends it.
BERTH_NODISCARD berth_code_t berth_whole_check_ranges(const berth_node_t *node,
                                                      const float ranges[4],
                                                      berth_error_t *err);

// QuantizedMatMul: |rows| times |depth|, |depth| times |columns|, with the steps
// between numbers of each input along its rows and columns.
typedef struct berth_whole_product {
  int64_t rows, depth, columns;
  int64_t left[2], right[2];
} berth_whole_product_t;

// Says what is multiplied.
BERTH_NODISCARD berth_code_t berth_op_whole_product(berth_case_t *op,
                                                    berth_whole_product_t *out,
                                                    berth_error_t *err);

// QuantizedConv2D.
BERTH_NODISCARD berth_code_t berth_op_whole_conv(berth_case_t *op,
                                                 berth_conv_t *out_conv,
                                                 berth_error_t *err);

// QuantizedMaxPool, QuantizedAvgPool.
BERTH_NODISCARD berth_code_t berth_op_whole_pool(berth_case_t *op,
                                                 berth_pooling_t *out_pool,
                                                 berth_error_t *err);

// QuantizedConcat: |outer| times a run of each of |parts| inputs, the first of
// which is input 1; |runs| has their lengths.
typedef struct berth_whole_concat {
  int parts;
  int64_t outer;
  const int64_t *runs;
} berth_whole_concat_t;

// Says which runs follow each other.
BERTH_NODISCARD berth_code_t berth_op_whole_concat(berth_case_t *op,
                                                   berth_whole_concat_t *out,
                                                   berth_error_t *err);

#endif  // BERTH_OP_WHOLE_H_
