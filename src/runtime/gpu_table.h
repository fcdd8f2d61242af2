// gpu_table.h - The logical GPUs of the process.
//
//   GPU:0 ─> card 2, 1024 MB, device      settled by whoever asked first,
//   GPU:1 ─> card 0, the rest, device     shared by everybody after that
//
// As in TensorFlow a logical GPU stays on its card as long as the process
// lives, and keeps the memory settings it was opened with; only Berth's own
// calls (berth/device.h, runtime/gpu_arrange.h) change those. Opening holds
// nothing on a card.
//
// Numbers are those of devices. One that was removed leaves a hole; its device
// is kept, because others may know it, and used again when a GPU of that number
// on that card is wanted again.
//
// Thread-safe.
#ifndef BERTH_RUNTIME_GPU_TABLE_H_
#define BERTH_RUNTIME_GPU_TABLE_H_

#include "base/thread.h"
#include "berth/config.h"
#include "device/card.h"
#include "device/registry.h"
#include "runtime/gpus.h"

// One logical GPU that is open.
typedef struct berth_open_gpu {
  int32_t id;  // Its number.
  int card;
  uint64_t card_bytes;  // What the card has.
  bool has_limit;       // The program has set the limit.
  berth_card_source_t source;
  berth_policy_t policy;   // In force now.
  berth_device_t *device;  // Its |is_removed| says whether it is open.
} berth_open_gpu_t;

typedef struct berth_gpu_table {
  berth_mutex_t lock;      // Guards everything below.
  berth_open_gpu_t *gpus;  // By number of the device; only grows.
  size_t count, capacity;
  berth_open_gpu_t *spare;  // Removed, and their numbers went to others.
  size_t spare_count, spare_capacity;
  bool is_arranged;     // Numbers need not be those of a program's start.
  bool has_complained;  // About a driver that fails.
} berth_gpu_table_t;

#define BERTH_GPU_TABLE_INIT \
  { .lock = BERTH_MUTEX_INIT }

// Returns GPU number |id| if it is open, else NULL. The lock is held.
berth_open_gpu_t *berth_gpu_table_find(const berth_gpu_table_t *table, int id);

// Works out what |config| asks for. The caller frees |out_gpus|.
BERTH_NODISCARD berth_code_t berth_gpu_table_plan(berth_gpu_table_t *table,
                                                  const berth_config_t *config,
                                                  berth_gpus_t *out_gpus,
                                                  berth_error_t *err);

// Opens |gpu| as number |id|, unless it is open.
BERTH_NODISCARD berth_code_t berth_gpu_table_open(
    berth_gpu_table_t *table, const berth_config_t *config,
    const berth_logical_gpu_t *gpu, int32_t id, berth_error_t *err);

// Adds the GPUs that |config| asks for to |registry|, opening those that are
// not open yet, and logs them. Nothing happens on a machine without cards.
//
// Fails with TensorFlow's texts: for settings that are wrong, and with
// BERTH_ALREADY_EXISTS when a GPU is open on another card. A driver that fails
// is told to the log alone, unless the program insists on GPUs.
BERTH_NODISCARD berth_code_t berth_gpu_table_share(berth_gpu_table_t *table,
                                                   const berth_config_t *config,
                                                   berth_registry_t *registry,
                                                   berth_error_t *err);

// Adds every GPU that is open to |registry|.
BERTH_NODISCARD berth_code_t berth_gpu_table_list(berth_gpu_table_t *table,
                                                  berth_registry_t *registry,
                                                  berth_error_t *err);

// True when at least one GPU is open.
bool berth_gpu_table_has_any(berth_gpu_table_t *table);

// Returns the bytes that |device| may hold, as listings show them.
int64_t berth_gpu_table_limit(berth_gpu_table_t *table,
                              const berth_device_t *device);

// Change what |device| may hold, from now on, and how it grows.
//
// BERTH_INVALID_ARGUMENT for a device that is no GPU, and for a limit of
// nothing or of more than its card has (unless its memory is unified);
// BERTH_FAILED_PRECONDITION, with what holds it and nothing changed, for one
// below what is in use after all that is idle was given back.
BERTH_NODISCARD berth_code_t berth_gpu_table_set_limit(berth_gpu_table_t *table,
                                                       berth_device_t *device,
                                                       uint64_t limit,
                                                       berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_gpu_table_set_growth(
    berth_gpu_table_t *table, const berth_device_t *device, bool growth,
    berth_error_t *err);

// Puts the policies of all GPUs on the card of |device| in place as the card's
// budget wants them.
void berth_gpu_table_refresh(berth_gpu_table_t *table,
                             const berth_device_t *device);

#endif  // BERTH_RUNTIME_GPU_TABLE_H_
