// unique.c - The kernel Unique.
//
// Elements are looked up one after the other, in the order of the vector, which
// no card does well: they go to the host, and what is found comes back.
#include "kernel/unique.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "device/backend.h"
#include "device/device.h"
#include "op/index.h"

// Copies |from| to the memory of |allocator| and waits. Memory of the host is
// not in use any more when a copy is queued: neither of them is pinned.
static berth_code_t bring(const berth_tensor_t *from,
                          berth_allocator_t *allocator, berth_call_t *call,
                          berth_tensor_t **out) {
  const berth_stream_ops_t *streams = call->stream->device->backend->streams;
  berth_device_t *to_device = allocator != NULL ? allocator->device : NULL;
  BERTH_TRY(berth_tensor_make(allocator, from->dtype, from->rank, from->dims,
                              from->count, out, call->err));
  if (from->size == 0) return BERTH_OK;
  BERTH_TRY(streams->copy(call->stream, to_device, (*out)->data, from->device,
                          from->data, from->size, call->err));
  return berth_cuda_wait(call, NULL);
}

static berth_code_t run_unique(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_t *in = NULL, *found[2] = {NULL, NULL}, *out[2] = {NULL, NULL};
  berth_code_t code = bring(call->inputs[0], NULL, call, &in);
  if (code != BERTH_OK) goto done;
  berth_call_t on_host = *call;
  on_host.allocator = NULL;
  on_host.stream = NULL;
  on_host.outputs = found;
  code = berth_unique_find(in, call->node->output_types[1], &on_host);
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    code = bring(found[i], call->allocator, call, &out[i]);
  }
done:
  for (int i = 0; i < 2; ++i) {
    berth_tensor_release(found[i]);
    if (code == BERTH_OK) {
      call->outputs[i] = out[i];
    } else {
      berth_tensor_release(out[i]);
    }
  }
  berth_tensor_release(in);
  return code;
}

static berth_code_t prepare_unique(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_op_unique(&prepare->op, err));
  prepare->run = run_unique;
  prepare->work = prepare->op.inputs[0].count * 50;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_unique_kernels[] = {
    {.op = "Unique",
     .types = {{"T", BERTH_TYPES_BASIC & ~BERTH_TYPES_COMPLEX},
               {"out_idx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unique,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
