// types.c - Device types, and lists of those that an op supports.
//
// A machine has one or two types, so lists are small arrays, and there are only
// a handful of distinct ones however large the graph is.
#include "place/types_internal.h"

#include <string.h>

#include "base/alloc.h"

static bool word_is(berth_word_t word, const char *text) {
  size_t size = strlen(text);
  return (size_t)word.size == size && memcmp(word.text, text, size) == 0;
}

// TensorFlow's order of device types: a GPU before a CPU, unknown ones last.
static int preference(berth_word_t word) {
  if (word_is(word, "GPU")) return 210;
  if (word_is(word, "CPU")) return 70;
  return -1;
}

static bool is_xla(berth_word_t word) {
  static const char *const names[] = {
      "XLA_CPU", "XLA_GPU", "TPU", "XLA_CPU_JIT", "XLA_GPU_JIT", "XLA_TPU_JIT"};
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (word_is(word, names[i])) return true;
  }
  return false;
}

static int compare_words(berth_word_t a, berth_word_t b) {
  int32_t size = a.size < b.size ? a.size : b.size;
  int order = memcmp(a.text, b.text, (size_t)size);
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

// True when type |a| is listed before |b|.
static bool comes_before(berth_word_t a, berth_word_t b) {
  if (preference(a) != preference(b)) return preference(a) > preference(b);
  return compare_words(a, b) < 0;
}

int berth_place_types_find(const berth_place_types_t *types,
                           berth_word_t word) {
  for (int i = 0; i < types->count; ++i) {
    if (compare_words(types->words[i], word) == 0) return i;
  }
  return -1;
}

static void insert_word(berth_place_types_t *types, berth_word_t word) {
  int at = types->count++;
  for (; at > 0 && comes_before(word, types->words[at - 1]); --at) {
    types->words[at] = types->words[at - 1];
  }
  types->words[at] = word;
}

static void look_at_words(berth_place_types_t *types) {
  types->gpu = berth_place_types_find(types, (berth_word_t){"GPU", 3});
  types->cpu = berth_place_types_find(types, (berth_word_t){"CPU", 3});
  for (int i = 0; i < types->count; ++i) {
    types->is_xla[i] = is_xla(types->words[i]);
    types->has_xla = types->has_xla || types->is_xla[i];
  }
}

static berth_code_t add_first_lists(berth_place_types_t *types,
                                    berth_error_t *err) {
  berth_type_list_t none = {0}, all = {0};
  int32_t id = 0;
  BERTH_TRY(berth_place_types_add(types, &none, &id, err));
  all.count = (int8_t)types->count;
  for (int i = 0; i < types->count; ++i) all.types[i] = (uint8_t)i;
  return berth_place_types_add(types, &all, &id, err);
}

berth_code_t berth_place_types_init(berth_place_types_t *types,
                                    const berth_place_options_t *options,
                                    berth_error_t *err) {
  *types = (berth_place_types_t){0};
  for (int i = 0; i < options->device_count; ++i) {
    berth_word_t word = options->devices[i].parsed.type;
    if (berth_place_types_find(types, word) >= 0) continue;
    if (types->count == BERTH_PLACE_MAX_TYPES) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "More than %d device types; the one too many is "
                             "that of %s",
                             BERTH_PLACE_MAX_TYPES, options->devices[i].name);
    }
    insert_word(types, word);
  }
  look_at_words(types);
  berth_code_t code = add_first_lists(types, err);
  if (code != BERTH_OK) berth_place_types_deinit(types);
  return code;
}

void berth_place_types_deinit(berth_place_types_t *types) {
  berth_free(types->lists);
  *types = (berth_place_types_t){0};
}

// Orders by priority, then by the preference of types; insertion, because lists
// are a few long.
static void sort_list(berth_type_list_t *list) {
  for (int i = 1; i < list->count; ++i) {
    uint8_t type = list->types[i];
    int16_t priority = list->priorities[i];
    int at = i;
    for (; at > 0 && (priority > list->priorities[at - 1] ||
                      (priority == list->priorities[at - 1] &&
                       type < list->types[at - 1]));
         --at) {
      list->types[at] = list->types[at - 1];
      list->priorities[at] = list->priorities[at - 1];
    }
    list->types[at] = type;
    list->priorities[at] = priority;
  }
}

