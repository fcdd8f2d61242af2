// text_split.c - Kernels between texts and their pieces: StringSplit,
// ReduceJoin.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/text_map.h"

// ---- Splitting ----

// A piece of a text that lives as long as the call.
typedef struct piece {
  const char *text;
  size_t size;
  int64_t row, column;
} piece_t;

// What is found while texts are cut apart.
typedef struct pieces {
  piece_t *list;
  size_t count, room;
  int64_t row, column, widest;
} pieces_t;

static bool add_piece(pieces_t *pieces, const char *text, size_t size) {
  if (pieces->count == pieces->room) {
    void *grown = berth_grow(pieces->list, pieces->count, &pieces->room,
                             sizeof(*pieces->list));
    if (grown == NULL) return false;
    pieces->list = grown;
  }
  pieces->list[pieces->count++] =
      (piece_t){text, size, pieces->row, pieces->column++};
  if (pieces->column > pieces->widest) pieces->widest = pieces->column;
  return true;
}

// Cuts at every character of |marks|; without any, every byte is a piece.
static bool cut_at_any(pieces_t *pieces, const char *text, size_t size,
                       const char *marks, size_t mark_count, bool skips_empty) {
  size_t begin = 0;
  if (size == 0) return true;
  if (mark_count == 0) {
    for (size_t i = 0; i < size; ++i) {
      if (!add_piece(pieces, text + i, 1)) return false;
    }
    return true;
  }
  for (size_t i = 0; i <= size; ++i) {
    if (i < size && memchr(marks, text[i], mark_count) == NULL) continue;
    if ((i > begin || !skips_empty) &&
        !add_piece(pieces, text + begin, i - begin)) {
      return false;
    }
    begin = i + 1;
  }
  return true;
}

// The C locale's notion, whatever the process has set.
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static size_t past_spaces(const char *text, size_t size, size_t at) {
  while (at < size && is_space(text[at])) ++at;
  return at;
}

// Cuts at runs of spaces; after |most| of them, if that is positive, the rest
// is one piece.
static bool cut_at_spaces(pieces_t *pieces, const char *text, size_t size,
                          int64_t most) {
  size_t at = past_spaces(text, size, 0);
  for (int64_t cuts = 1; at < size; ++cuts) {
    size_t begin = at;
    while (at < size && !is_space(text[at])) ++at;
    if (!add_piece(pieces, text + begin, at - begin)) return false;
    at = past_spaces(text, size, at);
    if (cuts == most) return add_piece(pieces, text + at, size - at);
  }
  return true;
}

// Cuts at every |mark|, |most| times at most.
static bool cut_at_mark(pieces_t *pieces, const char *text, size_t size,
                        const char *mark, size_t mark_size, int64_t most) {
  const char *end = text + size;
  for (int64_t cuts = 0; cuts != most; ++cuts) {
    const char *found = memmem(text, (size_t)(end - text), mark, mark_size);
    if (found == NULL) break;
    if (!add_piece(pieces, text, (size_t)(found - text))) return false;
    text = found + mark_size;
  }
  return add_piece(pieces, text, (size_t)(end - text));
}

typedef struct cutting {
  berth_text_split_t split;
  bool is_old;  // StringSplit, the first of both ops.
} cutting_t;

static berth_code_t cut_all(const cutting_t *cutting, berth_call_t *call,
                            pieces_t *pieces) {
  const berth_string_t *in = call->inputs[0]->data;
  size_t mark_size = 0;
  const char *mark = berth_string_get(call->inputs[1]->data, &mark_size);
  int64_t seen = 0;  // Bytes since the last look.
  for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
    size_t size = 0;
    bool is_done = false;
    const char *text = berth_string_get(&in[i], &size);
    // A look costs as much as a short text.
    seen += (int64_t)size + 1;
    if (seen >= BERTH_CPU_POLL) {
      if (berth_cpu_has_ended(call)) return berth_cpu_ended(call);
      seen = 0;
    }
    pieces->row = i;
    pieces->column = 0;
    if (cutting->is_old) {
      is_done = cut_at_any(pieces, text, size, mark, mark_size,
                           cutting->split.skips_empty);
    } else if (cutting->split.most == 0) {
      is_done = add_piece(pieces, text, size);
    } else if (mark_size == 0) {
      is_done = cut_at_spaces(pieces, text, size, cutting->split.most);
    } else {
      is_done =
          cut_at_mark(pieces, text, size, mark, mark_size, cutting->split.most);
    }
    if (!is_done) return berth_error_no_memory(call->err, "pieces of a text");
  }
  return BERTH_OK;
}

