// slice.c - Slices of tensors, as checkpoints speak of them.
#include "io/checkpoint/slice.h"

#include <string.h>

#include "base/alloc.h"
#include "wire/message.h"

// ---- Texts ----

// A piece of a text.
typedef struct piece {
  const char *text;
  size_t size;
} piece_t;

// Cuts the piece before the next |mark| off |rest|; false when there is none
// left. A text ends with a piece, as one with two marks has three.
static bool next_piece(piece_t *rest, char mark, piece_t *out_piece) {
  if (rest->text == NULL) return false;
  const char *found = memchr(rest->text, mark, rest->size);
  *out_piece = *rest;
  if (found == NULL) {
    rest->text = NULL;
    return true;
  }
  out_piece->size = (size_t)(found - rest->text);
  rest->size -= out_piece->size + 1;
  rest->text = found + 1;
  return true;
}

static bool read_int(piece_t piece, int64_t *out_value) {
  char text[32];
  if (piece.size == 0 || piece.size >= sizeof(text)) return false;
  memcpy(text, piece.text, piece.size);
  text[piece.size] = '\0';
  return berth_parse_int64(text, out_value);
}

static berth_code_t fail_pair(piece_t piece, piece_t all, berth_error_t *err) {
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Expected a pair of numbers or '-' but got '%.*s': string = %.*s",
      (int)piece.size, piece.text, (int)all.size, all.text);
}

// Reads "0,3" or "-".
static berth_code_t read_extent(piece_t piece, piece_t all, int64_t *out_start,
                                int64_t *out_length, berth_error_t *err) {
  piece_t rest = piece, start = {0}, length = {0}, more;
  *out_start = 0;
  *out_length = BERTH_SLICE_ALL;
  if (piece.size == 1 && piece.text[0] == '-') return BERTH_OK;
  if (!next_piece(&rest, ',', &start) || !next_piece(&rest, ',', &length) ||
      next_piece(&rest, ',', &more) || !read_int(start, out_start) ||
      !read_int(length, out_length)) {
    return fail_pair(piece, all, err);
  }
  if (*out_start >= 0 && *out_length > 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Expected non-negative start and positive length but "
                         "got start = %lld, length = %lld: string = %.*s",
                         (long long)*out_start, (long long)*out_length,
                         (int)all.size, all.text);
}

static berth_code_t read_extents(piece_t text, berth_extents_t *slice,
                                 berth_error_t *err) {
  piece_t rest = text, piece;
  if (text.size == 0) return BERTH_OK;  // That of a scalar.
  while (next_piece(&rest, ':', &piece)) {
    int32_t i = slice->rank;
    if (i == BERTH_MAX_RANK) return fail_pair(piece, text, err);
    BERTH_TRY(
        read_extent(piece, text, &slice->start[i], &slice->length[i], err));
    ++slice->rank;
  }
  return BERTH_OK;
}

static berth_code_t read_shape(piece_t text, piece_t whole,
                               berth_shape_t *shape, berth_error_t *err) {
  piece_t rest = text, piece;
  int64_t count = 0;
  shape->rank = 0;
  while (text.text != NULL && next_piece(&rest, ' ', &piece)) {
    int64_t value = 0;
    if (shape->rank == BERTH_MAX_RANK || !read_int(piece, &value)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Non numerical dimension in shape_and_slice: %.*s",
                             (int)whole.size, whole.text);
    }
    shape->dims[shape->rank++] = value;
  }
  return berth_dims_check(berth_shape_dims(shape), &count, err);
}

