// device.h - Devices, their names and their memory.
//
//   /job:localhost/replica:0/task:0/device:CPU:0     a full name: one device
//   /device:CPU:0   /cpu:0   /gpu:*   ""             a pattern: any that agrees
//
// The devices listed here are those of the process, without any session: one
// CPU, and the cards it may use. A session can have more CPU devices than that
// (berth_config_t.cpu_count); they are listed once a session has made them.
// Listing devices holds nothing on a card.
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

// Stores how many devices there are. Fails when a driver does.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_count(int *out_count,
                                                          berth_error_t *err);

// Fills |out_info| for device |index|, CPUs first. BERTH_OUT_OF_RANGE when
// there is none of that number.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_query(
    int index, berth_device_info_t *out_info, berth_error_t *err);

// Fills |out_stats| with the memory figures of the device called |name|, in any
// form that names one: "CPU:0", "/device:CPU:0", the full name.
// BERTH_INVALID_ARGUMENT `<name> unknown device.` when there is none.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_memory_stats(
    const char *name, berth_memory_stats_t *out_stats, berth_error_t *err);

// Starts the counts and peaks of that device's memory anew.
BERTH_API BERTH_NODISCARD berth_code_t
berth_device_reset_memory_stats(const char *name, berth_error_t *err);

// Gives memory that nobody uses back to the system, until at most |keep| bytes
// of it are left, and stores how many went in |*out_bytes| (may be NULL).
BERTH_API BERTH_NODISCARD berth_code_t berth_device_trim_memory(
    const char *name, uint64_t keep, uint64_t *out_bytes, berth_error_t *err);

// ---- Names ----

// True when the runtime can read |name|, strictly: "/gpu:0", "/device:GPU:*",
// "", but not "gpu:0" or "/Gpu:0".
BERTH_API bool berth_device_name_check(const char *name);

// Completes |name| ("GPU:1", "/gpu:1") with the parts of |base|, a full name,
// and stores the canonical form in |*out_text|, to be freed with
// berth_text_free(). BERTH_INVALID_ARGUMENT with TensorFlow's texts.
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
// independently, so that "/cpu" over "/gpu:1" is "/device:CPU:1".
BERTH_API void berth_device_spec_merge(berth_device_spec_t *target,
                                       const berth_device_spec_t *over);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_DEVICE_H_
