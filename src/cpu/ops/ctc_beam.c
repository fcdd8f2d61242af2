// ctc_beam.c - The kernel CTCBeamSearchDecoder: the likeliest rows of labels.
//
// A path is a row of labels; each leads to its parent, the row without the last
// one. For every path of the beam it is known how likely it is to be seen up to
// now, ending in a label and ending in a blank. A path that has fallen out of
// the beam stays, since others lead to it, and may come back.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/ctc.h"
#include "cpu/ops/make.h"

// Logarithms of how likely a path is.
typedef struct chance {
  double total, blank, label;
} chance_t;

static const chance_t no_chance = {-INFINITY, -INFINITY, -INFINITY};

typedef struct path {
  int32_t parent;  // -1: the empty path.
  int32_t label;
  chance_t was, is;  // Before this step, and now.
} path_t;

typedef struct beam {
  const berth_ctc_t *ctc;
  path_t *paths;
  size_t count, capacity;
  // Where the path of a parent and a label is, or -1; as many as a power of two.
  int32_t *slots;
  size_t slot_count;
  // The paths of the beam: the least likely is on top of a heap.
  int32_t *heap;
  int64_t heap_count;
  int32_t *branches;  // Those of the step before, the likeliest first.
  double *row;        // The input of a step.
} beam_t;

// ---- Paths ----

static size_t slot_of(const beam_t *beam, int32_t parent, int32_t label) {
  uint64_t key = (uint64_t)(uint32_t)parent << 32 | (uint32_t)label;
  size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32);
  for (;; ++at) {
    at &= beam->slot_count - 1;
    if (beam->slots[at] < 0) return at;
    const path_t *path = &beam->paths[beam->slots[at]];
    if (path->parent == parent && path->label == label) return at;
  }
}

static bool grow_slots(beam_t *beam) {
  size_t count = beam->slot_count == 0 ? 256 : beam->slot_count * 2;
  int32_t *slots = berth_alloc(count * sizeof(*slots));
  if (slots == NULL) return false;
  memset(slots, -1, count * sizeof(*slots));
  berth_free(beam->slots);
  beam->slots = slots;
  beam->slot_count = count;
  for (size_t i = 0; i < beam->count; ++i) {
    beam->slots[slot_of(beam, beam->paths[i].parent, beam->paths[i].label)] =
        (int32_t)i;
  }
  return true;
}

// Adds a path; returns its place, or -1 when memory is short.
static int32_t add_path(beam_t *beam, int32_t parent, int32_t label) {
  if (2 * beam->count >= beam->slot_count && !grow_slots(beam)) return -1;
  path_t *paths =
      berth_grow(beam->paths, beam->count + 1, &beam->capacity, sizeof(*paths));
  if (paths == NULL) return -1;
  beam->paths = paths;
  paths[beam->count] = (path_t){
      .parent = parent, .label = label, .was = no_chance, .is = no_chance};
  beam->slots[slot_of(beam, parent, label)] = (int32_t)beam->count;
  return (int32_t)beam->count++;
}

// ---- The heap ----

static double worth(const beam_t *beam, int64_t at) {
  return beam->paths[beam->heap[at]].is.total;
}

static void swap(int32_t *list, int64_t a, int64_t b) {
  int32_t other = list[a];
  list[a] = list[b];
  list[b] = other;
}

static void sink(beam_t *beam) {
  for (int64_t at = 0, next = 1; next < beam->heap_count; next = 2 * at + 1) {
    if (next + 1 < beam->heap_count &&
        worth(beam, next + 1) < worth(beam, next)) {
      ++next;
    }
    if (worth(beam, at) <= worth(beam, next)) return;
    swap(beam->heap, at, next);
    at = next;
  }
}

// Puts a path into the beam, in place of the least likely when it is full.
static void push(beam_t *beam, int32_t path) {
  if (beam->heap_count == beam->ctc->width) {
    beam->paths[beam->heap[0]].is = no_chance;
    beam->heap[0] = path;
    sink(beam);
    return;
  }
  int64_t at = beam->heap_count++;
  beam->heap[at] = path;
  for (; at > 0 && worth(beam, at) < worth(beam, (at - 1) / 2);
       at = (at - 1) / 2) {
    swap(beam->heap, at, (at - 1) / 2);
  }
}

// Empties the beam into |branches|, the likeliest first; returns how many.
static int64_t take_all(beam_t *beam) {
  int64_t count = beam->heap_count;
  while (beam->heap_count > 0) {
    beam->branches[beam->heap_count - 1] = beam->heap[0];
    beam->heap[0] = beam->heap[--beam->heap_count];
    sink(beam);
  }
  return count;
}

static bool is_candidate(const beam_t *beam, double total) {
  return total > -INFINITY &&
         (beam->heap_count < beam->ctc->width || total > worth(beam, 0));
}

// ---- A step ----

