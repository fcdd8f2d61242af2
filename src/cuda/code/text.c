// text.c - Kernels of modules that are written while a program runs.
//
// One list of all modules, of every card. They outlive resets: a launch that
// finds a newer generation of the card loads the text again.
#include "cuda/code/text.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "base/hash.h"
#include "cuda/code/launch_internal.h"
#include "cuda/stream/device_internal.h"

struct berth_cuda_text {
  // Constant.
  berth_cuda_card_t *card;  // Borrowed; lives as long as the process.
  char *text;
  uint64_t hash;
  const char *names[BERTH_CUDA_TEXT_KERNELS];
  int count;

  berth_mutex_t lock;           // Guards loading.
  _Atomic uint64_t generation;  // Of the card when it was loaded; 0: it is not.
  CUmodule module;
  CUfunction functions[BERTH_CUDA_TEXT_KERNELS];
  unsigned most_threads[BERTH_CUDA_TEXT_KERNELS];

  // Guarded by |list_lock|.
  int uses;
  berth_cuda_text_t *next;
};

static berth_mutex_t list_lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(list_lock, BERTH_FORK_LEAF)
static berth_cuda_text_t *texts = NULL;

// ---- Loading ----

// Takes the functions of |module|.
static berth_code_t find_functions(berth_cuda_text_t *text, CUmodule module,
                                   berth_error_t *err) {
  for (int i = 0; i < text->count; ++i) {
    BERTH_TRY(BERTH_CARD_CALL(text->card, err, cuModuleGetFunction,
                              &text->functions[i], module, text->names[i]));
    text->most_threads[i] = berth_cuda_most_threads(text->functions[i]);
  }
  return BERTH_OK;
}

// The card's context is bound; |text->lock| is held.
static berth_code_t load(berth_cuda_text_t *text, uint64_t live,
                         berth_error_t *err) {
  CUmodule module = NULL;
  if (atomic_load(&text->generation) == live) return BERTH_OK;
  BERTH_TRY(
      berth_cuda_load_image(text->card, "a chain", text->text, &module, err));
  berth_code_t code = find_functions(text, module, err);
  if (code != BERTH_OK) {
    (void)BERTH_CU(cuModuleUnload, module);
    return code;
  }
  text->module = module;
  atomic_store_explicit(&text->generation, live, memory_order_release);
  return BERTH_OK;
}

// Loads |text| where its card was reset since it was, or never was.
static berth_code_t ensure(berth_cuda_text_t *text, berth_error_t *err) {
  uint64_t live = atomic_load_explicit(&text->card->live, memory_order_acquire);
  if (BERTH_LIKELY(atomic_load_explicit(&text->generation,
                                        memory_order_acquire) == live)) {
    return BERTH_OK;
  }
  berth_mutex_lock(&text->lock);
  berth_code_t code = load(text, live, err);
  berth_mutex_unlock(&text->lock);
  return code;
}

// ---- The list ----

// List lock held.
static berth_cuda_text_t *find(const berth_cuda_card_t *card, const char *text,
                               uint64_t hash) {
  berth_cuda_text_t *at = texts;
  while (at != NULL && (at->card != card || at->hash != hash ||
                        strcmp(at->text, text) != 0)) {
    at = at->next;
  }
  return at;
}

// List lock held.
static berth_cuda_text_t *add(berth_cuda_card_t *card, const char *text,
                              uint64_t hash) {
  berth_cuda_text_t *made = berth_calloc(1, sizeof(*made));
  char *copy = made != NULL ? berth_strdup(text) : NULL;
  if (copy == NULL) {
    berth_free(made);
    return NULL;
  }
  made->card = card;
  made->text = copy;
  made->hash = hash;
  berth_mutex_init(&made->lock);
  made->next = texts;
  texts = made;
  return made;
}

// Finds or makes the module of |text|, with one more use.
static berth_cuda_text_t *take(berth_cuda_card_t *card, const char *text,
                               const char *const *names, int count) {
  uint64_t hash = berth_hash(text, strlen(text), 0);
  berth_mutex_lock(&list_lock);
  berth_cuda_text_t *found = find(card, text, hash);
  if (found == NULL) {
    found = add(card, text, hash);
    for (int i = 0; found != NULL && i < count; ++i) found->names[i] = names[i];
    if (found != NULL) found->count = count;
  }
  if (found != NULL) ++found->uses;
  berth_mutex_unlock(&list_lock);
  return found;
}

berth_code_t berth_cuda_text_get(berth_device_t *device, const char *text,
                                 const char *const *names, int count,
                                 berth_cuda_text_t **out_text,
                                 berth_error_t *err) {
  BERTH_TRY(berth_device_start(device, err));
  berth_cuda_card_t *card = ((berth_cuda_device_t *)device)->card;
  BERTH_TRY(berth_cuda_bind(card, err));
  berth_cuda_text_t *made = take(card, text, names, count);
  if (made == NULL) return berth_error_no_memory(err, "a GPU kernel's text");
  berth_code_t code = ensure(made, err);
  if (code == BERTH_OK) {
    *out_text = made;
    return BERTH_OK;
  }
  berth_cuda_text_drop(made);
  return code;
}

void berth_cuda_text_drop(void *arg) {
  berth_cuda_text_t *text = arg, **at = &texts;
  berth_mutex_lock(&list_lock);
  bool is_last = --text->uses == 0;
  while (is_last && *at != text) at = &(*at)->next;
  if (is_last) *at = text->next;
  berth_mutex_unlock(&list_lock);
  if (!is_last) return;
  uint64_t generation = atomic_load(&text->generation);
  if (generation != 0 && berth_cuda_enter_old(text->card, generation)) {
    (void)BERTH_CU(cuModuleUnload, text->module);
    berth_cuda_leave_old(text->card);
  }
  berth_mutex_deinit(&text->lock);
  berth_free(text->text);
  berth_free(text);
}

int berth_cuda_text_count(void) {
  int count = 0;
  berth_mutex_lock(&list_lock);
  for (berth_cuda_text_t *at = texts; at != NULL; at = at->next) ++count;
  berth_mutex_unlock(&list_lock);
  return count;
}

// ---- Launching ----

berth_code_t berth_cuda_text_launch(berth_call_t *call, berth_cuda_text_t *text,
                                    int index, uint64_t count,
                                    const void *params, size_t params_size) {
  if (count == 0) return BERTH_OK;
  BERTH_TRY(
      berth_cuda_stream_enter((berth_cuda_stream_t *)call->stream, call->err));
  BERTH_TRY(ensure(text, call->err));
  return berth_cuda_launch_function(
      call, text->functions[index], text->names[index],
      text->most_threads[index], count, params, params_size);
}
