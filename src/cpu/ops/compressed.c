// compressed.c - The kernel DecodeCompressed: texts unpacked by zlib.
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/text.h"
#include "tensor/string.h"

// What a call does: texts, and zlib's window; 0: they are not packed.
typedef struct unpack_plan {
  int64_t count;
  int window;
} unpack_plan_t;

// Unpacks as much as there is to |out|: what is cut off ends early.
static berth_code_t unpack(z_stream *s, berth_str_t *out, berth_call_t *call) {
  char piece[1 << 14];
  int result = Z_OK;
  while (result == Z_OK) {
    s->next_out = (unsigned char *)piece;
    s->avail_out = sizeof(piece);
    result = inflate(s, Z_NO_FLUSH);
    berth_str_put(out, piece, sizeof(piece) - s->avail_out);
    if (berth_cpu_has_ended(call)) return berth_cpu_ended(call);
  }
  if (result == Z_STREAM_END || result == Z_BUF_ERROR) return BERTH_OK;
  return berth_error_set(call->err, BERTH_DATA_LOSS,
                         "inflate() failed with error %d: %s", result,
                         s->msg != NULL ? s->msg : "");
}

static berth_code_t unpack_text(const berth_string_t *from, int window,
                                berth_string_t *to, berth_call_t *call) {
  z_stream s = {0};
  berth_str_t out = {0};
  size_t size = 0;
  const char *bytes = berth_string_get(from, &size);
  if (size > UINT_MAX) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "a packed text of %zu bytes is too long", size);
  }
  if (inflateInit2(&s, window) != Z_OK) {
    return berth_error_no_memory(call->err, "a text");
  }
  s.next_in = (unsigned char *)(uintptr_t)bytes;
  s.avail_in = (uInt)size;
  berth_code_t code = unpack(&s, &out, call);
  if (code == BERTH_OK &&
      !(berth_str_ok(&out) &&
        berth_string_set(to, berth_str_get(&out), out.size))) {
    code = berth_error_no_memory(call->err, "a text");
  }
  (void)inflateEnd(&s);
  berth_str_clear(&out);
  return code;
}

static berth_code_t run_unpack(const void *plan, void *const *args,
                               berth_call_t *call) {
  const unpack_plan_t *work = plan;
  const berth_string_t *from = args[0];
  berth_string_t *to = args[1];
  for (int64_t i = 0; i < work->count; ++i) {
    size_t size = 0;
    const char *bytes = berth_string_get(&from[i], &size);
    if (work->window != 0) {
      BERTH_TRY(unpack_text(&from[i], work->window, &to[i], call));
    } else if (!berth_string_set(&to[i], bytes, size)) {
      return berth_error_no_memory(call->err, "a text");
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_unpack(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_case_t *op = &prepare->op;
  const char *kind = berth_node_attr_string(op->node, "compression_type", "");
  unpack_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->count = op->inputs[0].count;
  // 15 is the largest window; 16 more asks for the frame of gzip.
  if (strcmp(kind, "ZLIB") == 0) plan->window = 15;
  if (strcmp(kind, "GZIP") == 0) plan->window = 15 + 16;
  if (strcmp(kind, "ZSTD") == 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth unpacks ZLIB and GZIP, not ZSTD");
  }
  if (plan->window == 0 && kind[0] != '\0') {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Only ZLIB, ZSTD, GZIP or NONE are supported "
                           "compressions");
  }
  berth_case_output(op, 0,
                    (berth_dims_t){op->inputs[0].rank, op->inputs[0].dims});
  prepare->run = run_unpack;
  prepare->work = plan->count * 1000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_compressed_kernels[] = {
    {.op = "DecodeCompressed", .prepare = prepare_unpack},
    {.op = NULL},
};
