// tensorflow_side.h - What the files of TensorFlow's side share.
//
// It does with TensorFlow's C API what Berth's side does with Berth's: the same
// graphs, inputs and checks, in files that mirror each other.
#ifndef BERTH_BENCH_TENSORFLOW_SIDE_H_
#define BERTH_BENCH_TENSORFLOW_SIDE_H_

#include <stdbool.h>
#include <stdint.h>

#include "side.h"
#include "tensorflow/c/c_api.h"

// The serialised ConfigProto of every session and context. Set once, before
// anything is measured.
typedef struct tensorflow_config {
  unsigned char bytes[64];
  size_t size;
} tensorflow_config_t;
extern tensorflow_config_t tensorflow_side_config;

// Takes a status for all calls of this program.
extern TF_Status *tensorflow_side_status;

// Returns whether the status is TF_OK, and tells its text on stderr when not.
bool tensorflow_side_ok(void);

// Makes a session on |graph|, without optimisers when |is_plain|: they would
// fold or merge what is to be measured. NULL when that fails.
TF_Session *tensorflow_side_session(TF_Graph *graph, bool is_plain);
void tensorflow_side_close(TF_Session *session);

// Adds a placeholder; an op with two inputs. Failures stay in the status.
TF_Output tensorflow_side_placeholder(TF_Graph *graph, const char *name,
                                      TF_DataType dtype, const int64_t *dims,
                                      int rank);
TF_Output tensorflow_side_binary(TF_Graph *graph, const char *op,
                                 const char *name, TF_Output a, TF_Output b);

// Makes a float tensor of |rank| dimensions and at most 6 elements, with the
// values of set |set|.
TF_Tensor *tensorflow_side_tensor(const int64_t *dims, int rank, int set);

// ---- Small calls: tensorflow_calls.c ----

void *tensorflow_open_small(const side_bench_t *bench);
// |bench->arg| is the number of nodes, an int.
void *tensorflow_open_towers(const side_bench_t *bench);
void *tensorflow_open_chain(const side_bench_t *bench);
void *tensorflow_open_update(const side_bench_t *bench);
void *tensorflow_open_cond(const side_bench_t *bench);
void *tensorflow_open_count(const side_bench_t *bench);
bool tensorflow_call_session(void *state, long turn);
void tensorflow_close_session(void *state);

// ---- Eager calls, tensors and building: tensorflow_objects.c ----

void *tensorflow_open_eager_matmul(const side_bench_t *bench);
void *tensorflow_open_eager_add(const side_bench_t *bench);
bool tensorflow_call_eager(void *state, long turn);
void tensorflow_close_eager(void *state);

// |bench->arg| is the number of floats, an int64_t.
void *tensorflow_open_alloc(const side_bench_t *bench);
bool tensorflow_call_alloc(void *state, long turn);
void *tensorflow_open_build(const side_bench_t *bench);
bool tensorflow_call_build(void *state, long turn);
// For those with nothing to free.
void tensorflow_close_nothing(void *state);

// ---- Several threads: tensorflow_crowd.c ----
//
// |bench->arg| is their number, an int; the crowd of a bench with |seconds| is
// mixed.

void *tensorflow_open_crowd(const side_bench_t *bench);
bool tensorflow_call_crowd(void *state, long turn);
double tensorflow_crowd_tail(void *state);
void tensorflow_close_crowd(void *state);

// ---- Kernels: tensorflow_kernels.c. |bench->arg| is a kernel_t. ----

void *tensorflow_open_kernel(const side_bench_t *bench);
bool tensorflow_call_kernel(void *state, long turn);
void tensorflow_close_kernel(void *state);

// ---- Networks: tensorflow_model.c ----

extern const struct model_side tensorflow_model_side;

#endif  // BERTH_BENCH_TENSORFLOW_SIDE_H_
