// suppress.c - The kernels NonMaxSuppression, its versions, and the one for
// all classes.
//
// Candidates are a heap, the best on top, of equal scores the first. The one on
// top is compared with those that were taken, the last first, as far as it was
// not before: its score may sink, and then it goes back.
#include "op/suppress.h"

#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "cpu/loops/poll.h"
#include "op/types.h"

// ---- Candidates ----

typedef struct candidate {
  float score;
  int32_t box;
  int64_t seen;  // How many of those that were taken it was compared with.
} candidate_t;

static bool is_better(const candidate_t *a, const candidate_t *b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}

static void sink(candidate_t *heap, int64_t count, int64_t at) {
  candidate_t moved = heap[at];
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && is_better(&heap[child + 1], &heap[child])) ++child;
    if (!is_better(&heap[child], &moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

// Puts those of |scores|, |step| apart, that are above |least| into |heap|.
// Returns how many there are.
static int64_t fill_heap(candidate_t *heap, const float *scores, int64_t boxes,
                         int64_t step, float least) {
  int64_t count = 0;
  for (int64_t i = 0; i < boxes; ++i) {
    if (!(scores[i * step] > least)) continue;
    heap[count++] = (candidate_t){scores[i * step], (int32_t)i, 0};
  }
  for (int64_t i = count / 2; i-- > 0;) sink(heap, count, i);
  return count;
}

// ---- Overlaps ----

// Boxes, |step| numbers apart, or overlaps of each with each.
typedef struct boxes {
  const float *data;
  int64_t step, count;
  bool has_overlaps;
} boxes_t;

static float overlap(const boxes_t *boxes, int64_t i, int64_t j) {
  if (boxes->has_overlaps) return boxes->data[i * boxes->count + j];
  const float *a = boxes->data + i * boxes->step;
  const float *b = boxes->data + j * boxes->step;
  float top_a = fminf(a[0], a[2]), left_a = fminf(a[1], a[3]);
  float bottom_a = fmaxf(a[0], a[2]), right_a = fmaxf(a[1], a[3]);
  float top_b = fminf(b[0], b[2]), left_b = fminf(b[1], b[3]);
  float bottom_b = fmaxf(b[0], b[2]), right_b = fmaxf(b[1], b[3]);
  float area_a = (bottom_a - top_a) * (right_a - left_a);
  float area_b = (bottom_b - top_b) * (right_b - left_b);
  if (area_a <= 0 || area_b <= 0) return 0;
  float height = fminf(bottom_a, bottom_b) - fmaxf(top_a, top_b);
  float width = fminf(right_a, right_b) - fmaxf(left_a, left_b);
  float both = fmaxf(height, 0) * fmaxf(width, 0);
  return both / (area_a + area_b - both);
}

// ---- Taking ----

// How to take them, and what was taken.
typedef struct taking {
  boxes_t boxes;
  float limit, least, sigma;
  int64_t most;
  int32_t *places;
  float *scores;
  int64_t count;
} taking_t;

// Compares |next| with those that were taken. Returns false when it is to be
// left out; its score may have sunk.
static bool compare(const taking_t *taking, candidate_t *next) {
  float scale = taking->sigma > 0 ? -0.5f / taking->sigma : 0;
  for (int64_t j = taking->count - 1; j >= next->seen; --j) {
    float shared = overlap(&taking->boxes, next->box, taking->places[j]);
    if (taking->sigma == 0 && shared > taking->limit) return false;
    if (taking->sigma > 0) next->score *= expf(scale * shared * shared);
    if (next->score <= taking->least) break;
  }
  next->seen = taking->count;
  return true;
}

// Takes from |count| candidates of |heap|. Returns false when the run has ended.
static bool take(taking_t *taking, candidate_t *heap, int64_t count,
                 const berth_call_t *call) {
  while (count > 0 && taking->count < taking->most) {
    if (berth_cpu_has_ended(call)) return false;
    candidate_t next = heap[0];
    float before = next.score;
    bool stays = compare(taking, &next);
    if (stays && next.score == before) {
      taking->places[taking->count] = next.box;
      taking->scores[taking->count++] = next.score;
      stays = false;
    }
    if (stays && next.score > taking->least) {
      heap[0] = next;
    } else {
      heap[0] = heap[--count];
    }
    if (count > 0) sink(heap, count, 0);
  }
  return true;
}

// ---- One class ----

// What a run works with, in one piece of memory.
typedef struct room {
  candidate_t *heap;
  float *boxes, *scores, *taken_scores;
  int32_t *places;
} room_t;

static size_t room_size(int64_t boxes, int64_t numbers) {
  return (size_t)boxes *
             (sizeof(candidate_t) + 2 * sizeof(float) + sizeof(int32_t)) +
         (size_t)numbers * sizeof(float);
}

static room_t room_at(void *memory, int64_t boxes, int64_t numbers) {
  room_t room = {.heap = memory};
  room.boxes = (float *)(room.heap + boxes);
  room.scores = room.boxes + numbers;
  room.taken_scores = room.scores + boxes;
  room.places = (int32_t *)(room.taken_scores + boxes);
  return room;
}

static berth_code_t make_vector(berth_call_t *call, int index,
                                berth_dtype_t dtype, int64_t count,
                                berth_tensor_t **out) {
  BERTH_TRY(berth_tensor_make(call->allocator, dtype, 1, &count, count, out,
                              call->err));
  if (count > 0) memset((*out)->data, 0, (*out)->size);
  call->outputs[index] = *out;
  return BERTH_OK;
}

static berth_code_t make_outputs(const berth_suppress_t *plan,
                                 const taking_t *taking, berth_call_t *call) {
  int outputs = call->node->output_count;
  int64_t size = plan->is_padded ? plan->most : taking->count;
  berth_tensor_t *out = NULL;
  BERTH_TRY(make_vector(call, 0, BERTH_INT32, size, &out));
  if (taking->count > 0) {
    memcpy(out->data, taking->places,
           (size_t)taking->count * sizeof(*taking->places));
  }
  if (outputs == 3) {
    BERTH_TRY(make_vector(call, 1, plan->dtype, size, &out));
    berth_floats_to(plan->dtype, taking->scores, out->data, taking->count);
  }
  if (outputs == 1) return BERTH_OK;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT32, 0, NULL, 1, &out,
                              call->err));
  *(int32_t *)out->data = (int32_t)taking->count;
  call->outputs[outputs - 1] = out;
  return BERTH_OK;
}

