// solver.c - cuSOLVER's decompositions, and cuBLAS's triangles, on the host.
//
// By the loops of the CPU's kernels, whose matrices are in rows: in the memory of
// a matrix by columns they see its transpose. Only what Berth asks for is done:
// matrices without gaps, upper halves, triangles from the right. Everything
// wants some room to work in, so that callers meet the case.
#include <complex.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/loops/factor.h"
#include "cpu/loops/solve.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

enum { CARD_ROOM = 1024, HOST_ROOM = 64, ALIGNMENT = 64 };

struct cusolverDnContext {
  CUstream stream;
};
struct cusolverDnParams {
  int unused;
};
struct cublasContext {
  CUstream stream;
};

typedef enum what { POTRF, GETRF, SYEVD, GESVD, TRSM } what_t;

// One piece of work.
typedef struct job {
  what_t what;
  cudaDataType_t type;
  int64_t m, n;  // Of TRSM |m| are the right sides.
  bool has_vectors;
  int64_t columns;  // Of |u|.
  berth_triangle_t form;
  void *a, *values, *u, *vt;
  int *info;
} job_t;

static berth_dtype_t dtype_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_32F:
      return BERTH_FLOAT;
    case CUDA_R_64F:
      return BERTH_DOUBLE;
    case CUDA_C_32F:
      return BERTH_COMPLEX64;
    default:
      return BERTH_COMPLEX128;
  }
}

static bool is_known(cudaDataType_t type) {
  return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F ||
         type == CUDA_C_64F;
}

static bool is_complex(cudaDataType_t type) {
  return type == CUDA_C_32F || type == CUDA_C_64F;
}

static size_t size_of(cudaDataType_t type) {
  return berth_dtype_size(dtype_of(type));
}

// ---- Doing ----

// Returns |memory| aligned as the loops want it.
static void *aligned(void *memory) {
  return (char *)memory + (-(uintptr_t)memory & (ALIGNMENT - 1));
}

static void do_potrf(const job_t *job, char *memory) {
  size_t n = (size_t)job->n, size = size_of(job->type);
  const berth_solve_loops_t *loops = berth_solve_loops(dtype_of(job->type));
  berth_solve_space_t space = berth_solve_space_at(
      loops->dtype, job->n, job->n, aligned(memory + n * n * size));
  memcpy(memory, job->a, n * n * size);
  bool is_done = loops->cholesky(memory, job->n, &space);
  *job->info = is_done ? 0 : 1;
  // The other half stays as it is.
  for (size_t i = 0; is_done && i < n; ++i) {
    memcpy((char *)job->a + i * n * size, memory + i * n * size,
           (i + 1) * size);
  }
}

static void transpose(const char *from, size_t n, size_t size, char *to) {
  for (size_t i = 0; i < n * n; ++i) {
    memcpy(to + (i % n * n + i / n) * size, from + i * size, size);
  }
}

// Stores which rows were exchanged, one after the other, for |rows| to come out.
static void store_swaps(int64_t *rows, int64_t n, int64_t *order,
                        int64_t *swaps) {
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  for (int64_t i = 0; i < n; ++i) {
    int64_t k = i;
    while (order[k] != rows[i]) ++k;
    order[k] = order[i];
    order[i] = rows[i];
    swaps[i] = k + 1;
  }
}

static void do_getrf(const job_t *job, char *memory) {
  size_t n = (size_t)job->n, size = size_of(job->type);
  const berth_solve_loops_t *loops = berth_solve_loops(dtype_of(job->type));
  int64_t *rows = aligned(memory + n * n * size), *order = rows + n;
  berth_solve_space_t space =
      berth_solve_space_at(loops->dtype, job->n, job->n, aligned(order + n));
  transpose(job->a, n, size, memory);
  (void)loops->lu(memory, job->n, rows, &space);
  transpose(memory, n, size, job->a);
  store_swaps(rows, job->n, order, job->values);
  *job->info = loops->has_zero(memory, job->n) ? 1 : 0;
}

static berth_complex128_t number_at(cudaDataType_t type, const void *data,
                                    int64_t i) {
  switch (type) {
    case CUDA_R_32F:
      return ((const float *)data)[i];
    case CUDA_R_64F:
      return ((const double *)data)[i];
    case CUDA_C_32F:
      return ((const berth_complex64_t *)data)[i];
    default:
      return ((const berth_complex128_t *)data)[i];
  }
}

static void number_set(cudaDataType_t type, void *data, int64_t i,
                       berth_complex128_t x) {
  switch (type) {
    case CUDA_R_32F:
      ((float *)data)[i] = (float)creal(x);
      break;
    case CUDA_R_64F:
      ((double *)data)[i] = creal(x);
      break;
    case CUDA_C_32F:
      ((berth_complex64_t *)data)[i] = (berth_complex64_t)x;
      break;
    default:
      ((berth_complex128_t *)data)[i] = x;
  }
}

