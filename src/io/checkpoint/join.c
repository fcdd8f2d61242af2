// join.c - Tensors, whole or in slices, from the parts that files have.
#include <string.h>

#include "base/alloc.h"
#include "io/checkpoint/checkpoint.h"

// A box in a tensor, or in a part of one.
typedef struct box {
  int64_t start[BERTH_MAX_RANK];
  int64_t size[BERTH_MAX_RANK];
} box_t;

// Places |slice| (NULL: all) in a tensor of shape |dims|; false when it reaches
// beyond.
static bool find_box(const berth_extents_t *slice, berth_dims_t dims,
                     box_t *out_box) {
  if (slice != NULL && slice->rank != dims.rank) return false;
  for (int32_t i = 0; i < dims.rank; ++i) {
    bool is_all = slice == NULL || slice->length[i] == BERTH_SLICE_ALL;
    out_box->start[i] = is_all ? 0 : slice->start[i];
    out_box->size[i] = is_all ? dims.dims[i] : slice->length[i];
    if (out_box->start[i] > dims.dims[i] ||
        out_box->size[i] > dims.dims[i] - out_box->start[i]) {
      return false;
    }
  }
  return true;
}

// Stores what two boxes have in common and returns how many elements.
static int64_t meet(int32_t rank, const box_t *a, const box_t *b, box_t *out) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) {
    int64_t a_end = a->start[i] + a->size[i], b_end = b->start[i] + b->size[i];
    int64_t start = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
    int64_t end = a_end < b_end ? a_end : b_end;
    if (end <= start) return 0;
    out->start[i] = start;
    out->size[i] = end - start;
    count *= end - start;
  }
  return count;
}

static bool is_same(int32_t rank, const box_t *a, const box_t *b) {
  size_t bytes = (size_t)rank * sizeof(int64_t);
  return memcmp(a->start, b->start, bytes) == 0 &&
         memcmp(a->size, b->size, bytes) == 0;
}

// ---- Copying ----

// Returns which element of |box| the row at |index| of |common| begins with.
static int64_t place_of(int32_t rank, const box_t *box, const box_t *common,
                        const int64_t *index) {
  int64_t place = 0;
  for (int32_t i = 0; i < rank; ++i) {
    place = place * box->size[i] + common->start[i] - box->start[i] + index[i];
  }
  return place;
}

// Goes to the next row; false after the last.
static bool next_row(int32_t rank, const box_t *common, int64_t *index) {
  for (int32_t i = rank - 2; i >= 0; --i) {
    if (++index[i] < common->size[i]) return true;
    index[i] = 0;
  }
  return false;
}

// Copies what |common| says from a tensor that is |from| to one that is |to|.
static bool copy_box(const berth_tensor_t *source, const box_t *from,
                     berth_tensor_t *target, const box_t *to,
                     const box_t *common) {
  int32_t rank = source->rank;
  int64_t index[BERTH_MAX_RANK] = {0};
  int64_t row = rank > 0 ? common->size[rank - 1] : 1;
  size_t item = berth_dtype_size(source->dtype);
  do {
    char *at =
        (char *)target->data + (size_t)place_of(rank, to, common, index) * item;
    const char *old = (const char *)source->data +
                      (size_t)place_of(rank, from, common, index) * item;
    if (!berth_elements_copy(source->dtype, at, old, row)) return false;
  } while (next_row(rank, common, index));
  return true;
}

// ---- Reading ----

typedef struct join {
  berth_checkpoint_t *checkpoint;
  const berth_stored_t *stored;
  box_t wanted;
  berth_tensor_t *out;
} join_t;

static berth_code_t read_part(const join_t *join,
                              const berth_stored_part_t *part,
                              berth_tensor_t *tensor, berth_error_t *err) {
  return join->checkpoint->is_old
             ? berth_legacy_read(join->stored, part, tensor, err)
             : berth_bundle_read(join->checkpoint, join->stored, part, tensor,
                                 err);
}