static berth_code_t run_suppress(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const berth_suppress_t *plan = arg;
  int64_t n = plan->boxes, numbers = call->inputs[0]->count;
  room_t room = room_at(
      args[call->node->input_count + call->node->output_count], n, numbers);
  berth_floats_from(plan->dtype, call->inputs[0]->data, room.boxes, numbers);
  berth_floats_from(plan->dtype, call->inputs[1]->data, room.scores, n);
  taking_t taking = {.boxes = {room.boxes, 4, n, plan->has_overlaps},
                     .limit = plan->overlap,
                     .least = plan->score,
                     .sigma = plan->sigma,
                     .most = plan->most < n ? plan->most : n,
                     .places = room.places,
                     .scores = room.taken_scores};
  int64_t count = fill_heap(room.heap, room.scores, n, 1, plan->score);
  if (!take(&taking, room.heap, count, call)) return berth_cpu_ended(call);
  return make_outputs(plan, &taking, call);
}

static berth_code_t prepare_suppress(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_suppress_t suppress;
  BERTH_TRY(berth_op_suppress(&prepare->op, &suppress, err));
  berth_suppress_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = suppress;
  prepare->scratch_size =
      room_size(suppress.boxes, prepare->op.inputs[0].count);
  prepare->work = suppress.boxes * 100;
  prepare->run = run_suppress;
  return BERTH_OK;
}

// ---- All classes ----

// A box that was taken, and for which class.
typedef struct pick {
  float score;
  int32_t box, class;
} pick_t;

// Puts the best first; of equal ones that of the first class.
static void sort_picks(pick_t *picks, int64_t count) {
  for (int64_t gap = count / 2; gap > 0; gap /= 2) {
    for (int64_t i = gap; i < count; ++i) {
      pick_t moved = picks[i];
      int64_t j = i;
      for (; j >= gap; j -= gap) {
        const pick_t *other = &picks[j - gap];
        bool stays =
            other->score > moved.score ||
            (other->score == moved.score &&
             (other->class < moved.class ||
              (other->class == moved.class && other->box <= moved.box)));
        if (stays) break;
        picks[j] = *other;
      }
      picks[j] = moved;
    }
  }
}

typedef struct all_run {
  const berth_suppress_all_t *plan;
  const float *boxes, *scores;
  float *out_boxes, *out_scores, *out_classes;
  int32_t *out_counts;
  room_t room;
  pick_t *picks;
} all_run_t;

static int64_t picks_of(const berth_suppress_all_t *plan) {
  int64_t each = plan->most < plan->boxes ? plan->most : plan->boxes;
  return each * plan->classes;
}

