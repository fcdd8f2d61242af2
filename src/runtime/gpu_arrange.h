// gpu_arrange.h - Other logical GPUs while a program runs.
//
// TensorFlow settles once which cards are visible and how they are divided.
// Here the GPUs of the process become what another configuration asks for:
//
//   1. what holds nothing may go, or move to another card; what holds something
//      (tensors, variables) keeps its name, and must be wanted;
//   2. those that go are removed: who still knows one is refused
//      (device/device.h), and a card without GPUs is given back;
//   3. those that stay get the limits they are to have;
//   4. the others are opened.
//
// Threads: thread-safe; changes are made one after the other.
#ifndef BERTH_RUNTIME_GPU_ARRANGE_H_
#define BERTH_RUNTIME_GPU_ARRANGE_H_

#include "runtime/gpu_table.h"

// Makes the GPUs of |table| those that |config| asks for.
//
// BERTH_FAILED_PRECONDITION when one has to go that holds something, with what
// that is, or that is in use for longer than BERTH_GIVE_BACK_WAIT_MS, or is to
// have less than it holds. Fails too as berth_gpu_table_share() does. Whatever
// can be found out before is, and nothing has changed then.
BERTH_NODISCARD berth_code_t berth_gpu_arrange(berth_gpu_table_t *table,
                                               const berth_config_t *config,
                                               berth_error_t *err);

// Stores the numbers of |gpus|, given that all that are open stay. The table's
// lock is held.
BERTH_NODISCARD berth_code_t
berth_gpu_match_open(const berth_gpu_table_t *table, const berth_gpus_t *gpus,
                     int *numbers, berth_error_t *err);

// Fails because |device|, which holds something, cannot |what|: "be removed".
// BERTH_FAILED_PRECONDITION, with what holds it.
BERTH_NODISCARD berth_code_t berth_gpu_is_held(berth_device_t *device,
                                               const char *what,
                                               berth_error_t *err);

#endif  // BERTH_RUNTIME_GPU_ARRANGE_H_
