// exec_testing.h - What the tests of this room share: a rig for programs.
//
// A rig is a graph, a CPU and some fake GPUs (fake_gpu.h), and kernels of its
// own for a few ops: no session, no process object. Node devices are "/gpu:N"
// or nothing, for the CPU.
//
//   AddV2     a + b; output may take over either input
//   Sub       a + b again, through scratch space and without taking over
//   Neg       -a; may take over
//   Identity  an alias of its input
//   Square    blocks: leaves a completion and is never done by itself
//   Exp       blocks, and is done at once: a copy of its input
#ifndef BERTH_EXEC_EXEC_TESTING_H_
#define BERTH_EXEC_EXEC_TESTING_H_

#include <unistd.h>

#include "berth/ops.h"
#include "exec/check.h"
#include "exec/fake_gpu.h"
#include "exec/lanes.h"
#include "exec/run.h"
#include "harness.h"
#include "state/container.h"

enum {
  RIG_GPUS = 3,
  RIG_MOST = 64,
  RIG_NS = 100,       // What kernels say an element takes.
  RIG_SCRATCH = 250,  // Elements.
};

typedef struct rig {
  berth_graph_t *graph;
  berth_exec_host_t host;
  berth_exec_device_t devices[RIG_GPUS + 1];
  fake_gpu_t gpus[RIG_GPUS];
  berth_allocator_t cpu;
  berth_lender_t lender;
  berth_terms_t terms;
  atomic_int closed;
  berth_run_control_t control;
  berth_error_t err;
  berth_program_t *program;
  // What is fed and fetched.
  berth_out_t feeds[RIG_MOST], fetches[RIG_MOST];
  int16_t feed_spaces[RIG_MOST];
  int feed_count, fetch_count;
  berth_node_id_t targets[RIG_MOST];
  int target_count;
  bool is_partial, is_call, has_spaces;
} rig_t;

// ---- Kernels ----

static inline berth_code_t rig_run_add(const void *plan, void *const *args,
                                       berth_call_t *call) {
  fake_work_t work = {args[0], args[1], args[2], *(const int64_t *)plan};
  if (call->stream != NULL) {
    fake_queue(call->stream, work);
  } else {
    fake_do(&work);
  }
  return BERTH_OK;
}

static inline berth_code_t rig_run_neg(const void *plan, void *const *args,
                                       berth_call_t *call) {
  fake_work_t work = {args[0], NULL, args[1], *(const int64_t *)plan};
  if (call->stream != NULL) {
    fake_queue(call->stream, work);
  } else {
    fake_do(&work);
  }
  return BERTH_OK;
}

static inline berth_code_t rig_prepare(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  int64_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = prepare->op.inputs[0].count;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = prepare->op.input_count == 2 ? rig_run_add : rig_run_neg;
  prepare->op.may_overwrite = prepare->op.input_count == 2 ? 3 : 1;
  prepare->work = *plan * RIG_NS;
  return BERTH_OK;
}

// How long Sub pauses with its scratch space filled.
static int rig_pause_us = 0;

// As rig_run_add(), with the last numbers on their way through scratch space.
static inline berth_code_t rig_run_sub(const void *plan, void *const *args,
                                       berth_call_t *call) {
  if (call->stream != NULL) return rig_run_add(plan, args, call);
  int64_t count = *(const int64_t *)plan;
  int64_t kept = count < RIG_SCRATCH ? count : RIG_SCRATCH;
  const float *a = args[0], *b = args[1];
  float *out = args[2], *scratch = args[3];
  memcpy(scratch, a + count - kept, (size_t)kept * sizeof(float));
  // For others to spoil it, where they can.
  if (rig_pause_us > 0) usleep((useconds_t)rig_pause_us);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = i - (count - kept);
    out[i] = (at >= 0 ? scratch[at] : a[i]) + b[i];
  }
  return BERTH_OK;
}

static inline berth_code_t rig_prepare_sub(berth_prepare_t *prepare,
                                           berth_error_t *err) {
  BERTH_TRY(rig_prepare(prepare, err));
  prepare->op.may_overwrite = 0;
  prepare->run = rig_run_sub;
  prepare->scratch_size = RIG_SCRATCH * sizeof(float);
  return BERTH_OK;
}

static inline berth_code_t rig_prepare_alias(berth_prepare_t *prepare,
                                             berth_error_t *err) {
  (void)err;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->op.alias = 0;
  return BERTH_OK;
}

static inline void rig_cancel(berth_completion_t *completion) {
  completion->done(completion, BERTH_CANCELLED, "told to end", NULL);
}

static inline berth_code_t rig_run_never(const void *plan, void *const *args,
                                         berth_call_t *call) {
  (void)plan, (void)args;
  call->completion->cancel = rig_cancel;
  return BERTH_PENDING;
}

static inline berth_code_t rig_run_at_once(const void *plan, void *const *args,
                                           berth_call_t *call) {
  (void)plan, (void)args;
  berth_tensor_t *outputs[1] = {berth_tensor_retain(call->inputs[0])};
  call->completion->done(call->completion, BERTH_OK, NULL, outputs);
  return BERTH_PENDING;
}

