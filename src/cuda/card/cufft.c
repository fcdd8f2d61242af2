// cufft.c - cuFFT, opened at run time.
#include "cuda/card/cufft.h"

#include <stddef.h>

#include "base/compiler.h"
#include "cuda/card/vendor.h"

berth_cufft_api_t berth_cufft_api;

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cufft_api_t, name), true},
#include "cuda/api/cufft_symbols.inc"
};

static berth_vendor_t vendor = {
    .title = "cuFFT",
    .word = "cufft",
    // Of CUDA 13 and of CUDA 12.
    .names = {"libcufft.so.12", "libcufft.so.11"},
    .in_packages = "nvidia/*/lib/libcufft.so.[0-9]*",
    .symbols = symbols,
    .count = BERTH_COUNT_OF(symbols),
    .table = &berth_cufft_api,
};

static const char *text_of(cufftResult result) {
  switch (result) {
#define X(name, number) \
  case name:            \
    return #name;
    BERTH_CUFFT_RESULTS(X)
#undef X
  }
  return "unrecognized result";
}

static berth_code_t code_of(cufftResult result) {
  switch (result) {
    case CUFFT_ALLOC_FAILED:
      return BERTH_RESOURCE_EXHAUSTED;
    case CUFFT_INVALID_SIZE:
    case CUFFT_NOT_SUPPORTED:
      return BERTH_UNIMPLEMENTED;
    default:
      return BERTH_INTERNAL;
  }
}

berth_code_t berth_cufft_error(berth_error_t *err, cufftResult result,
                               const char *call) {
  return berth_error_set(err, code_of(result), "%s: %s (%d)", call,
                         text_of(result), (int)result);
}

berth_code_t berth_cufft_open(berth_error_t *err) {
  return berth_vendor_open(&vendor, err);
}
