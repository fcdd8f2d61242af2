// table.c - Tables from keys to values.
#include "state/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/thread.h"
#include "tensor/string.h"

// What a key is: most have a way of their own.
typedef enum key_kind { KEY_OTHER, KEY_WORD, KEY_TEXT } key_kind_t;

// Pairs and what leads to them.
typedef struct pairs {
  size_t key_size, value_size;  // Bytes of each.
  char *keys, *values;          // |used| of each, |room| at most.
  bool *is_there;               // False: a hole.
  int64_t used, room, live;
  // A power of two, in groups whose tags are compared at once; a key is in the
  // first group from its own on that has room for it, and no group before is
  // without an empty slot.
  uint8_t *tags;   // Seven bits of a key's hash, or EMPTY.
  int64_t *slots;  // Places of pairs.
  size_t slot_count;
} pairs_t;

struct berth_table {
  berth_resource_t resource;  // First.
  berth_table_spec_t spec;
  key_kind_t kind;
  int64_t width;       // Elements of a value.
  berth_mutex_t lock;  // Guards what follows.
  bool is_filled;
  pairs_t pairs;
};

enum { GROUP = 8, EMPTY = 0x80 };

#define EACH(byte) (UINT64_C(0x0101010101010101) * (uint64_t)(byte))

// ---- Keys ----

// Mixes the bits of a number: those that count are all over the result.
static inline uint64_t mix(uint64_t x) {
  x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  return x ^ x >> 29;
}

// Returns a key of eight bytes, as most that are no texts are.
static inline uint64_t word_at(const void *key) {
  uint64_t word;
  memcpy(&word, key, sizeof(word));
  return word;
}

static BERTH_INLINE uint64_t hash_key(const void *key, size_t size,
                                      key_kind_t kind) {
  if (kind == KEY_WORD) return mix(word_at(key));
  if (kind == KEY_TEXT) key = berth_string_get(key, &size);
  return berth_hash(key, size, 0);
}

static BERTH_INLINE bool same_key(const void *a, const void *b, size_t size,
                                  key_kind_t kind) {
  if (kind == KEY_WORD) return word_at(a) == word_at(b);
  return kind == KEY_TEXT ? berth_string_equal(a, b) : memcmp(a, b, size) == 0;
}

// Return the key and the value of the pair at |place|.
static inline char *key_in(const berth_table_t *t, int64_t place) {
  return t->pairs.keys + (size_t)place * t->pairs.key_size;
}

static inline char *value_in(const berth_table_t *t, int64_t place) {
  return t->pairs.values + (size_t)place * t->pairs.value_size;
}

static const char *key_at(const berth_table_t *t, const berth_tensor_t *keys,
                          int64_t i) {
  return (const char *)keys->data + (size_t)i * t->pairs.key_size;
}

static const char *value_at(const berth_table_t *t,
                            const berth_tensor_t *values, int64_t i) {
  return (const char *)values->data + (size_t)i * t->pairs.value_size;
}

static inline uint8_t tag_of(uint64_t hash) { return (uint8_t)(hash >> 57); }

static inline uint64_t group_at(const pairs_t *pairs, size_t group) {
  return word_at(pairs->tags + group * GROUP);
}

// Returns the place of |key|; -1: it is not there.
static BERTH_INLINE int64_t find_place(const pairs_t *pairs, const void *key,
                                       key_kind_t kind) {
  if (pairs->slot_count == 0) return -1;
  uint64_t hash = hash_key(key, pairs->key_size, kind);
  uint64_t tags = EACH(tag_of(hash));
  size_t mask = pairs->slot_count / GROUP - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    uint64_t group = group_at(pairs, at), other = group ^ tags;
    // Bytes of |other| that are zero; one behind such may be taken for another,
    // which the keys then tell apart.
    uint64_t found = (other - EACH(1)) & ~other & EACH(0x80);
    for (; found != 0; found &= found - 1) {
      size_t slot = at * GROUP + (size_t)__builtin_ctzll(found) / 8;
      int64_t place = pairs->slots[slot];
      const char *has = pairs->keys + (size_t)place * pairs->key_size;
      if (pairs->is_there[place] &&
          same_key(key, has, pairs->key_size, kind)) {
        return place;
      }
    }
    if ((group & EACH(EMPTY)) != 0) return -1;
  }
}