// Reads a part that is more, or less, than what is wanted, and copies what it
// has of that.
static berth_code_t copy_part(const join_t *join,
                              const berth_stored_part_t *part, const box_t *box,
                              const box_t *common, berth_error_t *err) {
  const berth_stored_t *stored = join->stored;
  berth_tensor_t *tensor = NULL;
  int64_t count =
      berth_dims_count((berth_dims_t){stored->dims.rank, box->size});
  BERTH_TRY(berth_tensor_make(NULL, stored->dtype, stored->dims.rank, box->size,
                              count, &tensor, err));
  berth_code_t code = read_part(join, part, tensor, err);
  if (code == BERTH_OK &&
      !copy_box(tensor, box, join->out, &join->wanted, common)) {
    code = berth_error_no_memory(err, "a tensor");
  }
  berth_tensor_release(tensor);
  return code;
}

static berth_code_t fail_bounds(const join_t *join, berth_error_t *err) {
  return berth_error_set(err, BERTH_DATA_LOSS,
                         "a slice of %s lies outside of it in %s",
                         join->stored->name, join->checkpoint->prefix);
}

// Says that the slices do not hold all that is wanted.
static berth_code_t fail_missing(const join_t *join,
                                 const berth_extents_t *slice,
                                 berth_error_t *err) {
  if (join->checkpoint->is_old) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Error copying slice data");
  }
  berth_str_t text = {0};
  int32_t rank = join->stored->dims.rank;
  if (slice != NULL) {
    berth_extents_print(slice, &text);
  } else {
    for (int32_t i = 0; i < rank; ++i)
      berth_str_puts(&text, i > 0 ? ":-" : "-");
  }
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Does not have sufficient slices for partitioned tensor %s to restore in "
      "slice_spec: %s",
      join->stored->name, berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

// Checks, before memory is asked for, that the parts have all that is wanted and
// that files are long enough for them.
static berth_code_t check_parts(const join_t *join, int64_t wanted,
                                const berth_extents_t *slice,
                                berth_error_t *err) {
  const berth_stored_t *stored = join->stored;
  int64_t found = 0;
  box_t box, common;
  for (int i = 0; i < stored->part_count; ++i) {
    if (!find_box(&stored->parts[i].slice, stored->dims, &box)) {
      return fail_bounds(join, err);
    }
    int64_t count = meet(stored->dims.rank, &join->wanted, &box, &common);
    if (count == 0) continue;
    found += count;
    int64_t all = berth_dims_count((berth_dims_t){stored->dims.rank, box.size});
    if (!join->checkpoint->is_old) {
      BERTH_TRY(berth_bundle_check(join->checkpoint, stored, &stored->parts[i],
                                   all, err));
    }
  }
  return found == wanted ? BERTH_OK : fail_missing(join, slice, err);
}

// Reads all parts that have something of what is wanted.
static berth_code_t join_parts(const join_t *join, berth_error_t *err) {
  const berth_stored_t *stored = join->stored;
  int32_t rank = stored->dims.rank;
  box_t box, common;
  for (int i = 0; i < stored->part_count; ++i) {
    if (!find_box(&stored->parts[i].slice, stored->dims, &box)) {
      return fail_bounds(join, err);
    }
    if (meet(rank, &join->wanted, &box, &common) == 0) continue;
    if (is_same(rank, &box, &join->wanted)) {
      BERTH_TRY(read_part(join, &stored->parts[i], join->out, err));
    } else {
      BERTH_TRY(copy_part(join, &stored->parts[i], &box, &common, err));
    }
  }
  return BERTH_OK;
}

berth_code_t berth_stored_read(berth_checkpoint_t *checkpoint,
                               const berth_stored_t *stored,
                               const berth_extents_t *slice,
                               berth_allocator_t *allocator,
                               berth_tensor_t **out_tensor,
                               berth_error_t *err) {
  join_t join = {.checkpoint = checkpoint, .stored = stored};
  if (!find_box(slice, stored->dims, &join.wanted)) {
    return fail_bounds(&join, err);
  }
  berth_dims_t dims = {stored->dims.rank, join.wanted.size};
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(stored->dtype, dims, &count, err));
  BERTH_TRY(check_parts(&join, count, slice, err));
  BERTH_TRY(berth_tensor_make(allocator, stored->dtype, dims.rank, dims.dims,
                              count, &join.out, err));
  berth_code_t code = join_parts(&join, err);
  if (code != BERTH_OK) {
    berth_tensor_release(join.out);
    return code;
  }
  *out_tensor = join.out;
  return BERTH_OK;
}