// Checks that |spec| is a slice of a tensor of its shape.
static berth_code_t check_bounds(berth_extents_spec_t *spec,
                                 berth_error_t *err) {
  char shape[BERTH_DIMS_TEXT];
  berth_dims_t dims = berth_shape_dims(&spec->shape);
  if (spec->slice.rank == dims.rank &&
      berth_extents_shape(&spec->slice, dims, &spec->part)) {
    return BERTH_OK;
  }
  berth_str_t text = {0};
  berth_extents_print(&spec->slice, &text);
  berth_code_t code = BERTH_INTERNAL;
  if (spec->slice.rank != dims.rank) {
    code =
        berth_error_set(err, code, "Mismatching ranks: shape = %s, slice = %s",
                        berth_dims_text(dims, shape), berth_str_get(&text));
  } else {
    int i = 0;
    while (spec->slice.length[i] == BERTH_SLICE_ALL ||
           spec->slice.length[i] <= dims.dims[i] - spec->slice.start[i]) {
      ++i;
    }
    code = berth_error_set(
        err, code,
        "Extent in dimension %d out of bounds: shape = %s, slice = %s", i,
        berth_dims_text(dims, shape), berth_str_get(&text));
  }
  berth_str_clear(&text);
  return code;
}

berth_code_t berth_extents_parse(const char *text, size_t size,
                                 berth_extents_spec_t *out_spec,
                                 berth_error_t *err) {
  piece_t whole = {text, size}, shape = {NULL, 0}, last = whole;
  const char *space = size > 0 ? memrchr(text, ' ', size) : NULL;
  if (space == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Need least two elements in shape_and_slice "
                           "specification: %.*s",
                           (int)size, text);
  }
  shape = (piece_t){text, (size_t)(space - text)};
  last = (piece_t){space + 1, size - shape.size - 1};
  out_spec->slice = (berth_extents_t){0, out_spec->numbers,
                                      out_spec->numbers + BERTH_MAX_RANK};
  BERTH_TRY(read_shape(shape, whole, &out_spec->shape, err));
  BERTH_TRY(read_extents(last, &out_spec->slice, err));
  return check_bounds(out_spec, err);
}

void berth_extents_print(const berth_extents_t *slice, berth_str_t *str) {
  for (int32_t i = 0; i < slice->rank; ++i) {
    if (i > 0) berth_str_putc(str, ':');
    if (slice->length[i] == BERTH_SLICE_ALL) {
      berth_str_putc(str, '-');
    } else {
      berth_str_printf(str, "%lld,%lld", (long long)slice->start[i],
                       (long long)slice->length[i]);
    }
  }
}

// ---- Values ----

bool berth_extents_make(berth_arena_t *arena, int32_t rank,
                        berth_extents_t *out_slice) {
  size_t count = rank > 0 ? (size_t)rank : 1;
  int64_t *numbers = berth_arena_calloc(arena, 2 * count, sizeof(int64_t));
  if (numbers == NULL) return false;
  *out_slice = (berth_extents_t){rank, numbers, numbers + count};
  for (int32_t i = 0; i < rank; ++i) out_slice->length[i] = BERTH_SLICE_ALL;
  return true;
}

bool berth_extents_shape(const berth_extents_t *slice, berth_dims_t dims,
                         berth_shape_t *out_shape) {
  berth_shape_set(out_shape, dims);
  if (slice->rank != dims.rank) return false;
  for (int32_t i = 0; i < dims.rank; ++i) {
    if (slice->length[i] == BERTH_SLICE_ALL) continue;
    if (slice->start[i] > dims.dims[i] ||
        slice->length[i] > dims.dims[i] - slice->start[i]) {
      return false;
    }
    out_shape->dims[i] = slice->length[i];
  }
  return true;
}

// ---- Messages ----

typedef Berth__Wire__TensorSliceProto__Extent extent_t;

