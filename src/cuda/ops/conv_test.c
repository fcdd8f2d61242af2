// conv_test.c - Convolutions on a card: every direction, layout and library.
#include "harness.h"

#include "base/fault.h"
#include "base/thread.h"
#include "cuda/kernel_driver.h"

typedef enum direction { FORWARD, TO_IMAGE, TO_FILTER, DIRECTIONS } direction_t;

static const char *const ops[2][DIRECTIONS] = {
    {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"},
    {"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"}};
static const char *const older_calls[DIRECTIONS] = {
    "cudnnConvolutionForward", "cudnnConvolutionBackwardData",
    "cudnnConvolutionBackwardFilter"};

// Returns the library's call that convolves: cards have engines, the software
// GPU has not.
static const char *call_of(direction_t direction) {
  bool is_real = getenv("BERTH_TEST_GPU") != NULL;
  return is_real ? "cudnnBackendExecute" : older_calls[direction];
}

// A convolution; what is zero is one, or none.
typedef struct trial {
  berth_dtype_t dtype;
  bool is_first;  // Channels.
  int axes;       // 2 or 3.
  int64_t batch, channels, out_channels, groups;
  int64_t in[3], window[3], stride[3], dilation[3];
  const char *padding;
  int64_t pads[3][2];  // Of EXPLICIT.
} trial_t;

static int64_t or_one(int64_t number) { return number > 0 ? number : 1; }

static int64_t out_of(const trial_t *t, int i) {
  int64_t in = t->in[i], stride = or_one(t->stride[i]);
  int64_t extent = (t->window[i] - 1) * or_one(t->dilation[i]) + 1;
  if (strcmp(t->padding, "SAME") == 0) return (in + stride - 1) / stride;
  return (in + t->pads[i][0] + t->pads[i][1] - extent) / stride + 1;
}

// Writes the shape of the image, or the output; returns its rank.
static int image_shape(const trial_t *t, bool is_output, int64_t *shape) {
  int64_t channels = is_output ? t->out_channels : t->channels;
  shape[0] = t->batch;
  shape[t->is_first ? 1 : t->axes + 1] = channels;
  for (int i = 0; i < t->axes; ++i) {
    shape[t->is_first ? i + 2 : i + 1] = is_output ? out_of(t, i) : t->in[i];
  }
  return t->axes + 2;
}

static int filter_shape(const trial_t *t, int64_t *shape) {
  for (int i = 0; i < t->axes; ++i) shape[i] = t->window[i];
  shape[t->axes] = t->channels / or_one(t->groups);
  shape[t->axes + 1] = t->out_channels;
  return t->axes + 2;
}

static berth_dims_t dims_of(int rank, const int64_t *shape) {
  return (berth_dims_t){.rank = rank, .dims = shape};
}

// Numbers of one sign: a sum near zero would say nothing about its terms.
static berth_tensor_t *numbers(berth_dtype_t dtype, int rank,
                               const int64_t *shape) {
  return driver_random(dtype, dims_of(rank, shape), 0.5, 1.5);
}

static berth_tensor_t *sizes_of(int rank, const int64_t *shape) {
  int32_t sizes[5];
  int64_t count = rank;
  for (int i = 0; i < rank; ++i) sizes[i] = (int32_t)shape[i];
  return driver_tensor(BERTH_INT32, dims_of(1, &count), sizes);
}

static void give_list(driver_t *driver, const char *name, int count,
                      const int64_t *values) {
  berth_attr_value_t *value = driver_attr(
      driver, name, (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = values;
  value->count = count;
}

// The lists that attributes of one driver point to.
typedef struct lists {
  int64_t strides[5], dilations[5], pads[10];
} lists_t;

static void give_attributes(driver_t *driver, const trial_t *t,
                            lists_t *lists) {
  const char *format = t->axes == 2 ? (t->is_first ? "NCHW" : "NHWC")
                                    : (t->is_first ? "NCDHW" : "NDHWC");
  *lists = (lists_t){.strides = {1, 1, 1, 1, 1}, .dilations = {1, 1, 1, 1, 1}};
  for (int i = 0; i < t->axes; ++i) {
    int at = t->is_first ? i + 2 : i + 1;
    lists->strides[at] = or_one(t->stride[i]);
    lists->dilations[at] = or_one(t->dilation[i]);
    lists->pads[2 * at] = t->pads[i][0];
    lists->pads[2 * at + 1] = t->pads[i][1];
  }
  driver_type(driver, "T", t->dtype);
  driver_text(driver, "padding", t->padding);
  driver_text(driver, "data_format", format);
  give_list(driver, "strides", t->axes + 2, lists->strides);
  give_list(driver, "dilations", t->axes + 2, lists->dilations);
  bool is_explicit = strcmp(t->padding, "EXPLICIT") == 0;
  if (t->axes == 2) {
    give_list(driver, "explicit_paddings", is_explicit ? 8 : 0, lists->pads);
  }
}

static driver_t start(const trial_t *t, direction_t direction, lists_t *lists) {
  driver_t driver = {.op = ops[t->axes - 2][direction]};
  int64_t image[5], filter[5], output[5];
  int rank = image_shape(t, false, image);
  (void)image_shape(t, true, output);
  (void)filter_shape(t, filter);
  give_attributes(&driver, t, lists);
  if (direction != FORWARD && t->axes == 3) {
    driver_type(&driver, "Tshape", BERTH_INT32);
  }
  driver_input(&driver, direction == TO_IMAGE ? sizes_of(rank, image)
                                              : numbers(t->dtype, rank, image));
  driver_input(&driver, direction == TO_FILTER
                            ? sizes_of(rank, filter)
                            : numbers(t->dtype, rank, filter));
  if (direction != FORWARD) {
    driver_input(&driver, numbers(t->dtype, rank, output));
  }
  driver_output(&driver, t->dtype);
  return driver;
}

// Roundings of the result; sums differ by what their order makes of them.
static double tolerance_of(berth_dtype_t dtype) {
  if (dtype == BERTH_HALF) return 2e-3;
  return dtype == BERTH_BFLOAT16 ? 1.6e-2 : dtype == BERTH_FLOAT ? 2e-5 : 1e-12;
}

// Computes |t| in |direction|, compares with the CPU and returns how often the
// library's function |symbol| was called.
static int count_calls(const trial_t *t, direction_t direction,
                       const char *symbol) {
  lists_t lists;
  driver_t driver = start(t, direction, &lists);
  setenv("TF_CUDNN_USE_AUTOTUNE", "0", 0);  // Each is called once.
  berth_fault_arm(symbol, 0);
  driver_check(&driver, tolerance_of(t->dtype));
  return (int)berth_fault_disarm();
}

// The same in every direction; |wanted| says how often cuDNN does it. Real cards
// are not counted on: they have engines, and older calls for some.
static void check_all(const trial_t *t, int wanted) {
  for (direction_t i = FORWARD; i < DIRECTIONS; ++i) {
    int seen = count_calls(t, i, call_of(i));
    if (seen != wanted && getenv("BERTH_TEST_GPU") == NULL) {
      HARNESS_FAIL("%s, %s %s: cuDNN was called %d times, not %d",
                   ops[t->axes - 2][i], t->is_first ? "channels first" : "last",
                   t->padding, seen, wanted);
    }
  }
}

// Both layouts of each.
static void check_layouts(trial_t t, int wanted) {
  for (int first = 0; first <= 1; ++first) {
    t.is_first = first == 1;
    check_all(&t, wanted);
  }
}

#define IMAGES                                                              \
  .axes = 2, .batch = 2, .channels = 16, .out_channels = 32, .in = {9, 11}, \
  .window = {3, 3}, .padding = "SAME"

static const trial_t plain = {BERTH_FLOAT, IMAGES};

static bool is_simulated(void) { return getenv("BERTH_TEST_GPU") == NULL; }

// ---- What cuDNN does ----

static void check_types(int wanted) {
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_HALF,
                                        BERTH_BFLOAT16};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    check_layouts((trial_t){types[i], IMAGES}, wanted);
  }
}

TEST(conv, types) { check_types(1); }

static void check_windows(int wanted) {
  check_layouts((trial_t){BERTH_FLOAT, IMAGES, .stride = {2, 1}}, wanted);
  check_layouts((trial_t){BERTH_FLOAT, IMAGES, .dilation = {2, 3}}, wanted);
  check_layouts((trial_t){BERTH_FLOAT, IMAGES, .groups = 4}, wanted);
  check_layouts((trial_t){BERTH_FLOAT, IMAGES, .groups = 2, .stride = {1, 3}},
                wanted);
  trial_t valid = plain;
  valid.padding = "VALID";
  check_layouts(valid, wanted);
}

TEST(conv, windows) { check_windows(1); }

// SAME pads one end more where the window has an even number of taps, or
// strides leave nothing else; taps of zeros make both ends alike.
static void check_uneven(int wanted) {
  trial_t even = plain;
  even.window[0] = 4;
  even.window[1] = 2;
  check_layouts(even, wanted);
  even.dilation[0] = 2;  // More by a multiple of it.
  even.window[0] = 3;
  check_layouts(even, wanted);
  trial_t strides = plain;
  strides.in[0] = 8;
  strides.in[1] = 10;
  strides.stride[0] = strides.stride[1] = 2;
  check_layouts(strides, wanted);
  trial_t given = plain;
  given.padding = "EXPLICIT";
  given.pads[0][0] = 3;
  given.pads[0][1] = 1;
  given.pads[1][1] = 2;
  check_layouts(given, wanted);
}

TEST(conv, uneven_padding) { check_uneven(1); }

// A gap of taps cannot make up for one place.
TEST(conv, uneven_padding_between_taps) {
  trial_t t = plain;
  t.padding = "EXPLICIT";
  t.dilation[0] = 2;
  t.pads[0][0] = 2;
  t.pads[0][1] = 1;
  check_layouts(t, 0);
}

TEST(conv, volumes) {
  trial_t t = {BERTH_FLOAT,         .axes = 3,           .batch = 2,
               .channels = 6,       .out_channels = 5,   .in = {4, 5, 6},
               .window = {2, 3, 3}, .stride = {1, 2, 1}, .padding = "SAME"};
  check_layouts(t, 1);
}

// The first run tries engines, in a folder where nothing is known of them;
// later ones use the fastest.
TEST(conv, tries_engines_once) {
  char folder[] = "/tmp/berth-engines-XXXXXX", line[256];
  if (getenv("BERTH_TEST_GPU") == NULL) SKIP("the software GPU has no engines");
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  setenv("BERTH_CACHE_DIR", folder, 1);
  setenv("TF_CUDNN_USE_AUTOTUNE", "1", 1);
  EXPECT_TRUE(count_calls(&plain, FORWARD, call_of(FORWARD)) > 1);
  EXPECT_EQ(count_calls(&plain, FORWARD, call_of(FORWARD)), 1);
  snprintf(line, sizeof(line), "rm -r %s", folder);
  EXPECT_EQ(system(line), 0);
}

// ---- What is a product ----

// cuBLASLt is asked, and cuDNN is not, but for the sum over images that lie
// channels first.
TEST(conv, one_place_is_a_product) {
  trial_t t = plain;
  t.window[0] = t.window[1] = 1;
  t.channels = 40;
  t.out_channels = 33;
  for (direction_t i = FORWARD; i < DIRECTIONS; ++i) {
    t.is_first = false;
    EXPECT_EQ(count_calls(&t, i, "cublasLtMatmul"), 1);
    t.is_first = true;
    EXPECT_EQ(count_calls(&t, i, "cublasLtMatmul"), i == TO_FILTER ? 0 : 1);
  }
  t.stride[0] = 2;
  check_layouts(t, 1);
}

// With TF32 cuDNN is faster.
TEST(conv, one_place_is_none_with_tf32) {
  trial_t t = plain;
  t.window[0] = t.window[1] = 1;
  t.channels = t.out_channels = 40;
  berth_cuda_set_tf32(true);
  lists_t lists;
  driver_t driver = start(&t, FORWARD, &lists);
  berth_fault_arm(call_of(FORWARD), 0);
  driver_check(&driver, 0x1p-10);
  EXPECT_TRUE(berth_fault_disarm() >= 1);  // A card may try several engines.
}

TEST(conv, the_whole_image_is_a_product) {
  trial_t t = plain;
  t.padding = "VALID";
  t.in[0] = t.window[0] = 3;
  t.in[1] = t.window[1] = 4;
  for (direction_t i = FORWARD; i < DIRECTIONS; ++i) {
    // The gradient of so small a filter is not worth a call.
    int wanted = i == TO_FILTER ? 0 : 1;
    EXPECT_EQ(count_calls(&t, i, "cublasLtMatmul"), wanted);
  }
}

// ---- What our own kernels do ----

TEST(conv, small_ones_and_depthwise_ones_are_our_own) {
  trial_t small = {BERTH_FLOAT,      .axes = 2,         .batch = 1,
                   .channels = 1,    .out_channels = 2, .in = {4, 4},
                   .window = {2, 2}, .padding = "VALID"};
  check_layouts(small, 0);
  check_layouts((trial_t){BERTH_FLOAT, IMAGES, .groups = 16}, 0);
  check_layouts((trial_t){BERTH_DOUBLE, IMAGES}, 0);
}

TEST(conv, without_libraries) {
  setenv("BERTH_GPU_LIBRARIES", "none", 1);
  check_types(0);
  check_windows(0);
  check_uneven(0);
}

TEST(conv, with_one_library) {
  trial_t point = plain;
  point.window[0] = point.window[1] = 1;
  point.channels = point.out_channels = 40;
  setenv("BERTH_GPU_LIBRARIES", "cudnn", 1);
  check_layouts(plain, 1);
  check_layouts(point, 1);
}

TEST(conv, with_the_other_library) {
  setenv("BERTH_GPU_LIBRARIES", "cublaslt,other", 1);
  check_layouts(plain, 0);
}

// A version whose results mean something else is not called.
TEST(conv, with_another_version) {
  if (!is_simulated()) SKIP("the library is what it is");
  setenv("BERTH_SIMULATE_CUDNN", "7605", 1);
  check_layouts(plain, 0);
}

TEST(conv, with_the_version_before) {
  if (!is_simulated()) SKIP("the library is what it is");
  setenv("BERTH_SIMULATE_CUDNN", "8907", 1);
  check_layouts(plain, 1);
}

// ---- Workspaces ----

static const trial_t large = {
    BERTH_FLOAT,        .axes = 2,      .batch = 4,       .channels = 16,
    .out_channels = 24, .in = {20, 20}, .window = {3, 3}, .padding = "SAME"};

TEST(conv, large_ones_get_a_workspace) {
  for (direction_t i = FORWARD; i < DIRECTIONS; ++i) {
    lists_t lists;
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = start(&large, i, &lists);
    ASSERT_OK(driver_call(&driver, &err), &err);
    // The filter, what the software GPU takes, and room to align it.
    size_t filter = (9 * 16 * 24 * 4 + 255) / 256 * 256;
    if (is_simulated()) {
      EXPECT_EQ(driver.prepare.scratch_size, filter + (1 << 18) + 256);
    }
    driver_expect_cpu(&driver, tolerance_of(BERTH_FLOAT));
    driver_deinit(&driver);
  }
}

// TensorFlow's limit is obeyed: another algorithm does it, or our own kernel.
TEST(conv, workspaces_have_a_limit) {
  setenv("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", "0", 1);
  lists_t lists;
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = start(&large, FORWARD, &lists);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_TRUE(driver.prepare.scratch_size < 1 << 18);
  driver_expect_cpu(&driver, tolerance_of(BERTH_FLOAT));
  driver_deinit(&driver);
}

// ---- Failures ----

// A failure of the library is told with its own words, and not the last.
TEST(conv, library_failures_are_told) {
  static const char *const made[] = {"cudnnCreate",
                                     "cudnnCreateTensorDescriptor",
                                     "cudnnCreateFilterDescriptor",
                                     "cudnnCreateConvolutionDescriptor",
                                     "cudnnSetTensorNdDescriptor",
                                     "cudnnSetFilterNdDescriptor",
                                     "cudnnSetConvolutionNdDescriptor",
                                     "cudnnSetConvolutionMathType",
                                     "cudnnSetConvolutionGroupCount",
                                     "cudnnSetStream",
                                     "cudnnGetConvolutionForwardAlgorithm_v7",
                                     "cudnnConvolutionForward"};
  berth_error_t err = BERTH_ERROR_INIT;
  lists_t lists;
  if (!is_simulated()) SKIP("other versions have other words");
  driver_t driver = start(&plain, FORWARD, &lists);
  for (int i = 0; i < BERTH_COUNT_OF(made); ++i) {
    char text[160];
    snprintf(text, sizeof(text), "%s: CUDNN_STATUS_INTERNAL_ERROR (4000)",
             made[i]);
    berth_fault_arm(made[i], 1);
    EXPECT_FAILS(driver_call(&driver, &err), BERTH_INTERNAL, &err, text);
    (void)berth_fault_disarm();
  }
  driver_check(&driver, tolerance_of(BERTH_FLOAT));
}

TEST(conv, goes_on_after_a_reset) {
  berth_error_t err = BERTH_ERROR_INIT;
  check_layouts(plain, 1);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  check_layouts(plain, 1);
}

// ---- Threads ----

static void convolve_often(void *arg) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(driver_call(arg, &err), BERTH_OK);
}

