// conv_library.c - Convolutions by the vendor's libraries.
#include "cuda/ops/conv_library.h"

#include <stdatomic.h>

#include "base/fork.h"
#include "base/hash.h"
#include "base/log.h"
#include "cuda/card/precision.h"
#include "cuda/code/launch.h"
#include "cuda/stream/device_internal.h"

// Convolutions with less to do are done before a library has been called; the
// same numbers as those of products (matmul.c).
enum { SMALL_DEPTH = 32, SMALL_WORK = 1 << 18 };

// ---- Products ----

// True when the window is one place, moved by one.
static bool is_pointwise(const berth_conv_t *conv) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &conv->window.axes[i];
    if (axis->window != 1 || axis->stride != 1 || axis->out != axis->in ||
        axis->before != 0) {
      return false;
    }
  }
  return true;
}

// True when the window is the whole image.
static bool is_whole(const berth_conv_t *conv) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &conv->window.axes[i];
    if (axis->window != axis->in || axis->out != 1 || axis->before != 0 ||
        (axis->dilation != 1 && axis->window > 1)) {
      return false;
    }
  }
  return true;
}

// Channels last: rows are places, or whole images.
static bool describe_rows(const berth_conv_t *conv,
                          berth_conv_library_t *library) {
  const berth_window_t *window = &conv->window;
  bool is_point = is_pointwise(conv);
  if (!is_point && !is_whole(conv)) return false;
  int64_t rows = window->batch * berth_conv_out_places(conv);
  int64_t in = window->channels * berth_conv_taps(conv);
  int64_t out = window->out_channels;
  berth_cuda_product_t *product = &library->product;
  switch (conv->goal) {
    case BERTH_CONV_OUTPUT:
      *product = (berth_cuda_product_t){.m = rows, .n = out, .k = in};
      library->a_arg = conv->image;
      library->b_arg = conv->filter;
      break;
    case BERTH_CONV_IMAGE:
      *product = (berth_cuda_product_t){
          .m = rows, .n = in, .k = out, .transpose_b = true};
      library->a_arg = conv->output;
      library->b_arg = conv->filter;
      break;
    case BERTH_CONV_FILTER:
      *product = (berth_cuda_product_t){
          .m = in, .n = out, .k = rows, .transpose_a = true};
      library->a_arg = conv->image;
      library->b_arg = conv->output;
      break;
  }
  product->batch = 1;
  return true;
}

// Channels first: a product for each image; the filter's gradient is a sum over
// them, which is none.
static bool describe_images(const berth_conv_t *conv,
                            berth_conv_library_t *library) {
  const berth_window_t *window = &conv->window;
  if (!is_pointwise(conv) || conv->goal == BERTH_CONV_FILTER) return false;
  bool is_output = conv->goal == BERTH_CONV_OUTPUT;
  int64_t places = berth_conv_places(conv);
  int64_t from = is_output ? window->channels : window->out_channels;
  library->product = (berth_cuda_product_t){
      .m = is_output ? window->out_channels : window->channels,
      .n = places,
      .k = from,
      .transpose_a = is_output,
      .batch = window->batch,
      .b_step = from * places};
  library->a_arg = conv->filter;
  library->b_arg = is_output ? conv->image : conv->output;
  return true;
}

static berth_code_t try_product(berth_prepare_t *prepare,
                                const berth_conv_t *conv,
                                berth_conv_library_t *library,
                                berth_error_t *err) {
  BERTH_TRY(berth_device_start(prepare->device, err));
  // With TF32, on an H200, cuDNN takes two thirds of the time that cuBLASLt
  // takes for the tall products that these are.
  const berth_cuda_card_t *card =
      ((const berth_cuda_device_t *)prepare->device)->card;
  bool is_tf32 =
      berth_cuda_tf32() && berth_cuda_card_has_tf32(card, conv->dtype);
  bool is_one =
      !is_tf32 && conv->groups == 1 &&
      (conv->window.layout.channels_first ? describe_images(conv, library)
                                          : describe_rows(conv, library));
  if (!is_one) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "the convolution is no product that cuBLASLt is "
                           "best at");
  }
  library->product.dtype = conv->dtype;
  library->product.repeats = 1;
  BERTH_TRY(
      berth_blas_prepare(prepare, &library->product, &library->blas, err));
  library->kind = BERTH_CONV_PRODUCT;
  prepare->scratch_size = berth_blas_scratch(&library->blas);
  return BERTH_OK;
}

// ---- Convolutions ----

