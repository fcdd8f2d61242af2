// scatter.c - Kernels that read and write slices at places given as indices:
// GatherNd, ScatterNd, TensorScatterAdd, and their like for variables.
//
// Places of a variable are checked before it is changed, so that an update with
// a bad one changes nothing.
#include <stdatomic.h>
#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/gather.h"
#include "kernel/handle.h"
#include "kernel/places.h"
#include "op/types.h"
#include "state/commit.h"
#include "state/variable.h"

// ---- GatherNd ----

static berth_code_t fail_gather(const berth_places_t *places,
                                const void *indices, int64_t i,
                                const berth_call_t *call) {
  char text[BERTH_DIMS_TEXT];
  berth_str_t at = {0};
  berth_place_print(places->outer, i, &at);
  berth_str_puts(&at, " = ");
  berth_place_print_indices(places, indices, i, &at);
  berth_code_t code = berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "indices%s does not index into param shape %s, node name: %s",
      berth_str_get(&at), berth_dims_text(places->shape, text),
      call->node->name);
  berth_str_clear(&at);
  return code;
}

// One run of GatherNd.
typedef struct gather_run {
  const berth_places_t *places;
  const char *from;
  const void *indices;
  char *to;
  bool ignores;           // Places outside give zeros.
  atomic_bool no_memory;  // For strings.
  _Atomic(int64_t) bad;   // The first place outside; INT64_MAX: none.
} gather_run_t;

// Copies the slice at |from|, of a few bytes most often.
static BERTH_INLINE void copy_small(char *to, const char *from, size_t size) {
  if (size == 4) {
    memcpy(to, from, 4);
  } else if (size == 8) {
    memcpy(to, from, 8);
  } else if (size == 32) {
    memcpy(to, from, 32);
  } else {
    memcpy(to, from, size);
  }
}

static void gather_slices(void *arg, int64_t begin, int64_t end) {
  gather_run_t *run = arg;
  const berth_places_t *places = run->places;
  size_t row = (size_t)places->slice * berth_dtype_size(places->dtype);
  bool is_plain = berth_dtype_is_plain(places->dtype);
  for (int64_t i = begin; i < end; ++i) {
    int64_t at = berth_place_at(places, run->indices, i);
    char *to = run->to + (size_t)i * row;
    if (at < 0) {
      if (run->ignores && is_plain) memset(to, 0, row);
      if (run->ignores) continue;
      int64_t bad = atomic_load(&run->bad);
      while (i < bad && !atomic_compare_exchange_weak(&run->bad, &bad, i)) {
      }
      return;
    }
    const char *from = run->from + (size_t)at * row;
    if (is_plain) {
      copy_small(to, from, row);
    } else if (!berth_elements_copy(places->dtype, to, from, places->slice)) {
      atomic_store(&run->no_memory, true);
      return;
    }
  }
}

static berth_code_t run_gather_nd(const void *plan, void *const *args,
                                  berth_call_t *call) {
  const berth_places_t *places = plan;
  enum { PIECE_BYTES = 1 << 17, PLACE_BYTES = 32 };
  int64_t row = places->slice * (int64_t)berth_dtype_size(places->dtype);
  gather_run_t run = {
      .places = places,
      .from = args[0],
      .indices = args[1],
      .to = args[2],
      .bad = INT64_MAX,
      .ignores =
          strcmp(berth_node_attr_string(call->node, "bad_indices_policy", ""),
                 "IGNORE") == 0};
  (void)berth_parallel_for(places->count, PIECE_BYTES / (PLACE_BYTES + row) + 1,
                           gather_slices, &run);
  int64_t bad = atomic_load(&run.bad);
  if (bad != INT64_MAX) return fail_gather(places, args[1], bad, call);
  return atomic_load(&run.no_memory)
             ? berth_error_no_memory(call->err, "the elements of a tensor")
             : BERTH_OK;
}

berth_code_t berth_cpu_gather_nd_prepare(berth_prepare_t *prepare,
                                         berth_error_t *err) {
  berth_places_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_gather_nd(&prepare->op, plan, err));
  prepare->run = run_gather_nd;
  prepare->work = plan->count * (5 + plan->slice / 4);
  return BERTH_OK;
}

// ---- ScatterNd, TensorScatterUpdate and its like ----