// Takes boxes of image |b| for all classes into |run->picks|. Returns how many;
// -1 when the run has ended.
static int64_t pick_boxes(const all_run_t *run, int64_t b,
                          const berth_call_t *call) {
  const berth_suppress_all_t *plan = run->plan;
  int64_t kinds = plan->has_shared ? 1 : plan->classes, total = 0;
  for (int64_t k = 0; k < plan->classes; ++k) {
    const float *boxes = run->boxes + b * plan->boxes * kinds * 4 +
                         (plan->has_shared ? 0 : k * 4);
    const float *scores = run->scores + b * plan->boxes * plan->classes + k;
    taking_t taking = {.boxes = {boxes, kinds * 4, plan->boxes, false},
                       .limit = plan->overlap,
                       .least = plan->score,
                       .most = plan->most,
                       .places = run->room.places,
                       .scores = run->room.taken_scores};
    if (taking.most > plan->boxes) taking.most = plan->boxes;
    int64_t count = fill_heap(run->room.heap, scores, plan->boxes,
                              plan->classes, plan->score);
    if (!take(&taking, run->room.heap, count, call)) return -1;
    for (int64_t i = 0; i < taking.count; ++i) {
      run->picks[total++] =
          (pick_t){taking.scores[i], taking.places[i], (int32_t)k};
    }
  }
  return total;
}

static float clip(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static void give_boxes(const all_run_t *run, int64_t b, int64_t count) {
  const berth_suppress_all_t *plan = run->plan;
  int64_t kinds = plan->has_shared ? 1 : plan->classes;
  int64_t given = count < plan->outputs ? count : plan->outputs;
  if (given > plan->total) given = plan->total;
  for (int64_t i = 0; i < given; ++i) {
    const pick_t *pick = &run->picks[i];
    int64_t at = b * plan->outputs + i;
    int64_t kind = plan->has_shared ? 0 : pick->class;
    const float *box =
        run->boxes + ((b * plan->boxes + pick->box) * kinds + kind) * 4;
    for (int k = 0; k < 4; ++k) {
      run->out_boxes[4 * at + k] = plan->clips ? clip(box[k]) : box[k];
    }
    run->out_scores[at] = pick->score;
    run->out_classes[at] = (float)pick->class;
  }
  run->out_counts[b] = (int32_t)given;
}

static berth_code_t run_all(const void *arg, void *const *args,
                            berth_call_t *call) {
  const berth_suppress_all_t *plan = arg;
  all_run_t run = {.plan = plan,
                   .boxes = args[0],
                   .scores = args[1],
                   .out_boxes = args[6],
                   .out_scores = args[7],
                   .out_classes = args[8],
                   .out_counts = args[9],
                   .room = room_at(args[10], plan->boxes, 0)};
  run.picks = (pick_t *)((char *)args[10] + room_size(plan->boxes, 0));
  size_t size = (size_t)(plan->batch * plan->outputs) * sizeof(float);
  if (size > 0) {
    memset(run.out_boxes, 0, 4 * size);
    memset(run.out_scores, 0, size);
    memset(run.out_classes, 0, size);
  }
  for (int64_t b = 0; b < plan->batch; ++b) {
    int64_t count = pick_boxes(&run, b, call);
    if (count < 0) return BERTH_OK;
    sort_picks(run.picks, count);
    give_boxes(&run, b, count);
  }
  return BERTH_OK;
}

static berth_code_t prepare_all(berth_prepare_t *prepare, berth_error_t *err) {
  berth_suppress_all_t all;
  BERTH_TRY(berth_op_suppress_all(&prepare->op, &all, err));
  berth_suppress_all_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = all;
  prepare->scratch_size =
      room_size(all.boxes, 0) + (size_t)picks_of(&all) * sizeof(pick_t) + 16;
  prepare->work = all.batch * all.boxes * all.classes * 100;
  prepare->run = run_all;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT))
#define KERNEL(name) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_suppress }

const berth_kernel_t berth_cpu_suppress_kernels[] = {
    {.op = "NonMaxSuppression", .prepare = prepare_suppress},
    {.op = "NonMaxSuppressionWithOverlaps", .prepare = prepare_suppress},
    KERNEL("NonMaxSuppressionV2"),
    KERNEL("NonMaxSuppressionV3"),
    KERNEL("NonMaxSuppressionV4"),
    KERNEL("NonMaxSuppressionV5"),
    {.op = "CombinedNonMaxSuppression", .prepare = prepare_all},
    {.op = NULL},
};
