// config.h - Settings of a session or an eager context.
//
// Start from BERTH_CONFIG_INIT and change what you need:
//
//   berth_config_t config = BERTH_CONFIG_INIT;
//   config.log_device_placement = true;
//   config.allow_soft_placement = true;
//   code = berth_session_create(graph, &config, &session, &err);
//
// Whoever takes a config copies it: it may change, or go, afterwards.
//
// Or read TensorFlow's ConfigProto with berth_config_parse(). Settings about
// GPUs have TensorFlow's meaning; without a GPU they change nothing. Logical
// GPUs belong to the process: the first session that asks for one settles its
// card and memory, and later ones share it (docs/howto/share-a-gpu.md).
//
// Threads: a config belongs to one thread at a time.
#ifndef BERTH_CONFIG_H_
#define BERTH_CONFIG_H_

#include "berth/placement.h"

#ifdef __cplusplus
extern "C" {
#endif

// GPUOptions. Zeroed is TensorFlow's default. The texts are borrowed: from the
// program, or from |owned| of a config that was parsed or copied.
typedef struct berth_gpu_config {
  // per_process_gpu_memory_fraction of a card's memory; beyond 1 what the card
  // has not lies in the host's. 0: nearly all that is free.
  double memory_fraction;
  bool allow_growth;            // Hold what is used, not all at once.
  bool force_gpu_compatible;    // Kept, and of no effect.
  const char *allocator_type;   // "BFC": TensorFlow's. NULL or "": Berth's own;
                                // anything else is BERTH_INTERNAL.
  const char *visible_devices;  // visible_device_list, "1,0": cards by number,
                                // in the order of GPUs. NULL or "": all.
} berth_gpu_config_t;

// Logical GPUs on one card, as VirtualDevices: one for each limit; without any,
// one with the default amount. The other lists are empty or as long.
// Lists are borrowed, as the texts of berth_gpu_config_t are.
typedef struct berth_virtual_devices {
  const float *memory_limit_mb;   // MiB of each.
  const int32_t *priority;        // Of streams; a lower number goes first.
  const int32_t *device_ordinal;  // Order in which devices are numbered.
  int memory_limit_count, priority_count, device_ordinal_count;  // 0: none.
} berth_virtual_devices_t;

// GPUOptions.experimental. Zeroed is TensorFlow's default.
typedef struct berth_gpu_experimental {
  const berth_virtual_devices_t *virtual_devices;  // One per visible card.
  int virtual_device_count;                        // 0: one GPU on each card.
  int devices_per_card;           // num_virtual_devices_per_gpu; 0: one.
  double fragmentation_fraction;  // internal_fragmentation_fraction, for the
                                  // allocator "BFC"; 0: its default.
  int system_memory_mb;           // gpu_system_memory_size_in_mb, of a card's
                                  // memory left to others; 0: TensorFlow's.
  bool use_unified_memory;        // More than a card has, moved as it is used.
  bool use_cuda_malloc_async;     // Hold what is used, as with |allow_growth|.
  bool no_retry;  // disallow_retry_on_allocation_failure: fail at
                  // once instead of waiting for memory.
} berth_gpu_experimental_t;

// Settings: fields of ConfigProto, and a few that it has not. Start from
// BERTH_CONFIG_INIT: a config of zeros asks for no CPU device and no GPU.
//
// Fields are only added at the end. What lies behind |struct_size| of a caller
// that was compiled earlier has its default.
typedef struct berth_config {
  size_t struct_size;    // sizeof(berth_config_t) as the caller was compiled.
  int cpu_count;         // device_count["CPU"]; -1: one.
  int gpu_count;         // device_count["GPU"]; -1: all.
  int intra_op_threads;  // Of one run, for loops inside ops; 0: all CPUs.
  int inter_op_threads;  // 1: parts of a graph run one after the other.
  int inter_op_pools;    // session_inter_op_thread_pool: how many; 0: one.
  bool allow_soft_placement;    // Go elsewhere where a request cannot be met.
  bool log_device_placement;    // Say where every node and device is.
  berth_log_style_t log_style;  // BERTH_PLACEMENT_LOG in the environment wins.
  // Refuse to put on a CPU what nobody asked to have there, where there are
  // GPUs: BERTH_INVALID_ARGUMENT with the first such node and why.
  bool strict_placement;
  // Place what a run needs, anew for every combination of feeds and fetches,
  // instead of the whole graph: what no run needs cannot fail.
  bool place_pruned_graph;
  bool use_per_session_threads;  // Kept, and of no effect.
  bool isolate_session_state;    // The same: a session's state is its own.
  int64_t timeout_ms;            // operation_timeout_in_ms; 0: none.
  // do_constant_folding and opt_level: false computes everything every run.
  bool keep_constants;
  berth_gpu_config_t gpu;
  // Asked by every run and call that brings none of its own; NULL: nobody.
  // |poll_arg| is handed to it, and must live as long as what has the config.
  berth_poll_fn poll;
  void *poll_arg;
  void *owned;  // What berth_config_parse() allocated; NULL: nothing. Not the
                // program's to touch.
  berth_gpu_experimental_t gpu_experimental;
  // How many combinations of feeds, fetches and targets a session keeps
  // planned; the one not used for longest is forgotten first. 0:
  // BERTH_MAX_PROGRAMS in the environment, or 512.
  int max_programs;
  // gpu_options.experimental.berth_budget: all that the process may hold of a
  // card (berth/share.h): "4GiB", "50%", or "0=4GiB,1=2GiB" by card. NULL or
  // "": no budget. The first session on a card settles it, and BERTH_GPU_BUDGET
  // in the environment wins.
  const char *gpu_budget;
} berth_config_t;

// The defaults, as a value. Owns nothing: need not be cleared.
#ifndef __cplusplus
#define BERTH_CONFIG_INIT                                  \
  ((berth_config_t){.struct_size = sizeof(berth_config_t), \
                    .cpu_count = -1,                       \
                    .gpu_count = -1,                       \
                    .keep_constants = true})
#endif

// Sets |config| to BERTH_CONFIG_INIT; for C++. What it was is not looked at:
// one that owns memory is to be cleared instead.
BERTH_API void berth_config_init(berth_config_t *config);

// Reads a serialised ConfigProto over BERTH_CONFIG_INIT. |config| is not looked
// at before, and owns memory afterwards: berth_config_clear(). The bytes may
// go. BERTH_DATA_LOSS when they are cut off, BERTH_INVALID_ARGUMENT when they
// are no ConfigProto. What the values mean is checked where they are used.
BERTH_API BERTH_NODISCARD berth_code_t berth_config_parse(
    const void *bytes, size_t size, berth_config_t *config, berth_error_t *err);

// Writes a ConfigProto, to be freed with berth_text_free(). Fields that were
// read and have no meaning here are written back as they were; what no
// ConfigProto has (|log_style|, |strict_placement|, |poll|, |max_programs|) is
// left out.
BERTH_API BERTH_NODISCARD berth_code_t
berth_config_serialize(const berth_config_t *config, void **out_bytes,
                       size_t *out_size, berth_error_t *err);

// Frees what |config| owns and sets it to BERTH_CONFIG_INIT. Texts and lists
// that were the program's are left alone.
BERTH_API void berth_config_clear(berth_config_t *config);

// Copies |from| with all it points to, but for what |poll_arg| does; |to| is
// not looked at before, and owns memory afterwards.
BERTH_API BERTH_NODISCARD berth_code_t berth_config_copy(
    const berth_config_t *from, berth_config_t *to, berth_error_t *err);

// Sets what sessions and contexts get that are created without a configuration
// (copied; NULL: BERTH_CONFIG_INIT again), and opens the devices it asks for,
// so that listings show them. Those that exist keep what they have;
// BERTH_ALREADY_EXISTS when a GPU would have to move to another card. For
// settings of GPUs that contradict each other, and cards that are not there,
// it fails as berth_session_create() does. On failure what was set before
// counts. Holds nothing on a card. Thread-safe.
BERTH_API BERTH_NODISCARD berth_code_t
berth_process_configure(const berth_config_t *config, berth_error_t *err);

// The same while GPUs are in use, which TensorFlow cannot: those of the process
// become what |config| asks for. A GPU that holds tensors or variables keeps
// its name; the others are numbered as in a new process, or take the least
// number that is free. One that goes (its card is not visible any more, or is
// divided into fewer) must hold nothing; sessions that still know it are told
// so when they use it, and work again when it comes back.
//
// Fails as berth_process_configure() does, but for GPUs on other cards, and
// with BERTH_FAILED_PRECONDITION, saying what is in the way, when a GPU would
// have to go or to hold less than is in use there, or is used for longer than
// BERTH_GIVE_BACK_WAIT_MS. Thread-safe.
BERTH_API BERTH_NODISCARD berth_code_t
berth_process_reconfigure(const berth_config_t *config, berth_error_t *err);

// Copies what berth_process_configure() has set, or BERTH_CONFIG_INIT; to be
// cleared. |out_config| is not looked at before. Thread-safe.
BERTH_API BERTH_NODISCARD berth_code_t
berth_process_query_config(berth_config_t *out_config, berth_error_t *err);

// Allows products and convolutions of float32 on GPUs to round their inputs to
// TF32, which keeps 10 bits after the point and is several times faster, or
// forbids it again; as tf.config.experimental.enable_tensor_float_32_execution(),
// allowed at first. It matters to GPUs of compute capability 8.0 and above.
// What is planned, queued or replayed from now on obeys. Thread-safe.
BERTH_API void berth_process_set_tf32(bool is_allowed);

// True when they may: what was last set, unless NVIDIA_TF32_OVERRIDE is 0 or 1
// in the environment, which wins. Thread-safe.
BERTH_API bool berth_process_has_tf32(void);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_CONFIG_H_
