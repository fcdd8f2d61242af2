// lanes.c - Interleave on several threads.
//
// Each dataset that the function makes of an element is a lane: a cursor and a
// ring of elements that a thread fills. |cycle| lanes are gone through by turns,
// others stand in line behind them, opened ahead of time.
//
//   turns   [lane 3] [lane 0] [none]      what the cursor goes through
//   line    lane 1, lane 2                who comes when one of them ends
//
//   I1  One thread works on a lane at a time.
//   I2  Inputs are taken one after the other, and stand in line in that order.
//   I3  In order, elements are those of InterleaveDataset, whatever the threads.
//
// Threads take the lane nearest to its turn that has room.
#include <inttypes.h>

#include "base/alloc.h"
#include "data/crew.h"
#include "data/kernels.h"
#include "data/map.h"
#include "graph/graph.h"

typedef struct lanes {
  berth_mapped_t map;
  int64_t cycle, block, threads;
  berth_element_order_t order;
} lanes_t;

typedef enum lane_state {
  LANE_FREE,
  LANE_TAKING,  // Its input is being taken.
  LANE_TAKEN,   // It has its input.
  LANE_OPEN,
  LANE_ENDED,
} lane_state_t;

enum { RING = 16, ROOM = RING / 2, MOST_THREADS = 64 };

typedef struct lane {
  lane_state_t state;
  bool is_busy;
  berth_tensor_t **input;
  berth_cursor_t *cursor;
  berth_tensor_t **tensors;     // |width| for each place of the ring.
  berth_error_t *errors[RING];  // NULL: there is an element.
  int first, count;
} lane_t;

// What |crew.lock| guards: all but the input, which is whose |is_taking| is, what
// belongs to a lane that is busy, and |is_running|.
typedef struct lanes_cursor {
  berth_mapped_cursor_t map;
  berth_crew_t crew;
  bool is_taking, is_over, is_waiting, is_in_order;
  int thread_count;
  bool is_running;  // Nothing to the threads.
  int64_t lane_count, at, in_block;
  lane_t *lanes;
  lane_t **turns;  // |cycle| of them; NULL: none.
  lane_t **line;
  int64_t line_count;
} lanes_cursor_t;

// ---- Threads ----

static bool wants_work(const lane_t *lane) {
  return lane != NULL && !lane->is_busy &&
         (lane->state == LANE_TAKEN ||
          (lane->state == LANE_OPEN && lane->count <= ROOM));
}

// Returns the lane to work on, or NULL.
static lane_t *find_work(const lanes_cursor_t *cursor, int64_t cycle) {
  for (int64_t i = 0; i < cycle; ++i) {
    lane_t *lane = cursor->turns[(cursor->at + i) % cycle];
    if (wants_work(lane)) return lane;
  }
  for (int64_t i = 0; i < cursor->line_count; ++i) {
    if (wants_work(cursor->line[i])) return cursor->line[i];
  }
  return NULL;
}

static lane_t *find_free(const lanes_cursor_t *cursor) {
  if (cursor->is_over || cursor->is_taking) return NULL;
  for (int64_t i = 0; i < cursor->lane_count; ++i) {
    if (cursor->lanes[i].state == LANE_FREE) return &cursor->lanes[i];
  }
  return NULL;
}

// Puts what failed at the end of a lane's ring. The lock is held.
static void add_error(lane_t *lane, berth_error_t *err) {
  lane->errors[(lane->first + lane->count) % RING] = berth_error_keep(err);
  lane->count++;
}

// Takes the input of |lane|, which stands last in line. The lock is held, but
// for the taking.
static void take_input(lanes_cursor_t *cursor, lane_t *lane) {
  berth_error_t err = BERTH_ERROR_INIT;
  bool is_end = false;
  cursor->is_taking = true;
  lane->state = LANE_TAKING;
  cursor->line[cursor->line_count++] = lane;
  berth_mutex_unlock(&cursor->crew.lock);
  berth_code_t code =
      berth_cursor_next(cursor->map.base.input, lane->input, &is_end, &err);
  berth_mutex_lock(&cursor->crew.lock);
  cursor->is_taking = false;
  lane->state = LANE_TAKEN;
  if (code != BERTH_OK) {
    lane->state = LANE_ENDED;
    add_error(lane, &err);
    if (code == BERTH_CANCELLED) cursor->is_over = true;
  } else if (is_end) {
    lane->state = LANE_FREE;
    cursor->line_count--;
    cursor->is_over = true;
  }
}

