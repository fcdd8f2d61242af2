// lender_test.c - Memory that runs borrow in turn.
#include "device/lender.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "harness.h"

// An allocator with a limit that counts what it has given out.
typedef struct limited {
  berth_allocator_t base;  // First.
  atomic_llong in_use;
  long long limit;
  berth_lender_t *lender;  // Gives up what is idle before a refusal; or NULL.
  // Called once before a refusal, or before anything is given; or NULL.
  void (*refusing)(void *arg), (*giving)(void *arg);
  void *arg;
} limited_t;

typedef struct piece {
  berth_buffer_t buffer;  // First.
  limited_t *from;
} piece_t;

static void piece_destroy(berth_buffer_t *buffer) {
  piece_t *piece = (piece_t *)buffer;
  atomic_fetch_sub(&piece->from->in_use, (long long)buffer->size);
  berth_free(buffer->data);
  berth_free(piece);
}

// Takes |size| bytes if there are as many.
static bool limited_take(limited_t *from, size_t size) {
  long long now = atomic_load(&from->in_use);
  while (now + (long long)size <= from->limit) {
    if (atomic_compare_exchange_weak(&from->in_use, &now,
                                     now + (long long)size)) {
      return true;
    }
  }
  return false;
}

// Calls what |hook| says, once.
static void call_once(limited_t *from, void (**hook)(void *arg)) {
  void (*fn)(void *arg) = *hook;
  *hook = NULL;
  if (fn != NULL) fn(from->arg);
}

static berth_code_t limited_alloc(berth_allocator_t *base, size_t size,
                                  berth_buffer_t **out, berth_error_t *err) {
  limited_t *from = (limited_t *)base;
  call_once(from, &from->giving);
  bool is_taken = limited_take(from, size);
  if (!is_taken && from->lender != NULL) {
    (void)berth_lender_give_up(from->lender);
    is_taken = limited_take(from, size);
  }
  if (!is_taken) {
    call_once(from, &from->refusing);
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "no room");
  }
  piece_t *piece = berth_alloc(sizeof(*piece));
  berth_buffer_init(&piece->buffer, berth_alloc(size), size, piece_destroy);
  piece->from = from;
  *out = &piece->buffer;
  return BERTH_OK;
}

static limited_t limited(long long limit) {
  return (limited_t){.base = {.alloc = limited_alloc}, .limit = limit};
}

static berth_code_t borrow(berth_lender_t *lender, limited_t *from, size_t size,
                           berth_borrower_t *borrower, berth_loan_t *loan) {
  berth_wish_t wish = {.size = size, .allocator = &from->base};
  return berth_lender_borrow(lender, &wish, borrower, loan, NULL);
}

TEST(lender, gives_the_same_piece_again) {
  berth_lender_t lender;
  limited_t from = limited(1000);
  berth_borrower_t borrower;
  berth_loan_t loan = {0};
  berth_lender_init(&lender);
  berth_borrower_begin(&borrower);
  ASSERT_OK(borrow(&lender, &from, 600, &borrower, &loan), NULL);
  EXPECT_TRUE(loan.is_fresh);
  const void *data = loan.piece->data;
  berth_lender_return(&lender, &loan);
  EXPECT_TRUE(loan.piece == NULL);
  ASSERT_OK(borrow(&lender, &from, 100, &borrower, &loan), NULL);
  EXPECT_FALSE(loan.is_fresh);
  EXPECT_TRUE(loan.piece->data == data);
  berth_lender_return(&lender, &loan);
  // A larger one takes its place.
  ASSERT_OK(borrow(&lender, &from, 900, &borrower, &loan), NULL);
  EXPECT_TRUE(loan.is_fresh);
  EXPECT_EQ(atomic_load(&from.in_use), 900);
  berth_lender_return(&lender, &loan);
  EXPECT_TRUE(berth_lender_give_up(&lender));
  EXPECT_FALSE(berth_lender_give_up(&lender));
  EXPECT_EQ(atomic_load(&from.in_use), 0);
  berth_lender_deinit(&lender);
}