typedef struct scatter_plan {
  berth_places_t places;
  berth_combiner_t combiner;
  int64_t count;     // Elements of the output.
  bool begins_zero;  // ScatterNd; the others begin with input 0.
} scatter_plan_t;

// Joins the slices of |updates| with |to|. Places are inside.
static bool scatter(const berth_places_t *places,
                    const berth_combiner_t *combiner, const void *indices,
                    const char *updates, char *to, bool is_one) {
  size_t row = (size_t)places->slice * combiner->size;
  bool is_copy = combiner->how == BERTH_COMBINE_SET && !is_one &&
                 berth_dtype_is_plain(combiner->dtype);
  for (int64_t i = 0; i < places->count; ++i) {
    int64_t at = berth_place_at(places, indices, i);
    if (is_copy) {
      copy_small(to + (size_t)at * row, updates + (size_t)i * row, row);
    } else if (!berth_combine(combiner, to + (size_t)at * row,
                              is_one ? updates : updates + (size_t)i * row,
                              places->slice, is_one)) {
      return false;
    }
  }
  return true;
}

static berth_code_t run_scatter_nd(const void *arg, void *const *args,
                                   berth_call_t *call) {
  const scatter_plan_t *plan = arg;
  const void *indices = args[plan->begins_zero ? 0 : 1];
  const void *updates = args[plan->begins_zero ? 1 : 2];
  char *out = args[3];
  int64_t bad = berth_places_find_bad(&plan->places, indices);
  if (bad >= 0) return berth_place_fail(&plan->places, indices, bad, call->err);
  bool is_done = true;
  if (!plan->begins_zero && out != args[0]) {
    is_done =
        berth_elements_copy(plan->places.dtype, out, args[0], plan->count);
  } else if (plan->begins_zero && berth_dtype_is_plain(plan->places.dtype)) {
    // Strings are empty at first.
    memset(out, 0, (size_t)plan->count * plan->combiner.size);
  }
  if (is_done && plan->places.slice > 0) {
    is_done =
        scatter(&plan->places, &plan->combiner, indices, updates, out, false);
  }
  return is_done ? BERTH_OK
                 : berth_error_no_memory(call->err, "the elements of a tensor");
}

static berth_code_t prepare_scatter_nd(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  scatter_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_combine_t combine;
  BERTH_TRY(berth_op_scatter_nd(&prepare->op, &combine, &plan->places, err));
  plan->combiner = berth_combiner_of(combine, plan->places.dtype);
  plan->count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  plan->begins_zero = strcmp(prepare->op.node->op->name, "ScatterNd") == 0;
  prepare->run = plan->count > 0 ? run_scatter_nd : berth_run_nothing;
  prepare->work = plan->count / 4 + plan->places.count * 10;
  return BERTH_OK;
}

// ---- Variables ----

typedef struct variable_plan {
  berth_scatter_t scatter;
  berth_combiner_t combiner;
} variable_plan_t;

typedef struct variable_arg {
  const variable_plan_t *plan;
  const void *indices, *updates;
  berth_container_t *container;
} variable_arg_t;

static const variable_arg_t *variable_arg(const berth_change_t *change) {
  return (const variable_arg_t *)(const void *)change->arg;
}

static berth_code_t check_scatter(const berth_change_t *change,
                                  const berth_tensor_t *now,
                                  berth_error_t *err) {
  const variable_arg_t *with = variable_arg(change);
  const berth_scatter_t *scatter = &with->plan->scatter;
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container,
                                      scatter->is_ref, err);
  }
  return berth_places_check_variable(scatter, now, with->indices, err);
}

static berth_code_t apply_scatter(const berth_change_t *change,
                                  const berth_tensor_t *from,
                                  berth_tensor_t *to, berth_error_t *err) {
  const variable_arg_t *with = variable_arg(change);
  berth_places_t places;
  BERTH_TRY(berth_scatter_check(&with->plan->scatter, berth_tensor_dims(from),
                                &places, err));
  if (to != from &&
      !berth_elements_copy(to->dtype, to->data, from->data, to->count)) {
    return berth_error_no_memory(err, "the elements of a variable");
  }
  if (places.slice == 0 ||
      scatter(&places, &with->plan->combiner, with->indices, with->updates,
              to->data, with->plan->scatter.is_one)) {
    return BERTH_OK;
  }
  return berth_error_no_memory(err, "the elements of a variable");
}

