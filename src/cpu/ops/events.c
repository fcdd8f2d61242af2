// events.c - Kernels that write events for TensorBoard into files.
#include "state/events.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/ops/summary.h"
#include "io/message.h"
#include "kernel/bind.h"
#include "kernel/handle.h"
#include "op/events.h"
#include "op/resource.h"
#include "state/container.h"

// ---- Making ----

static berth_code_t create(void *arg, berth_resource_t **out_resource,
                           berth_error_t *err) {
  return berth_events_create(arg, out_resource, err);
}

static berth_code_t run_make(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_resource_t *events = NULL;
  const char *key = berth_handle_key(call->node);
  if (strcmp(key, BERTH_ANONYMOUS) == 0) {
    BERTH_TRY(berth_events_create("_AnonymousVar0", &events, call->err));
  } else {
    char name[1024];
    (void)snprintf(name, sizeof(name), "%s", key);
    BERTH_TRY(berth_container_find_or_create(
        call->container, berth_node_attr_string(call->node, "container", ""),
        BERTH_RESOURCE_EVENTS, key, create, name, &events, call->err));
  }
  berth_handle_set(args[0], events);
  berth_resource_release(events);
  return BERTH_OK;
}

static berth_code_t prepare_make(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_make;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t get_events(const berth_call_t *call,
                               berth_events_t **out_events) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_EVENTS,
                             &resource, call->err));
  *out_events = (berth_events_t *)resource;
  return BERTH_OK;
}

static const char *text_of(const berth_tensor_t *tensor) {
  size_t size = 0;
  return berth_string_get(tensor->data, &size);
}

static berth_code_t run_open(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_events_t *events = NULL;
  BERTH_TRY(get_events(call, &events));
  berth_events_options_t options = {
      .folder = text_of(call->inputs[1]),
      .most = *(const int32_t *)call->inputs[2]->data,
      .millis = *(const int32_t *)call->inputs[3]->data,
      .suffix = text_of(call->inputs[4])};
  return berth_events_open(events, &options, call->err);
}

static berth_code_t run_flush(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_events_t *events = NULL;
  BERTH_TRY(get_events(call, &events));
  return berth_events_flush(events, call->err);
}

static berth_code_t run_close(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_events_t *events = NULL;
  BERTH_TRY(get_events(call, &events));
  return berth_events_close(events, call->err);
}

// ---- Summaries ----

static berth_summary_data_t data_of(const berth_tensor_t *tag,
                                    const berth_tensor_t *tensor) {
  return (berth_summary_data_t){.tag = tag->data,
                                .dtype = tensor->dtype,
                                .dims = {tensor->rank, tensor->dims},
                                .count = tensor->count,
                                .data = tensor->data};
}

// Writes |summary| as an event, unless |code| says that it is none, and empties
// it.
static berth_code_t write(berth_code_t code, berth_str_t *summary,
                          berth_call_t *call) {
  berth_events_t *events = NULL;
  if (code == BERTH_OK && !berth_str_ok(summary)) {
    code = berth_error_no_memory(call->err, "a summary");
  }
  if (code == BERTH_OK) code = get_events(call, &events);
  if (code == BERTH_OK) {
    int64_t step = *(const int64_t *)call->inputs[1]->data;
    code = berth_events_write(events, step, BERTH_EVENT_SUMMARY,
                              berth_str_get(summary), summary->size, call->err);
  }
  berth_str_clear(summary);
  return code;
}

static berth_code_t run_scalar(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *value = call->inputs[3];
  berth_str_t summary = {0};
  berth_summary_put_number(
      &summary, call->inputs[2]->data,
      (float)berth_number_at(value->dtype, value->data, 0));
  return write(BERTH_OK, &summary, call);
}

static berth_code_t run_histogram(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_summary_data_t data = data_of(call->inputs[2], call->inputs[3]);
  berth_summary_words_t words = {"Infinity in summary histogram",
                                 text_of(call->inputs[2])};
  berth_str_t summary = {0};
  berth_code_t code =
      berth_summary_put_histogram(&summary, &data, &words, call->err);
  return write(code, &summary, call);
}

static berth_code_t take_color(const berth_tensor_t *color,
                               berth_image_summary_t *images,
                               berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (color->rank != 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "bad_color must be a vector, got shape %s",
        berth_dims_text((berth_dims_t){color->rank, color->dims}, text));
  }
  if (color->count < images->channels) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "expected depth <= bad_color.size, got depth = "
                           "%lld, bad_color.size = %lld",
                           (long long)images->channels,
                           (long long)color->count);
  }
  memcpy(images->bad_color, color->data, (size_t)images->channels);
  return BERTH_OK;
}