// Makes the padding of |conv| the same at both ends; the filter's taps begin at
// |front| then. False where taps of zeros cannot do that.
static bool pad_evenly(berth_conv_t *conv, int64_t *front) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    berth_window_axis_t *axis = &conv->window.axes[i];
    int64_t more = axis->after - axis->before;
    if (more % axis->dilation != 0) return false;
    int64_t taps = more / axis->dilation;
    front[i] = taps > 0 ? taps : 0;
    axis->window += taps > 0 ? taps : -taps;
    axis->before = axis->after = more > 0 ? axis->after : axis->before;
    int64_t room = axis->in + 2 * axis->before - berth_window_extent(axis);
    if (room < 0 || room / axis->stride + 1 != axis->out) return false;
  }
  return true;
}

enum { TAPS = BERTH_WINDOW_AXES, LEVELS = TAPS + 2 };

// Adds a level of loops over |count| elements.
static void add_level(berth_move_spec_t *spec, int64_t count,
                      int64_t tensorflow, int64_t library, bool is_out) {
  spec->dims[spec->rank] = count;
  spec->from_steps[spec->rank] = is_out ? library : tensorflow;
  spec->to_steps[spec->rank] = is_out ? tensorflow : library;
  ++spec->rank;
}

// Describes the move of a filter between TensorFlow's order, the one of |conv|,
// and the library's, whose taps are those of |even|; the target is walked from
// one element to the next.
static berth_move_spec_t describe_turn(const berth_conv_t *conv,
                                       const berth_conv_t *even,
                                       const int64_t *front) {
  const bool first = conv->window.layout.channels_first;
  const bool is_out = conv->goal == BERTH_CONV_FILTER;
  int64_t depth = berth_conv_depth(conv), out = conv->window.out_channels;
  int64_t theirs = first ? 1 : depth, ours = depth * out;
  int64_t steps[TAPS], library_steps[TAPS], offset = 0;
  for (int i = TAPS; i-- > 0;) {
    steps[i] = ours;
    library_steps[i] = theirs;
    offset += front[i] * theirs;
    ours *= conv->window.axes[i].window;
    theirs *= even->window.axes[i].window;
  }
  berth_move_spec_t spec = {.rank = 0};
  *(is_out ? &spec.from_offset : &spec.to_offset) = offset;
  int64_t channel_step = first ? theirs : 1;
  int64_t out_step = berth_conv_taps(even) * depth;
  if (!is_out) add_level(&spec, out, 1, out_step, is_out);
  if (!is_out && first) add_level(&spec, depth, out, channel_step, is_out);
  for (int i = 0; i < TAPS; ++i) {
    add_level(&spec, conv->window.axes[i].window, steps[i], library_steps[i],
              is_out);
  }
  if (is_out || !first) add_level(&spec, depth, out, channel_step, is_out);
  if (is_out) add_level(&spec, out, 1, out_step, is_out);
  return spec;
}

static berth_code_t plan_turn(berth_prepare_t *prepare,
                              const berth_conv_t *conv,
                              const berth_conv_t *even, const int64_t *front,
                              berth_conv_library_t *library,
                              berth_error_t *err) {
  berth_move_spec_t spec = describe_turn(conv, even, front);
  void *plan = prepare->plan;
  berth_moves_t moves;
  berth_moves_init(&moves, conv->dtype);
  BERTH_TRY(berth_moves_add(&prepare->op, &moves, &spec, 0, 1, err));
  berth_code_t code = berth_cuda_moves_plan(prepare, &moves, err);
  library->turn = prepare->plan;
  prepare->plan = plan;
  library->has_zeros = berth_conv_taps(even) != berth_conv_taps(conv);
  library->filter_size =
      (size_t)(berth_conv_taps(even) * berth_conv_depth(conv) *
               conv->window.out_channels) *
      berth_dtype_size(conv->dtype);
  return code;
}

static size_t align_up(size_t size) {
  const size_t unit = BERTH_DNN_ROOM_ALIGNMENT;
  return (size + unit - 1) / unit * unit;
}

static berth_code_t try_dnn(berth_prepare_t *prepare, const berth_conv_t *conv,
                            berth_conv_library_t *library, berth_error_t *err) {
  berth_conv_t even = *conv;
  int64_t front[TAPS];
  // With one channel in each group there is nothing for tensor cores to add up;
  // the library is far behind our own kernels then.
  if (conv->groups > 1 && berth_conv_depth(conv) == 1) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuDNN is not asked for depthwise convolutions");
  }
  if (!pad_evenly(&even, front)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuDNN pads both ends of an axis alike");
  }
  BERTH_TRY(berth_dnn_prepare(prepare, &even, &library->dnn, err));
  BERTH_TRY(plan_turn(prepare, conv, &even, front, library, err));
  library->kind = BERTH_CONV_DNN;
  prepare->scratch_size = align_up(library->filter_size) +
                          (size_t)berth_dnn_room(&library->dnn) +
                          BERTH_DNN_ROOM_ALIGNMENT;
  return BERTH_OK;
}

