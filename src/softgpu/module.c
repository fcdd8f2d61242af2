// module.c - Modules, their functions, and launching them.
//
// The image of a module is looked at only so far as to refuse what no driver
// would take; the kernels themselves are in this library (kernel.h), and every
// module offers all of them.
#include "softgpu/module.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/api/soft_kernel.h"
#include "softgpu/exports.h"
#include "softgpu/stream.h"

enum {
  MAX_PARAMS = 4096,
  MAX_THREADS = 1024,
  MAX_BLOCK_Z = 64,
  MAX_GRID_YZ = 65535,
  MAX_SHARED = 48 << 10,
  MAX_SHARED_OPTIN = 227 << 10,
};

// Where the linker puts the entries of all kernels.
#define ENTRIES extern __attribute__((visibility("hidden")))
ENTRIES const berth_softgpu_kernel_t *__start_berth_softgpu_kernels[];
ENTRIES const berth_softgpu_kernel_t *__stop_berth_softgpu_kernels[];

struct CUfunc_st {
  CUmodule module;
  const berth_softgpu_kernel_t *kernel;
  unsigned shared_limit;
  struct CUfunc_st *next;
};

struct CUmod_st {
  berth_soft_object_t object;
  berth_mutex_t lock;  // Guards the list.
  CUfunction functions;
};

const berth_softgpu_kernel_t *berth_softgpu_kernel_find(const char *name) {
  const berth_softgpu_kernel_t **entry = __start_berth_softgpu_kernels;
  for (; entry < __stop_berth_softgpu_kernels; ++entry) {
    if (strcmp((*entry)->name, name) == 0) return *entry;
  }
  return NULL;
}

void berth_softgpu_trap(CUresult fault) { berth_soft_trap(fault); }

// ---- Modules ----

static void free_functions(CUmodule module) {
  while (module->functions != NULL) {
    CUfunction function = module->functions;
    module->functions = function->next;
    berth_free(function);
  }
}

// Takes text that begins as PTX does, after comments, and binaries.
static CUresult check_image(const char *image) {
  static const char binary[] = {0x7f, 'E', 'L', 'F', 2};
  static const unsigned char bundle[] = {0x50, 0xed, 0x55, 0xba};
  if (strncmp(image, binary, sizeof(binary)) == 0 ||
      strncmp(image, (const char *)bundle, sizeof(bundle)) == 0) {
    return CUDA_SUCCESS;
  }
  while (isspace((unsigned char)*image) || strncmp(image, "//", 2) == 0) {
    image += *image == '/' ? strcspn(image, "\n") : 1;
  }
  if (strncmp(image, ".version", 8) != 0) return CUDA_ERROR_INVALID_IMAGE;
  return strstr(image, ".entry") != NULL ? CUDA_SUCCESS
                                         : CUDA_ERROR_INVALID_PTX;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (module == NULL || image == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(check_image(image));
  CUmodule made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  berth_mutex_init(&made->lock);
  berth_soft_object_add(context, &made->object);
  *module = made;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  for (unsigned i = 0; i < count; ++i) {
    bool is_log = options[i] == CU_JIT_ERROR_LOG_BUFFER ||
                  options[i] == CU_JIT_INFO_LOG_BUFFER;
    if (is_log && values[i] != NULL) *(char *)values[i] = '\0';
  }
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module) {
  BERTH_SOFT_TRY(berth_soft_object_check(module));
  free_functions(module);
  berth_mutex_deinit(&module->lock);
  berth_soft_object_destroy(&module->object);
  return CUDA_SUCCESS;
}

// ---- Functions ----

// Finds or makes the function of |kernel|; the module's lock is held.
static CUfunction function_of(CUmodule module,
                              const berth_softgpu_kernel_t *kernel) {
  CUfunction function = module->functions;
  while (function != NULL && function->kernel != kernel) {
    function = function->next;
  }
  if (function != NULL) return function;
  function = berth_alloc(sizeof(*function));
  if (function == NULL) return NULL;
  *function = (struct CUfunc_st){module, kernel, MAX_SHARED, module->functions};
  module->functions = function;
  return function;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  BERTH_SOFT_TRY(berth_soft_object_check(module));
  if (function == NULL || name == NULL) return CUDA_ERROR_INVALID_VALUE;
  const berth_softgpu_kernel_t *kernel = berth_softgpu_kernel_find(name);
  if (kernel == NULL) return CUDA_ERROR_NOT_FOUND;
  berth_mutex_lock(&module->lock);
  CUfunction found = function_of(module, kernel);
  berth_mutex_unlock(&module->lock);
  if (found == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  *function = found;
  return CUDA_SUCCESS;
}

static CUresult check_function(CUfunction function) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (function == NULL) return CUDA_ERROR_INVALID_HANDLE;
  return berth_soft_object_check(function->module);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  BERTH_SOFT_TRY(check_function(function));
  if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
  const berth_soft_card_t *card = function->module->object.context->card;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = MAX_THREADS;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = card->major * 10 + card->minor;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int)function->shared_limit;
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  BERTH_SOFT_TRY(check_function(function));
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value < 0 || value > MAX_SHARED_OPTIN) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  function->shared_limit = (unsigned)value;
  return CUDA_SUCCESS;
}

