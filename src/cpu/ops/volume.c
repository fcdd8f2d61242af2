// volume.c - The kernel ExtractVolumePatches: what a window of three dimensions
// sees, place by place.
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "op/types.h"
#include "op/value.h"
#include "op/window.h"

enum { AXES = 3 };

typedef struct plan {
  int64_t batch;
  size_t depth;  // Bytes of the channels of one place.
  berth_window_axis_t axes[AXES];
} plan_t;

typedef struct job {
  const plan_t *plan;
  const char *in;
  char *out;
} job_t;

// Copies a row of the window: what lies outside is zero. |in| is where the row
// of the image begins, or NULL outside of it.
static char *copy_row(const plan_t *plan, int64_t o, const char *in,
                      char *out) {
  const berth_window_axis_t *axis = &plan->axes[2];
  int64_t begin = 0, end = 0, first = o * axis->stride - axis->before;
  size_t depth = plan->depth, size = (size_t)axis->window * depth;
  memset(out, 0, size);
  berth_window_taps(axis, o, &begin, &end);
  if (in != NULL && begin < end) {
    memcpy(out + (size_t)begin * depth, in + (size_t)(first + begin) * depth,
           (size_t)(end - begin) * depth);
  }
  return out + size;
}

// Copies what the window sees at place |o| of image |image|.
static void copy_patch(const plan_t *plan, const int64_t o[AXES],
                       const char *image, char *out) {
  const berth_window_axis_t *a = plan->axes;
  int64_t plane = o[0] * a[0].stride - a[0].before;
  for (int64_t i = 0; i < a[0].window; ++i, ++plane) {
    int64_t row = o[1] * a[1].stride - a[1].before;
    for (int64_t k = 0; k < a[1].window; ++k, ++row) {
      bool is_in = plane >= 0 && plane < a[0].in && row >= 0 && row < a[1].in;
      int64_t at = (plane * a[1].in + row) * a[2].in;
      out = copy_row(plan, o[2],
                     is_in ? image + (size_t)at * plan->depth : NULL, out);
    }
  }
}

static size_t patch_size(const plan_t *plan) {
  const berth_window_axis_t *a = plan->axes;
  return (size_t)(a[0].window * a[1].window * a[2].window) * plan->depth;
}

static void do_patches(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const berth_window_axis_t *a = job->plan->axes;
  size_t size = patch_size(job->plan);
  size_t image = (size_t)(a[0].in * a[1].in * a[2].in) * job->plan->depth;
  for (int64_t i = begin; i < end; ++i) {
    int64_t left = i / a[2].out;
    int64_t o[AXES] = {left / a[1].out % a[0].out, left % a[1].out,
                       i % a[2].out};
    size_t which = (size_t)(left / a[1].out / a[0].out);
    copy_patch(job->plan, o, job->in + which * image,
               job->out + (size_t)i * size);
  }
}

static berth_code_t run_volume(const void *data, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const plan_t *plan = data;
  const berth_window_axis_t *a = plan->axes;
  job_t job = {plan, args[0], args[1]};
  int64_t piece = 65536 / ((int64_t)patch_size(plan) + 1) + 1;
  berth_parallel_for(plan->batch * a[0].out * a[1].out * a[2].out, piece,
                     do_patches, &job);
  return BERTH_OK;
}

// Reads list |name|, of which only the middle counts.
static berth_code_t read_sizes(const berth_node_t *node, const char *name,
                               int64_t out[AXES], berth_error_t *err) {
  const berth_attr_value_t *list = berth_node_attr(node, name);
  if (list->i_list[0] != 1 || list->i_list[4] != 1) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Only support %s across space.", name);
  }
  for (int i = 0; i < AXES; ++i) {
    out[i] = list->i_list[i + 1];
    if (out[i] >= 1) continue;
    return berth_error_set(err, BERTH_OUT_OF_RANGE, "%s is out of range.",
                           name);
  }
  return BERTH_OK;
}

// Says how often the window fits along |axis|; not at all where it is larger
// than the image.
static void place(berth_window_axis_t *axis, berth_padding_t padding) {
  int64_t most = axis->in - axis->window;
  axis->dilation = 1;
  axis->out = most < 0 ? 0 : most / axis->stride + 1;
  if (padding != BERTH_PADDING_SAME) return;
  axis->out = (axis->in + axis->stride - 1) / axis->stride;
  int64_t all = (axis->out - 1) * axis->stride + axis->window - axis->in;
  axis->before = all > 0 ? all / 2 : 0;
}

static berth_code_t fill_plan(berth_case_t *op, plan_t *plan,
                              berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  int64_t sizes[AXES], strides[AXES], all = 1;
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(read_sizes(op->node, "ksizes", sizes, err));
  BERTH_TRY(read_sizes(op->node, "strides", strides, err));
  if (in->rank != 5) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be 5-dimensional%s",
                           berth_input_text(in, text));
  }
  berth_shape_t *shape = &op->outputs[0];
  *shape = (berth_shape_t){0};
  BERTH_TRY(berth_shape_push(shape, &all, in->dims[0], err));
  int64_t channels = in->dims[4];
  for (int i = 0; i < AXES; ++i) {
    plan->axes[i] = (berth_window_axis_t){
        .in = in->dims[i + 1], .window = sizes[i], .stride = strides[i]};
    place(&plan->axes[i], berth_padding_of(op->node));
    if (__builtin_mul_overflow(channels, sizes[i], &channels)) {
      channels = INT64_MAX;
    }
    BERTH_TRY(berth_shape_push(shape, &all, plan->axes[i].out, err));
  }
  plan->batch = in->dims[0];
  plan->depth = (size_t)in->dims[4] * berth_dtype_size(in->dtype);
  return berth_shape_push(shape, &all, channels, err);
}

static berth_code_t prepare_volume(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(fill_plan(&prepare->op, plan, err));
  berth_dims_t dims = berth_case_output_dims(&prepare->op, 0);
  int64_t count = berth_dims_count(dims);
  BERTH_TRY(
      berth_value_check_size(dims, count, prepare->op.inputs[0].dtype, err));
  prepare->run = count > 0 ? run_volume : berth_run_nothing;
  prepare->work = count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_volume_kernels[] = {
    {.op = "ExtractVolumePatches",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_volume},
    {.op = NULL},
};