berth_code_t berth_extents_from_message(
    const Berth__Wire__TensorSliceProto *message, int32_t rank,
    berth_arena_t *arena, berth_extents_t *out_slice, berth_error_t *err) {
  if (message->n_extent != (size_t)rank) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "a slice of %zu dimensions, of a tensor that has %d",
                           message->n_extent, rank);
  }
  if (!berth_extents_make(arena, rank, out_slice)) {
    return berth_error_no_memory(err, "a slice");
  }
  for (int32_t i = 0; i < rank; ++i) {
    const extent_t *extent = message->extent[i];
    if (extent->has_length_case !=
        BERTH__WIRE__TENSOR_SLICE_PROTO__EXTENT__HAS_LENGTH_LENGTH) {
      continue;
    }
    out_slice->start[i] = extent->start;
    out_slice->length[i] = extent->length;
    if (extent->start < 0 || extent->length < 0) {
      return berth_error_set(
          err, BERTH_DATA_LOSS, "a slice begins at %lld and has %lld elements",
          (long long)extent->start, (long long)extent->length);
    }
  }
  return BERTH_OK;
}

Berth__Wire__TensorSliceProto *berth_extents_to_message(
    const berth_extents_t *slice, berth_arena_t *arena) {
  size_t count = (size_t)slice->rank;
  Berth__Wire__TensorSliceProto *message =
      berth_message_new(&berth__wire__tensor_slice_proto__descriptor, arena);
  extent_t **extents = berth_arena_calloc(arena, count + 1, sizeof(*extents));
  if (message == NULL || extents == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    extents[i] = berth_message_new(
        &berth__wire__tensor_slice_proto__extent__descriptor, arena);
    if (extents[i] == NULL) return NULL;
    if (slice->length[i] == BERTH_SLICE_ALL) continue;
    extents[i]->start = slice->start[i];
    extents[i]->length = slice->length[i];
    extents[i]->has_length_case =
        BERTH__WIRE__TENSOR_SLICE_PROTO__EXTENT__HAS_LENGTH_LENGTH;
  }
  message->n_extent = count;
  message->extent = extents;
  return message;
}

// ---- Keys ----

// Appends |value| so that bytes are in the order of numbers: how many bytes,
// then those, the highest first.
static void put_number(berth_str_t *str, uint64_t value) {
  int count = 0;
  while (count < 8 && value >> (8 * count) != 0) ++count;
  berth_str_putc(str, (char)count);
  for (; count > 0; --count) {
    berth_str_putc(str, (char)(unsigned char)(value >> (8 * (count - 1))));
  }
}

// Appends |text| so that it ends before any longer one: 0 and 255 are escaped.
static void put_text(berth_str_t *str, const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    berth_str_putc(str, text[i]);
    if (text[i] == '\0') berth_str_putc(str, '\xff');
    if (text[i] == '\xff') berth_str_putc(str, '\0');
  }
  berth_str_put(str, "\0\1", 2);
}

// Appends a number of either sign: as many ones as it has bytes, a zero, then
// its lowest bits; all turned round for negative ones. Ten bytes hold 64 bits
// and ten ones.
static void put_signed(berth_str_t *str, int64_t value) {
  unsigned char bytes[10];
  uint64_t bits = (uint64_t)value;
  uint64_t size = value < 0 ? ~bits : bits;
  int count = 1;
  while (count < 10 && size >> (7 * count - 1) != 0) ++count;
  memset(bytes, value < 0 ? 0xff : 0, sizeof(bytes));
  for (int i = 0; i < 8; ++i) {
    bytes[9 - i] = (unsigned char)(bits >> (8 * i));
  }
  unsigned ones = 0xffffu << (16 - count) & 0xffffu;
  bytes[10 - count] ^= (unsigned char)(ones >> 8);
  if (count > 1) bytes[11 - count] ^= (unsigned char)ones;
  berth_str_put(str, (const char *)bytes + 10 - count, (size_t)count);
}

void berth_extents_key(const char *name, size_t size,
                       const berth_extents_t *slice, berth_str_t *str) {
  put_number(str, 0);
  put_text(str, name, size);
  put_number(str, (uint64_t)slice->rank);
  for (int32_t i = 0; i < slice->rank; ++i) {
    put_signed(str, slice->start[i]);
    put_signed(str, slice->length[i]);
  }
}
