// collective.c - Kernels that put values of several cards together.
//
// The nodes of a collective meet (kernel/meeting.h), and the last one queues it
// for all: by NCCL where every one is on a card of its own, through the host
// where some share a card or the library is not there.
#include "cuda/stream/collective.h"

#include <string.h>

#include "base/alloc.h"
#include "cuda/kernels.h"
#include "device/device.h"
#include "kernel/meeting.h"

// ---- Through the host ----

// Waits for all guests and brings what they have to the host, put together.
static berth_code_t host_unite(const berth_topic_t *topic, berth_unite_t how,
                               berth_guest_t *const *guests, int count,
                               void *total, void *part, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    const berth_tensor_t *input = guests[i]->input;
    const berth_stream_ops_t *ops = guests[i]->stream->device->backend->streams;
    BERTH_TRY(ops->copy(guests[i]->stream, NULL, i == 0 ? total : part,
                        input->device, input->data, input->size, err));
    BERTH_TRY(ops->sync(guests[i]->stream, err));
    if (i > 0) berth_unite(how, topic->dtype, total, part, input->count);
  }
  return BERTH_OK;
}

static berth_code_t host_reduce(const berth_topic_t *topic, berth_unite_t how,
                                berth_guest_t *const *guests, int count,
                                berth_error_t *err) {
  size_t size = guests[0]->input->size;
  void *total = berth_alloc(2 * size + 1);
  if (total == NULL) return berth_error_no_memory(err, "a collective");
  berth_code_t code =
      host_unite(topic, how, guests, count, total, (char *)total + size, err);
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    const berth_tensor_t *output = guests[i]->output;
    const berth_stream_ops_t *ops = guests[i]->stream->device->backend->streams;
    code = ops->copy(guests[i]->stream, output->device, output->data, NULL,
                     total, size, err);
    if (code == BERTH_OK) code = ops->sync(guests[i]->stream, err);
  }
  berth_free(total);
  return code;
}

// ---- Meeting ----

static berth_code_t check_sizes(const berth_topic_t *topic,
                                berth_guest_t *const *guests, int count,
                                berth_error_t *err) {
  for (int i = 1; i < count; ++i) {
    if (guests[i]->input->count == guests[0]->input->count) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s: values have %lld and %lld elements",
                           topic->what, (long long)guests[0]->input->count,
                           (long long)guests[i]->input->count);
  }
  return BERTH_OK;
}

static berth_code_t hold_reduce(const berth_topic_t *topic,
                                berth_guest_t *const *guests, int count,
                                berth_error_t *err) {
  berth_cuda_rank_t ranks[BERTH_MEETING_MOST];
  berth_unite_t how = BERTH_UNITE_SUM;
  (void)berth_unite_find(topic->how, &how);
  BERTH_TRY(check_sizes(topic, guests, count, err));
  if (guests[0]->input->count == 0) return BERTH_OK;
  for (int i = 0; i < count; ++i) {
    ranks[i] = (berth_cuda_rank_t){.device = guests[i]->stream->device,
                                   .from = guests[i]->input->data,
                                   .to = guests[i]->output->data,
                                   .ready = guests[i]->ready,
                                   .over = guests[i]->over};
  }
  if (!berth_cuda_collective_is_direct(ranks, count)) {
    return host_reduce(topic, how, guests, count, err);
  }
  berth_cuda_collective_t what = {.kind = BERTH_CUDA_REDUCE,
                                  .how = how,
                                  .dtype = topic->dtype,
                                  .count = guests[0]->input->count};
  return berth_cuda_collective_queue(&what, ranks, count, err);
}

// Makes the output of |guest| and the events that lead to the collective and
// back.
static berth_code_t guest_prepare(berth_guest_t *guest, berth_call_t *call) {
  const berth_tensor_t *input = guest->input;
  const berth_stream_ops_t *ops = call->stream->device->backend->streams;
  BERTH_TRY(berth_tensor_make(call->allocator, input->dtype, input->rank,
                              input->dims, input->count, &guest->output,
                              call->err));
  BERTH_TRY(ops->event_create(call->stream->device, &guest->ready, call->err));
  BERTH_TRY(ops->event_create(call->stream->device, &guest->over, call->err));
  return ops->record(call->stream, guest->ready, call->err);
}

// ---- NcclAllReduce ----

typedef struct plan {
  const char *how;
  const char *key;
  int size;
} plan_t;

static berth_code_t run_all_reduce(const void *plan, void *const *args,
                                   berth_call_t *call) {
  const plan_t *p = plan;
  (void)args;
  berth_guest_t *guest = NULL;
  berth_topic_t topic = {.key = p->key,
                         .run = call->control,
                         .what = "NcclAllReduce",
                         .how = p->how,
                         .size = p->size,
                         .dtype = call->inputs[0]->dtype};
  BERTH_TRY(berth_guest_init(call, call->inputs[0], &guest));
  BERTH_TRY(guest_prepare(guest, call));
  return berth_meeting_join(&topic, guest, hold_reduce, call->err);
}

static berth_code_t prepare_all_reduce(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  const berth_node_t *node = prepare->op.node;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->how = berth_node_attr(node, "reduction")->s.text;
  plan->key = berth_node_attr(node, "shared_name")->s.text;
  plan->size = (int)berth_node_attr(node, "num_devices")->i;
  prepare->run = run_all_reduce;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_collective_kernels[] = {
    {.op = "NcclAllReduce",
     .prepare = prepare_all_reduce,
     .traits = BERTH_OP_MEETS},
    {.op = NULL},
};
