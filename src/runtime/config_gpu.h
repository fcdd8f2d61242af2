// config_gpu.h - The part of a configuration that is about GPUs, as messages.
#ifndef BERTH_RUNTIME_CONFIG_GPU_H_
#define BERTH_RUNTIME_CONFIG_GPU_H_

#include "base/arena.h"
#include "base/error.h"
#include "berth/config.h"
#include "wire/config.pb-c.h"

// Reads |options| (NULL: none) into |config|, which then points into it and
// into |arena|. False when memory is short.
bool berth_config_read_gpu(const Berth__Wire__GPUOptions *options,
                           berth_config_t *config, berth_arena_t *arena);

// Checks that what |config| counts is there. BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t
berth_config_check_gpu(const berth_config_t *config, berth_error_t *err);

// Writes what |config| says into |message|, everything in |arena|. A message
// that has no options gets some only when there is something to say. False when
// memory is short.
bool berth_config_write_gpu(Berth__Wire__ConfigProto *message,
                            const berth_config_t *config, berth_arena_t *arena);

#endif  // BERTH_RUNTIME_CONFIG_GPU_H_
