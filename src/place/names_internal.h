// names_internal.h - Device names by number.
//
// Number 0 is the name that says nothing; equal names have one number.
//
// Whatever adds a name may fail with BERTH_RESOURCE_EXHAUSTED.
//
// Threads: as the placer.
#ifndef BERTH_PLACE_NAMES_INTERNAL_H_
#define BERTH_PLACE_NAMES_INTERNAL_H_

#include "base/arena.h"
#include "base/hash.h"
#include "device/name.h"

enum {
  BERTH_NO_NAME = 0,
  BERTH_PLACE_CACHE = 128,  // Entries of the small direct-mapped caches.
};

typedef struct berth_place_names {
  berth_device_name_t *items;  // By number.
  size_t count, capacity;
  berth_map_t by_text;   // Device strings -> number, or -1 when malformed.
  berth_map_t by_value;  // Keys lie in |arena|.
  berth_arena_t arena;
  struct {
    const char *text;
    int32_t id;
  } recent[BERTH_PLACE_CACHE];  // By address of the text.
} berth_place_names_t;

// Makes an empty table that holds BERTH_NO_NAME; freed with the other.
BERTH_NODISCARD berth_code_t berth_place_names_init(berth_place_names_t *names,
                                                    berth_error_t *err);
void berth_place_names_deinit(berth_place_names_t *names);

// Stores the number of the name that |text|, an interned string, says; -1 when
// it is malformed.
BERTH_NODISCARD berth_code_t berth_place_names_read(berth_place_names_t *names,
                                                    const char *text,
                                                    int32_t *out_id,
                                                    berth_error_t *err);

// Stores the number of |name|, whose words outlive the table.
BERTH_NODISCARD berth_code_t berth_place_names_add(
    berth_place_names_t *names, const berth_device_name_t *name,
    int32_t *out_id, berth_error_t *err);

// Stores the number of |a| with what |b| says, as |mode| allows; fails as
// berth_device_name_merge() does. The names themselves stay.
BERTH_NODISCARD berth_code_t berth_place_names_merge(berth_place_names_t *names,
                                                     int32_t a, int32_t b,
                                                     berth_merge_mode_t mode,
                                                     int32_t *out_id,
                                                     berth_error_t *err);

// Stores name |a| with every part that |b| has taken from |b|.
BERTH_NODISCARD berth_code_t
berth_place_names_override(berth_place_names_t *names, int32_t a, int32_t b,
                           int32_t *out_id, berth_error_t *err);

// Returns name |id|. Borrowed; valid until a name is added.
static inline const berth_device_name_t *berth_place_names_get(
    const berth_place_names_t *names, int32_t id) {
  return &names->items[id];
}

#endif  // BERTH_PLACE_NAMES_INTERNAL_H_
