// table.c - Tables from keys to values.
#include "state/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/thread.h"
#include "tensor/string.h"

struct berth_table {
  berth_resource_t resource;  // First.
  berth_table_spec_t spec;
  int64_t width;                // Elements of a value.
  size_t key_size, value_size;  // Bytes of each.
  berth_mutex_t lock;           // Guards what follows.
  bool is_filled;
  char *keys, *values;  // |used| of each, |room| at most.
  bool *is_there;       // False: a hole.
  int64_t used, room, live;
  int64_t *slots;  // Places of pairs, or -1; a power of two.
  size_t slot_count;
};

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

static inline bool is_word(const berth_table_t *t) {
  return t->key_size == sizeof(uint64_t) && t->spec.key_dtype != BERTH_STRING;
}

static uint64_t hash_key(const berth_table_t *t, const void *key) {
  size_t size = t->key_size;
  if (is_word(t)) return mix(word_at(key));
  if (t->spec.key_dtype == BERTH_STRING) key = berth_string_get(key, &size);
  return berth_hash(key, size, 0);
}

static bool same_key(const berth_table_t *t, const void *a, const void *b) {
  if (is_word(t)) return word_at(a) == word_at(b);
  return t->spec.key_dtype == BERTH_STRING ? berth_string_equal(a, b)
                                           : memcmp(a, b, t->key_size) == 0;
}

static const char *key_at(const berth_table_t *t, const berth_tensor_t *keys,
                          int64_t i) {
  return (const char *)keys->data + (size_t)i * t->key_size;
}

// Returns the place of |key|; -1: it is not there.
static int64_t place_of(const berth_table_t *t, const void *key) {
  if (t->slot_count == 0) return -1;
  size_t mask = t->slot_count - 1;
  for (size_t slot = hash_key(t, key) & mask;; slot = (slot + 1) & mask) {
    int64_t place = t->slots[slot];
    if (place < 0) return -1;
    if (t->is_there[place] &&
        same_key(t, key, t->keys + (size_t)place * t->key_size)) {
      return place;
    }
  }
}

static berth_code_t check_key(const berth_table_t *t, const void *key,
                              berth_error_t *err) {
  if (t->spec.kind != BERTH_TABLE_DENSE) return BERTH_OK;
  bool is_empty = same_key(t, key, t->spec.empty_key->data);
  if (!is_empty && !same_key(t, key, t->spec.deleted_key->data)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Using the %s_key as a table key is not allowed",
                         is_empty ? "empty" : "deleted");
}

static berth_code_t check_keys(const berth_table_t *t,
                               const berth_tensor_t *keys, berth_error_t *err) {
  if (t->spec.kind != BERTH_TABLE_DENSE) return BERTH_OK;
  for (int64_t i = 0; i < keys->count; ++i) {
    BERTH_TRY(check_key(t, key_at(t, keys, i), err));
  }
  return BERTH_OK;
}

// ---- Pairs ----

// Copies a value. Most are a number of four or eight bytes.
static bool copy_value(const berth_table_t *t, void *to, const void *from) {
  if (!berth_dtype_is_plain(t->spec.value_dtype)) {
    return berth_elements_copy(t->spec.value_dtype, to, from, t->width);
  }
  if (t->value_size == 4) {
    memcpy(to, from, 4);
  } else if (t->value_size == 8) {
    memcpy(to, from, 8);
  } else {
    memcpy(to, from, t->value_size);
  }
  return true;
}

static void destroy_some(berth_dtype_t dtype, void *data, int64_t count) {
  if (!berth_dtype_is_plain(dtype)) berth_elements_destroy(dtype, data, count);
}

// Lets go of what the pair at |place| holds.
static void drop_pair(berth_table_t *t, int64_t place) {
  if (!t->is_there[place]) return;
  destroy_some(t->spec.key_dtype, t->keys + (size_t)place * t->key_size, 1);
  destroy_some(t->spec.value_dtype, t->values + (size_t)place * t->value_size,
               t->width);
  t->is_there[place] = false;
}

