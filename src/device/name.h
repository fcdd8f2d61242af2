// name.h - Device names: reading, writing, comparing and merging them.
//
//   /job:<word>/replica:<n>/task:<n>/device:<TYPE>:<n>      full name
//   /device:GPU:*   /GPU:1   /gpu:0   ""   "/"              patterns
//   GPU:1                                                   local name
//
// A name with every part present picks one device. A pattern leaves parts out
// or writes "*", and matches any device that agrees with the parts it has.
// There are two readers: the runtime's, strict, and the front end's, lenient as
// Python's tf.DeviceSpec (it upper-cases cpu and gpu, allows a missing slash).
//
// Words are kept by reference into the text that was read: |job| and |type|
// are not NUL-terminated, and the text must outlive the name. Upper-cased
// types point to literals. Pure functions: nothing allocates, nothing locks,
// but for what appends to a berth_str_t.
#ifndef BERTH_DEVICE_NAME_H_
#define BERTH_DEVICE_NAME_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

// A part of a text. Borrowed.
typedef struct berth_word {
  const char *text;
  int32_t size;
} berth_word_t;

// A name or a pattern in parts. Zeroed is the pattern that matches all. Parts
// without their flag mean nothing.
typedef struct berth_device_name {
  berth_word_t job, type;
  int32_t replica, task, id;  // At least 0.
  bool has_job, has_replica, has_task, has_type, has_id;
} berth_device_name_t;

// Reads a full name or pattern as the runtime does; false when malformed, and
// |out_name| is of no use then.
bool berth_device_name_parse(const char *text, berth_device_name_t *out_name);

// Reads `TYPE:n` and nothing else.
bool berth_device_name_parse_local(const char *text,
                                   berth_device_name_t *out_name);

// The first of the two that fits.
bool berth_device_name_parse_any(const char *text,
                                 berth_device_name_t *out_name);

// Reads as Python's DeviceSpec.from_string() does. BERTH_INVALID_ARGUMENT with
// Python's texts.
BERTH_NODISCARD berth_code_t berth_device_name_parse_spec(
    const char *text, berth_device_name_t *out_name, berth_error_t *err);

// Appends the canonical form: /job:J/replica:R/task:T/device:TYPE:ID, parts
// that are absent left out, "*" for a type without id.
void berth_device_name_print(const berth_device_name_t *name, berth_str_t *str);

// Appends the old form: /job:J/replica:R/task:T/gpu:0.
void berth_device_name_print_legacy(const berth_device_name_t *name,
                                    berth_str_t *str);

// Tell whether every part is there, none is, or all parts of two are the same.
bool berth_device_name_is_full(const berth_device_name_t *name);
bool berth_device_name_is_empty(const berth_device_name_t *name);
bool berth_device_name_equal(const berth_device_name_t *a,
                             const berth_device_name_t *b);
// Every part present in |less| is present and equal in |more|.
bool berth_device_name_is_specification(const berth_device_name_t *less,
                                        const berth_device_name_t *more);
// |device| is full and agrees with every part of |pattern|.
bool berth_device_name_matches(const berth_device_name_t *pattern,
                               const berth_device_name_t *device);
// No part present in both differs.
bool berth_device_name_is_compatible(const berth_device_name_t *a,
                                     const berth_device_name_t *b);
// Job, replica and task present in both and equal.
bool berth_device_name_same_address_space(const berth_device_name_t *a,
                                          const berth_device_name_t *b);

typedef enum berth_merge_mode {
  BERTH_MERGE_STRICT,    // A conflict is an error.
  BERTH_MERGE_SOFT,      // A conflict of type or id drops it.
  BERTH_MERGE_OVERRIDE,  // |other|'s type and id win.
} berth_merge_mode_t;

// Merges |other| into |target|. BERTH_INVALID_ARGUMENT `Cannot merge devices
// with incompatible …`; parts merged before the conflict stay merged, as in
// TensorFlow.
BERTH_NODISCARD berth_code_t berth_device_name_merge(
    berth_device_name_t *target, const berth_device_name_t *other,
    berth_merge_mode_t mode, berth_error_t *err);
// Copies every present part of |from| over |target|.
void berth_device_name_override(berth_device_name_t *target,
                                const berth_device_name_t *from);
// Copies only parts that |target| lacks.
void berth_device_name_merge_unset(berth_device_name_t *target,
                                   const berth_device_name_t *from);

// Appends |name|, local or full, completed with the parts of |base|, to |out|.
// BERTH_INVALID_ARGUMENT with TensorFlow's texts when |name| is none, or |base|
// no full name.
BERTH_NODISCARD berth_code_t berth_device_name_canonicalise(const char *name,
                                                            const char *base,
                                                            berth_str_t *out,
                                                            berth_error_t *err);

#endif  // BERTH_DEVICE_NAME_H_
