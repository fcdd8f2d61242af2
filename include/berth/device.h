// device.h - Devices, their names and their memory.
//
//   /job:localhost/replica:0/task:0/device:CPU:0     a full name: one device
//   /device:CPU:0   /cpu:0   /gpu:*   ""             a pattern: any that agrees
//
// The devices listed here are those of the process, without any session: one
// CPU, and a GPU for each card it may use, or what berth_process_configure() or
// the first session asked for. A session can have more CPU devices than that
// (berth_config_t.cpu_count); they are listed once a session has made them.
// Listing devices holds nothing on a card, but it settles which GPU is which,
// as creating a session does.
//
// A card is not a device: several GPUs may live on one card, or none. Cards can
// be asked about without settling anything.
//
//   int count = 0;
//   code = berth_device_count(&count, &err);
//   for (int i = 0; code == BERTH_OK && i < count; ++i) {
//     berth_device_info_t info;
//     code = berth_device_query(i, &info, &err);
//     if (code == BERTH_OK) printf("%s\n", info.name);
//   }
//
// Whatever asks for devices opens them first, once in a process, as creating a
// session does, and fails in the same way (berth_session_create()). A |name| is
// taken in any form that names one device: "CPU:0", "/device:CPU:0", the full
// name. Where the process has none of that name the code is
// BERTH_INVALID_ARGUMENT with `<name> unknown device.`
//
// Threads: everything here is thread-safe.
#ifndef BERTH_DEVICE_H_
#define BERTH_DEVICE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/error.h"
#include "berth/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Devices of the process ----

// What is known about a device. The texts are borrowed and live as long as the
// process.
typedef struct berth_device_info {
  const char *name;         // "/job:localhost/replica:0/task:0/device:CPU:0"
  const char *type;         // "CPU"
  const char *description;  // Of the card; "" for a CPU.
  int64_t memory_limit;     // Bytes; 268435456 for a CPU, as TensorFlow says.
  uint64_t incarnation;     // A random number, another one in each process.
} berth_device_info_t;

// Stores how many devices there are. There may be more the next time, never
// fewer.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_count(int *out_count,
                                                          berth_error_t *err);

// Fills |out_info| for device |index|, CPUs first. BERTH_OUT_OF_RANGE when
// there is none of that number. Where a session makes more CPUs meanwhile, the
// numbers of GPUs move up.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_query(
    int index, berth_device_info_t *out_info, berth_error_t *err);

// Fills |out_stats| with the memory figures of the device called |name|. A GPU
// that nothing has used is not started for it.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_memory_stats(
    const char *name, berth_memory_stats_t *out_stats, berth_error_t *err);

// Starts the counts and peaks of that device's memory anew (memory.h says
// which): peaks begin with what is in use now.
BERTH_API BERTH_NODISCARD berth_code_t
berth_device_reset_memory_stats(const char *name, berth_error_t *err);

// Gives memory that nobody uses back to the system, until at most |keep| bytes
// of it are left, and stores how many went in |*out_bytes| (may be NULL). What
// goes is got anew, which takes longer, when it is needed again. What is in use
// stays: there may be nothing to give. With a |keep| of 0 a GPU gives up what
// programs keep for their next run, too.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_trim_memory(
    const char *name, uint64_t keep, uint64_t *out_bytes, berth_error_t *err);

// Lets the GPU called |name| hold up to |bytes| from now on, and gives back
// what is idle beyond that. BERTH_INVALID_ARGUMENT for 0, for more than its
// card has unless its memory is unified, and for a CPU;
// BERTH_FAILED_PRECONDITION, with what holds it, when more is in use: then the
// limit stays as it was.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_set_memory_limit(
    const char *name, uint64_t bytes, berth_error_t *err);

// Lets that GPU hold what it uses (|growth|), or all of its limit from the next
// allocation on; also when it has been used. BERTH_INVALID_ARGUMENT for a CPU.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_set_memory_growth(
    const char *name, bool growth, berth_error_t *err);

// How long, in milliseconds, giving a card back waits for those who use it.
#define BERTH_GIVE_BACK_WAIT_MS 2000

// Gives back everything that this process holds of the card of that GPU, the
// driver's context included; all GPUs on the card are concerned. What their
// memory held is kept on the host meanwhile, and put back when one of them is
// next used.
//
// Runs, eager calls and copies that are under way on the card come to their end
// first; new ones wait until it has been given back. When they take longer than
// BERTH_GIVE_BACK_WAIT_MS all go on as before, and this fails with
// BERTH_FAILED_PRECONDITION: `GPU:0 is in use by a run of a session (thread 12,
// for 3.2 s); try again when that is over`. So it does at once when it is
// called from inside a run, and while memory of others (berth_eager_wrap()) is
// in use on the card, which would go with the context, and where a tensor's
// address is known (berth_tensor_data()), and while anything lives in memory
// that is not mapped page by page (the allocator "BFC", unified memory). On a
// card that has failed there is nothing left to keep: the same code.
//
// BERTH_INVALID_ARGUMENT for a CPU; BERTH_RESOURCE_EXHAUSTED when the host has
// no room for the contents, which then stay where they are.
BERTH_API BERTH_NODISCARD berth_code_t
berth_device_release_memory(const char *name, berth_error_t *err);