static void clear_pairs(berth_table_t *t) {
  for (int64_t i = 0; i < t->used; ++i) drop_pair(t, i);
  t->used = t->live = 0;
  for (size_t i = 0; i < t->slot_count; ++i) t->slots[i] = -1;
}

static void set_slot(berth_table_t *t, int64_t place) {
  size_t mask = t->slot_count - 1;
  size_t slot = hash_key(t, t->keys + (size_t)place * t->key_size) & mask;
  while (t->slots[slot] >= 0) slot = (slot + 1) & mask;
  t->slots[slot] = place;
}

// Moves pairs together, over the holes between them.
static void close_holes(berth_table_t *t) {
  int64_t to = 0;
  for (int64_t i = 0; i < t->used; ++i) {
    if (!t->is_there[i]) continue;
    if (to != i) {
      memcpy(t->keys + (size_t)to * t->key_size,
             t->keys + (size_t)i * t->key_size, t->key_size);
      memcpy(t->values + (size_t)to * t->value_size,
             t->values + (size_t)i * t->value_size, t->value_size);
    }
    t->is_there[to++] = true;
  }
  t->used = to;
}

// Makes room for one more pair. False when memory is short.
static bool make_room(berth_table_t *t) {
  if (t->used < t->room) return true;
  int64_t room = t->live * 2 < 16 ? 16 : t->live * 2;
  size_t slots = 32;
  while (slots < (size_t)room * 2) slots *= 2;
  if (room > t->room) {
    char *keys = berth_realloc(t->keys, (size_t)room, t->key_size);
    if (keys != NULL) t->keys = keys;
    char *values = berth_realloc(t->values, (size_t)room, t->value_size);
    if (values != NULL) t->values = values;
    bool *is_there = berth_realloc(t->is_there, (size_t)room, sizeof(bool));
    if (is_there != NULL) t->is_there = is_there;
    int64_t *places = berth_realloc(t->slots, slots, sizeof(*places));
    if (places != NULL) t->slots = places;
    if (keys == NULL || values == NULL || is_there == NULL || places == NULL) {
      return false;
    }
    t->room = room;
    t->slot_count = slots;
  }
  close_holes(t);
  for (size_t i = 0; i < t->slot_count; ++i) t->slots[i] = -1;
  for (int64_t i = 0; i < t->used; ++i) set_slot(t, i);
  return true;
}

// Adds a pair whose key is not there. False when memory is short.
static bool add_pair(berth_table_t *t, const void *key, const void *value) {
  if (!make_room(t)) return false;
  char *to_key = t->keys + (size_t)t->used * t->key_size;
  char *to_value = t->values + (size_t)t->used * t->value_size;
  memset(to_key, 0, t->key_size);
  memset(to_value, 0, t->value_size);
  if (!berth_elements_copy(t->spec.key_dtype, to_key, key, 1)) return false;
  if (!berth_elements_copy(t->spec.value_dtype, to_value, value, t->width)) {
    destroy_some(t->spec.key_dtype, to_key, 1);
    return false;
  }
  t->is_there[t->used] = true;
  set_slot(t, t->used);
  ++t->used;
  ++t->live;
  return true;
}

static bool put_pair(berth_table_t *t, const void *key, const void *value) {
  int64_t place = place_of(t, key);
  if (place < 0) return add_pair(t, key, value);
  return copy_value(t, t->values + (size_t)place * t->value_size, value);
}

// ---- Life ----