static int64_t place_of(const berth_table_t *t, const void *key) {
  return t->kind == KEY_WORD ? find_place(&t->pairs, key, KEY_WORD)
                             : find_place(&t->pairs, key, t->kind);
}

static berth_code_t check_key(const berth_table_t *t, const void *key,
                              berth_error_t *err) {
  if (t->spec.kind != BERTH_TABLE_DENSE) return BERTH_OK;
  size_t size = t->pairs.key_size;
  bool is_empty = same_key(key, t->spec.empty_key->data, size, t->kind);
  if (!is_empty && !same_key(key, t->spec.deleted_key->data, size, t->kind)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Using the %s_key as a table key is not allowed",
                         is_empty ? "empty" : "deleted");
}

static berth_code_t check_keys(const berth_table_t *t,
                               const berth_tensor_t *keys, berth_error_t *err) {
  if (t->spec.kind != BERTH_TABLE_DENSE) return BERTH_OK;
  const void *empty = t->spec.empty_key->data;
  const void *deleted = t->spec.deleted_key->data;
  for (int64_t i = 0; i < keys->count; ++i) {
    const char *key = key_at(t, keys, i);
    if (t->kind == KEY_WORD && word_at(key) != word_at(empty) &&
        word_at(key) != word_at(deleted)) {
      continue;
    }
    BERTH_TRY(check_key(t, key, err));
  }
  return BERTH_OK;
}

// ---- Pairs ----

static bool is_plain_value(const berth_table_t *t) {
  return berth_dtype_is_plain(t->spec.value_dtype);
}

// Copies a value. Most are a number of four or eight bytes.
static inline bool copy_value(const berth_table_t *t, void *to,
                              const void *from) {
  const size_t size = t->pairs.value_size;
  if (!is_plain_value(t)) {
    return berth_elements_copy(t->spec.value_dtype, to, from, t->width);
  }
  if (size == 4) {
    memcpy(to, from, 4);
  } else if (size == 8) {
    memcpy(to, from, 8);
  } else {
    memcpy(to, from, size);
  }
  return true;
}

static void destroy_some(berth_dtype_t dtype, void *data, int64_t count) {
  if (!berth_dtype_is_plain(dtype)) berth_elements_destroy(dtype, data, count);
}

// Lets go of what the pair at |place| holds.
static void drop_pair(berth_table_t *t, int64_t place) {
  if (!t->pairs.is_there[place]) return;
  destroy_some(t->spec.key_dtype, key_in(t, place), 1);
  destroy_some(t->spec.value_dtype, value_in(t, place), t->width);
  t->pairs.is_there[place] = false;
}

static void clear_slots(berth_table_t *t) {
  pairs_t *pairs = &t->pairs;
  if (pairs->slot_count > 0) memset(pairs->tags, EMPTY, pairs->slot_count);
}

static void clear_pairs(berth_table_t *t) {
  for (int64_t i = 0; i < t->pairs.used; ++i) drop_pair(t, i);
  t->pairs.used = t->pairs.live = 0;
  clear_slots(t);
}

static void set_slot(berth_table_t *t, int64_t place) {
  uint64_t hash = hash_key(key_in(t, place), t->pairs.key_size, t->kind);
  size_t mask = t->pairs.slot_count / GROUP - 1, at = hash & mask;
  uint64_t empty = group_at(&t->pairs, at) & EACH(EMPTY);
  while (empty == 0) {
    at = (at + 1) & mask;
    empty = group_at(&t->pairs, at) & EACH(EMPTY);
  }
  size_t slot = at * GROUP + (size_t)__builtin_ctzll(empty) / 8;
  t->pairs.tags[slot] = tag_of(hash);
  t->pairs.slots[slot] = place;
}