// ---- Preparing ----

// Terms of each result.
static int64_t terms_of(const berth_conv_t *conv) {
  switch (conv->goal) {
    case BERTH_CONV_OUTPUT:
      return berth_conv_taps(conv) * berth_conv_depth(conv);
    case BERTH_CONV_IMAGE:
      return berth_conv_taps(conv) * berth_conv_out_depth(conv);
    default:
      return conv->window.batch * berth_conv_out_places(conv);
  }
}

static bool is_small(const berth_conv_t *conv) {
  double work = (double)conv->window.batch *
                (double)berth_conv_out_places(conv) *
                (double)conv->window.out_channels *
                (double)berth_conv_taps(conv) * (double)berth_conv_depth(conv);
  return terms_of(conv) <= SMALL_DEPTH && work <= SMALL_WORK;
}

// Says once that convolutions are slower than they could be.
static void tell_missing(const berth_error_t *reason) {
  static atomic_flag was_told = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&was_told)) return;
  berth_log(BERTH_LOG_WARNING, "cuda/ops/conv_library.c", __LINE__,
            "convolutions on GPUs are slower than they could be: %s",
            berth_error_message(reason));
}

typedef berth_code_t (*try_fn)(berth_prepare_t *, const berth_conv_t *,
                               berth_conv_library_t *, berth_error_t *);

// BERTH_OK where the library is not there, or refuses, too.
static berth_code_t attempt(try_fn try, berth_prepare_t *prepare,
                            const berth_conv_t *conv,
                            berth_conv_library_t *library, bool is_last,
                            berth_error_t *err) {
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = try(prepare, conv, library, &reason);
  if (code == BERTH_UNAVAILABLE && is_last) tell_missing(&reason);
  if (code == BERTH_UNAVAILABLE || code == BERTH_UNIMPLEMENTED) {
    berth_trace("kernel", "%s: %s: %s", prepare->op.node->name,
                is_last ? "own kernel" : "no product",
                berth_error_message(&reason));
    berth_error_clear(&reason);
    return BERTH_OK;
  }
  return code == BERTH_OK ? BERTH_OK : berth_error_move(err, &reason);
}

berth_code_t berth_conv_library_prepare(berth_prepare_t *prepare,
                                        const berth_conv_t *conv,
                                        berth_conv_library_t *library,
                                        berth_error_t *err) {
  library->goal_arg = prepare->op.input_count;
  if (conv->dtype == BERTH_INT32 || is_small(conv)) return BERTH_OK;
  BERTH_TRY(attempt(try_product, prepare, conv, library, false, err));
  if (library->kind != BERTH_CONV_NO_LIBRARY) return BERTH_OK;
  return attempt(try_dnn, prepare, conv, library, true, err);
}

// ---- Running ----

static bool is_aligned(const void *address) {
  return (uintptr_t)address % BERTH_DNN_ALIGNMENT == 0;
}

bool berth_conv_library_suits(const berth_conv_library_t *library,
                              const berth_conv_t *conv, void *const *args) {
  berth_conv_goal_t goal = conv->goal;
  switch (library->kind) {
    case BERTH_CONV_PRODUCT: {
      void *const at[] = {args[library->a_arg], args[library->b_arg],
                          args[library->goal_arg]};
      return berth_blas_is_aligned(&library->blas, at);
    }
    case BERTH_CONV_DNN:
      // The filter is moved, from or to any address.
      return berth_dnn_is_ready(&library->dnn) &&
             (goal == BERTH_CONV_IMAGE || is_aligned(args[conv->image])) &&
             (goal == BERTH_CONV_OUTPUT || is_aligned(args[conv->output])) &&
             (goal == BERTH_CONV_FILTER || is_aligned(args[library->goal_arg]));
    default:
      return false;
  }
}

