// memory_plan.c - Plans of what runs take, for programs.
#include <string.h>

#include "base/alloc.h"
#include "berth/device.h"
#include "berth/memory_plan.h"
#include "exec/copy.h"
#include "exec/forecast.h"
#include "runtime/session_internal.h"

struct berth_memory_plan {
  berth_forecast_t forecast;
  const char **names;  // By memory; in the forecast's arena.
  int *memories;       // Those that are used, by place.
  int count;
};

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a plan");
}

// ---- Making ----

// Fills |dims| with the shapes of |request|, of |batch| where they leave it
// open; |*room| holds them, and is to be freed.
static berth_code_t shapes_fill(const berth_memory_request_t *request,
                                int64_t batch, berth_dims_t *dims,
                                int64_t **room, berth_error_t *err) {
  size_t count = 1;
  for (int i = 0; i < request->feed_count; ++i) {
    const berth_dims_t *shape = &request->feeds[i].shape;
    if (shape->rank < 0 || shape->rank > BERTH_MAX_RANK) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "the rank of feed %d is not known", i);
    }
    count += (size_t)shape->rank;
  }
  int64_t *at = *room = berth_alloc(count * sizeof(*at));
  if (at == NULL) return no_memory(err);
  for (int i = 0; i < request->feed_count; ++i) {
    const berth_dims_t *shape = &request->feeds[i].shape;
    dims[i] = (berth_dims_t){shape->rank, at};
    for (int32_t d = 0; d < shape->rank; ++d) {
      int64_t size = shape->dims[d] == -1 && batch > 0 ? batch : shape->dims[d];
      if (size < 0) {
        return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                               "dimension %d of feed %d is not known", d, i);
      }
      *at++ = size;
    }
    int64_t elements = 0;
    BERTH_TRY(berth_dims_check(dims[i], &elements, err));
  }
  return BERTH_OK;
}

// Names the memories, and finds those that count.
static berth_code_t memories_find(berth_memory_plan_t *plan,
                                  const berth_session_t *session,
                                  berth_error_t *err) {
  berth_forecast_t *f = &plan->forecast;
  size_t count = (size_t)f->memory_count;
  plan->names = berth_arena_calloc(&f->arena, count, sizeof(*plan->names));
  plan->memories = berth_arena_calloc(&f->arena, count, sizeof(int));
  if (plan->names == NULL || plan->memories == NULL) return no_memory(err);
  for (int m = 0; m < f->memory_count; ++m) {
    const char *name = berth_forecast_name(f, &session->host, m);
    plan->names[m] = berth_arena_strndup(&f->arena, name, strlen(name));
    if (plan->names[m] == NULL) return no_memory(err);
    if (berth_forecast_counts(f, m)) plan->memories[plan->count++] = m;
  }
  return BERTH_OK;
}

// Finds the program of |request| and plays it. The session was entered.
static berth_code_t play(berth_session_t *session,
                         const berth_memory_request_t *request, int64_t batch,
                         berth_memory_plan_t *plan, berth_error_t *err) {
  size_t count = (size_t)request->feed_count + 1;
  berth_out_t *feeds = berth_alloc(count * sizeof(*feeds));
  berth_dims_t *dims = berth_alloc(count * sizeof(*dims));
  int64_t *room = NULL;
  berth_program_t *program = NULL;
  berth_run_control_t control;
  berth_session_control(session, NULL, &control);
  berth_watch_t watch = {.control = &control};
  berth_code_t code = feeds != NULL && dims != NULL ? BERTH_OK : no_memory(err);
  if (code == BERTH_OK) code = shapes_fill(request, batch, dims, &room, err);
  for (int i = 0; code == BERTH_OK && i < request->feed_count; ++i) {
    feeds[i] = request->feeds[i].out;
  }
  berth_signature_t signature = {.feeds = feeds,
                                 .feed_count = request->feed_count,
                                 .fetches = request->fetches,
                                 .fetch_count = request->fetch_count,
                                 .targets = request->targets,
                                 .target_count = request->target_count,
                                 .is_call = session->context != NULL};
  if (code == BERTH_OK) {
    code = berth_session_program(session, &signature, &control, &program, err);
  }
  if (code == BERTH_OK) {
    code = berth_forecast_make(&plan->forecast, program, dims, request->values,
                               &watch, err);
  }
  if (code == BERTH_OK) code = memories_find(plan, session, err);
  berth_free(room);
  berth_free(dims);
  berth_free(feeds);
  return code;
}

static berth_code_t plan_make(berth_session_t *session,
                              const berth_memory_request_t *request,
                              int64_t batch, berth_memory_plan_t **out_plan,
                              berth_error_t *err) {
  berth_memory_plan_t *plan = berth_calloc(1, sizeof(*plan));
  if (plan == NULL) return no_memory(err);
  unsigned term = 0;
  berth_code_t code = berth_session_enter(session, &term, err);
  if (code == BERTH_OK) {
    code = play(session, request, batch, plan, err);
    berth_session_leave(session, term);
  }
  if (code == BERTH_OK) {
    *out_plan = plan;
  } else {
    berth_memory_plan_destroy(plan);
  }
  return code;
}