static cudaDataType_t real_of(cudaDataType_t type) {
  return type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F;
}

// In rows lies the conjugate, whose vectors are conjugated too.
static void do_syevd(const job_t *job, char *memory) {
  int64_t n = job->n;
  berth_complex128_t *a = aligned(memory), *v = a + n * n, *work = v + n * n;
  double *e = (double *)(void *)(work + berth_factor_room(n, n));
  for (int64_t i = 0; i < n * n; ++i) a[i] = number_at(job->type, job->a, i);
  berth_factor_complex.eigh(a, n, e, v, work);
  for (int64_t i = 0; i < n; ++i) {
    number_set(real_of(job->type), job->values, i, e[i]);
  }
  for (int64_t i = 0; job->has_vectors && i < n * n; ++i) {
    number_set(job->type, job->a, i % n * n + i / n, conj(v[i]));
  }
  *job->info = 0;
}

static void do_gesvd(const job_t *job, char *memory) {
  int64_t m = job->m, n = job->n, p = job->columns;
  double *a = aligned(memory), *u = a + m * n, *v = u + m * p, *s = v + n * n;
  double *work = s + n;
  for (int64_t i = 0; i < m * n; ++i) {
    a[i] = creal(number_at(job->type, job->a, i % n * m + i / n));
  }
  berth_factor_real.svd(a, m, n, s, job->has_vectors ? u : NULL, p,
                        job->has_vectors ? v : NULL, work);
  for (int64_t i = 0; i < n; ++i) number_set(job->type, job->values, i, s[i]);
  for (int64_t i = 0; job->has_vectors && i < m * p; ++i) {
    number_set(job->type, job->u, i % p * m + i / p, u[i]);
  }
  for (int64_t i = 0; job->has_vectors && i < n * n; ++i) {
    number_set(job->type, job->vt, i, v[i]);
  }
  *job->info = 0;
}

static void do_trsm(const job_t *job, char *memory) {
  const berth_solve_loops_t *loops = berth_solve_loops(dtype_of(job->type));
  berth_solve_space_t space =
      berth_solve_space_at(loops->dtype, job->n, job->m, aligned(memory));
  loops->triangle(job->a, job->n, job->values, job->m, job->form, &space);
}

// Bytes that a job works in; more than it may take.
static size_t room_of(const job_t *job) {
  int64_t most = job->m > job->n ? job->m : job->n;
  size_t square = (size_t)(most * most), number = sizeof(berth_complex128_t);
  if (job->what == SYEVD || job->what == GESVD) {
    return (3 * square + (size_t)berth_factor_room(most, most) +
            2 * (size_t)most + ALIGNMENT) *
           number;
  }
  return square * number + (size_t)most * 2 * sizeof(int64_t) +
         berth_solve_space_size(dtype_of(job->type), job->n, most) +
         4 * ALIGNMENT;
}

static void run_job(CUstream stream, const void *payload) {
  (void)stream;
  static void (*const functions[])(const job_t *, char *) = {[POTRF] = do_potrf,
                                                             [GETRF] = do_getrf,
                                                             [SYEVD] = do_syevd,
                                                             [GESVD] = do_gesvd,
                                                             [TRSM] = do_trsm};
  const job_t *job = payload;
  char *memory = berth_alloc(room_of(job));
  if (memory == NULL) {
    berth_soft_trap(CUDA_ERROR_LAUNCH_FAILED);
    return;
  }
  functions[job->what](job, aligned(memory));
  berth_free(memory);
}

static const berth_soft_work_kind_t kind = {"solver", run_job, NULL, false};
static const berth_soft_work_kind_t stray_kind = {
    "solver", berth_soft_run_stray, NULL, false};

// ---- Checking ----

static bool is_reachable(const void *data, int64_t count, size_t size) {
  return berth_soft_space_covers((uintptr_t)data, (uint64_t)count * size,
                                 BERTH_SOFT_ANY);
}

static bool is_in_reach(const job_t *job) {
  size_t size = size_of(job->type);
  int64_t n = job->n, m = job->m;
  if (job->what == TRSM) {
    return is_reachable(job->a, n * n, size) &&
           is_reachable(job->values, n * m, size);
  }
  size_t value =
      job->what == GETRF ? sizeof(int64_t) : size_of(real_of(job->type));
  bool has_parts = job->what == GESVD && job->has_vectors;
  return is_reachable(job->a, m * n, size) &&
         is_reachable(job->info, 1, sizeof(int)) &&
         (job->what == POTRF || is_reachable(job->values, n, value)) &&
         (!has_parts || (is_reachable(job->u, m * job->columns, size) &&
                         is_reachable(job->vt, n * n, size)));
}