// Makes the dataset of a lane's input and opens it.
static berth_code_t open_lane(lanes_cursor_t *cursor, lane_t *lane,
                              berth_error_t *err) {
  const lanes_t *lanes = (const lanes_t *)cursor->map.base.dataset;
  berth_tensor_t *variant = NULL;
  berth_dataset_t *dataset = NULL;
  int width = lanes->map.base.inputs[0]->width;
  berth_code_t code =
      berth_closure_call(&lanes->map.closure, cursor->map.routine, lane->input,
                         width, &variant, err);
  berth_element_drop(lane->input, width);
  if (code != BERTH_OK) return berth_mapped_fail(code, err);
  code = berth_dataset_of(variant, &dataset, err);
  if (code == BERTH_OK) {
    code = berth_cursor_open(dataset, cursor->map.base.reading, &lane->cursor,
                             err);
  }
  berth_tensor_release(variant);
  return code;
}

// Tells whoever waits for elements. The lock is held.
static void tell(lanes_cursor_t *cursor) {
  if (cursor->is_waiting) berth_cond_broadcast(&cursor->crew.changed);
}

// Fills the ring of a lane. The lock is held, but while elements are made.
static void fill_lane(lanes_cursor_t *cursor, lane_t *lane) {
  int width = cursor->map.base.dataset->width;
  while (lane->count < RING && !cursor->crew.is_stopped) {
    berth_error_t err = BERTH_ERROR_INIT;
    bool is_end = false;
    int place = (lane->first + lane->count) % RING;
    berth_mutex_unlock(&cursor->crew.lock);
    berth_code_t code = berth_cursor_next(
        lane->cursor, lane->tensors + place * width, &is_end, &err);
    berth_mutex_lock(&cursor->crew.lock);
    if (code == BERTH_OK && is_end) {
      lane->state = LANE_ENDED;
      break;
    }
    lane->errors[place] = code != BERTH_OK ? berth_error_keep(&err) : NULL;
    lane->count++;
    if (code == BERTH_CANCELLED) lane->state = LANE_ENDED;
    tell(cursor);
    if (lane->state == LANE_ENDED) break;
  }
}

// Works on a lane. The lock is held, but for the work.
static void work_on(lanes_cursor_t *cursor, lane_t *lane) {
  berth_cursor_t *ended = NULL;
  lane->is_busy = true;
  if (lane->state == LANE_TAKEN) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_mutex_unlock(&cursor->crew.lock);
    berth_code_t code = open_lane(cursor, lane, &err);
    berth_mutex_lock(&cursor->crew.lock);
    lane->state = code == BERTH_OK ? LANE_OPEN : LANE_ENDED;
    if (code != BERTH_OK) add_error(lane, &err);
  }
  if (lane->state == LANE_OPEN) fill_lane(cursor, lane);
  if (lane->state == LANE_ENDED) {
    ended = lane->cursor;
    lane->cursor = NULL;
  }
  lane->is_busy = false;
  tell(cursor);
  if (ended == NULL) return;
  berth_mutex_unlock(&cursor->crew.lock);
  berth_cursor_close(ended);
  berth_mutex_lock(&cursor->crew.lock);
}

static void lanes_work(void *arg) {
  lanes_cursor_t *cursor = arg;
  int64_t cycle = ((const lanes_t *)cursor->map.base.dataset)->cycle;
  berth_mutex_lock(&cursor->crew.lock);
  while (!cursor->crew.is_stopped) {
    lane_t *lane = find_work(cursor, cycle);
    lane_t *free_lane = lane == NULL ? find_free(cursor) : NULL;
    if (lane != NULL) {
      work_on(cursor, lane);
    } else if (free_lane != NULL) {
      take_input(cursor, free_lane);
      berth_cond_broadcast(&cursor->crew.changed);
    } else {
      berth_cond_wait(&cursor->crew.changed, &cursor->crew.lock);
    }
  }
  berth_mutex_unlock(&cursor->crew.lock);
}

// ---- The cursor ----

static berth_code_t lanes_open(berth_cursor_t *base, berth_error_t *err) {
  lanes_cursor_t *cursor = (lanes_cursor_t *)base;
  const lanes_t *lanes = (const lanes_t *)base->dataset;
  size_t cycle = (size_t)lanes->cycle, count = 2 * cycle;
  size_t wide = (size_t)base->dataset->inputs[0]->width + 1;
  size_t width = (size_t)base->dataset->width + 1;
  berth_crew_init(&cursor->crew);
  cursor->thread_count =
      berth_reading_threads(base->reading, lanes->threads, lanes->cycle);
  cursor->is_in_order = berth_reading_keeps(base->reading, lanes->order);
  cursor->turns = berth_calloc(cycle, sizeof(lane_t *));
  cursor->line = berth_calloc(count, sizeof(lane_t *));
  cursor->lanes = berth_calloc(count, sizeof(*cursor->lanes));
  if (cursor->turns == NULL || cursor->line == NULL || cursor->lanes == NULL) {
    return berth_error_no_memory(err, "a dataset");
  }
  cursor->lane_count = (int64_t)count;
  for (size_t i = 0; i < count; ++i) {
    lane_t *lane = &cursor->lanes[i];
    lane->input = berth_calloc(wide, sizeof(*lane->input));
    lane->tensors = berth_calloc(width * RING, sizeof(*lane->tensors));
    if (lane->input == NULL || lane->tensors == NULL) {
      return berth_error_no_memory(err, "a dataset");
    }
  }
  return berth_mapped_open(base, err);
}