// Moves pairs together, over the holes between them.
static void close_holes(berth_table_t *t) {
  int64_t to = 0;
  for (int64_t i = 0; i < t->pairs.used; ++i) {
    if (!t->pairs.is_there[i]) continue;
    if (to != i) {
      memcpy(key_in(t, to), key_in(t, i), t->pairs.key_size);
      memcpy(value_in(t, to), value_in(t, i), t->pairs.value_size);
    }
    t->pairs.is_there[to++] = true;
  }
  t->pairs.used = to;
}

// Makes room for one more pair. False when memory is short.
static bool make_room(berth_table_t *t) {
  pairs_t *pairs = &t->pairs;
  if (pairs->used < pairs->room) return true;
  int64_t room = pairs->live * 2 < 16 ? 16 : pairs->live * 2;
  size_t slots = 32;
  while (slots < (size_t)room * 2) slots *= 2;
  if (room > pairs->room) {
    char *keys = berth_realloc(pairs->keys, (size_t)room, pairs->key_size);
    if (keys != NULL) pairs->keys = keys;
    char *values =
        berth_realloc(pairs->values, (size_t)room, pairs->value_size);
    if (values != NULL) pairs->values = values;
    bool *is_there = berth_realloc(pairs->is_there, (size_t)room, sizeof(bool));
    if (is_there != NULL) pairs->is_there = is_there;
    int64_t *places = berth_realloc(pairs->slots, slots, sizeof(*places));
    if (places != NULL) pairs->slots = places;
    uint8_t *tags = berth_realloc(pairs->tags, slots, sizeof(*tags));
    if (tags != NULL) pairs->tags = tags;
    if (keys == NULL || values == NULL || is_there == NULL || places == NULL ||
        tags == NULL) {
      return false;
    }
    pairs->room = room;
    pairs->slot_count = slots;
  }
  close_holes(t);
  clear_slots(t);
  for (int64_t i = 0; i < t->pairs.used; ++i) set_slot(t, i);
  return true;
}

// Adds a pair whose key is not there. False when memory is short.
static bool add_pair(berth_table_t *t, const void *key, const void *value) {
  if (!make_room(t)) return false;
  char *to_key = key_in(t, t->pairs.used);
  char *to_value = value_in(t, t->pairs.used);
  memset(to_key, 0, t->pairs.key_size);
  memset(to_value, 0, t->pairs.value_size);
  if (!berth_elements_copy(t->spec.key_dtype, to_key, key, 1)) return false;
  if (!berth_elements_copy(t->spec.value_dtype, to_value, value, t->width)) {
    destroy_some(t->spec.key_dtype, to_key, 1);
    return false;
  }
  t->pairs.is_there[t->pairs.used] = true;
  set_slot(t, t->pairs.used);
  ++t->pairs.used;
  ++t->pairs.live;
  return true;
}

static bool put_pair(berth_table_t *t, const void *key, const void *value) {
  int64_t place = place_of(t, key);
  if (place < 0) return add_pair(t, key, value);
  return copy_value(t, value_in(t, place), value);
}

// ---- Life ----

static key_kind_t kind_of(berth_dtype_t dtype) {
  if (dtype == BERTH_STRING) return KEY_TEXT;
  bool is_word = berth_dtype_size(dtype) == sizeof(uint64_t);
  return is_word ? KEY_WORD : KEY_OTHER;
}

static void table_destroy(berth_resource_t *resource) {
  berth_table_t *t = (berth_table_t *)resource;
  clear_pairs(t);
  berth_tensor_release((berth_tensor_t *)(uintptr_t)t->spec.empty_key);
  berth_tensor_release((berth_tensor_t *)(uintptr_t)t->spec.deleted_key);
  berth_free(t->pairs.keys);
  berth_free(t->pairs.values);
  berth_free(t->pairs.is_there);
  berth_free(t->pairs.slots);
  berth_free(t->pairs.tags);
  berth_mutex_deinit(&t->lock);
  berth_free(t);
}

static const berth_tensor_t *keep(const berth_tensor_t *tensor) {
  return tensor == NULL
             ? NULL
             : berth_tensor_retain((berth_tensor_t *)(uintptr_t)tensor);
}

