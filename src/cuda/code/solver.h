// solver.h - Decompositions of large matrices by cuSOLVER.
//
// The library's matrices lie by columns. It takes one at a time, and a few tens
// of microseconds for each: small ones have kernels of their own (ops/linear.c).
// What it needs to work in is scratch space of the step; it says how much when
// that is prepared.
//
// Threads: thread-safe. What is prepared is immutable: several runs may use it.
#ifndef BERTH_CUDA_CODE_SOLVER_H_
#define BERTH_CUDA_CODE_SOLVER_H_

#include "cuda/card/context.h"
#include "cuda/card/cusolver.h"
#include "kernel/kernel.h"

typedef enum berth_solver_kind {
  BERTH_SOLVER_CHOLESKY,  // A = U^H U, of its upper half.
  BERTH_SOLVER_LU,        // P A = L U.
  BERTH_SOLVER_EIGEN,     // A = V diag(e) V^H, of its upper half.
  BERTH_SOLVER_SINGULAR,  // A = U diag(s) V^H, m >= n, real numbers.
  BERTH_SOLVER_TRIANGLE,  // Is told to berth_solver_triangle() alone.
} berth_solver_kind_t;

// One kind of work, for matrices of |m| rows and |n| columns.
typedef struct berth_solver {
  berth_solver_kind_t kind;
  berth_dtype_t dtype;
  int64_t m, n;
  bool has_vectors;  // Not values alone.
  bool is_full;      // All |m| columns of U.
  // Filled in by berth_solver_prepare().
  berth_cuda_card_t *card;  // Borrowed; lives as long as the process.
  size_t on_card, on_host;  // Bytes to work in.
} berth_solver_t;

// Addresses of one matrix, all on the card.
typedef struct berth_solver_operands {
  void *a;       // Becomes U, L and U, or V.
  void *values;  // The 64-bit numbers of rows that were exchanged; e; s.
  void *u, *vh;
  void *room;  // |on_card| bytes, aligned to BERTH_SOLVER_ALIGNMENT.
  int *info;   // Becomes 0, or where it went wrong.
} berth_solver_operands_t;

enum { BERTH_SOLVER_ALIGNMENT = 256 };

// Fills in |solver| for the device of |prepare|. Starts the device, and opens
// the library, where that was not done.
//
// Fails with BERTH_UNAVAILABLE without the library and with BERTH_UNIMPLEMENTED
// for what is too large for it: then the host has to do it.
BERTH_NODISCARD berth_code_t berth_solver_prepare(berth_prepare_t *prepare,
                                                  berth_solver_t *solver,
                                                  berth_error_t *err);

// Queues the work for one matrix on the stream of |call|. Fails as the library
// does, with |call->err| described, and as berth_cuda_bind() does.
BERTH_NODISCARD berth_code_t berth_solver_run(const berth_solver_t *solver,
                                              const berth_solver_operands_t *at,
                                              berth_call_t *call);

// Which part of a matrix in rows is meant, as in cpu/loops/solve.h.
typedef struct berth_solver_form {
  bool is_lower, has_ones, is_adjoint;
} berth_solver_form_t;

// Queues the solution of A X = B, |b| of |columns| becoming X. Both lie by rows.
BERTH_NODISCARD berth_code_t berth_solver_triangle(const berth_solver_t *solver,
                                                   berth_solver_form_t form,
                                                   const void *a, void *b,
                                                   int64_t columns,
                                                   berth_call_t *call);

// Destroys the handles of |card|, whose context is bound and about to be closed.
// The next matrix makes others.
void berth_solver_forget(const berth_cuda_card_t *card);

#endif  // BERTH_CUDA_CODE_SOLVER_H_
