// launch.c - Running Berth's own kernels on a card.
//
//   kernel number ──> module, name            the same for every card
//        │
//        └──> card's code: function, loaded at the first launch there
//
// Looking a function up is one load; the rest happens once per kernel and card.
#include "cuda/code/launch.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/hash.h"
#include "cuda/card/admit.h"
#include "cuda/code/image.h"
#include "cuda/code/launch_internal.h"
#include "cuda/stream/device_internal.h"

enum {
  MAX_KERNELS = 8192,
  MAX_MODULES = 128,
  NAME_SIZE = 96,
  LOG_SIZE = 4096,
  BLOCKS_PER_PROCESSOR = 8,  // As many threads of 256 as one holds at a time.
  WARP = 32,
  MAX_BLOCK = 1024,
};

typedef struct kernel {
  int module;
  char *name;
} kernel_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static kernel_t kernels[MAX_KERNELS];  // Constant below |kernel_count|.
static char *modules[MAX_MODULES];     // Stems of .cu files.
static int kernel_count = 0, module_count = 0;
static berth_map_t numbers;  // "module.name" to its number.

// What is loaded on one card.
struct berth_cuda_code {
  berth_mutex_t lock;  // Guards loading.
  CUmodule modules[MAX_MODULES];
  _Atomic(CUfunction) functions[MAX_KERNELS];
  uint16_t most_threads[MAX_KERNELS];  // Of a block; written before functions.
};

// ---- Numbers ----

// Lock held.
static int find_module(const char *name) {
  for (int i = 0; i < module_count; ++i) {
    if (strcmp(modules[i], name) == 0) return i;
  }
  char *copy = module_count < MAX_MODULES ? berth_strdup(name) : NULL;
  if (copy == NULL) return -1;
  modules[module_count] = copy;
  return module_count++;
}

// Lock held.
static int add_kernel(const char *module, const char *key) {
  int module_index = find_module(module);
  if (module_index < 0 || kernel_count == MAX_KERNELS) return -1;
  char *copy = berth_strdup(key);
  if (copy == NULL) return -1;
  if (!berth_map_set(&numbers, copy, strlen(copy), kernel_count)) {
    berth_free(copy);
    return -1;
  }
  kernels[kernel_count] = (kernel_t){module_index, copy + strlen(module) + 1};
  return kernel_count++;
}

int berth_cuda_kernel(const char *module, const char *name) {
  char key[NAME_SIZE * 2];
  int size = snprintf(key, sizeof(key), "%s.%s", module, name);
  if (size < 0 || size >= (int)sizeof(key)) return -1;
  berth_mutex_lock(&lock);
  int64_t *found = berth_map_find(&numbers, key, (size_t)size);
  int number = found != NULL ? (int)*found : add_kernel(module, key);
  berth_mutex_unlock(&lock);
  return number;
}

// ---- Loading ----

berth_code_t berth_cuda_load_image(berth_cuda_card_t *card, const char *name,
                                   const void *image, CUmodule *out_module,
                                   berth_error_t *err) {
  char log[LOG_SIZE] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
  berth_cuda_act_t act;
  BERTH_TRY(berth_cuda_admit(card, BERTH_COST_MODULE, &act, err));
  berth_code_t code =
      BERTH_CARD_CALL(card, err, cuModuleLoadDataEx, out_module, image,
                      BERTH_COUNT_OF(options), options, values);
  berth_cuda_admitted(&act);
  if (code == BERTH_OK) return BERTH_OK;
  berth_error_append(err, " (loading the kernels of %s%s%.2000s)", name,
                     log[0] != '\0' ? ": " : "", log);
  return code;
}

// Code lock held.
static berth_code_t load_module(berth_cuda_card_t *card,
                                berth_cuda_code_t *code, int index,
                                berth_error_t *err) {
  if (code->modules[index] != NULL) return BERTH_OK;
  void *image = NULL;
  BERTH_TRY(berth_cuda_image(modules[index], card->cc_major, card->cc_minor,
                             &image, err));
  berth_code_t result = berth_cuda_load_image(card, modules[index], image,
                                              &code->modules[index], err);
  berth_free(image);
  return result;
}

unsigned berth_cuda_most_threads(CUfunction function) {
  int most = MAX_BLOCK;
  if (BERTH_CU(cuFuncGetAttribute, &most,
               CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
               function) != CUDA_SUCCESS ||
      most < WARP || most > MAX_BLOCK) {
    return MAX_BLOCK;
  }
  return (unsigned)(most / WARP * WARP);
}