static berth_code_t run_variable(const void *plan, void *const *args,
                                 berth_call_t *call) {
  const variable_plan_t *with = plan;
  berth_change_t *change = NULL;
  BERTH_TRY(berth_handle_change(args[0], check_scatter, apply_scatter, call,
                                &change));
  *(variable_arg_t *)(void *)change->arg =
      (variable_arg_t){with, args[1], args[2], call->container};
  if (with->scatter.is_ref) berth_handle_give(args[3], change);
  return BERTH_OK;
}

static berth_code_t prepare_variable(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  variable_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scatter(&prepare->op, &plan->scatter, err));
  plan->combiner =
      berth_combiner_of(plan->scatter.combine, plan->scatter.dtype);
  prepare->run = run_variable;
  prepare->work = prepare->op.inputs[2].count;
  return BERTH_OK;
}

#define INDEX \
  { "Tindices", BERTH_TYPES_INDEX }
#define GATHER_TYPES                                             \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_OBJECT | \
   BERTH_TYPE(QINT32) | BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))
#define SET_TYPES (BERTH_TYPES_BASIC | BERTH_TYPE(STRING))
#define NUMBERS BERTH_TYPES_ARITHMETIC
#define REAL BERTH_TYPES_REAL
#define TENSOR(name, t) \
  { .op = name, .types = {{"T", t}, INDEX}, .prepare = prepare_scatter_nd }
#define VARIABLE(name, attr, t) \
  { .op = name, .types = {{attr, t}, INDEX}, .prepare = prepare_variable }

const berth_kernel_t berth_cpu_scatter_kernels[] = {
    {.op = "GatherNd",
     .types = {{"Tparams", GATHER_TYPES},
               {"Tindices", BERTH_TYPES_INDEX | BERTH_TYPE(INT16)}},
     .prepare = berth_cpu_gather_nd_prepare},
    TENSOR("ScatterNd", SET_TYPES),
    TENSOR("TensorScatterUpdate", SET_TYPES),
    TENSOR("TensorScatterAdd", NUMBERS),
    TENSOR("TensorScatterSub", NUMBERS),
    TENSOR("TensorScatterMin", REAL),
    TENSOR("TensorScatterMax", REAL),
    TENSOR("ScatterNdNonAliasingAdd", BERTH_TYPES_BASIC),
    VARIABLE("ScatterUpdate", "T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT),
    VARIABLE("ScatterAdd", "T", NUMBERS),
    VARIABLE("ScatterSub", "T", NUMBERS),
    VARIABLE("ScatterMul", "T", NUMBERS),
    VARIABLE("ScatterDiv", "T", NUMBERS),
    VARIABLE("ScatterMin", "T", REAL),
    VARIABLE("ScatterMax", "T", REAL),
    VARIABLE("ScatterNdUpdate", "T", SET_TYPES),
    VARIABLE("ScatterNdAdd", "T", BERTH_TYPES_BASIC),
    VARIABLE("ScatterNdSub", "T", BERTH_TYPES_BASIC),
    VARIABLE("ScatterNdMin", "T", REAL),
    VARIABLE("ScatterNdMax", "T", REAL),
    VARIABLE("ResourceScatterUpdate", "dtype",
             BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT),
    VARIABLE("ResourceScatterAdd", "dtype", NUMBERS),
    VARIABLE("ResourceScatterSub", "dtype", NUMBERS),
    VARIABLE("ResourceScatterMul", "dtype", NUMBERS),
    VARIABLE("ResourceScatterDiv", "dtype", NUMBERS),
    VARIABLE("ResourceScatterMin", "dtype", REAL),
    VARIABLE("ResourceScatterMax", "dtype", REAL),
    VARIABLE("ResourceScatterNdUpdate", "T", SET_TYPES),
    VARIABLE("ResourceScatterNdAdd", "T", BERTH_TYPES_BASIC),
    VARIABLE("ResourceScatterNdSub", "T", BERTH_TYPES_BASIC),
    VARIABLE("ResourceScatterNdMin", "T", REAL),
    VARIABLE("ResourceScatterNdMax", "T", REAL),
    {.op = NULL},
};
