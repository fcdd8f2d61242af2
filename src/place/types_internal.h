// types_internal.h - Device types, and lists of those that an op supports.
//
// Types are known by index, lists by number: equal lists have one. Whatever
// adds a list may fail with BERTH_RESOURCE_EXHAUSTED.
//
// Threads: as the placer.
#ifndef BERTH_PLACE_TYPES_INTERNAL_H_
#define BERTH_PLACE_TYPES_INTERNAL_H_

#include "base/str.h"
#include "place/place.h"

enum { BERTH_PLACE_MAX_TYPES = 16 };

// Device types in order of preference, each with its kernel's priority.
typedef struct berth_type_list {
  int8_t count;
  uint8_t types[BERTH_PLACE_MAX_TYPES];
  int16_t priorities[BERTH_PLACE_MAX_TYPES];
} berth_type_list_t;

typedef struct berth_place_types {
  // The types of the devices, the most preferred first.
  int count;
  int gpu;                                    // Index of "GPU", or -1.
  int cpu;                                    // Index of "CPU", or -1.
  bool has_xla;                               // Some type is one of XLA's.
  berth_word_t words[BERTH_PLACE_MAX_TYPES];  // Their names; lie in devices'.
  bool is_xla[BERTH_PLACE_MAX_TYPES];
  // Distinct lists; number 0 is the empty one, 1 that of all types.
  berth_type_list_t *lists;
  size_t list_count, list_capacity;
} berth_place_types_t;

enum { BERTH_TYPES_NONE = 0, BERTH_TYPES_ALL = 1 };

// Collects the types of |options|' devices. BERTH_INVALID_ARGUMENT when there
// are more than BERTH_PLACE_MAX_TYPES.
BERTH_NODISCARD berth_code_t berth_place_types_init(
    berth_place_types_t *types, const berth_place_options_t *options,
    berth_error_t *err);
void berth_place_types_deinit(berth_place_types_t *types);

// Returns the index of the type called |word|, or -1.
int berth_place_types_find(const berth_place_types_t *types, berth_word_t word);

// Sorts |list| (by priority, then by preference of type) and stores its number.
// The list is copied where it is new.
BERTH_NODISCARD berth_code_t berth_place_types_add(berth_place_types_t *types,
                                                   berth_type_list_t *list,
                                                   int32_t *out_id,
                                                   berth_error_t *err);

// Stores the number of what |a| and |b| have in common, BERTH_TYPES_NONE when
// that is nothing. Priorities that contradict each other are dropped.
BERTH_NODISCARD berth_code_t berth_place_types_merge(berth_place_types_t *types,
                                                     int32_t a, int32_t b,
                                                     int32_t *out_id,
                                                     berth_error_t *err);

// True when list |id| holds |type|.
bool berth_place_types_has(const berth_place_types_t *types, int32_t id,
                           int type);

// Stores the number of list |id| without the types for which |drop| is true.
BERTH_NODISCARD berth_code_t
berth_place_types_drop(berth_place_types_t *types, int32_t id,
                       bool (*drop)(const berth_place_types_t *types, int type),
                       int32_t *out_id, berth_error_t *err);

// Appends the names of all types in the order of the alphabet: `CPU, GPU`.
void berth_place_types_print(const berth_place_types_t *types,
                             berth_str_t *str);

#endif  // BERTH_PLACE_TYPES_INTERNAL_H_