// Code lock held.
static berth_code_t load_function(berth_cuda_card_t *card,
                                  berth_cuda_code_t *code, int number,
                                  berth_error_t *err) {
  const kernel_t *kernel = &kernels[number];
  CUfunction function = NULL;
  if (atomic_load(&code->functions[number]) != NULL) return BERTH_OK;
  BERTH_TRY(load_module(card, code, kernel->module, err));
  berth_code_t result =
      BERTH_CARD_CALL(card, err, cuModuleGetFunction, &function,
                      code->modules[kernel->module], kernel->name);
  if (result != BERTH_OK) {
    berth_error_append(err, " (kernel %s of %s)", kernel->name,
                       modules[kernel->module]);
    return result;
  }
  code->most_threads[number] = (uint16_t)berth_cuda_most_threads(function);
  atomic_store_explicit(&code->functions[number], function,
                        memory_order_release);
  return BERTH_OK;
}

// Makes the place for |card|'s code.
static berth_cuda_code_t *make_code(berth_cuda_card_t *card) {
  berth_cuda_code_t *made = berth_calloc(1, sizeof(*made));
  berth_cuda_code_t *none = NULL;
  if (made == NULL) return NULL;
  berth_mutex_init(&made->lock);
  if (atomic_compare_exchange_strong(&card->code, &none, made)) return made;
  berth_mutex_deinit(&made->lock);
  berth_free(made);
  return none;
}

static BERTH_NOINLINE berth_code_t load(berth_cuda_card_t *card, int number,
                                        CUfunction *out_function,
                                        berth_error_t *err) {
  berth_cuda_code_t *code = atomic_load(&card->code);
  if (code == NULL) code = make_code(card);
  if (code == NULL) return berth_error_no_memory(err, "GPU kernels");
  berth_mutex_lock(&code->lock);
  berth_code_t result = load_function(card, code, number, err);
  *out_function = atomic_load(&code->functions[number]);
  berth_mutex_unlock(&code->lock);
  return result;
}

static berth_code_t find_function(berth_cuda_card_t *card, int number,
                                  CUfunction *out_function,
                                  berth_error_t *err) {
  berth_cuda_code_t *code =
      atomic_load_explicit(&card->code, memory_order_acquire);
  if (BERTH_UNLIKELY(number < 0)) {
    return berth_error_no_memory(err, "a GPU kernel's number");
  }
  if (BERTH_LIKELY(code != NULL)) {
    *out_function =
        atomic_load_explicit(&code->functions[number], memory_order_acquire);
    if (BERTH_LIKELY(*out_function != NULL)) return BERTH_OK;
  }
  return load(card, number, out_function, err);
}

void berth_cuda_code_forget(berth_cuda_card_t *card) {
  berth_cuda_code_t *code = atomic_load(&card->code);
  if (code == NULL) return;
  berth_mutex_lock(&code->lock);
  memset(code->modules, 0, sizeof(code->modules));
  for (int i = 0; i < MAX_KERNELS; ++i) {
    atomic_store_explicit(&code->functions[i], NULL, memory_order_relaxed);
  }
  berth_mutex_unlock(&code->lock);
}

// ---- Launching ----

// Of every launch, whatever it asks for; 0: as it asks.
static unsigned forced_blocks = 0, forced_threads = 0;

// BERTH_CUDA_LAUNCH=3x64 forces that many blocks of that many threads on every
// kernel, which shows that they are right for any. Read before main.
__attribute__((constructor)) static void read_forced_launch(void) {
  unsigned blocks = 0, threads = 0;
  const char *size = berth_env_get("BERTH_CUDA_LAUNCH");
  if (size == NULL || sscanf(size, "%ux%u", &blocks, &threads) != 2) return;
  if (blocks == 0 || threads == 0 || threads > 1024 || threads % 32 != 0)
    return;
  forced_blocks = blocks;
  forced_threads = threads;
}

static berth_cuda_stream_t *stream_of(const berth_call_t *call) {
  return (berth_cuda_stream_t *)call->stream;
}