static berth_code_t run_dnn(const berth_conv_library_t *library,
                            const berth_conv_t *conv, void *const *args,
                            berth_call_t *call) {
  berth_conv_goal_t goal = conv->goal;
  char *room = args[library->goal_arg + 1];
  room += -(uintptr_t)room & (BERTH_DNN_ROOM_ALIGNMENT - 1);
  void *written = args[library->goal_arg];
  void *const turned[] = {goal == BERTH_CONV_FILTER ? room : args[conv->filter],
                          goal == BERTH_CONV_FILTER ? written : room};
  berth_dnn_operands_t at = {
      .image = goal == BERTH_CONV_IMAGE ? written : args[conv->image],
      .filter = room,
      .output = goal == BERTH_CONV_OUTPUT ? written : args[conv->output],
      .workspace = room + align_up(library->filter_size)};
  if (goal == BERTH_CONV_FILTER) {
    BERTH_TRY(berth_dnn_run(&library->dnn, &at, call));
    return berth_cuda_moves_run(library->turn, turned, call);
  }
  if (library->has_zeros) {
    BERTH_TRY(berth_cuda_clear(call, room, library->filter_size));
  }
  BERTH_TRY(berth_cuda_moves_run(library->turn, turned, call));
  return berth_dnn_run(&library->dnn, &at, call);
}

berth_code_t berth_conv_library_run(const berth_conv_library_t *library,
                                    const berth_conv_t *conv, void *const *args,
                                    berth_call_t *call) {
  if (library->kind == BERTH_CONV_DNN) {
    return run_dnn(library, conv, args, call);
  }
  bool has_scratch = library->blas.workspace > 0;
  void *const at[] = {args[library->a_arg], args[library->b_arg],
                      args[library->goal_arg],
                      has_scratch ? args[library->goal_arg + 1] : NULL};
  return berth_blas_run(&library->blas, &library->product, at, call);
}

// ---- Finishing ----

size_t berth_conv_library_finish_room(const berth_conv_library_t *library,
                                      const berth_conv_t *conv,
                                      int64_t channels) {
  if (library->kind != BERTH_CONV_DNN || conv->dtype != BERTH_FLOAT ||
      conv->window.layout.channels_first ||
      conv->window.out_channels != channels ||
      !berth_dnn_can_finish(&library->dnn)) {
    return 0;
  }
  return align_up(library->filter_size) +
         align_up((size_t)berth_dnn_room(&library->dnn)) +
         align_up((size_t)channels * sizeof(float)) + BERTH_DNN_ROOM_ALIGNMENT;
}

berth_code_t berth_conv_library_finish(const berth_conv_library_t *library,
                                       const berth_conv_t *conv, int fold,
                                       berth_conv_finish_params_t *finish,
                                       void *const *args, berth_call_t *call) {
  char *room = args[library->goal_arg + 1];
  room += -(uintptr_t)room & (BERTH_DNN_ROOM_ALIGNMENT - 1);
  char *workspace = room + align_up(library->filter_size);
  void *const turned[] = {args[conv->filter], room};
  berth_dnn_operands_t at = {.image = args[conv->image],
                             .filter = room,
                             .output = args[library->goal_arg],
                             .workspace = workspace,
                             .bias = finish->bias,
                             .added = finish->added,
                             .is_relu = finish->is_relu != 0};
  if (library->has_zeros) {
    BERTH_TRY(berth_cuda_clear(call, room, library->filter_size));
  }
  BERTH_TRY(berth_cuda_moves_run(library->turn, turned, call));
  if (finish->scale != NULL || at.bias == NULL || !is_aligned(at.bias)) {
    finish->filter = (float *)(void *)room;
    finish->per = library->filter_size / sizeof(float) / finish->channels;
    finish->filter_count =
        finish->scale != NULL ? finish->per * finish->channels : 0;
    finish->made_bias =
        (float *)(void *)(workspace +
                          align_up((size_t)berth_dnn_room(&library->dnn)));
    at.bias = finish->made_bias;
    BERTH_TRY(berth_cuda_launch(call, fold,
                                finish->filter_count + finish->channels, finish,
                                sizeof(*finish)));
  }
  return berth_dnn_run(&library->dnn, &at, call);
}

// ---- NaNs ----

// What was found out; the oldest is forgotten.
enum { KNOWN = 256 };

static berth_mutex_t known_lock = BERTH_MUTEX_INIT;  // Guards what follows.
BERTH_FORK_HOLDS(known_lock, BERTH_FORK_LEAF)
static struct {
  uint64_t hash;  // 0: nothing.
  bool keeps;
} known[KNOWN];
static unsigned known_next = 0;

// Trying takes no more memory of the card.
#define MOST_TO_TRY (UINT64_C(1) << 30)

