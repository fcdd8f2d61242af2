// solver.c - Decompositions of large matrices by cuSOLVER.
#include "cuda/code/solver.h"

#include "base/fork.h"
#include "cuda/card/admit.h"
#include "cuda/code/launch.h"
#include "cuda/stream/device_internal.h"

// Cards whose handles are kept; more than the driver shows.
enum { MAX_CARDS = 64 };

// ---- Handles ----

typedef struct handle {
  cusolverDnHandle_t solver;
  cusolverDnParams_t params;
  cublasHandle_t blas;
  uint64_t generation;  // Of the card when they were made; 0: none.
} handle_t;

// Guards the table, and is held while a handle is used: it has one stream.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_HANDLE)
static handle_t handles[MAX_CARDS];

static void handle_deinit(handle_t *handle) {
  if (handle->blas != NULL) (void)BERTH_SOLVE(cublasDestroy_v2, handle->blas);
  if (handle->params != NULL)
    (void)BERTH_SOLVE(cusolverDnDestroyParams, handle->params);
  if (handle->solver != NULL)
    (void)BERTH_SOLVE(cusolverDnDestroy, handle->solver);
  *handle = (handle_t){0};
}

static berth_code_t handle_init(handle_t *handle, berth_error_t *err) {
  BERTH_SOLVE_TRY(err, cusolverDnCreate, &handle->solver);
  BERTH_SOLVE_TRY(err, cusolverDnCreateParams, &handle->params);
  BERTH_SOLVE_TRY(err, cublasCreate_v2, &handle->blas);
  return BERTH_OK;
}

// Stores the handle of |card|, whose context is bound. Lock held.
static berth_code_t get_handle(berth_cuda_card_t *card,
                               const handle_t **out_handle,
                               berth_error_t *err) {
  if (card->index >= MAX_CARDS) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuSOLVER is used on the first %d GPUs only",
                           MAX_CARDS);
  }
  handle_t *kept = &handles[card->index];
  uint64_t live = atomic_load(&card->live);
  *out_handle = kept;
  if (kept->generation == live) return BERTH_OK;
  // Those of an older generation went with its context.
  *kept = (handle_t){0};
  berth_cuda_act_t act;
  BERTH_TRY(berth_cuda_admit(card, BERTH_COST_LIBRARY, &act, err));
  berth_code_t code = handle_init(kept, err);
  berth_cuda_admitted(&act);
  if (code != BERTH_OK) {
    handle_deinit(kept);
    return code;
  }
  kept->generation = live;
  return BERTH_OK;
}

void berth_solver_forget(const berth_cuda_card_t *card) {
  if (card->index >= MAX_CARDS) return;
  berth_mutex_lock(&lock);
  if (handles[card->index].generation != 0)
    handle_deinit(&handles[card->index]);
  berth_mutex_unlock(&lock);
}

// ---- Preparing ----

static cudaDataType_t type_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return CUDA_R_32F;
    case BERTH_DOUBLE:
      return CUDA_R_64F;
    case BERTH_COMPLEX64:
      return CUDA_C_32F;
    default:
      return CUDA_C_64F;
  }
}

static cudaDataType_t real_type_of(berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT || dtype == BERTH_COMPLEX64 ? CUDA_R_32F
                                                          : CUDA_R_64F;
}

static cusolverEigMode_t mode_of(const berth_solver_t *solver) {
  return solver->has_vectors ? CUSOLVER_EIG_MODE_VECTOR
                             : CUSOLVER_EIG_MODE_NOVECTOR;
}

static signed char job_of(const berth_solver_t *solver) {
  if (!solver->has_vectors) return 'N';
  return solver->is_full ? 'A' : 'S';
}

