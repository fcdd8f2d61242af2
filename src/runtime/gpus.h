// gpus.h - Which logical GPUs a configuration asks for.
//
//   cards of the machine   0  1  2  3
//   visible_device_list    "2,0"
//   visible and usable     2  0               not too old
//   device_count           GPU: 1 would keep the first
//   virtual_devices        [1024, 1024] []
//   logical GPUs           GPU:0, GPU:1 on card 2, GPU:2 on card 0
//
// The rules and the texts are TensorFlow's. Nothing is opened here and nothing
// asked of a card.
//
// Plain data and pure functions, but for lines in the log.
#ifndef BERTH_RUNTIME_GPUS_H_
#define BERTH_RUNTIME_GPUS_H_

#include "base/error.h"
#include "base/str.h"
#include "berth/config.h"
#include "device/card.h"

// One device "/device:GPU:<place in the list>".
typedef struct berth_logical_gpu {
  int card;        // Visible index.
  bool has_limit;  // Otherwise what is usual for the card, in equal |parts|.
  double limit_mb;
  int parts;
  int priority;
  int32_t ordinal;
} berth_logical_gpu_t;

// Zeroed is empty and valid.
typedef struct berth_gpus {
  berth_logical_gpu_t *items;
  int count;
} berth_gpus_t;

// Works out what |config| asks for on |cards|, those that the driver shows;
// NULL for one that does not answer. |style| says whose words errors have. The
// caller frees |*out_gpus|.
//
// Fails with BERTH_INVALID_ARGUMENT or BERTH_UNKNOWN for settings that do not
// fit together or the machine.
BERTH_NODISCARD berth_code_t
berth_gpus_plan(const berth_config_t *config, berth_log_style_t style,
                const berth_card_info_t *const *cards, int card_count,
                berth_gpus_t *out_gpus, berth_error_t *err);
void berth_gpus_deinit(berth_gpus_t *gpus);

// True when |config| leaves no room for a GPU, so that nobody need look for
// cards.
bool berth_gpus_is_none(const berth_config_t *config);

// Appends how listings describe |card|: `device: 0, name: Tesla K40c, pci bus
// id: 0000:05:00.0, compute capability: 3.5`.
void berth_gpus_describe(const berth_card_info_t *card, int index,
                         berth_str_t *str);

#endif  // BERTH_RUNTIME_GPUS_H_