berth_code_t berth_table_create(const berth_table_spec_t *spec,
                                berth_resource_t **out_resource,
                                berth_error_t *err) {
  berth_table_t *t = berth_calloc(1, sizeof(*t));
  if (t == NULL) return berth_error_no_memory(err, "a table");
  atomic_init(&t->resource.refs, 1);
  t->resource.kind = BERTH_RESOURCE_TABLE;
  t->resource.destroy = table_destroy;
  berth_mutex_init(&t->lock);
  t->spec = *spec;
  t->spec.empty_key = keep(spec->empty_key);
  t->spec.deleted_key = keep(spec->deleted_key);
  t->kind = kind_of(spec->key_dtype);
  t->width = 1;
  for (int32_t i = 0; i < spec->value_shape.rank; ++i) {
    t->width *= spec->value_shape.dims[i];
  }
  t->pairs.key_size = berth_dtype_size(spec->key_dtype);
  t->pairs.value_size = berth_dtype_size(spec->value_dtype) * (size_t)t->width;
  if (spec->kind == BERTH_TABLE_DENSE &&
      same_key(spec->empty_key->data, spec->deleted_key->data,
               t->pairs.key_size, t->kind)) {
    table_destroy(&t->resource);
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Empty and deleted keys cannot be equal");
  }
  *out_resource = &t->resource;
  return BERTH_OK;
}

const berth_table_spec_t *berth_table_spec(const berth_table_t *table) {
  return &table->spec;
}

int64_t berth_table_width(const berth_table_t *table) { return table->width; }

// ---- Use ----

// Writes the value of each key, plain and of |size| bytes. Pairs are a copy,
// which writing to |out| cannot change: it stays in registers.
static BERTH_INLINE void find_plain(const pairs_t pairs,
                                    const berth_tensor_t *keys,
                                    const char *other, size_t other_step,
                                    key_kind_t kind, size_t size, char *out) {
  const char *key = keys->data;
  const int64_t count = keys->count;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = find_place(&pairs, key, kind);
    const char *from = place >= 0 ? pairs.values + (size_t)place * size : other;
    memcpy(out, from, size);
    key += pairs.key_size;
    out += size;
    other += other_step;
  }
}

// The same for any value. False when memory is short.
static bool find_each(const berth_table_t *t, const berth_tensor_t *keys,
                      const char *other, size_t other_step, char *out) {
  const size_t size = t->pairs.value_size;
  if (t->kind == KEY_WORD && size == 4 && is_plain_value(t)) {
    find_plain(t->pairs, keys, other, other_step, KEY_WORD, 4, out);
    return true;
  }
  if (t->kind == KEY_WORD && size == 8 && is_plain_value(t)) {
    find_plain(t->pairs, keys, other, other_step, KEY_WORD, 8, out);
    return true;
  }
  if (is_plain_value(t)) {
    find_plain(t->pairs, keys, other, other_step, t->kind, size, out);
    return true;
  }
  for (int64_t i = 0; i < keys->count; ++i, other += other_step) {
    int64_t place = place_of(t, key_at(t, keys, i));
    const char *from =
        place >= 0 ? value_in(t, place) : other;
    if (!berth_elements_copy(t->spec.value_dtype, out + (size_t)i * size, from,
                             t->width)) {
      return false;
    }
  }
  return true;
}

static berth_code_t find_all(berth_table_t *t, const berth_tensor_t *keys,
                             const berth_tensor_t *defaults, void *out,
                             berth_error_t *err) {
  bool is_one =
      t->spec.kind == BERTH_TABLE_STATIC || defaults->count == t->width;
  if (t->spec.kind == BERTH_TABLE_STATIC && !t->is_filled) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "Table not initialized.");
  }
  BERTH_TRY(check_keys(t, keys, err));
  size_t step = is_one ? 0 : t->pairs.value_size;
  return find_each(t, keys, defaults->data, step, out)
             ? BERTH_OK
             : berth_error_no_memory(err, "a value");
}

berth_code_t berth_table_find(berth_table_t *table, const berth_tensor_t *keys,
                              const berth_tensor_t *defaults, void *out,
                              berth_error_t *err) {
  berth_mutex_lock(&table->lock);
  berth_code_t code = find_all(table, keys, defaults, out, err);
  berth_mutex_unlock(&table->lock);
  return code;
}