// The same without keeping what the memory held: makes a card usable again
// after a fault. Tensors and variables on it stay allocated, with contents that
// mean nothing. Fails in the same way; BERTH_UNAVAILABLE where the driver keeps
// the fault until the process ends.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_reset(const char *name,
                                                          berth_error_t *err);

// Stores the number of the card that the GPU called |name| lives on, as
// berth_card_query() counts. BERTH_INVALID_ARGUMENT for a CPU.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_card(const char *name,
                                                         int *out_card,
                                                         berth_error_t *err);

// ---- Cards ----

// A card that this process may use, or a slice of one. The texts are borrowed
// and live as long as the process.
typedef struct berth_card {
  const char *name;        // "Tesla K40c"
  const char *uuid;        // "GPU-…", or "MIG-…" for a slice.
  const char *pci_bus_id;  // "0000:05:00.0"
  int bus_index;   // Place on the bus among all cards of the machine, as
                   // nvidia-smi counts; -1: unknown.
  int fast_index;  // Place in the driver's own order, fastest first; -1:
                   // unknown.
  int cc_major, cc_minor;  // Compute capability.
  uint64_t total_bytes;    // Of its memory.
  uint64_t free_bytes;     // Of that, now, whoever has the rest.
  bool is_slice;           // A part of a card (MIG), with memory of its own.
  bool is_simulated;       // Made in software.
} berth_card_t;

// A process on a card.
typedef struct berth_card_user {
  uint32_t pid;    // As the driver counts: inside a container another one.
  uint64_t bytes;  // Of the card's memory; UINT64_MAX: the driver does not say.
} berth_card_user_t;

// Stores how many cards this process may use: what CUDA_VISIBLE_DEVICES leaves.
// Where there is no driver that is 0, and no failure; a driver that fails is
// one. The first call opens the driver's library, which can take a second;
// nothing is held on a card.
BERTH_API BERTH_NODISCARD berth_code_t berth_card_count(int *out_count,
                                                        berth_error_t *err);

// Fills |out_card| for card |index|, in the order that CUDA_DEVICE_ORDER and
// CUDA_VISIBLE_DEVICES make. BERTH_OUT_OF_RANGE when there is none of that
// number. Asks the driver how much memory is free.
BERTH_API BERTH_NODISCARD berth_code_t berth_card_query(int index,
                                                        berth_card_t *out_card,
                                                        berth_error_t *err);

// Fills |users| with the processes on card |index|, at most |room|, and stores
// how many there are in |*out_count|: that may be more, with the rest left out.
// |users| may be NULL for a |room| of 0. BERTH_OUT_OF_RANGE when there is no
// such card; fails with what the driver's management library says, and with
// BERTH_UNAVAILABLE where there is none.
BERTH_API BERTH_NODISCARD berth_code_t
berth_card_query_users(int index, berth_card_user_t *users, int room,
                       int *out_count, berth_error_t *err);

// Returns one line that says why there is no card; "" when there is one.
// Constant.
BERTH_API const char *berth_card_problem(void);

// ---- Names ----

// True when the runtime can read |name|, strictly: "/gpu:0", "/device:GPU:*",
// "", but not "gpu:0" or "/Gpu:0". False for NULL. Whether there is such a
// device is not asked.
BERTH_API bool berth_device_name_check(const char *name);

// Completes |name| ("GPU:1", "/gpu:1") with the parts of |base|, a full name,
// and stores the canonical form in |*out_text|, to be freed with
// berth_text_free(). BERTH_INVALID_ARGUMENT with TensorFlow's texts when either
// is no name, or |base| no full one.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_name_complete(
    const char *name, const char *base, char **out_text, berth_error_t *err);

// The parts of a name, as Python's tf.DeviceSpec has them. Words are not
// NUL-terminated and lie in the text that was read.
typedef struct berth_device_spec {
  const char *job;  // NULL: absent.
  size_t job_size;
  const char *type;  // NULL: absent.
  size_t type_size;
  int32_t replica, task, index;  // Meaningless without their flags.
  bool has_replica, has_task, has_index;
} berth_device_spec_t;

// Reads |text| as DeviceSpec.from_string() does, leniently: the slash in front
// may be missing, cpu and gpu are upper-cased. |out_spec| borrows from |text|.
// BERTH_INVALID_ARGUMENT with Python's texts.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_spec_parse(
    const char *text, berth_device_spec_t *out_spec, berth_error_t *err);

// Stores the canonical form, as DeviceSpec.to_string(), to be freed with
// berth_text_free(): "/job:J/replica:R/task:T/device:TYPE:I", without the parts
// that are absent, "*" for a type without index.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_spec_print(
    const berth_device_spec_t *spec, char **out_text, berth_error_t *err);

// Puts every part that |over| has in place of |target|'s, part by part, as
// DeviceSpec.make_merged_spec() and nested device scopes do: type and index
// independently, so that "/cpu" over "/gpu:1" is "/device:CPU:1". |target|
// borrows from both texts afterwards. Does nothing for NULL.
BERTH_API void berth_device_spec_merge(berth_device_spec_t *target,
                                       const berth_device_spec_t *over);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_DEVICE_H_
