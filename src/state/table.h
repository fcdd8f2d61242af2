// table.h - Tables from keys to values.
//
// Keys are whole numbers or texts; a value is one element or a tensor of a fixed
// shape. Pairs lie in the order in which they came, and slots of a power of two
// lead to them; a pair that is taken out leaves a hole until the table grows.
//
// A table of kind BERTH_TABLE_STATIC is filled once; a second filling is left
// out. The other kinds change at any time.
//
// Thread-safe.
#ifndef BERTH_STATE_TABLE_H_
#define BERTH_STATE_TABLE_H_

#include "state/resource.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

typedef struct berth_table berth_table_t;

typedef enum berth_table_kind {
  BERTH_TABLE_STATIC,
  BERTH_TABLE_MUTABLE,
  BERTH_TABLE_DENSE,  // As mutable; two keys may not be used.
} berth_table_kind_t;

// What a table is made as.
typedef struct berth_table_spec {
  berth_table_kind_t kind;
  berth_dtype_t key_dtype, value_dtype;
  berth_shape_t value_shape;  // Of one value.
  // The keys that a dense table does not take: tensors of one element.
  const berth_tensor_t *empty_key, *deleted_key;
} berth_table_spec_t;

// Makes an empty table; the caller owns one reference. Copies what |spec| points
// to. Fails with BERTH_INVALID_ARGUMENT for forbidden keys that are equal, and
// with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_table_create(const berth_table_spec_t *spec,
                                                berth_resource_t **out_resource,
                                                berth_error_t *err);

// Returns what the table was made as; forbidden keys are its own.
const berth_table_spec_t *berth_table_spec(const berth_table_t *table);

// Returns how many elements a value has.
int64_t berth_table_width(const berth_table_t *table);

// Writes the value of each of |keys| to |out|; where there is none, that of
// |defaults|: one for all, or one for each. Types and sizes have been checked.
// Fails with BERTH_FAILED_PRECONDITION for a static table that is not filled,
// and with BERTH_INVALID_ARGUMENT for a forbidden key.
BERTH_NODISCARD berth_code_t berth_table_find(berth_table_t *table,
                                              const berth_tensor_t *keys,
                                              const berth_tensor_t *defaults,
                                              void *out, berth_error_t *err);

// Fills a static table, once. Fails with BERTH_FAILED_PRECONDITION for a key
// with two values, and with BERTH_INVALID_ARGUMENT for no pairs at all; the
// table is then empty.
BERTH_NODISCARD berth_code_t berth_table_fill(berth_table_t *table,
                                              const berth_tensor_t *keys,
                                              const berth_tensor_t *values,
                                              berth_error_t *err);

// Puts pairs into a table, over what was there; empties it first when
// |is_import|. Fails as berth_table_find() does, having put none.
BERTH_NODISCARD berth_code_t berth_table_insert(berth_table_t *table,
                                                const berth_tensor_t *keys,
                                                const berth_tensor_t *values,
                                                bool is_import,
                                                berth_error_t *err);

// Takes keys out; those that are not there do not matter.
BERTH_NODISCARD berth_code_t berth_table_remove(berth_table_t *table,
                                                const berth_tensor_t *keys,
                                                berth_error_t *err);

// Returns how many pairs there are.
int64_t berth_table_size(berth_table_t *table);

// Makes tensors of all keys and values, in the order in which they came. Fails
// with BERTH_ABORTED for a static table that is not filled.
BERTH_NODISCARD berth_code_t berth_table_export(berth_table_t *table,
                                                berth_tensor_t **out_keys,
                                                berth_tensor_t **out_values,
                                                berth_error_t *err);

#endif  // BERTH_STATE_TABLE_H_
