// terms.c - The texts that kernels are written of while a program runs.
#include "cuda/code/terms.h"

#include "base/fork.h"
#include "base/thread.h"
#include "cuda/code/image.h"

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards |texts|.
BERTH_FORK_HOLDS(lock, BERTH_FORK_TABLE)
static void *texts[3];

berth_code_t berth_cuda_terms(int type, const char **out_text,
                              berth_error_t *err) {
  static const char *const modules[] = {"terms_f32", "terms_f16", "terms_bf16"};
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&lock);
  if (texts[type] == NULL) {
    code = berth_cuda_image(modules[type], 0, 0, &texts[type], err);
  }
  *out_text = texts[type];
  berth_mutex_unlock(&lock);
  return code;
}