// Lock held.
static berth_code_t ask(const handle_t *handle, berth_solver_t *solver,
                        berth_error_t *err) {
  cudaDataType_t type = type_of(solver->dtype);
  cudaDataType_t real = real_type_of(solver->dtype);
  int64_t m = solver->m, n = solver->n;
  signed char job = job_of(solver);
  switch (solver->kind) {
    case BERTH_SOLVER_CHOLESKY:
      BERTH_SOLVE_TRY(err, cusolverDnXpotrf_bufferSize, handle->solver,
                      handle->params, CUBLAS_FILL_MODE_UPPER, n, type, NULL, n,
                      type, &solver->on_card, &solver->on_host);
      return BERTH_OK;
    case BERTH_SOLVER_LU:
      BERTH_SOLVE_TRY(err, cusolverDnXgetrf_bufferSize, handle->solver,
                      handle->params, m, n, type, NULL, m, type,
                      &solver->on_card, &solver->on_host);
      return BERTH_OK;
    case BERTH_SOLVER_EIGEN:
      BERTH_SOLVE_TRY(err, cusolverDnXsyevd_bufferSize, handle->solver,
                      handle->params, mode_of(solver), CUBLAS_FILL_MODE_UPPER,
                      n, type, NULL, n, real, NULL, type, &solver->on_card,
                      &solver->on_host);
      return BERTH_OK;
    case BERTH_SOLVER_SINGULAR:
      BERTH_SOLVE_TRY(err, cusolverDnXgesvd_bufferSize, handle->solver,
                      handle->params, job, job, m, n, type, NULL, m, type, NULL,
                      type, NULL, m, type, NULL, n, type, &solver->on_card,
                      &solver->on_host);
      return BERTH_OK;
    default:
      return BERTH_OK;
  }
}

berth_code_t berth_solver_prepare(berth_prepare_t *prepare,
                                  berth_solver_t *solver, berth_error_t *err) {
  if (solver->m > INT32_MAX || solver->n > INT32_MAX) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuSOLVER takes no matrices as large as these");
  }
  BERTH_TRY(berth_cusolver_open(err));
  BERTH_TRY(berth_device_start(prepare->device, err));
  solver->card = ((berth_cuda_device_t *)prepare->device)->card;
  BERTH_TRY(berth_cuda_bind(solver->card, err));
  const handle_t *handle = NULL;
  berth_mutex_lock(&lock);
  berth_code_t code = get_handle(solver->card, &handle, err);
  if (code == BERTH_OK) code = ask(handle, solver, err);
  berth_mutex_unlock(&lock);
  // What the library's kernels take they take when they first run.
  if (code == BERTH_OK) {
    code = berth_cuda_expect(solver->card, BERTH_COST_PLAN, err);
  }
  return code;
}

// ---- Running ----

// Lock held; the stream is set. |host| is what the library works in there.
static berth_code_t queue(const handle_t *handle, const berth_solver_t *solver,
                          const berth_solver_operands_t *at, void *host,
                          berth_error_t *err) {
  cudaDataType_t type = type_of(solver->dtype);
  cudaDataType_t real = real_type_of(solver->dtype);
  int64_t m = solver->m, n = solver->n;
  signed char job = job_of(solver);
  switch (solver->kind) {
    case BERTH_SOLVER_CHOLESKY:
      BERTH_SOLVE_TRY(err, cusolverDnXpotrf, handle->solver, handle->params,
                      CUBLAS_FILL_MODE_UPPER, n, type, at->a, n, type, at->room,
                      solver->on_card, host, solver->on_host, at->info);
      return BERTH_OK;
    case BERTH_SOLVER_LU:
      BERTH_SOLVE_TRY(err, cusolverDnXgetrf, handle->solver, handle->params, m,
                      n, type, at->a, m, at->values, type, at->room,
                      solver->on_card, host, solver->on_host, at->info);
      return BERTH_OK;
    case BERTH_SOLVER_EIGEN:
      BERTH_SOLVE_TRY(err, cusolverDnXsyevd, handle->solver, handle->params,
                      mode_of(solver), CUBLAS_FILL_MODE_UPPER, n, type, at->a,
                      n, real, at->values, type, at->room, solver->on_card,
                      host, solver->on_host, at->info);
      return BERTH_OK;
    default:
      BERTH_SOLVE_TRY(err, cusolverDnXgesvd, handle->solver, handle->params,
                      job, job, m, n, type, at->a, m, type, at->values, type,
                      at->u, m, type, at->vh, n, type, at->room,
                      solver->on_card, host, solver->on_host, at->info);
      return BERTH_OK;
  }
}

