// unique.c - The search of the op Unique.
//
// How many different elements there are is known at the end, so the search
// makes its outputs itself. A table leads from a number to its place among
// them, a map from a string.
#include "kernel/unique.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "tensor/string.h"

enum {
  POLL = 1 << 16,  // Elements between looks at the end of the run.
  LEAST_BITS = 6,
};

// A number that was found: equal ones have the same key.
typedef struct spot {
  uint64_t key;
  int64_t place;  // Plus 1; 0: none.
} spot_t;

// The search, while it lasts.
typedef struct search {
  const berth_tensor_t *in;
  berth_dtype_t index_type;
  size_t size;         // Bytes of an element.
  int fraction;        // Bits behind the point of one; 0: it is whole.
  berth_map_t places;  // Of strings.
  spot_t *table;       // By hash.
  int bits;            // Of an index into it.
  int64_t *firsts;     // Of the different elements: where they first stand.
  int64_t found;
  int64_t room;  // Of |firsts|.
} search_t;

// True when the run of |call| has ended, looking now and then.
static inline bool ends_at(const berth_call_t *call, int64_t i) {
  if (i % POLL != POLL - 1) return false;
  return (call->cancelled != NULL &&
          atomic_load_explicit(call->cancelled, memory_order_relaxed) != 0) ||
         berth_parallel_poll();
}

static berth_code_t fail_ended(const berth_call_t *call) {
  return berth_error_set(call->err, BERTH_CANCELLED, "Run call was cancelled");
}

// ---- Elements as bytes ----

static int fraction_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return 23;
    case BERTH_DOUBLE:
      return 52;
    case BERTH_HALF:
      return 10;
    case BERTH_BFLOAT16:
      return 7;
    default:
      return 0;
  }
}

// Stores what is equal for equal numbers; false for NaN, which equals nothing.
static inline bool key_make(const search_t *search, const char *element,
                     uint64_t *key) {
  int bits = (int)search->size * 8, fraction = search->fraction;
  *key = 0;
  if (bits == 32) {
    // In a number of its own: one that is stored by halves is waited for.
    uint32_t number;
    memcpy(&number, element, sizeof(number));
    *key = number;
  } else if (bits == 64) {
    memcpy(key, element, 8);
  } else {
    memcpy(key, element, search->size);
  }
  if (fraction == 0) return true;
  uint64_t sign = UINT64_C(1) << (bits - 1);
  uint64_t infinite = (sign - 1) & ~((UINT64_C(1) << fraction) - 1);
  // Both zeros are equal, but TensorFlow hashes those of 16 bits apart.
  if (*key == sign && bits > 16) *key = 0;
  return (*key & ~sign) <= infinite;
}

static const char *element_at(const search_t *search, int64_t i) {
  return (const char *)search->in->data + (size_t)i * search->size;
}

// ---- Searching ----

// Notes element |i| as one that was not there before.
static int64_t element_add(search_t *search, int64_t i) {
  search->firsts[search->found] = i;
  return search->found++;
}

// Returns where in the table |key| is, or would be.
static inline spot_t *spot_of(const search_t *search, uint64_t key) {
  uint64_t mask = (UINT64_C(1) << search->bits) - 1;
  uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - search->bits);
  while (search->table[at].place != 0 && search->table[at].key != key) {
    at = (at + 1) & mask;
  }
  return &search->table[at];
}

// Makes the table twice as large where half of it is taken; false when memory
// is short.
static bool table_grow(search_t *search) {
  if (search->table != NULL &&
      (uint64_t)search->found < UINT64_C(1) << (search->bits - 1)) {
    return true;
  }
  int bits = search->table != NULL ? search->bits + 1 : LEAST_BITS;
  spot_t *table = berth_calloc((size_t)1 << bits, sizeof(*table));
  if (table == NULL) return false;
  const spot_t *old = search->table;
  size_t count = old != NULL ? (size_t)1 << search->bits : 0;
  search->table = table;
  search->bits = bits;
  for (size_t k = 0; k < count; ++k) {
    if (old[k].place != 0) *spot_of(search, old[k].key) = old[k];
  }
  berth_free((void *)(uintptr_t)old);
  return true;
}

