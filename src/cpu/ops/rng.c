// rng.c - Kernels that move the state of random numbers on.
//
// The state is in the memory of the variable's device; these kernels serve all.
#include "kernel/rng.h"

#include "cpu/kernels.h"
#include "device/device.h"
#include "op/distribution.h"
#include "state/generator.h"

static berth_code_t run_skip(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  int64_t state[BERTH_RNG_STATE];
  BERTH_TRY(
      berth_rng_reserve(args[0], *(const uint64_t *)args[2], call, state));
  if (call->node->output_count == 0) return BERTH_OK;
  if (call->stream == NULL) {
    memcpy(args[3], state, sizeof(state));
    return BERTH_OK;
  }
  berth_device_t *device = call->stream->device;
  return device->backend->streams->copy(call->stream, device, args[3], NULL,
                                        state, sizeof(state), call->err);
}

static berth_code_t prepare_skip(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_skip;
  return berth_op_skip(&prepare->op, err);
}

// ---- NonDeterministicInts ----

static berth_code_t run_foreseen_by_nobody(const void *plan, void *const *args,
                                           berth_call_t *call) {
  (void)call;
  size_t size = *(const size_t *)plan;
  berth_philox_t philox = berth_generator_begin(0, 0);
  for (size_t at = 0; at < size; at += sizeof(uint32_t[4])) {
    uint32_t words[4];
    berth_philox_next(&philox, words);
    size_t left = size - at;
    memcpy((char *)args[1] + at, words,
           left < sizeof(words) ? left : sizeof(words));
  }
  return BERTH_OK;
}

// The plan is how many bytes there are.
static berth_code_t prepare_ints(berth_prepare_t *prepare, berth_error_t *err) {
  int64_t count = 0;
  size_t *size = berth_prepare_plan(prepare, sizeof(*size));
  if (size == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_ints(&prepare->op, &count, err));
  *size = (size_t)count * berth_dtype_size(prepare->op.node->output_types[0]);
  prepare->run = run_foreseen_by_nobody;
  prepare->work = count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_rng_kernels[] = {
    {.op = "RngSkip", .prepare = prepare_skip, .anywhere = BERTH_TYPES_ALL},
    {.op = "RngReadAndSkip",
     .prepare = prepare_skip,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "NonDeterministicInts",
     .types = {{"dtype",
                BERTH_TYPES_INDEX | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64)}},
     .prepare = prepare_ints},
    {.op = NULL},
};