static bool submit(CUstream stream, const job_t *job) {
  CUstream found = NULL;
  return berth_soft_stream_find(stream, &found) == CUDA_SUCCESS &&
         berth_soft_submit(found, is_in_reach(job) ? &kind : &stray_kind, job,
                           sizeof(*job)) == CUDA_SUCCESS;
}

static cusolverStatus_t ask(cusolverDnHandle_t handle, cudaDataType_t type,
                            size_t host_room, size_t *on_card,
                            size_t *on_host) {
  if (handle == NULL || on_card == NULL || on_host == NULL) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  *on_card = CARD_ROOM;
  *on_host = host_room;
  return is_known(type) ? CUSOLVER_STATUS_SUCCESS
                        : CUSOLVER_STATUS_NOT_SUPPORTED;
}

// What was given to work in.
typedef struct room {
  const void *card, *host;
  size_t on_card, on_host;
} room_t;

static cusolverStatus_t give(cusolverDnHandle_t handle, const job_t *job,
                             size_t host_room, room_t room) {
  if (handle == NULL || room.on_card < CARD_ROOM || room.on_host < host_room ||
      room.card == NULL || (host_room > 0 && room.host == NULL)) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return submit(handle->stream, job) ? CUSOLVER_STATUS_SUCCESS
                                     : CUSOLVER_STATUS_EXECUTION_FAILED;
}