static berth_code_t run_image(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_summary_data_t data = data_of(call->inputs[2], call->inputs[3]);
  berth_image_summary_t images;
  BERTH_TRY(berth_summary_images(
      data.dims, berth_node_attr_int(call->node, "max_images", 3), &images,
      call->err));
  BERTH_TRY(take_color(call->inputs[4], &images, call->err));
  berth_str_t summary = {0};
  berth_code_t code =
      berth_summary_put_images(&summary, &data, &images, call->err);
  return write(code, &summary, call);
}

static berth_code_t run_audio(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_summary_data_t data = data_of(call->inputs[2], call->inputs[3]);
  berth_audio_summary_t audio;
  BERTH_TRY(berth_summary_audio(
      data.dims, berth_node_attr_int(call->node, "max_outputs", 3), &audio,
      call->err));
  float rate = *(const float *)call->inputs[4]->data;
  berth_str_t summary = {0};
  berth_code_t code =
      berth_summary_put_audio(&summary, &data, &audio, rate, call->err);
  return write(code, &summary, call);
}

static berth_code_t run_tensor(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_summary_data_t data = data_of(call->inputs[3], call->inputs[2]);
  const berth_string_t *metadata = call->inputs[4]->data;
  size_t size = 0;
  (void)berth_string_get(metadata, &size);
  berth_str_t summary = {0};
  berth_summary_put_tensor(&summary, &data, size > 0 ? metadata : NULL);
  return write(BERTH_OK, &summary, call);
}

// ---- Messages as they are ----

static berth_code_t run_raw(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *in = call->inputs[2];
  const berth_string_t *strings = in->data;
  berth_str_t summary = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < in->count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&strings[i], &size);
    berth_str_put(&summary, text, size);
    if (berth_fields_are_whole(text, size)) continue;
    code = berth_error_set(call->err, BERTH_DATA_LOSS,
                           "Bad tf.compat.v1.Summary binary proto tensor "
                           "string at index %lld",
                           (long long)i);
  }
  return write(code, &summary, call);
}

static berth_code_t run_graph(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_events_t *events = NULL;
  size_t size = 0;
  BERTH_TRY(get_events(call, &events));
  const char *graph = berth_string_get(call->inputs[2]->data, &size);
  if (!berth_fields_are_whole(graph, size)) {
    return berth_error_set(call->err, BERTH_DATA_LOSS,
                           "Bad tf.GraphDef binary proto tensor string");
  }
  return berth_events_write(events, *(const int64_t *)call->inputs[1]->data,
                            BERTH_EVENT_GRAPH, graph, size, call->err);
}

static berth_code_t run_import(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_events_t *events = NULL;
  size_t size = 0;
  BERTH_TRY(get_events(call, &events));
  const char *event = berth_string_get(call->inputs[1]->data, &size);
  if (!berth_fields_are_whole(event, size)) {
    return berth_error_set(call->err, BERTH_DATA_LOSS,
                           "Bad tf.Event binary proto tensor string");
  }
  return berth_events_import(events, event, size, call->err);
}

#define PREPARE(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    prepare->run = run_##name;                                 \
    prepare->work = 10000;                                     \
    return berth_op_on_events(&prepare->op, err);              \
  }

PREPARE(open)
PREPARE(flush)
PREPARE(close)
PREPARE(scalar)
PREPARE(histogram)
PREPARE(image)
PREPARE(audio)
PREPARE(tensor)
PREPARE(raw)
PREPARE(graph)
PREPARE(import)

const berth_kernel_t berth_cpu_events_kernels[] = {
    {.op = "CloseSummaryWriter", .prepare = prepare_close},
    {.op = "CreateSummaryFileWriter", .prepare = prepare_open},
    {.op = "FlushSummaryWriter", .prepare = prepare_flush},
    {.op = "ImportEvent", .prepare = prepare_import},
    {.op = "SummaryWriter", .prepare = prepare_make},
    {.op = "WriteAudioSummary", .prepare = prepare_audio},
    {.op = "WriteGraphSummary", .prepare = prepare_graph},
    {.op = "WriteHistogramSummary", .prepare = prepare_histogram},
    {.op = "WriteImageSummary", .prepare = prepare_image},
    {.op = "WriteRawProtoSummary", .prepare = prepare_raw},
    {.op = "WriteScalarSummary", .prepare = prepare_scalar},
    {.op = "WriteSummary", .prepare = prepare_tensor},
    {.op = NULL},
};