static inline berth_code_t rig_prepare_never(berth_prepare_t *prepare,
                                             berth_error_t *err) {
  (void)err;
  prepare->run = rig_run_never;
  return BERTH_OK;
}

static inline berth_code_t rig_prepare_at_once(berth_prepare_t *prepare,
                                               berth_error_t *err) {
  (void)err;
  prepare->run = rig_run_at_once;
  return BERTH_OK;
}

static const berth_kernel_t rig_kernels[] = {
    {.op = "AddV2", .prepare = rig_prepare},
    {.op = "Sub", .prepare = rig_prepare_sub},
    {.op = "Neg", .prepare = rig_prepare},
    {.op = "Identity", .prepare = rig_prepare_alias},
    {.op = NULL},
};

// The GPU has no kernel that blocks.
static const berth_kernel_t rig_blocking[] = {
    {.op = "Square",
     .prepare = rig_prepare_never,
     .traits = BERTH_OP_BLOCKS | BERTH_OP_MAKES},
    {.op = "Exp",
     .prepare = rig_prepare_at_once,
     .traits = BERTH_OP_BLOCKS | BERTH_OP_MAKES},
    {.op = NULL},
};

// ---- The rig ----

static inline int rig_device_of(const berth_exec_host_t *host, int32_t node) {
  const char *device = berth_graph_get(host->graph, node)->device;
  const char *digit = strrchr(device, ':');
  bool is_gpu = strstr(device, "gpu") != NULL || strstr(device, "GPU") != NULL;
  return is_gpu && digit != NULL ? digit[1] - '0' + 1 : 0;
}

static inline void rig_init(rig_t *rig) {
  memset(rig, 0, sizeof(*rig));
  rig->graph = berth_graph_create();
  berth_terms_init(&rig->terms);
  berth_lender_init(&rig->lender);
  rig->cpu = (berth_allocator_t){fake_alloc, NULL};
  rig->devices[0] = (berth_exec_device_t){"/device:CPU:0", &fake_host,
                                          &rig->cpu, NULL, &rig->lender};
  for (int i = 0; i < RIG_GPUS; ++i) {
    ASSERT_OK(fake_gpu_init(&rig->gpus[i], i, &rig->err), &rig->err);
    rig->devices[i + 1] = (berth_exec_device_t){
        "/device:GPU", &fake_backend, &rig->gpus[i].allocator,
        &rig->gpus[i].device, &rig->gpus[i].device.lender};
  }
  rig->control.closed = &rig->closed;
  rig->host = (berth_exec_host_t){.graph = rig->graph,
                                  .devices = rig->devices,
                                  .device_count = RIG_GPUS + 1,
                                  .terms = &rig->terms,
                                  .keep_constants = true,
                                  .device_of = rig_device_of};
  ASSERT_OK(berth_container_create(&rig->host.container, &rig->err), &rig->err);
  ASSERT_OK(berth_kernel_add(&fake_host, rig_kernels, &rig->err), &rig->err);
  ASSERT_OK(berth_kernel_add(&fake_host, rig_blocking, &rig->err), &rig->err);
  ASSERT_OK(berth_kernel_add(&fake_backend, rig_kernels, &rig->err), &rig->err);
}

static inline void rig_clear(rig_t *rig) {
  berth_program_release(rig->program);
  berth_terms_deinit(&rig->terms);
  for (int i = 0; i < RIG_GPUS; ++i) fake_gpu_deinit(&rig->gpus[i]);
  berth_lender_deinit(&rig->lender);
  berth_container_destroy(rig->host.container);
  berth_graph_release(rig->graph);
  berth_error_clear(&rig->err);
}

// ---- Nodes; |gpu| -1: the CPU ----

static inline berth_out_t rig_op(rig_t *rig, const char *type, int gpu,
                                 const berth_out_t *inputs, int input_count,
                                 const berth_node_id_t *after,
                                 int after_count) {
  char device[16] = "";
  if (gpu >= 0) snprintf(device, sizeof(device), "/gpu:%d", gpu);
  berth_op_t *op = berth_op_begin(rig->graph, type, NULL);
  for (int i = 0; i < input_count; ++i) berth_op_input(op, inputs[i]);
  for (int i = 0; i < after_count; ++i) berth_op_control(op, after[i]);
  berth_op_device(op, device);
  return berth_output(berth_op_finish(op), 0);
}

static inline berth_out_t rig_add(rig_t *rig, int gpu, berth_out_t a,
                                  berth_out_t b) {
  return rig_op(rig, "AddV2", gpu, (berth_out_t[]){a, b}, 2, NULL, 0);
}

static inline berth_out_t rig_one(rig_t *rig, const char *type, int gpu,
                                  berth_out_t a) {
  return rig_op(rig, type, gpu, &a, 1, NULL, 0);
}

// A node that waits for that of |before|.
static inline berth_out_t rig_after(rig_t *rig, const char *type, int gpu,
                                    berth_out_t a, berth_out_t before) {
  return rig_op(rig, type, gpu, &a, 1, &before.node, 1);
}

