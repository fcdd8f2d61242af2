// cudnn.c - cuDNN, opened at run time.
#include "cuda/card/cudnn.h"

#include <stddef.h>

#include "base/compiler.h"
#include "cuda/card/vendor.h"

berth_cudnn_api_t berth_cudnn_api;

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cudnn_api_t, name), true},
#include "cuda/api/cudnn_symbols.inc"
#define X(name, result, arguments) \
  {#name, offsetof(berth_cudnn_api_t, name), false},
#include "cuda/api/cudnn_graph_symbols.inc"
};

// Versions are 8000 and up, then 90000 and up.
static int major_version(void) {
  size_t version = berth_cudnn_api.cudnnGetVersion();
  return (int)(version < 10000 ? version / 1000 : version / 10000);
}

static berth_code_t check_version(berth_error_t *err) {
  int major = major_version();
  if (major == 8 || major == 9) return BERTH_OK;
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "cuDNN has version %zu; 8 and 9 are known",
                         berth_cudnn_api.cudnnGetVersion());
}

static berth_vendor_t vendor = {
    .title = "cuDNN",
    .word = "cudnn",
    .names = {"libcudnn_cnn.so.9", "libcudnn_cnn_train.so.8"},
    // Of version 8 the part that trains, which is linked with the others.
    .in_packages = "nvidia/cudnn/lib/libcudnn_cnn[._][st]*[89]",
    .symbols = symbols,
    .count = BERTH_COUNT_OF(symbols),
    .table = &berth_cudnn_api,
    .check = check_version,
};

// Results of version 9 are in thousands: bad arguments, not supported, internal,
// execution. Those of version 8 are numbered one by one.
static berth_code_t code_of(int status) {
  enum { OLD_ALLOC = 2, OLD_BAD = 3, OLD_INVALID = 5, OLD_ARCH = 6 };
  enum { OLD_UNSUPPORTED = 9, HOST_MEMORY = 4003, CARD_MEMORY = 4004 };
  bool is_old = status < 1000;
  if (status == HOST_MEMORY || status == CARD_MEMORY ||
      (is_old && status == OLD_ALLOC)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  bool is_refused = is_old ? status == OLD_BAD || status == OLD_INVALID ||
                                 status == OLD_ARCH || status == OLD_UNSUPPORTED
                           : status / 1000 == 2 || status / 1000 == 3;
  return is_refused ? BERTH_UNIMPLEMENTED : BERTH_INTERNAL;
}

berth_code_t berth_cudnn_error(berth_error_t *err, cudnnStatus_t status,
                               const char *call) {
  return berth_error_set(err, code_of((int)status), "%s: %s (%d)", call,
                         berth_cudnn_api.cudnnGetErrorString(status),
                         (int)status);
}

berth_code_t berth_cudnn_open(berth_error_t *err) {
  return berth_vendor_open(&vendor, err);
}
