// nccl.c - NCCL, opened at run time.
#include "cuda/card/nccl.h"

#include <stddef.h>

#include "base/compiler.h"
#include "cuda/card/vendor.h"

berth_nccl_api_t berth_nccl_api;

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_nccl_api_t, name), true},
#include "cuda/api/nccl_symbols.inc"
};

// Versions are 2000 to 2999 up to 2.8, then 20900 and up.
static berth_code_t check_version(berth_error_t *err) {
  int version = 0;
  if (berth_nccl_api.ncclGetVersion(&version) == ncclSuccess &&
      (version / 1000 == 2 || version / 10000 == 2)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "NCCL has version %d; 2 is known", version);
}

static berth_vendor_t vendor = {
    .title = "NCCL",
    .word = "nccl",
    .names = {"libnccl.so.2"},
    .in_packages = "nvidia/nccl/lib/libnccl.so.2",
    .symbols = symbols,
    .count = BERTH_COUNT_OF(symbols),
    .table = &berth_nccl_api,
    .check = check_version,
};

berth_code_t berth_nccl_check(berth_error_t *err, ncclResult_t result,
                              const char *call) {
  if (BERTH_LIKELY(result == ncclSuccess)) return BERTH_OK;
  return berth_error_set(err, BERTH_INTERNAL, "%s: %s (%d)", call,
                         berth_nccl_api.ncclGetErrorString(result),
                         (int)result);
}

berth_code_t berth_nccl_open(berth_error_t *err) {
  return berth_vendor_open(&vendor, err);
}