static double rounded(const beam_t *beam, double x) {
  return berth_ctc_round(beam->ctc, x);
}

// Reads the row at |from| and makes logarithms of chances of it.
static void read_row(beam_t *beam, const void *inputs, int64_t from) {
  const berth_ctc_t *ctc = beam->ctc;
  double most = -INFINITY, sum = 0;
  for (int64_t c = 0; c < ctc->classes; ++c) {
    beam->row[c] = berth_number_at(ctc->dtype, inputs, from + c);
    most = beam->row[c] > most ? beam->row[c] : most;
  }
  for (int64_t c = 0; c < ctc->classes; ++c) {
    sum = rounded(beam, sum + rounded(beam, exp(beam->row[c] - most)));
  }
  double offset = rounded(beam, most + rounded(beam, log(sum)));
  for (int64_t c = 0; c < ctc->classes; ++c) {
    beam->row[c] = rounded(beam, beam->row[c] - offset);
  }
}

// What |path| may become without a new label.
static void stay(beam_t *beam, path_t *path) {
  if (path->parent >= 0) {
    const path_t *parent = &beam->paths[path->parent];
    if (parent->is.total != -INFINITY) {
      double before =
          path->label == parent->label ? parent->was.blank : parent->was.total;
      path->is.label = berth_ctc_log_add(beam->ctc, path->is.label, before);
    }
    path->is.label = rounded(beam, path->is.label + beam->row[path->label]);
  }
  path->is.blank =
      rounded(beam, path->was.total + beam->row[beam->ctc->classes - 1]);
  path->is.total = berth_ctc_log_add(beam->ctc, path->is.blank, path->is.label);
}

// Adds a label to path |from|; false when memory is short.
static bool extend(beam_t *beam, int32_t from, int32_t label) {
  const path_t *parent = &beam->paths[from];
  int32_t at = beam->slots[slot_of(beam, from, label)];
  if (at >= 0 && beam->paths[at].is.total != -INFINITY) return true;
  double before =
      label == parent->label ? parent->was.blank : parent->was.total;
  double total = rounded(beam, beam->row[label] + before);
  if (!is_candidate(beam, total)) return true;
  if (at < 0) at = add_path(beam, from, label);
  if (at < 0) return false;
  beam->paths[at].is = (chance_t){total, -INFINITY, total};
  push(beam, at);
  return true;
}

static bool step(beam_t *beam) {
  int64_t count = take_all(beam);
  for (int64_t i = 0; i < count; ++i) {
    path_t *path = &beam->paths[beam->branches[i]];
    path->was = path->is;
  }
  for (int64_t i = 0; i < count; ++i) {
    stay(beam, &beam->paths[beam->branches[i]]);
    push(beam, beam->branches[i]);
  }
  for (int64_t i = 0; i < count; ++i) {
    int32_t from = beam->branches[i];
    if (!is_candidate(beam, beam->paths[from].was.total)) continue;
    for (int32_t c = 0; c < beam->ctc->classes - 1; ++c) {
      if (!extend(beam, from, c)) return false;
    }
  }
  return true;
}

// ---- A row of the batch ----

// What was decoded: for each row and path its length, and its labels.
typedef struct decoded {
  int64_t *counts;
  int32_t **labels;
} decoded_t;

// Keeps the labels of |path| from its last to its first, and turns them around.
static bool keep_labels(const beam_t *beam, int32_t path, int64_t *out_count,
                        int32_t **out_labels) {
  int64_t length = 0, count = 0;
  const path_t *paths = beam->paths;
  for (int32_t p = path; paths[p].parent >= 0; p = paths[p].parent) ++length;
  int32_t *labels = berth_alloc((size_t)(length + 1) * sizeof(*labels));
  if (labels == NULL) return false;
  int32_t last = -1;
  for (int32_t p = path; paths[p].parent >= 0; p = paths[p].parent) {
    if (!beam->ctc->merges || paths[p].label != last) {
      labels[count++] = paths[p].label;
    }
    last = paths[p].label;
  }
  for (int64_t i = 0; i < count / 2; ++i) swap(labels, i, count - 1 - i);
  *out_count = count;
  *out_labels = labels;
  return true;
}