// ---- Launches ----

typedef struct launch_payload {
  const berth_softgpu_kernel_t *kernel;
  berth_softgpu_launch_t launch;
  _Alignas(16) unsigned char params[MAX_PARAMS];
} launch_payload_t;

static void run_launch(CUstream stream, const void *payload) {
  const launch_payload_t *launch = payload;
  (void)stream;
  launch->kernel->run(launch->params, &launch->launch);
}

static const berth_soft_work_kind_t launch_kind = {"kernel", run_launch, NULL,
                                                   false};

static bool is_launchable(const berth_softgpu_launch_t *launch,
                          unsigned shared_limit) {
  const unsigned *grid = launch->grid, *block = launch->block;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  return grid[0] > 0 && grid[1] > 0 && grid[2] > 0 && threads > 0 &&
         grid[0] <= INT32_MAX && grid[1] <= MAX_GRID_YZ &&
         grid[2] <= MAX_GRID_YZ && block[0] <= MAX_THREADS &&
         block[1] <= MAX_THREADS && block[2] <= MAX_BLOCK_Z &&
         threads <= MAX_THREADS && launch->shared_bytes <= shared_limit;
}

// Returns the bytes of the kernel's struct, from whichever way they were given;
// NULL when they were not, or are not as many.
static const void *find_params(void **params, void **extra, size_t size) {
  if (params != NULL) return params[0];
  const void *buffer = NULL;
  const size_t *buffer_size = NULL;
  for (; extra != NULL && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) buffer_size = extra[1];
  }
  return buffer_size != NULL && *buffer_size == size ? buffer : NULL;
}

// Fills in |payload|, of which |*out_size| bytes count.
static CUresult payload_fill(const CUDA_KERNEL_NODE_PARAMS_v1 *node,
                             launch_payload_t *payload, size_t *out_size) {
  CUfunction function = node->func;
  BERTH_SOFT_TRY(check_function(function));
  size_t size = function->kernel->params_size;
  const void *bytes = find_params(node->kernelParams, node->extra, size);
  payload->kernel = function->kernel;
  payload->launch = (berth_softgpu_launch_t){
      {node->gridDimX, node->gridDimY, node->gridDimZ},
      {node->blockDimX, node->blockDimY, node->blockDimZ},
      node->sharedMemBytes};
  if (bytes == NULL || size > MAX_PARAMS ||
      !is_launchable(&payload->launch, function->shared_limit)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(payload->params, bytes, size);
  *out_size = offsetof(launch_payload_t, params) + size;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra) {
  const CUDA_KERNEL_NODE_PARAMS_v1 node = {
      function, grid_x,  grid_y,       grid_z, block_x,
      block_y,  block_z, shared_bytes, params, extra};
  CUstream found = NULL;
  launch_payload_t payload;
  size_t size = 0;
  BERTH_SOFT_TRY(check_function(function));
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  BERTH_SOFT_TRY(payload_fill(&node, &payload, &size));
  return berth_soft_submit(found, &launch_kind, &payload, size);
}

CUresult berth_soft_launch_work(const CUDA_KERNEL_NODE_PARAMS_v1 *params,
                                berth_soft_work_t **out) {
  launch_payload_t payload;
  size_t size = 0;
  BERTH_SOFT_TRY(payload_fill(params, &payload, &size));
  *out = berth_soft_work_create(&launch_kind, &payload, size);
  return *out != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// ---- Occupancy ----

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                     CUfunction function,
                                                     int block_size,
                                                     size_t shared_bytes) {
  BERTH_SOFT_TRY(check_function(function));
  if (count == NULL || block_size < 1 || block_size > MAX_THREADS ||
      shared_bytes > function->shared_limit) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int by_threads = 2 * MAX_THREADS / block_size;
  *count = by_threads < 32 ? by_threads : 32;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size,
                                          CUfunction function,
                                          CUoccupancyB2DSize shared_of_block,
                                          size_t shared_bytes,
                                          int block_size_limit) {
  (void)shared_of_block, (void)shared_bytes;
  BERTH_SOFT_TRY(check_function(function));
  if (grid_size == NULL || block_size == NULL) return CUDA_ERROR_INVALID_VALUE;
  bool is_limited = block_size_limit > 0 && block_size_limit < MAX_THREADS;
  *block_size = is_limited ? block_size_limit : MAX_THREADS;
  *grid_size = function->module->object.context->card->multiprocessors * 2;
  return CUDA_SUCCESS;
}
