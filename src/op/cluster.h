// cluster.h - Centers of clusters: which are near, and where to begin.
#ifndef BERTH_OP_CLUSTER_H_
#define BERTH_OP_CLUSTER_H_

#include "op/case.h"

// |rows| points of |columns| numbers.
typedef struct berth_cluster {
  int64_t rows, columns;
  int64_t centers;  // Of NearestNeighbors, or how many are drawn.
  int64_t count;    // How many are near, or how often others are drawn.
} berth_cluster_t;

// Check |op|, set its outputs and describe the work: NearestNeighbors,
// KmeansPlusPlusInitialization, KMC2ChainInitialization. Fail with
// BERTH_INVALID_ARGUMENT in TensorFlow's words.
BERTH_NODISCARD berth_code_t berth_op_nearest(berth_case_t *op,
                                              berth_cluster_t *out,
                                              berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_first_centers(berth_case_t *op,
                                                    berth_cluster_t *out,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_chain(berth_case_t *op,
                                            berth_cluster_t *out,
                                            berth_error_t *err);

#endif  // BERTH_OP_CLUSTER_H_