static bool list_equal(const berth_type_list_t *a, const berth_type_list_t *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; ++i) {
    if (a->types[i] != b->types[i] || a->priorities[i] != b->priorities[i]) {
      return false;
    }
  }
  return true;
}

berth_code_t berth_place_types_add(berth_place_types_t *types,
                                   berth_type_list_t *list, int32_t *out_id,
                                   berth_error_t *err) {
  sort_list(list);
  for (size_t i = 0; i < types->list_count; ++i) {
    if (list_equal(&types->lists[i], list)) {
      *out_id = (int32_t)i;
      return BERTH_OK;
    }
  }
  berth_type_list_t *lists = berth_grow(types->lists, types->list_count,
                                        &types->list_capacity, sizeof(*lists));
  if (lists == NULL) return berth_error_no_memory(err, "lists of device types");
  types->lists = lists;
  types->lists[types->list_count] = *list;
  *out_id = (int32_t)types->list_count++;
  return BERTH_OK;
}

static int find_type(const berth_type_list_t *list, int type) {
  for (int i = 0; i < list->count; ++i) {
    if (list->types[i] == type) return i;
  }
  return -1;
}

bool berth_place_types_has(const berth_place_types_t *types, int32_t id,
                           int type) {
  return find_type(&types->lists[id], type) >= 0;
}

// Stores the types of |a| that |b| has too, with |a|'s priorities.
static void intersect(const berth_type_list_t *a, const berth_type_list_t *b,
                      berth_type_list_t *out) {
  *out = (berth_type_list_t){0};
  for (int i = 0; i < a->count; ++i) {
    if (find_type(b, a->types[i]) < 0) continue;
    out->types[out->count] = a->types[i];
    out->priorities[out->count++] = a->priorities[i];
  }
  sort_list(out);
}

static bool has_priorities(const berth_type_list_t *list) {
  for (int i = 0; i < list->count; ++i) {
    if (list->priorities[i] != 0) return true;
  }
  return false;
}

berth_code_t berth_place_types_merge(berth_place_types_t *types, int32_t a,
                                     int32_t b, int32_t *out_id,
                                     berth_error_t *err) {
  if (a == b) {
    *out_id = a;
    return BERTH_OK;
  }
  berth_type_list_t mine, other;
  intersect(&types->lists[a], &types->lists[b], &mine);
  intersect(&types->lists[b], &types->lists[a], &other);
  bool both = has_priorities(&mine) && has_priorities(&other);
  if (!has_priorities(&mine) && has_priorities(&other)) mine = other;
  if (both && memcmp(mine.types, other.types, sizeof(mine.types)) != 0) {
    memset(mine.priorities, 0, sizeof(mine.priorities));
  }
  return berth_place_types_add(types, &mine, out_id, err);
}

berth_code_t berth_place_types_drop(
    berth_place_types_t *types, int32_t id,
    bool (*drop)(const berth_place_types_t *types, int type), int32_t *out_id,
    berth_error_t *err) {
  berth_type_list_t list = types->lists[id], kept = {0};
  for (int i = 0; i < list.count; ++i) {
    if (drop(types, list.types[i])) continue;
    kept.types[kept.count] = list.types[i];
    kept.priorities[kept.count++] = list.priorities[i];
  }
  return berth_place_types_add(types, &kept, out_id, err);
}

void berth_place_types_print(const berth_place_types_t *types,
                             berth_str_t *str) {
  berth_word_t last = {"", 0};
  for (int i = 0; i < types->count; ++i) {
    berth_word_t next = {NULL, 0};
    for (int j = 0; j < types->count; ++j) {
      berth_word_t word = types->words[j];
      if (compare_words(word, last) <= 0) continue;
      if (next.text == NULL || compare_words(word, next) < 0) next = word;
    }
    berth_str_printf(str, "%s%.*s", i > 0 ? ", " : "", next.size, next.text);
    last = next;
  }
}