TEST(conv, threads_share_a_handle) {
  enum { THREADS = DIRECTIONS };
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t drivers[THREADS];
  lists_t lists[THREADS];
  berth_thread_t threads[THREADS];
  berth_device_t *device = NULL;
  ASSERT_OK(driver_device(&device, &err), &err);
  for (int i = 0; i < THREADS; ++i) {
    drivers[i] = start(&plain, (direction_t)i, &lists[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(
        berth_thread_start(&threads[i], convolve_often, &drivers[i], &err),
        &err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  for (int i = 0; i < THREADS; ++i) {
    driver_expect_cpu(&drivers[i], tolerance_of(BERTH_FLOAT));
    driver_deinit(&drivers[i]);
  }
}

// ---- Precision ----

// The first element of a convolution of 1 + 2^-12 with 1 + 2^-12, which has no
// place in TF32; 144 terms meet in it.
static double first_of_fine_numbers(driver_t *driver) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = driver_call(driver, &err);
  EXPECT_EQ(code, BERTH_OK);
  return code == BERTH_OK ? driver_get(driver->outputs[0], 0, 0) : 0;
}

static void make_fine(berth_tensor_t *tensor) {
  for (int64_t i = 0; i < tensor->count; ++i) {
    driver_set(tensor, i, 1 + 0x1p-12);
  }
}

// The software GPU rounds when it may; a real library may also not.
static double slack(void) { return is_simulated() ? 1e-6 : 144 * 0x1p-10; }

// The flag arrives at the library, whenever it is set.
TEST(conv, tf32_as_it_is_set) {
  const double exact = 144 * (1 + 0x1p-11 + 0x1p-24);
  trial_t t = plain;
  lists_t lists;
  t.padding = "VALID";
  driver_t driver = start(&t, FORWARD, &lists);
  make_fine(driver.inputs[0]);
  make_fine(driver.inputs[1]);
  berth_cuda_set_tf32(true);
  EXPECT_NEAR(first_of_fine_numbers(&driver), 144, slack());
  berth_cuda_set_tf32(false);
  EXPECT_NEAR(first_of_fine_numbers(&driver), exact, 1e-4);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  berth_cuda_set_tf32(true);
  EXPECT_NEAR(first_of_fine_numbers(&driver), exact, 1e-4);
  driver_deinit(&driver);
}

// As driver_call(), with TF32 allowed or not between planning and running.
static berth_code_t call_after_switch(driver_t *driver, bool is_allowed,
                                      berth_error_t *err) {
  berth_tensor_t *inputs[DRIVER_MAX] = {NULL}, *outputs[DRIVER_MAX] = {NULL};
  berth_shape_t shapes[1];
  berth_device_t *device = NULL;
  BERTH_TRY(driver_device(&device, err));
  BERTH_TRY(driver_select(driver, &berth_cuda_backend, err));
  berth_code_t code = driver_place_inputs(driver, device, inputs, err);
  if (code == BERTH_OK) {
    code = driver_prepare(driver, device, inputs, shapes, err);
  }
  berth_cuda_set_tf32(is_allowed);
  if (code == BERTH_OK) {
    code = driver_make_outputs(driver, device, inputs, outputs, err);
  }
  if (code == BERTH_OK) {
    code = driver_run(driver, device, inputs, outputs, err);
  }
  if (code == BERTH_OK) code = driver_fetch_outputs(driver, outputs, err);
  for (int i = 0; i < DRIVER_MAX; ++i) {
    berth_tensor_release(inputs[i]);
    berth_tensor_release(outputs[i]);
  }
  return code;
}

// A plan that was made for one precision computes with that of now.
TEST(conv, plans_follow_the_precision) {
  const double results[] = {144 * (1 + 0x1p-11 + 0x1p-24), 144};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int first = 0; first < 2; ++first) {
    trial_t t = plain;
    lists_t lists;
    t.padding = "VALID";
    driver_t driver = start(&t, FORWARD, &lists);
    make_fine(driver.inputs[0]);
    make_fine(driver.inputs[1]);
    berth_cuda_set_tf32(first == 1);
    ASSERT_OK(call_after_switch(&driver, first == 0, &err), &err);
    EXPECT_NEAR(driver_get(driver.outputs[0], 0, 0), results[1 - first],
                first == 0 ? slack() : 1e-4);
    driver_deinit(&driver);
  }
}

// Older cards have no TF32, whatever is allowed.
TEST(conv, tf32_is_not_asked_of_older_cards) {
  lists_t lists;
  driver_card = "Tesla V100 memory=4GiB cc=7.0";
  if (!is_simulated()) SKIP("the card is what it is");
  driver_t driver = start(&plain, FORWARD, &lists);
  berth_cuda_set_tf32(true);
  driver_check(&driver, tolerance_of(BERTH_FLOAT));
}

// Both factors of a term are rounded to 11 digits: what is lost is 2^-10 of the
// sum of the terms, here all positive, at most; and not nothing.
TEST(conv, tf32_keeps_its_bound) {
  berth_cuda_set_tf32(true);
  for (direction_t i = FORWARD; i < DIRECTIONS; ++i) {
    lists_t lists;
    driver_t driver = start(&large, i, &lists);
    driver_check(&driver, 0x1p-10);
  }
}
