// crew.c - Threads of a cursor that run ahead of it.
#include "data/crew.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

enum { MOMENT_NS = 10000000 };

void berth_crew_init(berth_crew_t *crew) {
  berth_mutex_init(&crew->lock);
  berth_cond_init(&crew->changed);
  crew->process = getpid();
}

berth_code_t berth_crew_start(berth_crew_t *crew, int count,
                              void (*work)(void *), void *arg,
                              berth_error_t *err) {
  crew->threads = berth_calloc((size_t)count, sizeof(*crew->threads));
  if (crew->threads == NULL) return berth_error_no_memory(err, "threads");
  for (int i = 0; i < count; ++i) {
    berth_code_t code =
        berth_thread_start(&crew->threads[i], work, arg, i == 0 ? err : NULL);
    if (code != BERTH_OK) return i == 0 ? code : BERTH_OK;
    crew->count++;
  }
  return BERTH_OK;
}

void berth_crew_stop(berth_crew_t *crew) {
  if (crew->process != getpid()) return;
  berth_mutex_lock(&crew->lock);
  crew->is_stopped = true;
  berth_cond_broadcast(&crew->changed);
  berth_mutex_unlock(&crew->lock);
  for (int i = 0; i < crew->count; ++i) berth_thread_join(&crew->threads[i]);
  crew->count = 0;
}

void berth_crew_deinit(berth_crew_t *crew) {
  berth_free(crew->threads);
  if (crew->process == 0 || crew->process != getpid()) return;
  berth_cond_deinit(&crew->changed);
  berth_mutex_deinit(&crew->lock);
}

berth_code_t berth_crew_wait(berth_crew_t *crew, const berth_reading_t *reading,
                             berth_error_t *err) {
  if (crew->process != getpid()) {
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "an iterator with threads cannot go on in a child process; make one "
        "there");
  }
  berth_cond_wait_until(&crew->changed, &crew->lock,
                        berth_now_ns() + MOMENT_NS);
  // Asking may call the program, which must not meet the lock.
  berth_mutex_unlock(&crew->lock);
  bool has_ended = berth_reading_has_ended(reading);
  berth_mutex_lock(&crew->lock);
  return has_ended ? berth_reading_fail_ended(err) : BERTH_OK;
}

berth_error_t *berth_error_keep(berth_error_t *err) {
  berth_error_t *kept = berth_calloc(1, sizeof(*kept));
  if (kept == NULL) return NULL;
  *kept = *err;
  *err = (berth_error_t)BERTH_ERROR_INIT;
  return kept;
}

berth_code_t berth_error_give(berth_error_t *kept, berth_error_t *err) {
  berth_code_t code = kept->code;
  if (err != NULL) {
    berth_error_clear(err);
    *err = *kept;
  } else {
    berth_error_clear(kept);
  }
  berth_free(kept);
  return code;
}