static berth_code_t search_row(beam_t *beam, int64_t b, decoded_t *out,
                               void *logs, berth_call_t *call) {
  const berth_ctc_t *ctc = beam->ctc;
  const int32_t *lengths = call->inputs[1]->data;
  beam->count = 0;
  beam->heap_count = 0;
  if (beam->slots != NULL) {
    memset(beam->slots, -1, beam->slot_count * sizeof(*beam->slots));
  }
  int32_t root = add_path(beam, -1, -1);
  if (root < 0) return berth_error_no_memory(call->err, "paths");
  beam->paths[root].is = (chance_t){0, 0, -INFINITY};
  push(beam, root);
  for (int64_t t = 0; t < lengths[b]; ++t) {
    if (berth_cpu_has_ended(call)) return berth_cpu_ended(call);
    read_row(beam, call->inputs[0]->data, (t * ctc->batch + b) * ctc->classes);
    if (!step(beam)) return berth_error_no_memory(call->err, "paths");
  }
  if (ctc->paths > beam->heap_count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Less leaves in the beam search than requested.");
  }
  (void)take_all(beam);
  for (int64_t p = 0; p < ctc->paths; ++p) {
    int64_t at = p * ctc->batch + b;
    berth_number_set(ctc->dtype, logs, b * ctc->paths + p,
                     beam->paths[beam->branches[p]].is.total);
    if (!keep_labels(beam, beam->branches[p], &out->counts[at],
                     &out->labels[at])) {
      return berth_error_no_memory(call->err, "labels");
    }
  }
  return BERTH_OK;
}

// ---- All of it ----

static berth_code_t write_path(const berth_ctc_t *ctc, const decoded_t *out,
                               int64_t p, berth_call_t *call) {
  const int64_t *counts = out->counts + p * ctc->batch;
  int64_t dims[2] = {0, 2}, two = 2, longest = 0;
  int index = (int)p, paths = (int)ctc->paths;
  void *at = NULL, *values = NULL, *shape = NULL;
  for (int64_t b = 0; b < ctc->batch; ++b) {
    dims[0] += counts[b];
    longest = counts[b] > longest ? counts[b] : longest;
  }
  BERTH_TRY(berth_cpu_make(call, index, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, paths + index, 1, dims, &values));
  BERTH_TRY(berth_cpu_make(call, 2 * paths + index, 1, &two, &shape));
  ((int64_t *)shape)[0] = ctc->batch;
  ((int64_t *)shape)[1] = longest;
  for (int64_t b = 0, next = 0; b < ctc->batch; ++b) {
    for (int64_t i = 0; i < counts[b]; ++i, ++next) {
      ((int64_t *)at)[2 * next] = b;
      ((int64_t *)at)[2 * next + 1] = i;
      ((int64_t *)values)[next] = out->labels[p * ctc->batch + b][i];
    }
  }
  return BERTH_OK;
}

static berth_code_t search(const berth_ctc_t *ctc, beam_t *beam, decoded_t *out,
                           berth_call_t *call) {
  int64_t dims[2] = {ctc->batch, ctc->paths};
  void *logs = NULL;
  BERTH_TRY(berth_cpu_make(call, 3 * (int)ctc->paths, 2, dims, &logs));
  for (int64_t b = 0; b < ctc->batch; ++b) {
    BERTH_TRY(search_row(beam, b, out, logs, call));
  }
  for (int64_t p = 0; p < ctc->paths; ++p) {
    BERTH_TRY(write_path(ctc, out, p, call));
  }
  return BERTH_OK;
}

static berth_code_t make_beam(const void *data, void *const *args,
                              berth_call_t *call) {
  (void)args;
  const berth_ctc_t *ctc = data;
  BERTH_TRY(berth_ctc_check_lengths(ctc, call->inputs[1]->data,
                                    BERTH_FAILED_PRECONDITION, call->err));
  size_t width = (size_t)ctc->width, rows = (size_t)(ctc->batch * ctc->paths);
  beam_t beam = {.ctc = ctc,
                 .heap = berth_calloc(width, sizeof(int32_t)),
                 .branches = berth_calloc(width, sizeof(int32_t)),
                 .row = berth_calloc((size_t)ctc->classes, sizeof(double))};
  decoded_t out = {.counts = berth_calloc(rows, sizeof(int64_t)),
                   .labels = berth_calloc(rows, sizeof(int32_t *))};
  berth_code_t code = BERTH_OK;
  if (beam.heap == NULL || beam.branches == NULL || beam.row == NULL ||
      out.counts == NULL || out.labels == NULL) {
    code = berth_error_no_memory(call->err, "a beam");
  } else {
    code = search(ctc, &beam, &out, call);
  }
  for (size_t i = 0; out.labels != NULL && i < rows; ++i) {
    berth_free(out.labels[i]);
  }
  berth_free(out.counts);
  berth_free(out.labels);
  berth_free(beam.heap);
  berth_free(beam.branches);
  berth_free(beam.row);
  berth_free(beam.paths);
  berth_free(beam.slots);
  return code;
}

BERTH_CPU_MAKES(beam)

static berth_code_t prepare_beam(berth_prepare_t *prepare, berth_error_t *err) {
  berth_ctc_t *ctc = berth_prepare_plan(prepare, sizeof(*ctc));
  if (ctc == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_ctc_beam(&prepare->op, ctc, err));
  prepare->run = run_beam;
  prepare->work = prepare->op.inputs[0].count * ctc->width * 4;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_ctc_beam_kernels[] = {
    {.op = "CTCBeamSearchDecoder",
     .types = {{"T", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_beam},
    {.op = NULL},
};