static inline berth_out_t rig_feed(rig_t *rig) {
  berth_out_t out = berth_placeholder(rig->graph, NULL, BERTH_FLOAT);
  rig->feeds[rig->feed_count++] = out;
  return out;
}

// A feed that is on a GPU already.
static inline berth_out_t rig_feed_on(rig_t *rig, int gpu) {
  rig->has_spaces = true;
  rig->feed_spaces[rig->feed_count] = (int16_t)(gpu < 0 ? 0 : gpu + 2);
  return rig_feed(rig);
}

static inline void rig_fetch(rig_t *rig, berth_out_t out) {
  rig->fetches[rig->fetch_count++] = out;
}

// ---- Programs ----

static inline berth_code_t rig_build(rig_t *rig) {
  berth_signature_t signature = {
      .feeds = rig->feeds,
      .feed_count = rig->feed_count,
      .fetches = rig->fetches,
      .fetch_count = rig->fetch_count,
      .targets = rig->targets,
      .target_count = rig->target_count,
      .is_partial = rig->is_partial,
      .is_call = rig->is_call,
      .feed_spaces = rig->has_spaces ? rig->feed_spaces : NULL};
  berth_watch_t watch = {.control = &rig->control};
  BERTH_TRY(berth_graph_error(rig->graph, &rig->err));
  return berth_program_create(&rig->host, &signature,
                              berth_graph_node_count(rig->graph), &watch,
                              &rig->program, &rig->err);
}

// Feeds of |count| elements each: 1, 2, 4 …, where the program wants them.
static inline void rig_feeds_make(rig_t *rig, int64_t count,
                                  berth_tensor_t **tensors) {
  for (int i = 0; i < rig->feed_count; ++i) {
    int space = rig->has_spaces ? rig->feed_spaces[i] : 0;
    berth_allocator_t *allocator =
        space > 0 ? rig->devices[space - 1].allocator : NULL;
    ASSERT_OK(berth_tensor_make(allocator, BERTH_FLOAT, 1, &count, count,
                                &tensors[i], &rig->err),
              &rig->err);
    float *data = tensors[i]->data;
    for (int64_t k = 0; k < count; ++k) data[k] = (float)(1 << i % 20);
  }
}

static inline void rig_feeds_release(rig_t *rig, berth_tensor_t **tensors) {
  for (int i = 0; i < rig->feed_count; ++i) berth_tensor_release(tensors[i]);
}

// Expects that |layout| is what it must be.
static inline void rig_expect_sound(const berth_layout_t *layout) {
  const char *wrong = berth_layout_check(layout);
  if (wrong != NULL) HARNESS_FAIL("%s", wrong);
}

// Returns the layout for feeds of |count| elements, or NULL.
static inline berth_layout_t *rig_layout(rig_t *rig, int64_t count) {
  berth_tensor_t *feeds[RIG_MOST] = {0};
  berth_layout_t *layout = NULL;
  rig_feeds_make(rig, count, feeds);
  if (berth_layout_get(rig->program, feeds, NULL, &layout, &rig->err) !=
      BERTH_OK) {
    HARNESS_FAIL("no layout: %s", berth_error_message(&rig->err));
  }
  rig_feeds_release(rig, feeds);
  return layout;
}

// Runs with feeds of |count| elements; stores the last element of each fetch.
static inline berth_code_t rig_run(rig_t *rig, int64_t count, float *values) {
  berth_tensor_t *feeds[RIG_MOST] = {0}, *results[RIG_MOST] = {0};
  rig_feeds_make(rig, count, feeds);
  berth_code_t code =
      berth_run(rig->program, feeds, results, &rig->control, &rig->err);
  for (int i = 0; code == BERTH_OK && i < rig->fetch_count; ++i) {
    values[i] = ((const float *)results[i]->data)[count - 1];
    berth_tensor_release(results[i]);
  }
  rig_feeds_release(rig, feeds);
  return code;
}

// Returns the step of the node of |out|, or -1.
static inline int rig_step(const rig_t *rig, berth_out_t out) {
  for (int s = 0; s < rig->program->step_count; ++s) {
    if (rig->program->steps[s].node->id == out.node) return s;
  }
  return -1;
}

// Returns the slot of output 0 of the node of |out|.
static inline int32_t rig_slot(const rig_t *rig, berth_out_t out) {
  const berth_step_t *step = &rig->program->steps[rig_step(rig, out)];
  return rig->program->args[step->first_arg + step->input_count];
}

// Returns the segment that the node of |out| is in.
static inline int rig_segment(const rig_t *rig, berth_out_t out) {
  int s = rig_step(rig, out);
  for (int t = 0; t < rig->program->segment_count; ++t) {
    if (s < rig->program->segments[t].end) return t;
  }
  return -1;
}

// ---- Chance ----

static inline uint32_t rig_random(uint64_t *state, uint32_t below) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (uint32_t)(*state >> 20) % below;
}

#endif  // BERTH_EXEC_EXEC_TESTING_H_