// ---- Handles ----

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  if (handle == NULL) return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = berth_calloc(1, sizeof(**handle));
  return *handle != NULL ? CUSOLVER_STATUS_SUCCESS
                         : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  berth_free(handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle,
                                     CUstream stream) {
  if (handle == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params) {
  if (params == NULL) return CUSOLVER_STATUS_INVALID_VALUE;
  *params = berth_calloc(1, sizeof(**params));
  return *params != NULL ? CUSOLVER_STATUS_SUCCESS
                         : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  berth_free(params);
  return CUSOLVER_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (handle == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = berth_calloc(1, sizeof(**handle));
  return *handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  berth_free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- Decompositions ----

cusolverStatus_t cusolverDnXpotrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t half,
    int64_t n, cudaDataType_t a_type, const void *a, int64_t lda,
    cudaDataType_t compute, size_t *on_card, size_t *on_host) {
  (void)params, (void)a, (void)compute;
  if (half != CUBLAS_FILL_MODE_UPPER || lda != n) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return ask(handle, a_type, 0, on_card, on_host);
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cublasFillMode_t half, int64_t n,
                                  cudaDataType_t a_type, void *a, int64_t lda,
                                  cudaDataType_t compute, void *card_room,
                                  size_t on_card, void *host_room,
                                  size_t on_host, int *info) {
  (void)params, (void)compute;
  job_t job = {
      .what = POTRF, .type = a_type, .m = n, .n = n, .a = a, .info = info};
  if (half != CUBLAS_FILL_MODE_UPPER || lda != n) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return give(handle, &job, 0,
              (room_t){card_room, host_room, on_card, on_host});
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
    cudaDataType_t a_type, const void *a, int64_t lda, cudaDataType_t compute,
    size_t *on_card, size_t *on_host) {
  (void)params, (void)a, (void)compute;
  if (m != n || lda != n) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return ask(handle, a_type, 0, on_card, on_host);
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType_t a_type, void *a,
                                  int64_t lda, int64_t *swaps,
                                  cudaDataType_t compute, void *card_room,
                                  size_t on_card, void *host_room,
                                  size_t on_host, int *info) {
  (void)params, (void)compute;
  job_t job = {.what = GETRF,
               .type = a_type,
               .m = n,
               .n = n,
               .a = a,
               .values = swaps,
               .info = info};
  if (m != n || lda != n) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return give(handle, &job, 0,
              (room_t){card_room, host_room, on_card, on_host});
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t half, int64_t n,
    cudaDataType_t a_type, const void *a, int64_t lda, cudaDataType_t w_type,
    const void *w, cudaDataType_t compute, size_t *on_card, size_t *on_host) {
  (void)params, (void)mode, (void)a, (void)w, (void)compute;
  if (half != CUBLAS_FILL_MODE_UPPER || lda != n || w_type != real_of(a_type)) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return ask(handle, a_type, HOST_ROOM, on_card, on_host);
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t half,
                                  int64_t n, cudaDataType_t a_type, void *a,
                                  int64_t lda, cudaDataType_t w_type, void *w,
                                  cudaDataType_t compute, void *card_room,
                                  size_t on_card, void *host_room,
                                  size_t on_host, int *info) {
  (void)params, (void)compute;
  job_t job = {.what = SYEVD,
               .type = a_type,
               .m = n,
               .n = n,
               .has_vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
               .a = a,
               .values = w,
               .info = info};
  if (half != CUBLAS_FILL_MODE_UPPER || lda != n || w_type != real_of(a_type)) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return give(handle, &job, HOST_ROOM,
              (room_t){card_room, host_room, on_card, on_host});
}

// As cuSOLVER: no matrix that is wider than tall.
static bool is_singular_job(signed char job_u, signed char job_vt, int64_t m,
                            int64_t n, cudaDataType_t type) {
  return m >= n && job_u == job_vt && !is_complex(type) &&
         (job_u == 'N' || job_u == 'S' || job_u == 'A');
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType_t a_type,
    const void *a, int64_t lda, cudaDataType_t s_type, const void *s,
    cudaDataType_t u_type, const void *u, int64_t ldu, cudaDataType_t vt_type,
    const void *vt, int64_t ldvt, cudaDataType_t compute, size_t *on_card,
    size_t *on_host) {
  (void)params, (void)a, (void)lda, (void)s_type, (void)s, (void)u_type;
  (void)u, (void)ldu, (void)vt_type, (void)vt, (void)ldvt, (void)compute;
  if (!is_singular_job(job_u, job_vt, m, n, a_type)) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return ask(handle, a_type, HOST_ROOM, on_card, on_host);
}

cusolverStatus_t cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType_t a_type, void *a,
    int64_t lda, cudaDataType_t s_type, void *s, cudaDataType_t u_type, void *u,
    int64_t ldu, cudaDataType_t vt_type, void *vt, int64_t ldvt,
    cudaDataType_t compute, void *card_room, size_t on_card, void *host_room,
    size_t on_host, int *info) {
  (void)params, (void)s_type, (void)u_type, (void)vt_type, (void)compute;
  job_t job = {.what = GESVD,
               .type = a_type,
               .m = m,
               .n = n,
               .has_vectors = job_u != 'N',
               .columns = job_u == 'A' ? m : n,
               .a = a,
               .values = s,
               .u = u,
               .vt = vt,
               .info = info};
  if (!is_singular_job(job_u, job_vt, m, n, a_type) || lda != m || ldu != m ||
      ldvt != n) {
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return give(handle, &job, HOST_ROOM,
              (room_t){card_room, host_room, on_card, on_host});
}

// ---- Triangles ----

// What is solved: X T = B by columns, T' X' = B' by rows.
typedef struct triangle {
  cublasSideMode_t side;
  cublasFillMode_t half;
  cublasOperation_t turn;
  cublasDiagType_t diagonal;
  int m, n, lda, ldb;
} triangle_t;

static cublasStatus_t solve(cublasHandle_t handle, cudaDataType_t type,
                            const triangle_t *how, const void *a, void *b) {
  job_t job = {.what = TRSM,
               .type = type,
               .m = how->m,
               .n = how->n,
               .form = {.is_lower = how->half == CUBLAS_FILL_MODE_UPPER,
                        .has_ones = how->diagonal == CUBLAS_DIAG_UNIT,
                        .is_adjoint = how->turn == CUBLAS_OP_C},
               .values = b};
  memcpy(&job.a, &a, sizeof(a));
  if (handle == NULL || how->m < 0 || how->n < 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (how->side != CUBLAS_SIDE_RIGHT || how->turn == CUBLAS_OP_T ||
      how->lda != how->n || how->ldb != how->m) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return submit(handle->stream, &job) ? CUBLAS_STATUS_SUCCESS
                                      : CUBLAS_STATUS_EXECUTION_FAILED;
}

// |alpha| is one.
#define TRSM_OF(name, type)                                                    \
  cublasStatus_t name(                                                         \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t half,     \
      cublasOperation_t turn, cublasDiagType_t diagonal, int m, int n,         \
      const void *alpha, const void *a, int lda, void *b, int ldb) {           \
    (void)alpha;                                                               \
    return solve(handle, type,                                                 \
                 &(triangle_t){side, half, turn, diagonal, m, n, lda, ldb}, a, \
                 b);                                                           \
  }
TRSM_OF(cublasStrsm_v2, CUDA_R_32F)
TRSM_OF(cublasDtrsm_v2, CUDA_R_64F)
TRSM_OF(cublasCtrsm_v2, CUDA_C_32F)
TRSM_OF(cublasZtrsm_v2, CUDA_C_64F)
