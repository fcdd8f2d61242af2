// cublaslt.c - cuBLASLt, opened at run time.
#include "cuda/card/cublaslt.h"

#include <stddef.h>

#include "base/compiler.h"
#include "cuda/card/vendor.h"

berth_cublaslt_api_t berth_cublaslt_api;

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cublaslt_api_t, name), true},
#include "cuda/api/cublaslt_symbols.inc"
};

static berth_vendor_t vendor = {
    .title = "cuBLASLt",
    .word = "cublaslt",
    .names = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
    .in_packages = "nvidia/*/lib/libcublasLt.so.[0-9]*",
    .symbols = symbols,
    .count = BERTH_COUNT_OF(symbols),
    .table = &berth_cublaslt_api,
};

berth_code_t berth_cublaslt_error(berth_error_t *err, cublasStatus_t status,
                                  const char *call) {
  berth_code_t code = status == CUBLAS_STATUS_ALLOC_FAILED
                          ? BERTH_RESOURCE_EXHAUSTED
                          : BERTH_INTERNAL;
  return berth_error_set(err, code, "%s: %s (%d): %s", call,
                         berth_cublaslt_api.cublasLtGetStatusName(status),
                         (int)status,
                         berth_cublaslt_api.cublasLtGetStatusString(status));
}

berth_code_t berth_cublaslt_open(berth_error_t *err) {
  return berth_vendor_open(&vendor, err);
}