static void put_element(berth_dtype_t dtype, const void *data,
                        berth_str_t *text) {
  size_t size = 0;
  switch (dtype) {
    case BERTH_STRING: {
      const char *bytes = berth_string_get(data, &size);
      berth_str_put(text, bytes, size);
      break;
    }
    case BERTH_INT32:
      berth_str_printf(text, "%d", *(const int32_t *)data);
      break;
    case BERTH_INT64:
      berth_str_printf(text, "%lld", (long long)*(const int64_t *)data);
      break;
    case BERTH_FLOAT:
      berth_str_printf(text, "%g", (double)*(const float *)data);
      break;
    case BERTH_DOUBLE:
      berth_str_printf(text, "%g", *(const double *)data);
      break;
    default:
      berth_str_printf(text, "%d", *(const uint8_t *)data);
  }
}

// Says which key has which two values.
static berth_code_t fail_twice(const berth_table_t *t, const void *key,
                               const void *was, const void *is,
                               berth_error_t *err) {
  berth_str_t text = {0};
  berth_str_puts(&text, "HashTable has different value for same key. Key ");
  put_element(t->spec.key_dtype, key, &text);
  berth_str_puts(&text, " has ");
  put_element(t->spec.value_dtype, was, &text);
  berth_str_puts(&text, " and trying to add value ");
  put_element(t->spec.value_dtype, is, &text);
  (void)berth_error_set(err, BERTH_FAILED_PRECONDITION, "%s",
                        berth_str_get(&text));
  berth_str_clear(&text);
  return BERTH_FAILED_PRECONDITION;
}

static bool same_value(const berth_table_t *t, const void *a, const void *b) {
  return t->spec.value_dtype == BERTH_STRING
             ? berth_string_equal(a, b)
             : memcmp(a, b, t->pairs.value_size) == 0;
}

static berth_code_t fill_all(berth_table_t *t, const berth_tensor_t *keys,
                             const berth_tensor_t *values, berth_error_t *err) {
  if (keys->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "keys and values cannot be empty tensors.");
  }
  for (int64_t i = 0; i < keys->count; ++i) {
    const char *key = key_at(t, keys, i);
    const char *value = value_at(t, values, i);
    int64_t place = place_of(t, key);
    if (place < 0 && !add_pair(t, key, value)) {
      return berth_error_no_memory(err, "a table");
    }
    if (place < 0) continue;
    const char *was = value_in(t, place);
    if (!same_value(t, was, value)) return fail_twice(t, key, was, value, err);
  }
  t->is_filled = true;
  return BERTH_OK;
}

berth_code_t berth_table_fill(berth_table_t *table, const berth_tensor_t *keys,
                              const berth_tensor_t *values,
                              berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  if (!table->is_filled) code = fill_all(table, keys, values, err);
  if (code != BERTH_OK) clear_pairs(table);
  berth_mutex_unlock(&table->lock);
  return code;
}

// Gives keys of eight bytes, from |i| on, their plain values of |size| bytes.
// Returns the first key that is not there, or how many there are. Pairs are a
// copy, as above.
static BERTH_INLINE int64_t change_plain(const pairs_t pairs,
                                         const berth_tensor_t *keys,
                                         const char *values, int64_t i,
                                         size_t size) {
  const uint64_t *key = keys->data;
  const int64_t count = keys->count;
  for (; i < count; ++i) {
    int64_t place = find_place(&pairs, &key[i], KEY_WORD);
    if (place < 0) break;
    memcpy(pairs.values + (size_t)place * size, values + (size_t)i * size,
           size);
  }
  return i;
}

// The same for values that most tables have; others are taken one by one.
static int64_t change_most(const berth_table_t *t, const berth_tensor_t *keys,
                           const char *values, int64_t i) {
  if (t->kind != KEY_WORD || !is_plain_value(t)) return i;
  return t->pairs.value_size == 4   ? change_plain(t->pairs, keys, values, i, 4)
         : t->pairs.value_size == 8 ? change_plain(t->pairs, keys, values, i, 8)
                                    : i;
}