// Gives the library a bias of NaNs, in |buffer|; true when all comes out NaN.
static berth_code_t try_nan(const berth_conv_library_t *library,
                            const berth_conv_t *conv, berth_buffer_t *buffer,
                            size_t image_size, bool has_added,
                            berth_call_t *call, float *out_found) {
  char *at = buffer->data;
  at += -(uintptr_t)at & (BERTH_DNN_ROOM_ALIGNMENT - 1);
  char *filter = at + align_up(image_size);
  char *workspace = filter + align_up(library->filter_size);
  char *output = workspace + align_up((size_t)berth_dnn_room(&library->dnn));
  size_t size = (size_t)(buffer->size - (size_t)(at - (char *)buffer->data));
  int64_t count = conv->window.batch * berth_conv_out_places(conv) *
                  conv->window.out_channels;
  berth_conv_finish_params_t params = {
      .y = (float *)(void *)output,
      .count = (uint64_t)count,
      .channels = (uint64_t)conv->window.out_channels,
      .made_bias =
          (float *)(void *)(output + align_up((size_t)count * sizeof(float)))};
  berth_dnn_operands_t operands = {.image = at,
                                   .filter = filter,
                                   .output = output,
                                   .workspace = workspace,
                                   .bias = params.made_bias,
                                   .added = has_added ? output : NULL,
                                   .is_relu = true};
  berth_device_t *device = call->stream->device;
  const berth_stream_ops_t *streams = device->backend->streams;
  BERTH_TRY(berth_cuda_clear(call, at, size));
  BERTH_TRY(berth_cuda_launch(
      call, berth_cuda_kernel("conv_finish", "berth_conv_nan_f32"),
      params.channels, &params, sizeof(params)));
  BERTH_TRY(berth_dnn_run(&library->dnn, &operands, call));
  BERTH_TRY(berth_cuda_launch(
      call, berth_cuda_kernel("conv_finish", "berth_conv_all_nan_f32"),
      params.count, &params, sizeof(params)));
  BERTH_TRY(streams->copy(call->stream, NULL, out_found, device,
                          params.made_bias, sizeof(*out_found), call->err));
  return streams->sync(call->stream, call->err);
}

static bool tries_nan(const berth_conv_library_t *library,
                      const berth_conv_t *conv, berth_device_t *device,
                      bool has_added) {
  const berth_window_t *window = &conv->window;
  int64_t image = window->batch * berth_conv_places(conv) * window->channels;
  int64_t output =
      window->batch * berth_conv_out_places(conv) * window->out_channels;
  size_t image_size = (size_t)image * sizeof(float);
  uint64_t total = align_up(image_size) + align_up(library->filter_size) +
                   align_up((size_t)berth_dnn_room(&library->dnn)) +
                   align_up((size_t)output * sizeof(float)) +
                   align_up((size_t)window->out_channels * sizeof(float)) +
                   BERTH_DNN_ROOM_ALIGNMENT;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = NULL;
  float found = 0;
  // What is being recorded is not waited for.
  if (total > MOST_TO_TRY || berth_cuda_thread_records()) return false;
  berth_call_t call = {
      .err = &err, .stream = device->backend->lane(device, BERTH_LANE_COMPUTE)};
  berth_code_t code =
      device->allocator->alloc(device->allocator, total, &buffer, &err);
  if (code == BERTH_OK) {
    code = try_nan(library, conv, buffer, image_size, has_added, &call, &found);
  }
  berth_buffer_release(buffer);
  berth_error_clear(&err);
  return code == BERTH_OK && found != found;
}

// Field by field: between them anything may lie.
static uint64_t hash_of(const berth_conv_library_t *library,
                        const berth_conv_t *conv, bool has_added) {
  const berth_window_t *window = &conv->window;
  const int64_t facts[] = {
      has_added,           berth_cuda_tf32(), library->dnn.card->index,
      window->batch,       window->channels,  window->out_channels,
      window->layout.axes, conv->groups};
  uint64_t hash = berth_hash(window->axes, sizeof(window->axes), 1);
  return berth_hash(facts, sizeof(facts), hash) | 1;
}

bool berth_conv_library_keeps_nan(const berth_conv_library_t *library,
                                  const berth_conv_t *conv,
                                  berth_device_t *device, bool has_added) {
  uint64_t hash = hash_of(library, conv, has_added);
  berth_mutex_lock(&known_lock);
  for (int i = 0; i < KNOWN; ++i) {
    if (known[i].hash != hash) continue;
    bool keeps = known[i].keeps;
    berth_mutex_unlock(&known_lock);
    return keeps;
  }
  berth_mutex_unlock(&known_lock);
  bool keeps = tries_nan(library, conv, device, has_added);
  berth_mutex_lock(&known_lock);
  known[known_next].hash = hash;
  known[known_next].keeps = keeps;
  known_next = (known_next + 1) % KNOWN;
  berth_mutex_unlock(&known_lock);
  return keeps;
}
