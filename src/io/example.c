// example.c - Records of training data, read where they lie.
#include "io/example.h"

#include <stdint.h>
#include <string.h>

#include "tensor/string.h"

// Tags of fields: a number of one, and how it is written.
enum {
  VARINT_1 = 1 << 3,
  BYTES_1 = 1 << 3 | 2,
  FIXED32_1 = 1 << 3 | 5,
  BYTES_2 = 2 << 3 | 2,
  BYTES_3 = 3 << 3 | 2,
};

// ---- Fields ----

static void advance(berth_slice_t *at, size_t size) {
  at->bytes += size;
  at->size -= size;
}

static bool take_varint(berth_slice_t *at, uint64_t *out_value) {
  uint64_t value = 0;
  for (size_t i = 0; i < 10 && i < at->size; ++i) {
    unsigned char byte = (unsigned char)at->bytes[i];
    value |= (uint64_t)(byte & 127) << (7 * i);
    if (byte < 128) {
      *out_value = value;
      advance(at, i + 1);
      return true;
    }
  }
  return false;
}

static bool take_bytes(berth_slice_t *at, berth_slice_t *out) {
  uint64_t size = 0;
  if (!take_varint(at, &size) || size > at->size) return false;
  *out = (berth_slice_t){at->bytes, (size_t)size};
  advance(at, (size_t)size);
  return true;
}

// Passes the value of a field that is of no interest; groups are refused.
static bool skip_field(berth_slice_t *at, uint64_t tag) {
  berth_slice_t slice;
  uint64_t value = 0;
  size_t size = 0;
  if (tag >> 3 == 0) return false;
  if ((tag & 7) == 0) return take_varint(at, &value);
  if ((tag & 7) == 2) return take_bytes(at, &slice);
  if ((tag & 7) == 1) size = 8;
  if ((tag & 7) == 5) size = 4;
  if (size == 0 || size > at->size) return false;
  advance(at, size);
  return true;
}

// Takes the next field off |at|, and its bytes if it has |tag| or |other|.
static bool take_field(berth_slice_t *at, uint64_t tag, uint64_t other,
                       uint64_t *out_tag, berth_slice_t *out) {
  if (!take_varint(at, out_tag)) return false;
  if (*out_tag == tag || *out_tag == other) return take_bytes(at, out);
  return skip_field(at, *out_tag);
}

// ---- Records ----

// Reads one pair of a map from names to messages.
static bool walk_entry(berth_slice_t entry, berth_feature_fn found, void *arg) {
  berth_slice_t key = {"", 0}, value = {"", 0}, slice;
  uint64_t tag = 0;
  while (entry.size > 0) {
    if (!take_field(&entry, BYTES_1, BYTES_2, &tag, &slice)) return false;
    if (tag == BYTES_1) key = slice;
    if (tag == BYTES_2) value = slice;
  }
  found(arg, key, value);
  return true;
}

static bool walk_map(berth_slice_t map, berth_feature_fn found, void *arg) {
  berth_slice_t entry;
  uint64_t tag = 0;
  while (map.size > 0) {
    if (!take_field(&map, BYTES_1, BYTES_1, &tag, &entry)) return false;
    if (tag == BYTES_1 && !walk_entry(entry, found, arg)) return false;
  }
  return true;
}

bool berth_example_walk(berth_slice_t record, berth_feature_fn found,
                        void *arg) {
  berth_slice_t map;
  uint64_t tag = 0;
  while (record.size > 0) {
    if (!take_field(&record, BYTES_1, BYTES_1, &tag, &map)) return false;
    if (tag == BYTES_1 && !walk_map(map, found, arg)) return false;
  }
  return true;
}

bool berth_sequence_walk(berth_slice_t record, berth_feature_fn in_context,
                         berth_feature_fn in_lists, void *arg) {
  berth_slice_t map;
  uint64_t tag = 0;
  while (record.size > 0) {
    if (!take_field(&record, BYTES_1, BYTES_2, &tag, &map)) return false;
    if (tag != BYTES_1 && tag != BYTES_2) continue;
    if (!walk_map(map, tag == BYTES_1 ? in_context : in_lists, arg)) {
      return false;
    }
  }
  return true;
}

bool berth_feature_list_next(berth_slice_t *list, berth_slice_t *out_feature,
                             bool *out_is_there) {
  uint64_t tag = 0;
  *out_is_there = false;
  while (list->size > 0 && !*out_is_there) {
    if (!take_field(list, BYTES_1, BYTES_1, &tag, out_feature)) return false;
    *out_is_there = tag == BYTES_1;
  }
  return true;
}