static berth_code_t insert_all(berth_table_t *t, const berth_tensor_t *keys,
                               const berth_tensor_t *values, bool is_import,
                               berth_error_t *err) {
  BERTH_TRY(check_keys(t, keys, err));
  if (is_import) clear_pairs(t);
  for (int64_t i = 0; i < keys->count; ++i) {
    i = change_most(t, keys, values->data, i);
    if (i == keys->count) break;
    if (!put_pair(t, key_at(t, keys, i), value_at(t, values, i))) {
      return berth_error_no_memory(err, "a table");
    }
  }
  return BERTH_OK;
}

berth_code_t berth_table_insert(berth_table_t *table,
                                const berth_tensor_t *keys,
                                const berth_tensor_t *values, bool is_import,
                                berth_error_t *err) {
  berth_mutex_lock(&table->lock);
  berth_code_t code = insert_all(table, keys, values, is_import, err);
  berth_mutex_unlock(&table->lock);
  return code;
}

berth_code_t berth_table_remove(berth_table_t *table,
                                const berth_tensor_t *keys,
                                berth_error_t *err) {
  berth_mutex_lock(&table->lock);
  berth_code_t code = check_keys(table, keys, err);
  for (int64_t i = 0; code == BERTH_OK && i < keys->count; ++i) {
    int64_t place = place_of(table, key_at(table, keys, i));
    if (place < 0) continue;
    drop_pair(table, place);
    --table->pairs.live;
  }
  berth_mutex_unlock(&table->lock);
  return code;
}

int64_t berth_table_size(berth_table_t *table) {
  berth_mutex_lock(&table->lock);
  int64_t size = table->pairs.live;
  berth_mutex_unlock(&table->lock);
  return size;
}

static berth_code_t copy_pairs(const berth_table_t *t, berth_tensor_t *keys,
                               berth_tensor_t *values, berth_error_t *err) {
  int64_t to = 0;
  for (int64_t i = 0; i < t->pairs.used; ++i) {
    if (!t->pairs.is_there[i]) continue;
    char *key = (char *)keys->data + (size_t)to * t->pairs.key_size;
    char *value = (char *)values->data + (size_t)to * t->pairs.value_size;
    ++to;
    if (!berth_elements_copy(t->spec.key_dtype, key, key_in(t, i), 1) ||
        !berth_elements_copy(t->spec.value_dtype, value, value_in(t, i),
                             t->width)) {
      return berth_error_no_memory(err, "a table");
    }
  }
  return BERTH_OK;
}

static berth_code_t export_all(const berth_table_t *t,
                               berth_tensor_t **out_keys,
                               berth_tensor_t **out_values,
                               berth_error_t *err) {
  const berth_shape_t *shape = &t->spec.value_shape;
  int64_t dims[BERTH_MAX_RANK + 1] = {t->pairs.live};
  if (t->spec.kind == BERTH_TABLE_STATIC && !t->is_filled) {
    return berth_error_set(err, BERTH_ABORTED, "HashTable is not initialized.");
  }
  for (int32_t i = 0; i < shape->rank; ++i) dims[i + 1] = shape->dims[i];
  berth_tensor_t *keys = NULL, *values = NULL;
  BERTH_TRY(berth_tensor_make(NULL, t->spec.key_dtype, 1, dims, t->pairs.live,
                              &keys, err));
  berth_code_t code =
      berth_tensor_make(NULL, t->spec.value_dtype, shape->rank + 1, dims,
                        t->pairs.live * t->width, &values, err);
  if (code == BERTH_OK) code = copy_pairs(t, keys, values, err);
  if (code != BERTH_OK) {
    berth_tensor_release(keys);
    berth_tensor_release(values);
    return code;
  }
  *out_keys = keys;
  *out_values = values;
  return BERTH_OK;
}

berth_code_t berth_table_export(berth_table_t *table, berth_tensor_t **out_keys,
                                berth_tensor_t **out_values,
                                berth_error_t *err) {
  berth_mutex_lock(&table->lock);
  berth_code_t code = export_all(table, out_keys, out_values, err);
  berth_mutex_unlock(&table->lock);
  return code;
}
