// names.c - Device names by number, each distinct one parsed once.
//
// The graph interns device strings, so most lookups are a comparison of
// addresses; merging names of the same number costs nothing.
#include "place/names_internal.h"

#include <string.h>

#include "base/alloc.h"

berth_code_t berth_place_names_init(berth_place_names_t *names,
                                    berth_error_t *err) {
  *names = (berth_place_names_t){0};
  berth_device_name_t nothing = {0};
  int32_t id = 0;
  berth_code_t code = berth_place_names_add(names, &nothing, &id, err);
  if (code != BERTH_OK) berth_place_names_deinit(names);
  return code;
}

void berth_place_names_deinit(berth_place_names_t *names) {
  berth_free(names->items);
  berth_map_clear(&names->by_text);
  berth_map_clear(&names->by_value);
  berth_arena_clear(&names->arena);
  *names = (berth_place_names_t){0};
}

// Writes a text that equal names share. The printed form alone would not do: it
// leaves out an id without a type.
static void print_key(const berth_device_name_t *name, berth_str_t *key) {
  berth_device_name_print(name, key);
  if (name->has_id && !name->has_type) berth_str_printf(key, "#%d", name->id);
}

static berth_code_t append(berth_place_names_t *names,
                           const berth_device_name_t *name,
                           const berth_str_t *key, int32_t *out_id,
                           berth_error_t *err) {
  berth_device_name_t *items =
      berth_grow(names->items, names->count, &names->capacity, sizeof(*items));
  if (items == NULL) return berth_error_no_memory(err, "device names");
  names->items = items;
  const char *copy =
      berth_arena_strndup(&names->arena, berth_str_get(key), key->size);
  if (copy == NULL || !berth_map_set(&names->by_value, copy, key->size,
                                     (int64_t)names->count)) {
    return berth_error_no_memory(err, "device names");
  }
  names->items[names->count] = *name;
  *out_id = (int32_t)names->count++;
  return BERTH_OK;
}

berth_code_t berth_place_names_add(berth_place_names_t *names,
                                   const berth_device_name_t *name,
                                   int32_t *out_id, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_str_t key = {0};
  print_key(name, &key);
  if (!berth_str_ok(&key)) {
    code = berth_error_no_memory(err, "device names");
    goto done;
  }
  int64_t *known =
      berth_map_find(&names->by_value, berth_str_get(&key), key.size);
  if (known != NULL) {
    *out_id = (int32_t)*known;
  } else {
    code = append(names, name, &key, out_id, err);
  }
done:
  berth_str_clear(&key);
  return code;
}

static berth_code_t read_new(berth_place_names_t *names, const char *text,
                             int32_t *out_id, berth_error_t *err) {
  int64_t *known = berth_map_find(&names->by_text, text, strlen(text));
  if (known != NULL) {
    *out_id = (int32_t)*known;
    return BERTH_OK;
  }
  berth_device_name_t name;
  int32_t id = -1;
  if (berth_device_name_parse(text, &name)) {
    BERTH_TRY(berth_place_names_add(names, &name, &id, err));
  }
  if (!berth_map_set(&names->by_text, text, strlen(text), id)) {
    return berth_error_no_memory(err, "device names");
  }
  *out_id = id;
  return BERTH_OK;
}

berth_code_t berth_place_names_read(berth_place_names_t *names,
                                    const char *text, int32_t *out_id,
                                    berth_error_t *err) {
  size_t slot = ((uintptr_t)text >> 3) % BERTH_PLACE_CACHE;
  if (names->recent[slot].text != text) {
    int32_t id = 0;
    BERTH_TRY(read_new(names, text, &id, err));
    names->recent[slot].text = text;
    names->recent[slot].id = id;
  }
  *out_id = names->recent[slot].id;
  return BERTH_OK;
}

berth_code_t berth_place_names_merge(berth_place_names_t *names, int32_t a,
                                     int32_t b, berth_merge_mode_t mode,
                                     int32_t *out_id, berth_error_t *err) {
  if (a == b || b == BERTH_NO_NAME || a == BERTH_NO_NAME) {
    *out_id = a == BERTH_NO_NAME ? b : a;
    return BERTH_OK;
  }
  berth_device_name_t merged = names->items[a];
  BERTH_TRY(berth_device_name_merge(&merged, &names->items[b], mode, err));
  return berth_place_names_add(names, &merged, out_id, err);
}

berth_code_t berth_place_names_override(berth_place_names_t *names, int32_t a,
                                        int32_t b, int32_t *out_id,
                                        berth_error_t *err) {
  if (a == b || b == BERTH_NO_NAME) {
    *out_id = a;
    return BERTH_OK;
  }
  berth_device_name_t merged = names->items[a];
  berth_device_name_override(&merged, &names->items[b]);
  return berth_place_names_add(names, &merged, out_id, err);
}
