// strings.c - What elementwise ops do with strings: compare and join.
#include "cpu/ops/strings.h"

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/move.h"
#include "cpu/ops/rows.h"
#include "op/elementwise.h"
#include "tensor/string.h"

#define COMPARE(name, a_index, b_index, is_equal)                            \
  static void name(const void *a, const void *b, void *out, int64_t count) { \
    const berth_string_t *x = a, *y = b;                                     \
    bool *to = out;                                                          \
    for (int64_t i = 0; i < count; ++i) {                                    \
      to[i] = berth_string_equal(&x[a_index], &y[b_index]) == (is_equal);    \
    }                                                                        \
  }

COMPARE(equal_both, i, i, true)
COMPARE(equal_right, i, 0, true)
COMPARE(not_equal_both, i, i, false)
COMPARE(not_equal_right, i, 0, false)

const berth_loops_t *berth_string_loops(berth_binary_op_t op) {
  static const berth_loops_t equal = {equal_both, equal_right, NULL};
  static const berth_loops_t not_equal = {not_equal_both, not_equal_right,
                                          NULL};
  if (op == BERTH_BINARY_EQUAL) return &equal;
  return op == BERTH_BINARY_NOT_EQUAL ? &not_equal : NULL;
}

// Room for a joined text, which grows as needed.
typedef struct joiner {
  char *text;
  size_t capacity;
} joiner_t;

static bool join(joiner_t *joiner, const berth_string_t *a,
                 const berth_string_t *b, berth_string_t *out) {
  size_t a_size, b_size;
  const char *a_text = berth_string_get(a, &a_size);
  const char *b_text = berth_string_get(b, &b_size);
  size_t size = a_size + b_size;
  if (size > joiner->capacity) {
    char *grown = berth_realloc(joiner->text, size * 2, 1);
    if (grown == NULL) return false;
    joiner->text = grown;
    joiner->capacity = size * 2;
  }
  if (a_size > 0) memcpy(joiner->text, a_text, a_size);
  if (b_size > 0) memcpy(joiner->text + a_size, b_text, b_size);
  return berth_string_set(out, size > 0 ? joiner->text : "", size);
}

static berth_code_t run_join(const void *plan, void *const *args,
                             berth_call_t *call) {
  const berth_broadcast_t *broadcast = plan;
  const berth_level_t *inner = &broadcast->levels[0];
  const berth_string_t *a = args[0], *b = args[1];
  berth_string_t *out = args[2];
  joiner_t joiner = {0};
  berth_code_t code = BERTH_OK;
  berth_rows_t walk;
  berth_rows_start(broadcast, 0, &walk);
  for (int64_t row = 0; row < broadcast->rows; ++row) {
    if (berth_cpu_ends_at(call, row)) goto done;
    for (int64_t i = 0; i < inner->count; ++i) {
      if (berth_cpu_ends_at(call, i)) goto done;
      if (!join(&joiner, &a[walk.offsets[0] + i * inner->steps[0]],
                &b[walk.offsets[1] + i * inner->steps[1]], out++)) {
        code = berth_error_no_memory(call->err, "a string");
        goto done;
      }
    }
    berth_rows_next(broadcast, &walk);
  }
done:
  berth_free(joiner.text);
  return code;
}

static berth_code_t prepare_join(berth_prepare_t *prepare, berth_error_t *err) {
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  if (binary.count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  berth_broadcast_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = binary.broadcast;
  prepare->run = run_join;
  prepare->work = binary.count * 50;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_string_kernels[] = {
    {.op = "Add",
     .types = {{"T", BERTH_TYPE(STRING)}},
     .prepare = prepare_join},
    {.op = NULL},
};