// ---- Features ----

// Counts the numbers of a row of varints; false when one does not end.
static bool count_varints(berth_slice_t row, size_t *count) {
  size_t run = 0;
  for (size_t i = 0; i < row.size;) {
    uint64_t word = 0;
    if (run == 0 && i + 8 <= row.size) {
      memcpy(&word, row.bytes + i, 8);
      if ((word & UINT64_C(0x8080808080808080)) == 0) {
        *count += 8;
        i += 8;
        continue;
      }
    }
    if ((unsigned char)row.bytes[i++] < 128) {
      ++*count;
      run = 0;
    } else if (++run > 9) {
      return false;
    }
  }
  return run == 0;
}

// Adds the values of one field of a list to |feature|'s count.
static bool count_field(berth_slice_t *at, berth_feature_t *feature) {
  berth_slice_t row;
  uint64_t tag = 0, value = 0;
  if (!take_varint(at, &tag)) return false;
  if (tag == BYTES_1) {
    if (!take_bytes(at, &row)) return false;
    if (feature->dtype == BERTH_INT64) {
      return count_varints(row, &feature->count);
    }
    feature->count += feature->dtype == BERTH_FLOAT ? row.size / 4 : 1;
    return feature->dtype != BERTH_FLOAT || row.size % 4 == 0;
  }
  ++feature->count;
  if (feature->dtype == BERTH_INT64 && tag == VARINT_1) {
    return take_varint(at, &value);
  }
  return feature->dtype == BERTH_FLOAT && tag == FIXED32_1 &&
         skip_field(at, tag);
}

bool berth_feature_read(berth_slice_t message, berth_feature_t *out_feature) {
  uint64_t tag = 0;
  *out_feature = (berth_feature_t){0};
  if (message.size == 0) return true;
  if (!take_varint(&message, &tag)) return false;
  out_feature->dtype = tag == BYTES_1   ? BERTH_STRING
                       : tag == BYTES_2 ? BERTH_FLOAT
                       : tag == BYTES_3 ? BERTH_INT64
                                        : 0;
  if (out_feature->dtype == 0) return skip_field(&message, tag);
  if (!take_bytes(&message, &out_feature->list)) return false;
  berth_slice_t at = out_feature->list;
  while (at.size > 0) {
    if (!count_field(&at, out_feature)) return false;
  }
  return true;
}

// Decodes a row of varints, which has been counted, and returns where the next
// number goes.
static int64_t *copy_varints(berth_slice_t row, int64_t *to) {
  while (row.size > 0) {
    unsigned char byte = (unsigned char)row.bytes[0];
    if (byte < 128) {
      *to++ = byte;
      advance(&row, 1);
      continue;
    }
    uint64_t value = 0;
    if (!take_varint(&row, &value)) break;
    *to++ = (int64_t)value;
  }
  return to;
}

static void copy_numbers(berth_slice_t at, int64_t *to) {
  uint64_t tag = 0, value = 0;
  berth_slice_t row;
  while (at.size > 0 && take_varint(&at, &tag)) {
    if (tag == BYTES_1) {
      if (!take_bytes(&at, &row)) return;
      to = copy_varints(row, to);
    } else {
      if (!take_varint(&at, &value)) return;
      *to++ = (int64_t)value;
    }
  }
}

static void copy_floats(berth_slice_t at, float *to) {
  uint64_t tag = 0;
  berth_slice_t row;
  while (at.size > 0 && take_varint(&at, &tag)) {
    row = (berth_slice_t){at.bytes, sizeof(float)};
    if (tag == BYTES_1) {
      if (!take_bytes(&at, &row)) return;
    } else {
      advance(&at, sizeof(float));
    }
    if (row.size > 0) memcpy(to, row.bytes, row.size);
    to += row.size / sizeof(float);
  }
}

static bool copy_texts(berth_slice_t at, berth_string_t *to) {
  uint64_t tag = 0;
  berth_slice_t text;
  while (at.size > 0 && take_varint(&at, &tag) && take_bytes(&at, &text)) {
    if (!berth_string_set(to++, text.bytes, text.size)) return false;
  }
  return true;
}

bool berth_feature_copy(const berth_feature_t *feature, void *out) {
  if (feature->count == 0) return true;
  if (feature->dtype == BERTH_STRING) return copy_texts(feature->list, out);
  if (feature->dtype == BERTH_FLOAT) {
    copy_floats(feature->list, out);
  } else {
    copy_numbers(feature->list, out);
  }
  return true;
}
