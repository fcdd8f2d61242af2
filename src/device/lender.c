// lender.c - Memory that runs borrow in turn.
#include "device/lender.h"

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fork.h"

// Guards all lenders: it is held for moments, and around a fork. Nothing is
// called under it.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)

void berth_lender_init(berth_lender_t *lender) {
  *lender = (berth_lender_t){0};
  berth_cond_init(&lender->returned);
}

void berth_lender_deinit(berth_lender_t *lender) {
  (void)berth_lender_give_up(lender);
  berth_cond_deinit(&lender->returned);
}

void berth_borrower_begin(berth_borrower_t *borrower) {
  static BERTH_THREAD_LOCAL char mark;
  borrower->thread = &mark;
  atomic_store_explicit(&borrower->is_parked, false, memory_order_relaxed);
}

// Takes idle piece |index| out of the list. The lock is held.
static berth_buffer_t *idle_take(berth_lender_t *lender, int index) {
  berth_buffer_t *piece = lender->idle[index];
  --lender->idle_count;
  for (int i = index; i < lender->idle_count; ++i) {
    lender->idle[i] = lender->idle[i + 1];
  }
  return piece;
}

// Returns the idle piece to lend, or NULL. The lock is held.
static berth_buffer_t *idle_find(berth_lender_t *lender, size_t size,
                                 const void *favourite) {
  int best = -1;
  for (int i = 0; i < lender->idle_count; ++i) {
    const berth_buffer_t *piece = lender->idle[i];
    if (piece->size < size) continue;
    if (piece->data == favourite) return idle_take(lender, i);
    if (best < 0 || piece->size < lender->idle[best]->size) best = i;
  }
  return best >= 0 ? idle_take(lender, best) : NULL;
}

// Notes what was borrowed. The lock is held.
static void loan_add(berth_lender_t *lender, berth_borrower_t *borrower,
                     berth_buffer_t *piece, bool is_fresh, berth_loan_t *loan) {
  *loan = (berth_loan_t){.piece = piece,
                         .is_fresh = is_fresh,
                         .borrower = borrower,
                         .next = lender->loans};
  lender->loans = loan;
}

// True when somebody else holds a piece, or is about to, and will return it.
// The lock is held.
static bool is_worth_waiting(const berth_lender_t *lender,
                             const berth_borrower_t *borrower) {
  if (lender->allocating > 0) return true;
  const berth_loan_t *loan = lender->loans;
  for (; loan != NULL; loan = loan->next) {
    if (loan->borrower->thread != borrower->thread &&
        !atomic_load(&loan->borrower->is_parked)) {
      return true;
    }
  }
  return false;
}

// Ends an allocation that was refused: sleeps until a piece is returned, a few
// milliseconds at most, unless one was since there had been |seen|. False when
// nobody will return any.
static bool wait_for_return(berth_lender_t *lender, berth_borrower_t *borrower,
                            uint64_t seen) {
  enum { WAKE_NS = 5000000 };
  berth_mutex_lock(&lock);
  --lender->allocating;
  bool has_come = lender->returns != seen;
  bool waits = !has_come && is_worth_waiting(lender, borrower);
  if (waits) {
    atomic_store(&borrower->is_parked, true);
    berth_cond_wait_until(&lender->returned, &lock, berth_now_ns() + WAKE_NS);
    atomic_store(&borrower->is_parked, false);
  }
  berth_mutex_unlock(&lock);
  return has_come || waits;
}

// Begins an allocation; returns how many pieces had been returned.
static uint64_t allocating_begin(berth_lender_t *lender) {
  berth_mutex_lock(&lock);
  ++lender->allocating;
  uint64_t returns = lender->returns;
  berth_mutex_unlock(&lock);
  return returns;
}

// Gets memory that is not there yet and notes the loan, waiting for others
// where that helps.
static berth_code_t piece_get(berth_lender_t *lender, const berth_wish_t *wish,
                              berth_borrower_t *borrower, berth_loan_t *loan,
                              berth_error_t *err) {
  for (;;) {
    berth_buffer_t *piece = NULL;
    uint64_t seen = allocating_begin(lender);
    berth_code_t code =
        wish->allocator->alloc(wish->allocator, wish->size, &piece, err);
    if (code != BERTH_RESOURCE_EXHAUSTED) {
      berth_mutex_lock(&lock);
      --lender->allocating;
      if (code == BERTH_OK) loan_add(lender, borrower, piece, true, loan);
      berth_mutex_unlock(&lock);
      return code;
    }
    if (!wait_for_return(lender, borrower, seen)) return code;
    berth_error_clear(err);
    if (wish->look != NULL && wish->look(wish->look_arg)) {
      return BERTH_CANCELLED;
    }
  }
}

berth_code_t berth_lender_borrow(berth_lender_t *lender,
                                 const berth_wish_t *wish,
                                 berth_borrower_t *borrower, berth_loan_t *loan,
                                 berth_error_t *err) {
  berth_mutex_lock(&lock);
  berth_buffer_t *piece = idle_find(lender, wish->size, wish->favourite);
  if (piece != NULL) loan_add(lender, borrower, piece, false, loan);
  // One that is too small makes room for one that is not.
  berth_buffer_t *small = piece == NULL && lender->idle_count > 0
                              ? idle_take(lender, lender->idle_count - 1)
                              : NULL;
  if (piece == NULL) ++lender->waiting;
  berth_mutex_unlock(&lock);
  if (piece != NULL) return BERTH_OK;
  berth_buffer_release(small);
  berth_code_t code = piece_get(lender, wish, borrower, loan, err);
  berth_mutex_lock(&lock);
  --lender->waiting;
  berth_mutex_unlock(&lock);
  return code;
}

// Notes that |loan| is over. The lock is held.
static void loan_end(berth_lender_t *lender, berth_loan_t *loan) {
  berth_loan_t **link = &lender->loans;
  while (*link != loan) link = &(*link)->next;
  *link = loan->next;
  loan->piece = NULL;
  ++lender->returns;
  berth_cond_broadcast(&lender->returned);
}

void berth_lender_return(berth_lender_t *lender, berth_loan_t *loan) {
  berth_buffer_t *piece = loan->piece;
  if (piece == NULL) return;
  berth_mutex_lock(&lock);
  bool keeps = lender->waiting == 0 && lender->idle_count < BERTH_LENDER_IDLE;
  if (keeps) {
    lender->idle[lender->idle_count++] = piece;
    loan_end(lender, loan);
  }
  berth_mutex_unlock(&lock);
  if (keeps) return;
  // Who waits finds the memory before it finds the loan gone.
  berth_buffer_release(piece);
  berth_mutex_lock(&lock);
  loan_end(lender, loan);
  berth_mutex_unlock(&lock);
}

bool berth_lender_give_up(berth_lender_t *lender) {
  berth_buffer_t *pieces[BERTH_LENDER_IDLE];
  berth_mutex_lock(&lock);
  int count = lender->idle_count;
  for (int i = 0; i < count; ++i) pieces[i] = lender->idle[i];
  lender->idle_count = 0;
  berth_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) berth_buffer_release(pieces[i]);
  return count > 0;
}