static berth_code_t check_request(const berth_memory_request_t *request,
                                  berth_error_t *err) {
  BERTH_GIVEN(request, err);
  const berth_shape_feed_t *feeds = request->feeds;
  const berth_out_t *fetches = request->fetches;
  const berth_node_id_t *targets = request->targets;
  BERTH_GIVEN_LIST(feeds, request->feed_count, err);
  BERTH_GIVEN_LIST(fetches, request->fetch_count, err);
  BERTH_GIVEN_LIST(targets, request->target_count, err);
  for (int i = 0; i < request->feed_count; ++i) {
    if (feeds[i].shape.rank > 0) BERTH_GIVEN(feeds[i].shape.dims, err);
  }
  return BERTH_OK;
}

berth_code_t berth_session_plan_memory(berth_session_t *session,
                                       const berth_memory_request_t *request,
                                       berth_memory_plan_t **out_plan,
                                       berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(out_plan, err);
  BERTH_TRY(check_request(request, err));
  return plan_make(session, request, request->batch, out_plan, err);
}

void berth_memory_plan_destroy(berth_memory_plan_t *plan) {
  if (plan == NULL) return;
  berth_forecast_clear(&plan->forecast);
  berth_free(plan);
}

// ---- Looking ----

int berth_memory_plan_count(const berth_memory_plan_t *plan) {
  return plan != NULL ? plan->count : 0;
}

int berth_memory_plan_unknown_count(const berth_memory_plan_t *plan) {
  return plan != NULL ? (int)plan->forecast.unknown_count : 0;
}

static bool is_exact(const berth_memory_plan_t *plan) {
  return !plan->forecast.is_bound && plan->forecast.unknown_count == 0;
}

static berth_planned_memory_t memory_of(const berth_memory_plan_t *plan,
                                        int m) {
  const berth_forecast_memory_t *memory = &plan->forecast.memories[m];
  return (berth_planned_memory_t){
      .name = plan->names[m],
      .peak_bytes = memory->peak,
      .arena_bytes = memory->arenas,
      .live_bytes = memory->moment >= 0 ? memory->live[memory->moment] : 0,
      .held_bytes = memory->held,
      .peak_step = memory->moment,
      .is_exact = is_exact(plan)};
}

static berth_code_t out_of_range(const char *what, int index, int count,
                                 berth_error_t *err) {
  return berth_error_set(err, BERTH_OUT_OF_RANGE, "%s %d of %d was asked for",
                         what, index, count);
}

static berth_code_t check_memory(const berth_memory_plan_t *plan, int index,
                                 berth_error_t *err) {
  bool is_there = index >= 0 && index < plan->count;
  return is_there ? BERTH_OK : out_of_range("memory", index, plan->count, err);
}

berth_code_t berth_memory_plan_query(const berth_memory_plan_t *plan, int index,
                                     berth_planned_memory_t *out_memory,
                                     berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_memory, err);
  BERTH_TRY(check_memory(plan, index, err));
  *out_memory = memory_of(plan, plan->memories[index]);
  return BERTH_OK;
}

// True when value |i| holds bytes of memory |m| when that is most.
static bool is_at_peak(const berth_forecast_t *f, int m, size_t i) {
  const berth_forecast_value_t *value = &f->values[i];
  int32_t moment = f->memories[m].moment;
  return value->memory == m && value->begin <= moment && moment < value->end;
}

// Returns how many values come before value |i| of memory |m| at its peak.
static int place_of(const berth_forecast_t *f, int m, size_t i) {
  int place = 0;
  for (size_t k = 0; k < f->value_count; ++k) {
    if (!is_at_peak(f, m, k)) continue;
    int64_t more = f->values[k].bytes - f->values[i].bytes;
    if (more > 0 || (more == 0 && k < i)) ++place;
  }
  return place;
}

berth_code_t berth_memory_plan_query_value(const berth_memory_plan_t *plan,
                                           int index, int place,
                                           berth_planned_value_t *out_value,
                                           berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_value, err);
  BERTH_TRY(check_memory(plan, index, err));
  const berth_forecast_t *f = &plan->forecast;
  int m = plan->memories[index], count = 0;
  for (size_t i = 0; i < f->value_count; ++i) {
    if (!is_at_peak(f, m, i)) continue;
    ++count;
    if (place_of(f, m, i) != place) continue;
    const berth_forecast_value_t *value = &f->values[i];
    *out_value = (berth_planned_value_t){
        .name = value->name,
        .op = value->op,
        .output = value->output,
        .is_scratch = value->kind == BERTH_FORECAST_SCRATCH,
        .dtype = value->dtype,
        .shape = value->dims,
        .bytes = value->bytes,
        .first_step = value->begin,
        .end_step = value->end};
    return BERTH_OK;
  }
  return out_of_range("value", place, count, err);
}

int berth_memory_plan_step_count(const berth_memory_plan_t *plan) {
  return plan != NULL ? (int)plan->forecast.moment_count : 0;
}