static void lane_clear(lane_t *lane, int wide, int width) {
  berth_cursor_close(lane->cursor);
  if (lane->input != NULL) berth_element_drop(lane->input, wide);
  for (int i = 0; i < lane->count; ++i) {
    int place = (lane->first + i) % RING;
    if (lane->errors[place] != NULL) {
      (void)berth_error_give(lane->errors[place], NULL);
    }
    berth_element_drop(lane->tensors + place * width, width);
  }
  berth_free(lane->input);
  berth_free(lane->tensors);
}

static void lanes_close(berth_cursor_t *base) {
  lanes_cursor_t *cursor = (lanes_cursor_t *)base;
  int wide = base->dataset->inputs[0]->width;
  if (cursor->is_running) berth_crew_stop(&cursor->crew);
  for (int64_t i = 0; i < cursor->lane_count; ++i) {
    lane_clear(&cursor->lanes[i], wide, base->dataset->width);
  }
  berth_crew_deinit(&cursor->crew);
  berth_free(cursor->lanes);
  berth_free(cursor->turns);
  berth_free(cursor->line);
  berth_mapped_close(base);
}

// Gives the turn |at| to the next in line. Returns whether somebody has it.
static bool fill_turn(lanes_cursor_t *cursor, int64_t at) {
  if (cursor->turns[at] != NULL) return true;
  if (cursor->line_count == 0 || cursor->line[0]->state == LANE_TAKING) {
    return false;
  }
  cursor->turns[at] = cursor->line[0];
  cursor->line_count--;
  memmove(cursor->line, cursor->line + 1,
          (size_t)cursor->line_count * sizeof(lane_t *));
  return true;
}

// Lets the lane at |at| go when nothing is left of it.
static bool is_spent(lanes_cursor_t *cursor, int64_t at) {
  lane_t *lane = cursor->turns[at];
  if (lane->count > 0 || lane->state != LANE_ENDED || lane->is_busy) {
    return false;
  }
  lane->state = LANE_FREE;
  lane->first = 0;
  cursor->turns[at] = NULL;
  berth_cond_broadcast(&cursor->crew.changed);
  return true;
}

static void turn(lanes_cursor_t *cursor, int64_t cycle) {
  cursor->in_block = 0;
  cursor->at = (cursor->at + 1) % cycle;
}

static bool is_all_over(const lanes_cursor_t *cursor, int64_t cycle) {
  bool is_over =
      cursor->is_over && !cursor->is_taking && cursor->line_count == 0;
  for (int64_t i = 0; is_over && i < cycle; ++i) {
    is_over = cursor->turns[i] == NULL;
  }
  return is_over;
}

// Returns whose turn it is: -1 when that is not known yet.
static int64_t find_turn(lanes_cursor_t *cursor, int64_t cycle) {
  for (;;) {
    if (!fill_turn(cursor, cursor->at)) {
      if (!cursor->is_over || cursor->is_taking) return -1;
      if (is_all_over(cursor, cycle)) return cycle;
      turn(cursor, cycle);
    } else if (is_spent(cursor, cursor->at)) {
      turn(cursor, cycle);
    } else {
      return cursor->turns[cursor->at]->count > 0 ? cursor->at : -1;
    }
  }
}

// The same where order does not matter: whoever has an element.
static int64_t find_any(lanes_cursor_t *cursor, int64_t cycle) {
  int64_t at = find_turn(cursor, cycle);
  for (int64_t i = 1; at < 0 && i < cycle; ++i) {
    int64_t other = (cursor->at + i) % cycle;
    if (fill_turn(cursor, other) && !is_spent(cursor, other) &&
        cursor->turns[other]->count > 0) {
      at = other;
    }
  }
  return at;
}

// Takes the first of the ring of a lane.
static berth_code_t take(lanes_cursor_t *cursor, lane_t *lane,
                         berth_tensor_t **out, berth_error_t *err) {
  int width = cursor->map.base.dataset->width;
  berth_tensor_t **tensors = lane->tensors + lane->first * width;
  berth_error_t *error = lane->errors[lane->first];
  lane->errors[lane->first] = NULL;
  for (int i = 0; error == NULL && i < width; ++i) {
    out[i] = tensors[i];
    tensors[i] = NULL;
  }
  lane->first = (lane->first + 1) % RING;
  if (--lane->count == ROOM) berth_cond_broadcast(&cursor->crew.changed);
  return error == NULL ? BERTH_OK : berth_error_give(error, err);
}