TEST(lender, prefers_the_favourite) {
  berth_lender_t lender;
  limited_t from = limited(10000);
  berth_borrower_t borrower;
  berth_loan_t loans[3] = {0};
  berth_lender_init(&lender);
  berth_borrower_begin(&borrower);
  const void *second = NULL;
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(borrow(&lender, &from, 100, &borrower, &loans[i]), NULL);
  }
  second = loans[1].piece->data;
  for (int i = 0; i < 3; ++i) berth_lender_return(&lender, &loans[i]);
  berth_wish_t wish = {
      .size = 100, .allocator = &from.base, .favourite = second};
  ASSERT_OK(berth_lender_borrow(&lender, &wish, &borrower, &loans[0], NULL),
            NULL);
  EXPECT_TRUE(loans[0].piece->data == second);
  berth_lender_return(&lender, &loans[0]);
  berth_lender_deinit(&lender);
}

// A run inside a run would wait for itself.
TEST(lender, does_not_wait_for_its_own_thread) {
  berth_lender_t lender;
  limited_t from = limited(1000);
  berth_borrower_t outer, inner;
  berth_loan_t loans[2] = {0};
  berth_lender_init(&lender);
  berth_borrower_begin(&outer);
  berth_borrower_begin(&inner);
  ASSERT_OK(borrow(&lender, &from, 600, &outer, &loans[0]), NULL);
  EXPECT_EQ(borrow(&lender, &from, 600, &inner, &loans[1]),
            BERTH_RESOURCE_EXHAUSTED);
  berth_lender_return(&lender, &loans[0]);
  berth_lender_deinit(&lender);
}

// ---- While memory is asked for ----

// A borrower that another is in the middle of.
typedef struct meeting {
  berth_lender_t lender;
  limited_t from;
  berth_borrower_t first, second;
  berth_loan_t loans[2];
  berth_code_t code;
} meeting_t;

static void meeting_begin(meeting_t *m) {
  *m = (meeting_t){.from = limited(1000)};
  m->from.arg = m;
  berth_lender_init(&m->lender);
  berth_borrower_begin(&m->first);
  berth_borrower_begin(&m->second);
}

static void return_first(void *arg) {
  meeting_t *m = arg;
  berth_lender_return(&m->lender, &m->loans[0]);
}

// A piece that comes back between the refusal and the look at who has one is
// not missed.
TEST(lender, tries_again_when_a_piece_has_come_meanwhile) {
  meeting_t m;
  meeting_begin(&m);
  ASSERT_OK(borrow(&m.lender, &m.from, 600, &m.first, &m.loans[0]), NULL);
  m.from.refusing = return_first;
  EXPECT_EQ(borrow(&m.lender, &m.from, 600, &m.second, &m.loans[1]), BERTH_OK);
  EXPECT_TRUE(m.loans[0].piece == NULL);
  berth_lender_return(&m.lender, &m.loans[1]);
  berth_lender_deinit(&m.lender);
}

static bool end_at_once(void *arg) {
  (void)arg;
  return true;
}

static void borrow_too_much(void *arg) {
  meeting_t *m = arg;
  berth_wish_t wish = {
      .size = 2000, .allocator = &m->from.base, .look = end_at_once};
  m->code =
      berth_lender_borrow(&m->lender, &wish, &m->second, &m->loans[1], NULL);
}

// Who is about to get a piece will return it: it is worth waiting for, until
// somebody ends that.
TEST(lender, waits_for_one_who_asks_just_now) {
  meeting_t m;
  meeting_begin(&m);
  m.from.giving = borrow_too_much;
  ASSERT_OK(borrow(&m.lender, &m.from, 600, &m.first, &m.loans[0]), NULL);
  EXPECT_EQ(m.code, BERTH_CANCELLED);
  berth_lender_return(&m.lender, &m.loans[0]);
  berth_lender_deinit(&m.lender);
}

// ---- Threads ----

typedef struct stage {
  berth_lender_t lender;
  limited_t from;
  atomic_bool has_borrowed, may_return;
  bool parks;
} stage_t;