static berth_code_t make(berth_call_t *call, int index, int32_t rank,
                         const int64_t *dims, berth_tensor_t **out) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i];
  return berth_tensor_make(call->allocator, call->node->output_types[index],
                           rank, dims, count, out, call->err);
}

// Writes places, texts and the shape of what was found.
static berth_code_t fill_pieces(const pieces_t *pieces,
                                berth_tensor_t *const *outputs,
                                berth_call_t *call) {
  int64_t *places = outputs[0]->data, *shape = outputs[2]->data;
  berth_string_t *texts = outputs[1]->data;
  for (size_t i = 0; i < pieces->count; ++i) {
    const piece_t *piece = &pieces->list[i];
    places[2 * i] = piece->row;
    places[2 * i + 1] = piece->column;
    if (!berth_string_set(&texts[i], piece->text, piece->size)) {
      return berth_error_no_memory(call->err, "a string");
    }
  }
  shape[0] = call->inputs[0]->count;
  shape[1] = pieces->widest;
  return BERTH_OK;
}

static berth_code_t run_split(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)args;
  pieces_t pieces = {0};
  berth_tensor_t *outputs[3] = {NULL};
  berth_code_t code = cut_all(plan, call, &pieces);
  int64_t dims[] = {(int64_t)pieces.count, 2}, two = 2;
  if (code == BERTH_OK) code = make(call, 0, 2, dims, &outputs[0]);
  if (code == BERTH_OK) code = make(call, 1, 1, dims, &outputs[1]);
  if (code == BERTH_OK) code = make(call, 2, 1, &two, &outputs[2]);
  if (code == BERTH_OK) code = fill_pieces(&pieces, outputs, call);
  for (int i = 0; i < 3; ++i) {
    if (code == BERTH_OK) {
      call->outputs[i] = outputs[i];
    } else {
      berth_tensor_release(outputs[i]);
    }
  }
  berth_free(pieces.list);
  return code;
}

static berth_code_t prepare_cutting(berth_prepare_t *prepare, bool is_old,
                                    berth_error_t *err) {
  cutting_t *cutting = berth_prepare_plan(prepare, sizeof(*cutting));
  if (cutting == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_string_split(&prepare->op, &cutting->split, err));
  cutting->is_old = is_old;
  prepare->run = run_split;
  prepare->work = prepare->op.inputs[0].count * 500;
  return BERTH_OK;
}

static berth_code_t prepare_split(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_cutting(prepare, true, err);
}

static berth_code_t prepare_split_v2(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  return prepare_cutting(prepare, false, err);
}

// ---- ReduceJoin ----

static berth_code_t run_reduce_join(const void *plan, void *const *args,
                                    berth_call_t *call) {
  const berth_text_reduce_t *reduce = plan;
  const berth_string_t *in = args[0];
  berth_string_t *out = args[2];
  berth_str_t str = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < reduce->results; ++i) {
    if (berth_cpu_ends_at(call, i)) break;
    for (int64_t k = 0; k < reduce->count; ++k) {
      size_t size = 0;
      const char *text =
          berth_string_get(&in[reduce->starts[i] + reduce->offsets[k]], &size);
      if (k > 0) berth_str_puts(&str, reduce->separator);
      berth_str_put(&str, text, size);
    }
    code = berth_text_take(&str, &out[i], call->err);
  }
  berth_str_clear(&str);
  return code;
}

static berth_code_t prepare_reduce_join(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  berth_text_reduce_t *reduce = berth_prepare_plan(prepare, sizeof(*reduce));
  if (reduce == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_reduce_join(&prepare->op, reduce, err));
  prepare->run = run_reduce_join;
  prepare->work = prepare->op.inputs[0].count * 50;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_text_split_kernels[] = {
    {.op = "ReduceJoin", .prepare = prepare_reduce_join},
    {.op = "StringSplit", .prepare = prepare_split},
    {.op = "StringSplitV2", .prepare = prepare_split_v2},
    {.op = NULL},
};