berth_code_t berth_memory_plan_query_step(const berth_memory_plan_t *plan,
                                          int index, int step,
                                          berth_planned_step_t *out_step,
                                          berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_step, err);
  BERTH_TRY(check_memory(plan, index, err));
  int count = (int)plan->forecast.moment_count;
  if (step < 0 || step >= count) return out_of_range("step", step, count, err);
  const berth_forecast_moment_t *moment = &plan->forecast.moments[step];
  *out_step = (berth_planned_step_t){
      moment->name, moment->op,
      plan->forecast.memories[plan->memories[index]].live[step], ""};
  return BERTH_OK;
}

berth_code_t berth_memory_plan_query_unknown(const berth_memory_plan_t *plan,
                                             int unknown,
                                             berth_planned_step_t *out_step,
                                             berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_step, err);
  int count = (int)plan->forecast.unknown_count;
  if (unknown < 0 || unknown >= count) {
    return out_of_range("step", unknown, count, err);
  }
  const berth_forecast_unknown_t *found = &plan->forecast.unknowns[unknown];
  *out_step = (berth_planned_step_t){found->name, found->op, 0, found->why};
  return BERTH_OK;
}

// ---- JSON ----

berth_code_t berth_memory_plan_print(const berth_memory_plan_t *plan,
                                     char **out_text, berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_text, err);
  berth_str_t str = {0};
  berth_forecast_print(&plan->forecast, plan->names, &str);
  char *text = berth_str_take(&str);
  if (text == NULL) return no_memory(err);
  *out_text = text;
  return BERTH_OK;
}

// ---- Batches ----

// True when |m| is one that a limit on |device| is about.
static bool is_limited(const berth_memory_plan_t *plan, int m,
                       const char *device) {
  if (m == plan->forecast.memory_count - 1) return false;
  if (device != NULL) return strcmp(plan->names[m], device) == 0;
  bool has_gpu = false;
  for (int i = 1; i < plan->forecast.memory_count - 1; ++i) {
    has_gpu = has_gpu || plan->forecast.memories[i].peak > 0;
  }
  return has_gpu == (m != BERTH_HOST_SPACE);
}

// Says whether a batch of |batch| stays within |limit|. One whose values nobody
// could address does not.
static berth_code_t fits(berth_session_t *session,
                         const berth_memory_request_t *request,
                         const char *device, uint64_t limit, int64_t batch,
                         bool *out_fits, berth_error_t *err) {
  berth_memory_plan_t *plan = NULL;
  berth_code_t code = plan_make(session, request, batch, &plan, err);
  if (code == BERTH_RESOURCE_EXHAUSTED && batch > 1) {
    if (err != NULL) berth_error_clear(err);
    *out_fits = false;
    return BERTH_OK;
  }
  if (code != BERTH_OK) return code;
  bool is_fine = true;
  for (int m = 0; m < plan->forecast.memory_count; ++m) {
    const berth_forecast_memory_t *memory = &plan->forecast.memories[m];
    if (!is_limited(plan, m, device)) continue;
    is_fine = is_fine && (uint64_t)(memory->peak + memory->held) <= limit;
  }
  berth_memory_plan_destroy(plan);
  *out_fits = is_fine;
  return BERTH_OK;
}

// Beyond this nobody asks.
enum { MOST_BATCH = 1 << 30 };

// Finds the largest batch by doubling, then by halving the gap.
static berth_code_t batch_find(berth_session_t *session,
                               const berth_memory_request_t *request,
                               const char *device, uint64_t limit,
                               int64_t *out_batch, berth_error_t *err) {
  int64_t good = 0, bad = 1;
  bool is_fine = true;
  while (is_fine && bad <= MOST_BATCH) {
    BERTH_TRY(fits(session, request, device, limit, bad, &is_fine, err));
    if (is_fine) good = bad;
    if (is_fine) bad *= 2;
  }
  if (is_fine) good = INT64_MAX;
  while (!is_fine && bad - good > 1) {
    int64_t middle = good + (bad - good) / 2;
    bool does = false;
    BERTH_TRY(fits(session, request, device, limit, middle, &does, err));
    if (does) good = middle;
    if (!does) bad = middle;
  }
  *out_batch = good;
  return BERTH_OK;
}

berth_code_t berth_session_plan_batch(berth_session_t *session,
                                      const berth_memory_request_t *request,
                                      const char *device, uint64_t limit,
                                      int64_t *out_batch, berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(out_batch, err);
  BERTH_TRY(check_request(request, err));
  bool is_open = false;
  for (int i = 0; i < request->feed_count; ++i) {
    const berth_dims_t *shape = &request->feeds[i].shape;
    for (int32_t d = 0; d < shape->rank; ++d) {
      is_open = is_open || shape->dims[d] == -1;
    }
  }
  if (!is_open) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "no feed has a dimension of -1, the batch");
  }
  if (device == NULL) {
    return batch_find(session, request, NULL, limit, out_batch, err);
  }
  char *full = NULL;
  BERTH_TRY(berth_device_name_complete(device, session->devices.exec[0].name,
                                       &full, err));
  berth_code_t code = batch_find(session, request, full, limit, out_batch, err);
  berth_text_free(full);
  return code;
}