static void hold(void *arg) {
  stage_t *stage = arg;
  berth_borrower_t borrower;
  berth_loan_t loan = {0};
  berth_borrower_begin(&borrower);
  EXPECT_EQ(borrow(&stage->lender, &stage->from, 600, &borrower, &loan),
            BERTH_OK);
  if (stage->parks) atomic_store(&borrower.is_parked, true);
  atomic_store(&stage->has_borrowed, true);
  while (!atomic_load(&stage->may_return)) berth_sleep_ns(100000);
  berth_lender_return(&stage->lender, &loan);
}

static void stage_open(stage_t *stage, berth_thread_t *thread, bool parks) {
  *stage = (stage_t){.from = limited(1000), .parks = parks};
  berth_lender_init(&stage->lender);
  ASSERT_OK(berth_thread_start(thread, hold, stage, NULL), NULL);
  while (!atomic_load(&stage->has_borrowed)) berth_sleep_ns(100000);
}

// Lets the holder go on when it is asked for the third time.
static bool look_thrice(void *arg) {
  static int looks = 0;
  stage_t *stage = arg;
  if (++looks == 3) atomic_store(&stage->may_return, true);
  return false;
}

TEST(lender, waits_for_others_who_go_on) {
  stage_t stage;
  berth_thread_t thread;
  berth_borrower_t borrower;
  berth_loan_t loan = {0};
  stage_open(&stage, &thread, false);
  berth_borrower_begin(&borrower);
  berth_wish_t wish = {.size = 600,
                       .allocator = &stage.from.base,
                       .look = look_thrice,
                       .look_arg = &stage};
  ASSERT_OK(berth_lender_borrow(&stage.lender, &wish, &borrower, &loan, NULL),
            NULL);
  berth_lender_return(&stage.lender, &loan);
  berth_thread_join(&thread);
  berth_lender_deinit(&stage.lender);
}

TEST(lender, does_not_wait_for_one_who_waits) {
  stage_t stage;
  berth_thread_t thread;
  berth_borrower_t borrower;
  berth_loan_t loan = {0};
  stage_open(&stage, &thread, true);
  berth_borrower_begin(&borrower);
  EXPECT_EQ(borrow(&stage.lender, &stage.from, 600, &borrower, &loan),
            BERTH_RESOURCE_EXHAUSTED);
  atomic_store(&stage.may_return, true);
  berth_thread_join(&thread);
  berth_lender_deinit(&stage.lender);
}

static bool look_once(void *arg) {
  (void)arg;
  return true;
}

TEST(lender, waiting_can_be_ended) {
  stage_t stage;
  berth_thread_t thread;
  berth_borrower_t borrower;
  berth_loan_t loan = {0};
  stage_open(&stage, &thread, false);
  berth_borrower_begin(&borrower);
  berth_wish_t wish = {
      .size = 600, .allocator = &stage.from.base, .look = look_once};
  EXPECT_EQ(berth_lender_borrow(&stage.lender, &wish, &borrower, &loan, NULL),
            BERTH_CANCELLED);
  atomic_store(&stage.may_return, true);
  berth_thread_join(&thread);
  berth_lender_deinit(&stage.lender);
}

enum { BORROWERS = 4, ROUNDS = 2000 };

static void borrow_many(void *arg) {
  stage_t *stage = arg;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_borrower_t borrower;
    berth_loan_t loan = {0};
    berth_borrower_begin(&borrower);
    size_t size = (size_t)(1 + i % 5) * 100;
    berth_code_t code =
        borrow(&stage->lender, &stage->from, size, &borrower, &loan);
    EXPECT_EQ(code, BERTH_OK);
    if (code != BERTH_OK) continue;
    memset(loan.piece->data, i, size);
    berth_lender_return(&stage->lender, &loan);
  }
}

// There is room for two; four want one.
TEST(lender, threads_take_turns) {
  stage_t stage = {.from = limited(1000)};
  berth_thread_t threads[BORROWERS];
  berth_lender_init(&stage.lender);
  stage.from.lender = &stage.lender;
  for (int i = 0; i < BORROWERS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], borrow_many, &stage, NULL), NULL);
  }
  for (int i = 0; i < BORROWERS; ++i) berth_thread_join(&threads[i]);
  (void)berth_lender_give_up(&stage.lender);
  EXPECT_EQ(atomic_load(&stage.from.in_use), 0);
  berth_lender_deinit(&stage.lender);
}