// The stream of |call| has been entered.
static berth_code_t launch_blocks(berth_call_t *call, CUfunction function,
                                  const char *name, unsigned most_threads,
                                  unsigned blocks, unsigned threads,
                                  const void *params, size_t params_size) {
  berth_cuda_stream_t *stream = stream_of(call);
  if (BERTH_UNLIKELY(forced_threads != 0)) {
    blocks = forced_blocks;
    threads = forced_threads;
  }
  // Kernels are right for any size, so one that needs many registers gets
  // smaller blocks.
  if (threads > most_threads) threads = most_threads;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)params,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &params_size,
                   CU_LAUNCH_PARAM_END};
  CUresult result = BERTH_CU(cuLaunchKernel, function, blocks, 1, 1, threads, 1,
                             1, 0, stream->native, NULL, extra);
  if (BERTH_UNLIKELY(result != CUDA_SUCCESS)) {
    berth_code_t code =
        berth_cuda_check(stream->card, result, "cuLaunchKernel", call->err);
    berth_error_append(call->err, " (kernel %s)", name);
    return code;
  }
  if (BERTH_UNLIKELY(stream->is_recording)) {
    stream->launched = (CUDA_KERNEL_NODE_PARAMS_v1){.func = function,
                                                    .gridDimX = blocks,
                                                    .gridDimY = 1,
                                                    .gridDimZ = 1,
                                                    .blockDimX = threads,
                                                    .blockDimY = 1,
                                                    .blockDimZ = 1};
  }
  berth_cuda_stream_queued(stream);
  return BERTH_OK;
}

berth_code_t berth_cuda_launch_blocks(berth_call_t *call, int kernel,
                                      unsigned blocks, unsigned threads,
                                      const void *params, size_t params_size) {
  berth_cuda_stream_t *stream = stream_of(call);
  CUfunction function = NULL;
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  BERTH_TRY(find_function(stream->card, kernel, &function, call->err));
  unsigned most = atomic_load(&stream->card->code)->most_threads[kernel];
  return launch_blocks(call, function, kernels[kernel].name, most, blocks,
                       threads, params, params_size);
}

// Returns how many blocks are of use for |count| elements, and how many threads
// they have.
static unsigned blocks_of(const berth_call_t *call, uint64_t count,
                          unsigned *out_threads) {
  uint64_t most =
      (uint64_t)stream_of(call)->card->multiprocessors * BLOCKS_PER_PROCESSOR;
  uint64_t blocks = (count - 1) / BERTH_CUDA_BLOCK + 1;
  // A small block starts sooner.
  *out_threads = count < BERTH_CUDA_BLOCK
                     ? (unsigned)((count + WARP - 1) / WARP * WARP)
                     : BERTH_CUDA_BLOCK;
  return (unsigned)(blocks > most ? most : blocks);
}

berth_code_t berth_cuda_launch(berth_call_t *call, int kernel, uint64_t count,
                               const void *params, size_t params_size) {
  if (count == 0) return BERTH_OK;
  unsigned threads = 0, blocks = blocks_of(call, count, &threads);
  return berth_cuda_launch_blocks(call, kernel, blocks, threads, params,
                                  params_size);
}

berth_code_t berth_cuda_launch_function(berth_call_t *call, CUfunction function,
                                        const char *name, unsigned most_threads,
                                        uint64_t count, const void *params,
                                        size_t params_size) {
  if (count == 0) return BERTH_OK;
  unsigned threads = 0, blocks = blocks_of(call, count, &threads);
  return launch_blocks(call, function, name, most_threads, blocks, threads,
                       params, params_size);
}

berth_code_t berth_cuda_copy(berth_call_t *call, void *to, const void *from,
                             size_t size) {
  berth_device_t *device = call->stream->device;
  return berth_cuda_stream_copy(call->stream, device, to, device, from, size,
                                call->err);
}

berth_code_t berth_cuda_clear(berth_call_t *call, void *to, size_t size) {
  berth_cuda_stream_t *stream = stream_of(call);
  if (size == 0) return BERTH_OK;
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  BERTH_TRY(BERTH_CARD_CALL(stream->card, call->err, cuMemsetD8Async,
                            (CUdeviceptr)(uintptr_t)to, 0, size,
                            stream->native));
  berth_cuda_stream_queued(stream);
  return BERTH_OK;
}

int berth_cuda_multiprocessors(berth_device_t *device) {
  berth_cuda_card_t *card = NULL;
  int index = berth_cuda_device_card(device);
  berth_code_t code = berth_cuda_card_find(index, &card, NULL);
  return code == BERTH_OK ? card->multiprocessors : 1;
}

int berth_cuda_cc_major(berth_device_t *device) {
  berth_cuda_card_t *card = NULL;
  int index = berth_cuda_device_card(device);
  berth_code_t code = berth_cuda_card_find(index, &card, NULL);
  return code == BERTH_OK ? card->cc_major : 0;
}