static void table_destroy(berth_resource_t *resource) {
  berth_table_t *t = (berth_table_t *)resource;
  clear_pairs(t);
  berth_tensor_release((berth_tensor_t *)(uintptr_t)t->spec.empty_key);
  berth_tensor_release((berth_tensor_t *)(uintptr_t)t->spec.deleted_key);
  berth_free(t->keys);
  berth_free(t->values);
  berth_free(t->is_there);
  berth_free(t->slots);
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
  t->width = 1;
  for (int32_t i = 0; i < spec->value_shape.rank; ++i) {
    t->width *= spec->value_shape.dims[i];
  }
  t->key_size = berth_dtype_size(spec->key_dtype);
  t->value_size = berth_dtype_size(spec->value_dtype) * (size_t)t->width;
  if (spec->kind == BERTH_TABLE_DENSE &&
      same_key(t, spec->empty_key->data, spec->deleted_key->data)) {
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
  for (int64_t i = 0; i < keys->count; ++i) {
    int64_t place = place_of(t, key_at(t, keys, i));
    const char *from = place >= 0
                           ? t->values + (size_t)place * t->value_size
                           : (const char *)defaults->data +
                                 (is_one ? 0 : (size_t)i) * t->value_size;
    if (!copy_value(t, (char *)out + (size_t)i * t->value_size, from)) {
      return berth_error_no_memory(err, "a value");
    }
  }
  return BERTH_OK;
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
  return t->spec.value_dtype == BERTH_STRING ? berth_string_equal(a, b)
                                             : memcmp(a, b, t->value_size) == 0;
}

static berth_code_t fill_all(berth_table_t *t, const berth_tensor_t *keys,
                             const berth_tensor_t *values, berth_error_t *err) {
  if (keys->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "keys and values cannot be empty tensors.");
  }
  for (int64_t i = 0; i < keys->count; ++i) {
    const char *key = key_at(t, keys, i);
    const char *value = (const char *)values->data + (size_t)i * t->value_size;
    int64_t place = place_of(t, key);
    if (place < 0 && !add_pair(t, key, value)) {
      return berth_error_no_memory(err, "a table");
    }
    if (place < 0) continue;
    const char *was = t->values + (size_t)place * t->value_size;
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

static berth_code_t insert_all(berth_table_t *t, const berth_tensor_t *keys,
                               const berth_tensor_t *values, bool is_import,
                               berth_error_t *err) {
  BERTH_TRY(check_keys(t, keys, err));
  if (is_import) clear_pairs(t);
  for (int64_t i = 0; i < keys->count; ++i) {
    if (!put_pair(t, key_at(t, keys, i),
                  (const char *)values->data + (size_t)i * t->value_size)) {
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
    --table->live;
  }
  berth_mutex_unlock(&table->lock);
  return code;
}

int64_t berth_table_size(berth_table_t *table) {
  berth_mutex_lock(&table->lock);
  int64_t size = table->live;
  berth_mutex_unlock(&table->lock);
  return size;
}

static berth_code_t copy_pairs(const berth_table_t *t, berth_tensor_t *keys,
                               berth_tensor_t *values, berth_error_t *err) {
  int64_t to = 0;
  for (int64_t i = 0; i < t->used; ++i) {
    if (!t->is_there[i]) continue;
    char *key = (char *)keys->data + (size_t)to * t->key_size;
    char *value = (char *)values->data + (size_t)to * t->value_size;
    ++to;
    if (!berth_elements_copy(t->spec.key_dtype, key,
                             t->keys + (size_t)i * t->key_size, 1) ||
        !berth_elements_copy(t->spec.value_dtype, value,
                             t->values + (size_t)i * t->value_size, t->width)) {
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
  int64_t dims[BERTH_MAX_RANK + 1] = {t->live};
  if (t->spec.kind == BERTH_TABLE_STATIC && !t->is_filled) {
    return berth_error_set(err, BERTH_ABORTED, "HashTable is not initialized.");
  }
  for (int32_t i = 0; i < shape->rank; ++i) dims[i + 1] = shape->dims[i];
  berth_tensor_t *keys = NULL, *values = NULL;
  BERTH_TRY(
      berth_tensor_make(NULL, t->spec.key_dtype, 1, dims, t->live, &keys, err));
  berth_code_t code =
      berth_tensor_make(NULL, t->spec.value_dtype, shape->rank + 1, dims,
                        t->live * t->width, &values, err);
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
