// gpu_wish.h - How much memory a logical GPU gets, and from where.
//
// Settings come from the configuration and from the environment: TensorFlow's
// TF_FORCE_GPU_ALLOW_GROWTH, TF_GPU_ALLOCATOR, TF_DEVICE_MIN_SYS_MEMORY_IN_MB
// and TF_ENABLE_GPU_GARBAGE_COLLECTION, and Berth's own
//
//   BERTH_GPU_ALLOCATOR  "bfc": every figure as TensorFlow's allocator has it
//   BERTH_TF_VERSION     "1.4": by the rules of that version of TensorFlow
//
// What comes out is the policy of the device's pool (memory/policy.h):
//
//                      default                     as TensorFlow's allocator
//   all at first use   page-mapped, floor = limit  plain, one region
//   allow_growth       page-mapped                 plain, regions double
#ifndef BERTH_RUNTIME_GPU_WISH_H_
#define BERTH_RUNTIME_GPU_WISH_H_

#include "berth/config.h"
#include "device/card.h"
#include "memory/limit.h"
#include "runtime/gpus.h"

// Works out |out_wish| for |gpu|, which will be number |id|, on a card that has
// |memory| now; its description stays NULL. Says in the log what was ignored or
// overridden.
//
// Fails with BERTH_INTERNAL `Failed to get memory allocator …` for an unknown
// allocator and for unified memory on cards without,
// and with BERTH_UNIMPLEMENTED for allocators that Berth has no match for.
BERTH_NODISCARD berth_code_t berth_gpu_wish(const berth_config_t *config,
                                            const berth_logical_gpu_t *gpu,
                                            int32_t id,
                                            const berth_card_memory_t *memory,
                                            berth_device_wish_t *out_wish,
                                            berth_error_t *err);

// Returns |policy| with another way to grow: all of the limit at first use, or
// what is needed. Works for the policies that berth_gpu_wish() makes.
berth_policy_t berth_gpu_set_growth(berth_policy_t policy,
                                    berth_card_source_t source, bool growth);

// Returns |policy| with another limit.
berth_policy_t berth_gpu_set_limit(berth_policy_t policy,
                                   berth_card_source_t source, uint64_t limit);

#endif  // BERTH_RUNTIME_GPU_WISH_H_
