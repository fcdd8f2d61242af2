// berth_side.h - What the files of Berth's side share.
#ifndef BERTH_BENCH_BERTH_SIDE_H_
#define BERTH_BENCH_BERTH_SIDE_H_

#include <berth/berth.h>
#include <stdbool.h>

#include "side.h"

// How many threads Berth may use. Set once, before anything is measured.
extern int berth_side_threads;

// Returns whether |code| is BERTH_OK, and tells |err| on stderr and clears it
// when not.
bool berth_side_ok(berth_code_t code, berth_error_t *err);

// Makes a session on |graph| with berth_side_threads, or returns NULL.
berth_session_t *berth_side_session(berth_graph_t *graph);

// Adds a float placeholder, or an int32 one.
berth_out_t berth_side_placeholder(berth_graph_t *graph, const char *name,
                                   berth_dtype_t dtype, berth_dims_t shape);

// ---- Small calls: berth_calls.c ----

void *berth_open_small(const side_bench_t *bench);
// |bench->arg| is the number of nodes, an int.
void *berth_open_towers(const side_bench_t *bench);
void *berth_open_chain(const side_bench_t *bench);
void *berth_open_update(const side_bench_t *bench);
void *berth_open_cond(const side_bench_t *bench);
void *berth_open_count(const side_bench_t *bench);
bool berth_call_session(void *state, long turn);
void berth_close_session(void *state);

// ---- Eager calls, tensors and building: berth_objects.c ----

void *berth_open_eager_matmul(const side_bench_t *bench);
void *berth_open_eager_add(const side_bench_t *bench);
bool berth_call_eager(void *state, long turn);
void berth_close_eager(void *state);

// |bench->arg| is the number of floats, an int64_t.
void *berth_open_alloc(const side_bench_t *bench);
bool berth_call_alloc(void *state, long turn);
void *berth_open_build(const side_bench_t *bench);
bool berth_call_build(void *state, long turn);
// For those with nothing to free.
void berth_close_nothing(void *state);

// ---- Several threads: berth_crowd.c ----
//
// |bench->arg| is their number, an int; the crowd of a bench with |seconds| is
// mixed.

void *berth_open_crowd(const side_bench_t *bench);
bool berth_call_crowd(void *state, long turn);
double berth_crowd_tail(void *state);
void berth_close_crowd(void *state);

// ---- Kernels: berth_kernels.c. |bench->arg| is a kernel_t. ----

void *berth_open_kernel(const side_bench_t *bench);
bool berth_call_kernel(void *state, long turn);
void berth_close_kernel(void *state);

// ---- Networks: berth_model.c ----

extern const struct model_side berth_model_side;

#endif  // BERTH_BENCH_BERTH_SIDE_H_
