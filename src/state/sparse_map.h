// sparse_map.h - Sparse tensors that wait under numbers.
//
// A queue holds dense tensors of one shape; of a sparse one it holds the number
// that it was put away under. Numbers are given out in order, once each.
//
// Thread-safe.
#ifndef BERTH_STATE_SPARSE_MAP_H_
#define BERTH_STATE_SPARSE_MAP_H_

#include "state/container.h"
#include "tensor/tensor.h"

typedef struct berth_sparse_map berth_sparse_map_t;

// The places, values and shape of a sparse tensor.
typedef struct berth_sparse_parts {
  berth_tensor_t *tensors[3];
} berth_sparse_parts_t;

// Finds or makes the map called |key| in |container_name|; the caller owns one
// reference.
BERTH_NODISCARD berth_code_t berth_sparse_map_get(berth_container_t *container,
                                                  const char *container_name,
                                                  const char *key,
                                                  berth_sparse_map_t **out_map,
                                                  berth_error_t *err);

// Puts |parts| away, each retained, and stores their number.
BERTH_NODISCARD berth_code_t
berth_sparse_map_add(berth_sparse_map_t *map, const berth_sparse_parts_t *parts,
                     int64_t *out_number, berth_error_t *err);

// Takes out what is under |number|: the caller owns the parts. False when there
// is nothing.
bool berth_sparse_map_take(berth_sparse_map_t *map, int64_t number,
                           berth_sparse_parts_t *out_parts);

#endif  // BERTH_STATE_SPARSE_MAP_H_
