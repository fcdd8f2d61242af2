// staging_map.h - Tuples of tensors that wait under keys until they are taken.
//
// A tuple is put in whole or in parts, and shown or taken so, by the numbers of
// its tensors. Nothing here blocks a thread: who wants a key that is not there,
// or to put more in than there is room for, is parked and told later. Who can
// go on does, whatever others wait for.
//
// Texts of errors are TensorFlow's, and so is what counts as memory.
//
// Threads: thread-safe. |done| is called without the lock.
#ifndef BERTH_STATE_STAGING_MAP_H_
#define BERTH_STATE_STAGING_MAP_H_

#include "state/container.h"
#include "tensor/tensor.h"

typedef struct berth_staging_map berth_staging_map_t;

// What a map is made as; 0: no limit.
typedef struct berth_staging_options {
  int width;  // Tensors of a tuple.
  int64_t capacity;
  uint64_t memory_limit;
  bool is_ordered;  // The smallest key comes out first, else the newest.
} berth_staging_options_t;

// Finds or makes the map called |key|. The caller owns one reference.
BERTH_NODISCARD berth_code_t
berth_staging_map_get(berth_container_t *container, const char *container_name,
                      const char *key, const berth_staging_options_t *options,
                      berth_staging_map_t **out_map, berth_error_t *err);

// Stores how many tuples are whole, and how many are not.
void berth_staging_map_query(berth_staging_map_t *map, int32_t *out_whole,
                             int32_t *out_parts);

// Forgets everything.
void berth_staging_map_clear(berth_staging_map_t *map);

typedef enum berth_staging_kind {
  BERTH_STAGING_PUT,
  BERTH_STAGING_PEEK,
  BERTH_STAGING_TAKE,
  BERTH_STAGING_TAKE_ANY,  // Stores the key.
} berth_staging_kind_t;

// One operation, in the caller's storage, which stays until it is done and
// |map| as long. The first six are the caller's.
typedef struct berth_staging_op berth_staging_op_t;
struct berth_staging_op {
  berth_staging_kind_t kind;
  int64_t key;
  int32_t count;
  const int32_t *indices;    // Which tensors of the tuple.
  berth_tensor_t **tensors;  // References: taken over, or given.
  // Tells of an operation that was parked; |op->error| is set when it failed.
  void (*done)(berth_staging_op_t *op, berth_code_t code);
  berth_error_t error;
  berth_staging_map_t *map;
  berth_staging_op_t *next;
  berth_code_t code;
  bool is_parked;
};

// Does |op|, or parks it: then |done| tells its end, or has told it already.
// What is put is released when it fails, and what is taken is NULL then.
berth_code_t berth_staging_run(berth_staging_map_t *map, berth_staging_op_t *op,
                               bool *out_parked);

// Gives a parked operation up; does nothing when it is done.
void berth_staging_cancel(berth_staging_op_t *op);

#endif  // BERTH_STATE_STAGING_MAP_H_
