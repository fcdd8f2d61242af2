// hold.c - Signals that wait until a file is written.
#include "io/hold.h"

#include <time.h>

static const int ENDS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { END_COUNT = sizeof(ENDS) / sizeof(ENDS[0]) };

// True when the system's own answer to |number| is to end the process, and the
// thread does not block it.
static bool is_deadly(int number, const sigset_t *blocked) {
  struct sigaction action;
  return sigismember(blocked, number) == 0 &&
         sigaction(number, NULL, &action) == 0 &&
         (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void berth_file_hold_begin(berth_file_hold_t *hold, bool is_whole) {
  sigset_t held;
  sigemptyset(&hold->ends);
  pthread_sigmask(SIG_BLOCK, NULL, &hold->before);
  for (int i = 0; i < END_COUNT && is_whole; ++i) {
    if (is_deadly(ENDS[i], &hold->before)) sigaddset(&hold->ends, ENDS[i]);
  }
  held = hold->ends;
  hold->is_over_limit_held = is_deadly(SIGXFSZ, &hold->before);
  if (hold->is_over_limit_held) sigaddset(&held, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &held, NULL);
}

int berth_file_hold_signal(const berth_file_hold_t *hold) {
  sigset_t come;
  sigpending(&come);
  for (int i = 0; i < END_COUNT; ++i) {
    if (sigismember(&hold->ends, ENDS[i]) == 1 &&
        sigismember(&come, ENDS[i]) == 1) {
      return ENDS[i];
    }
  }
  return 0;
}

void berth_file_hold_end(berth_file_hold_t *hold) {
  // The failed write has told of the limit already.
  const struct timespec at_once = {0};
  sigset_t limit;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  if (hold->is_over_limit_held) (void)sigtimedwait(&limit, NULL, &at_once);
  pthread_sigmask(SIG_SETMASK, &hold->before, NULL);
}