static inline bool number_find(search_t *search, int64_t i,
                               int64_t *out_place) {
  uint64_t key = 0;
  if (!key_make(search, element_at(search, i), &key)) {
    *out_place = element_add(search, i);
    return true;
  }
  spot_t *spot = spot_of(search, key);
  if (BERTH_LIKELY(spot->place != 0)) {
    *out_place = spot->place - 1;
    return true;
  }
  *out_place = element_add(search, i);
  *spot = (spot_t){key, *out_place + 1};
  return table_grow(search);
}

static bool string_find(search_t *search, int64_t i, int64_t *out_place) {
  size_t size = 0;
  const char *bytes = berth_string_get(
      (const berth_string_t *)(const void *)element_at(search, i), &size);
  const int64_t *place = berth_map_find(&search->places, bytes, size);
  *out_place = place != NULL ? *place : element_add(search, i);
  return place != NULL ||
         berth_map_set(&search->places, bytes, size, *out_place);
}

// Makes room for one more different element; false when memory is short. There
// are few in most tensors.
static inline bool room_make(search_t *search) {
  if (search->found < search->room) return true;
  int64_t room = search->room > 0 ? search->room * 2 : 64;
  int64_t *firsts =
      berth_realloc(search->firsts, (size_t)room, sizeof(*firsts));
  if (firsts == NULL) return false;
  search->firsts = firsts;
  search->room = room;
  return true;
}

// Stores the place of element |i| among the different ones; false when memory
// is short.
static inline bool place_find(search_t *search, int64_t i, int64_t *out_place) {
  if (!room_make(search)) return false;
  return search->in->dtype == BERTH_STRING ? string_find(search, i, out_place)
                                           : number_find(search, i, out_place);
}

static berth_code_t search_all(search_t *search, berth_tensor_t *indices,
                               berth_call_t *call) {
  for (int64_t i = 0; i < search->in->count; ++i) {
    int64_t place = 0;
    if (ends_at(call, i)) return fail_ended(call);
    if (!place_find(search, i, &place)) {
      return berth_error_no_memory(call->err, "a map");
    }
    if (search->index_type == BERTH_INT32) {
      ((int32_t *)indices->data)[i] = (int32_t)place;
    } else {
      ((int64_t *)indices->data)[i] = place;
    }
  }
  return BERTH_OK;
}

// Makes the vector of the different elements.
static berth_code_t values_make(const search_t *search, berth_call_t *call,
                                berth_tensor_t **out_values) {
  berth_dtype_t dtype = search->in->dtype;
  BERTH_TRY(berth_tensor_make(call->allocator, dtype, 1, &search->found,
                              search->found, out_values, call->err));
  char *to = (*out_values)->data;
  for (int64_t i = 0; i < search->found; ++i, to += search->size) {
    const char *from = element_at(search, search->firsts[i]);
    if (ends_at(call, i)) return fail_ended(call);
    if (dtype != BERTH_STRING) {
      memcpy(to, from, search->size);
      continue;
    }
    size_t size = 0;
    const char *text = berth_string_get((const berth_string_t *)from, &size);
    if (!berth_string_set((berth_string_t *)to, text, size)) {
      return berth_error_no_memory(call->err, "a string");
    }
  }
  return BERTH_OK;
}

berth_code_t berth_unique_find(const berth_tensor_t *in,
                               berth_dtype_t index_type, berth_call_t *call) {
  search_t search = {.in = in,
                     .index_type = index_type,
                     .size = berth_dtype_size(in->dtype),
                     .fraction = fraction_of(in->dtype)};
  berth_tensor_t *values = NULL, *indices = NULL;
  berth_code_t code =
      table_grow(&search)
          ? berth_tensor_make(call->allocator, index_type, 1, &in->count,
                              in->count, &indices, call->err)
          : berth_error_no_memory(call->err, "a search");
  if (code == BERTH_OK) code = search_all(&search, indices, call);
  if (code == BERTH_OK) code = values_make(&search, call, &values);
  if (code == BERTH_OK) {
    call->outputs[0] = values;
    call->outputs[1] = indices;
  } else {
    berth_tensor_release(values);
    berth_tensor_release(indices);
  }
  berth_map_clear(&search.places);
  berth_free(search.table);
  berth_free(search.firsts);
  return code;
}
