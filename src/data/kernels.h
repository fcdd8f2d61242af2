// kernels.h - The kernels of datasets, and what several kinds share.
#ifndef BERTH_DATA_KERNELS_H_
#define BERTH_DATA_KERNELS_H_

#include "data/dataset.h"
#include "state/philox.h"

// An entry of a table of kernels, for prepare_<name>().
#define BERTH_DATA_OP(type, name) \
  { .op = type, .prepare = prepare_##name, .traits = BERTH_DATA_TRAITS }

// Adds all of them to the kernels of |backend|, that of the host.
BERTH_NODISCARD berth_code_t
berth_data_add_kernels(const berth_backend_t *backend, berth_error_t *err);

// ---- Elements ----

// Makes a copy of row |row| of |tensor|, in the host's memory.
BERTH_NODISCARD berth_code_t berth_element_slice(const berth_tensor_t *tensor,
                                                 int64_t row,
                                                 berth_tensor_t **out_tensor,
                                                 berth_error_t *err);

// ---- Random numbers ----

// TensorFlow's sequence of 32-bit numbers from two seeds.
typedef struct berth_lots {
  berth_philox_t philox;
  uint32_t words[4];
  int used;
} berth_lots_t;

// Begins the sequence of two seeds.
void berth_lots_begin(berth_lots_t *draws, int64_t seed, int64_t seed2);

// Returns the next number.
static inline uint32_t berth_lots_next(berth_lots_t *draws) {
  if (draws->used == 4) {
    berth_philox_next(&draws->philox, draws->words);
    draws->used = 0;
  }
  return draws->words[draws->used++];
}

// The seeds of the iterators of a dataset: always the same two, or others for
// each. Thread-safe.
typedef struct berth_seeds berth_seeds_t;
BERTH_NODISCARD berth_code_t berth_seeds_create(int64_t seed, int64_t seed2,
                                                bool is_anew,
                                                berth_seeds_t **out_seeds,
                                                berth_error_t *err);
// Frees them. NULL is fine.
void berth_seeds_destroy(berth_seeds_t *seeds);
// Stores the seeds of another iterator.
void berth_seeds_next(berth_seeds_t *seeds, int64_t *out_seed,
                      int64_t *out_seed2);
// Stores the seeds of a cursor of |reading|, which remembers them.
BERTH_NODISCARD berth_code_t berth_reading_seeds(berth_reading_t *reading,
                                                 berth_seeds_t *seeds,
                                                 int64_t *out_seed,
                                                 int64_t *out_seed2,
                                                 berth_error_t *err);

#endif  // BERTH_DATA_KERNELS_H_
