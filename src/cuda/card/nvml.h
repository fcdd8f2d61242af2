// nvml.h - NVML, opened at run time: the cards of the machine.
//
// NVML lists every card, in the order of their PCI ids and whatever
// CUDA_VISIBLE_DEVICES says, and holds nothing on any of them. It is opened at
// the first listing and stays open.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_NVML_H_
#define BERTH_CUDA_CARD_NVML_H_

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/nvml.h"
#include "cuda/card/card.h"

// The library's functions. Optional ones are NULL where it lacks them.
typedef struct berth_nvml_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/nvml_symbols.inc"
} berth_nvml_api_t;

// Constant once berth_nvml_open() has succeeded.
extern berth_nvml_api_t berth_nvml_api;

// Calls NVML's function |name|, or fails in its stead when it is armed.
#define BERTH_NVML(name, ...) \
  (berth_fault(#name) ? NVML_ERROR_UNKNOWN : berth_nvml_api.name(__VA_ARGS__))

// Opens and starts NVML, once. Fails with BERTH_UNAVAILABLE and the reasons
// where there is none; that is remembered.
BERTH_NODISCARD berth_code_t berth_nvml_open(berth_error_t *err);

// A card of the machine, or a slice of one.
typedef struct berth_nvml_card {
  nvmlDevice_t handle;
  berth_card_info_t info;  // Without |fast_index|.
} berth_nvml_card_t;

typedef struct berth_nvml_list {
  berth_nvml_card_t *cards;  // In PCI order; slices follow one another.
  int count;
  bool has_slices;  // Some card is cut into slices.
} berth_nvml_list_t;

// Lists all cards. The caller frees |out_list->cards|. Fails as NVML does.
BERTH_NODISCARD berth_code_t berth_nvml_list(berth_nvml_list_t *out_list,
                                             berth_error_t *err);

// Stores what is free on the card with |uuid|, and what there is in all. Both
// fail as NVML does, with BERTH_UNAVAILABLE where there is none.
BERTH_NODISCARD berth_code_t berth_nvml_memory(const char *uuid,
                                               uint64_t *out_free,
                                               uint64_t *out_total,
                                               berth_error_t *err);

// Fills |processes| with who is on the card with |uuid|, at most |room|, and
// stores how many there are.
BERTH_NODISCARD berth_code_t
berth_nvml_processes(const char *uuid, berth_card_process_t *processes,
                     int room, int *out_count, berth_error_t *err);

// Writes the version of the driver to |text|; "" when NVML does not say.
void berth_nvml_driver_version(char *text, size_t size);

#endif  // BERTH_CUDA_CARD_NVML_H_