// Takes the next element. The lock is held.
static berth_code_t lanes_take(lanes_cursor_t *cursor, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  const lanes_t *lanes = (const lanes_t *)cursor->map.base.dataset;
  int64_t at = -1;
  for (;;) {
    at = cursor->is_in_order ? find_turn(cursor, lanes->cycle)
                             : find_any(cursor, lanes->cycle);
    if (at >= 0) break;
    cursor->is_waiting = true;
    BERTH_TRY(berth_crew_wait(&cursor->crew, cursor->map.base.reading, err));
    cursor->is_waiting = false;
  }
  *out_end = at == lanes->cycle;
  if (*out_end) return BERTH_OK;
  BERTH_TRY(take(cursor, cursor->turns[at], out, err));
  if (at == cursor->at && ++cursor->in_block == lanes->block) {
    turn(cursor, lanes->cycle);
  }
  return BERTH_OK;
}

static berth_code_t lanes_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  lanes_cursor_t *cursor = (lanes_cursor_t *)base;
  if (!cursor->is_running) {
    BERTH_TRY(berth_crew_start(&cursor->crew, cursor->thread_count, lanes_work,
                               cursor, err));
    cursor->is_running = true;
  }
  berth_mutex_lock(&cursor->crew.lock);
  berth_code_t code = lanes_take(cursor, out, out_end, err);
  berth_mutex_unlock(&cursor->crew.lock);
  return code;
}

static const berth_dataset_kind_t lanes_kind = {
    .name = "ParallelInterleaveDataset",
    .size = sizeof(lanes_t),
    .cursor_size = sizeof(lanes_cursor_t),
    .open = lanes_open,
    .next = lanes_next,
    .close = lanes_close,
    .drop = berth_mapped_drop,
};

// Checks what older ops say about reading ahead, which is Berth's own matter.
static berth_code_t check_ahead(const berth_call_t *call) {
  int first = 0, count = 0;
  int64_t ahead = 0, before = 0;
  berth_data_range(call, "buffer_output_elements", &first, &count);
  BERTH_TRY(berth_data_int(call, first, "buffer_output_elements", &ahead));
  BERTH_TRY(
      berth_data_int(call, first + 1, "prefetch_input_elements", &before));
  if (ahead > 0 && before >= 0) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         ahead <= 0 ? "`buffer_output_elements` must be > 0"
                                    : "`prefetch_input_elements` must be >= 0");
}

static berth_code_t make_lanes(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int first = 0, count = 0;
  int64_t cycle = 0, block = 0, threads = 0;
  bool is_any = false;
  BERTH_TRY(berth_weave_read(call, &cycle, &block));
  threads = cycle;
  berth_data_range(call, "num_parallel_calls", &first, &count);
  if (count > 0) {
    BERTH_TRY(berth_data_int(call, first, "num_parallel_calls", &threads));
  } else {
    BERTH_TRY(check_ahead(call));
  }
  berth_data_range(call, "sloppy", &first, &count);
  if (count > 0) BERTH_TRY(berth_data_bool(call, first, "sloppy", &is_any));
  if (threads <= 0 && threads != -1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "num_parallel_calls must be greater than zero.");
  }
  if (threads > cycle) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "If `cycle_length` is set to a fixed value, `num_parallel_calls` must "
        "be either `tf.data.AUTOTUNE` or a value less than or equal to "
        "`cycle_length`. However, `num_parallel_calls` is %" PRId64
        " and `cycle_length` is %" PRId64,
        threads, cycle);
  }
  BERTH_TRY(berth_mapped_make(&lanes_kind, call, "f", out_dataset));
  lanes_t *lanes = (lanes_t *)*out_dataset;
  lanes->cycle = cycle;
  lanes->block = block;
  lanes->threads = threads > MOST_THREADS ? MOST_THREADS : threads;
  lanes->order = is_any ? BERTH_ORDER_ANY : berth_data_order(call);
  return BERTH_OK;
}

BERTH_DATASET(lanes)

const berth_kernel_t berth_data_lanes_kernels[] = {
    BERTH_DATA_OP("ParallelInterleaveDataset", lanes),
    BERTH_DATA_OP("LegacyParallelInterleaveDatasetV2", lanes),
    BERTH_DATA_OP("ParallelInterleaveDatasetV2", lanes),
    BERTH_DATA_OP("ParallelInterleaveDatasetV3", lanes),
    BERTH_DATA_OP("ParallelInterleaveDatasetV4", lanes),
    {.op = NULL},
};