static berth_code_t enter_and_queue(const berth_solver_t *solver,
                                    const berth_solver_operands_t *at,
                                    void *host, berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  const handle_t *handle = NULL;
  BERTH_TRY(get_handle(solver->card, &handle, call->err));
  BERTH_SOLVE_TRY(call->err, cusolverDnSetStream, handle->solver,
                  stream->native);
  return queue(handle, solver, at, host, call->err);
}

berth_code_t berth_solver_run(const berth_solver_t *solver,
                              const berth_solver_operands_t *at,
                              berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  berth_allocator_t *pinned = stream->base.device->pinned;
  berth_buffer_t *host = NULL;
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  if (solver->on_host > 0) {
    BERTH_TRY(pinned->alloc(pinned, solver->on_host, &host, call->err));
  }
  berth_mutex_lock(&lock);
  berth_code_t code =
      enter_and_queue(solver, at, host != NULL ? host->data : NULL, call);
  berth_mutex_unlock(&lock);
  // Even what has failed may have queued something.
  berth_cuda_stream_queued(stream);
  if (code == BERTH_OK && host != NULL) code = berth_cuda_wait(call, host);
  berth_buffer_release(host);
  return code;
}

// ---- Triangles ----

static const double double_one[2] = {1, 0};
static const float float_one[2] = {1, 0};

// A matrix by rows is its transpose by columns: X' A' = B' is solved.
static berth_code_t queue_triangle(const berth_solver_t *solver,
                                   berth_solver_form_t form, const void *a,
                                   void *b, int columns, berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  const handle_t *handle = NULL;
  int n = (int)solver->n;
  cublasFillMode_t half =
      form.is_lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  cublasOperation_t turn = form.is_adjoint ? CUBLAS_OP_C : CUBLAS_OP_N;
  cublasDiagType_t diagonal =
      form.has_ones ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  BERTH_TRY(get_handle(solver->card, &handle, call->err));
  BERTH_SOLVE_TRY(call->err, cublasSetStream_v2, handle->blas, stream->native);
#define TRSM(name, one)                                                   \
  BERTH_SOLVE_TRY(call->err, name, handle->blas, CUBLAS_SIDE_RIGHT, half, \
                  turn, diagonal, columns, n, one, a, n, b, columns)
  switch (solver->dtype) {
    case BERTH_FLOAT:
      TRSM(cublasStrsm_v2, float_one);
      return BERTH_OK;
    case BERTH_DOUBLE:
      TRSM(cublasDtrsm_v2, double_one);
      return BERTH_OK;
    case BERTH_COMPLEX64:
      TRSM(cublasCtrsm_v2, float_one);
      return BERTH_OK;
    default:
      TRSM(cublasZtrsm_v2, double_one);
      return BERTH_OK;
  }
#undef TRSM
}

berth_code_t berth_solver_triangle(const berth_solver_t *solver,
                                   berth_solver_form_t form, const void *a,
                                   void *b, int64_t columns,
                                   berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  if (columns > INT32_MAX) {
    return berth_error_set(call->err, BERTH_UNIMPLEMENTED,
                           "cuBLAS takes no more than %d right sides",
                           INT32_MAX);
  }
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  berth_mutex_lock(&lock);
  berth_code_t code = queue_triangle(solver, form, a, b, (int)columns, call);
  berth_mutex_unlock(&lock);
  berth_cuda_stream_queued(stream);
  return code;
}
