// cusolver.c - cuSOLVER, opened at run time.
#include "cuda/card/cusolver.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "cuda/card/vendor.h"

berth_cusolver_api_t berth_cusolver_api;

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cusolver_api_t, name), true},
#include "cuda/api/cusolver_symbols.inc"
};

static berth_vendor_t vendor = {
    .title = "cuSOLVER",
    .word = "cusolver",
    // Of CUDA 13 and of CUDA 12.
    .names = {"libcusolver.so.12", "libcusolver.so.11"},
    .in_packages = "nvidia/*/lib/libcusolver.so.[0-9]*",
    .symbols = symbols,
    .count = BERTH_COUNT_OF(symbols),
    .table = &berth_cusolver_api,
};

static const char *solver_text(int status) {
  switch (status) {
#define X(name, number) \
  case number:          \
    return #name;
    BERTH_CUSOLVER_RESULTS(X)
#undef X
    default:
      return "unrecognized status";
  }
}

berth_code_t berth_cusolver_error(berth_error_t *err, int status,
                                  const char *call) {
  bool is_solver = strncmp(call, "cusolver", strlen("cusolver")) == 0;
  int alloc_failed = is_solver ? (int)CUSOLVER_STATUS_ALLOC_FAILED
                               : (int)CUBLAS_STATUS_ALLOC_FAILED;
  return berth_error_set(
      err, status == alloc_failed ? BERTH_RESOURCE_EXHAUSTED : BERTH_INTERNAL,
      "%s: %s (%d)", call, is_solver ? solver_text(status) : "cuBLAS failed",
      status);
}

berth_code_t berth_cusolver_open(berth_error_t *err) {
  return berth_vendor_open(&vendor, err);
}
