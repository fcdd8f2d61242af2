// partial_test.c - Runs that are fed and fetched from in several calls.
#include "session_testing.h"

// r1 = a + b, r2 = r1 * c.
typedef struct parts {
  berth_out_t a, b, c, r1, r2;
} parts_t;

static void open_parts(rig_t *rig, parts_t *p) {
  rig_init(rig);
  p->a = hole(rig->graph, "a");
  p->b = hole(rig->graph, "b");
  p->c = hole(rig->graph, "c");
  p->r1 = berth_add_v2(rig->graph, "r1", p->a, p->b);
  p->r2 = berth_mul(rig->graph, "r2", p->r1, p->c);
  EXPECT_EQ(rig_open(rig, NULL), BERTH_OK);
}

// Begins a partial run of the given feeds and fetches.
static berth_partial_t *begin(rig_t *rig, const berth_out_t *feeds,
                              int feed_count, const berth_out_t *fetches,
                              int fetch_count) {
  berth_partial_t *partial = NULL;
  EXPECT_EQ(berth_partial_create(rig->session, feeds, feed_count, fetches,
                                 fetch_count, NULL, 0, &partial, &rig->err),
            BERTH_OK);
  return partial;
}

// Feeds one value and fetches at most one; the result is in |*out|.
static berth_code_t go(rig_t *rig, berth_partial_t *partial, berth_out_t fed,
                       float value, const berth_out_t *wanted, double *out) {
  berth_tensor_t *tensor = scalar(value), *result = NULL;
  berth_code_t code =
      berth_partial_run(partial, &(berth_feed_t){fed, tensor}, 1, wanted,
                        wanted != NULL, &result, &rig->err);
  if (code == BERTH_OK && wanted != NULL) *out = element(result, 0);
  // Fed memory is the caller's again as soon as the call returns.
  *(float *)berth_tensor_data(tensor) = -1000;
  berth_tensor_release(tensor);
  berth_tensor_release(result);
  return code;
}

TEST(partial, in_pieces) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b, p.c}, 3,
                               (berth_out_t[]){p.r1, p.r2}, 2);
  ASSERT_OK(go(&rig, run, p.a, 1, NULL, NULL), &rig.err);
  ASSERT_OK(go(&rig, run, p.b, 2, &p.r1, &value), &rig.err);
  EXPECT_EQ(value, 3);
  ASSERT_OK(go(&rig, run, p.c, 17, &p.r2, &value), &rig.err);
  EXPECT_EQ(value, 51);
  EXPECT_FAILS(go(&rig, run, p.c, 17, &p.r2, &value), BERTH_INVALID_ARGUMENT,
               &rig.err, "Must run 'setup' before performing partial runs!");
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, says_what_is_wrong) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b}, 2, &p.r1, 1);
  EXPECT_FAILS(go(&rig, run, p.c, 3, &p.r1, &value), BERTH_INVALID_ARGUMENT,
               &rig.err,
               "The feed c:0 was not specified in partial_run_setup.");
  EXPECT_FAILS(go(&rig, run, p.a, 3, &p.r2, &value), BERTH_INVALID_ARGUMENT,
               &rig.err,
               "The fetch r2:0 was not specified in partial_run_setup.");
  ASSERT_OK(go(&rig, run, p.a, 3, NULL, NULL), &rig.err);
  EXPECT_FAILS(go(&rig, run, p.a, 3, NULL, NULL), BERTH_INVALID_ARGUMENT,
               &rig.err, "The feed a:0 has already been fed.");
  // A refused piece may come again, corrected.
  ASSERT_OK(go(&rig, run, p.b, 4, &p.r1, &value), &rig.err);
  EXPECT_EQ(value, 7);
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, names_the_feed_that_is_missing) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b, p.c}, 3,
                               (berth_out_t[]){p.r1, p.r2}, 2);
  EXPECT_FAILS(go(&rig, run, p.a, 1, &p.r2, &value), BERTH_INVALID_ARGUMENT,
               &rig.err,
               "Fetch c:0 can't be computed from the feeds that have been fed "
               "so far.");
  EXPECT_FAILS(go(&rig, run, p.a, 1, &p.r1, &value), BERTH_INVALID_ARGUMENT,
               &rig.err,
               "Fetch b:0 can't be computed from the feeds that have been fed "
               "so far.");
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, needs_something_to_fetch) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_partial_t *run = NULL;
  EXPECT_FAILS(berth_partial_create(rig.session, NULL, 0, NULL, 0, NULL, 0,
                                    &run, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Must specify at least one target to fetch or execute.");
  EXPECT_TRUE(run == NULL);
  rig_clear(&rig);
}

TEST(partial, feeds_are_checked) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b}, 2, &p.r1, 1);
  berth_tensor_t *number = int_scalar(1);
  EXPECT_FAILS(berth_partial_run(run, &(berth_feed_t){p.b, number}, 1, NULL, 0,
                                 NULL, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Expects arg[1] to be float but int32 is provided");
  berth_tensor_release(number);
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, several_at_once_keep_apart) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_out_t feeds[] = {p.a, p.b};
  berth_partial_t *one = begin(&rig, feeds, 2, &p.r1, 1);
  berth_partial_t *two = begin(&rig, feeds, 2, &p.r1, 1);
  ASSERT_OK(go(&rig, one, p.a, 1, NULL, NULL), &rig.err);
  ASSERT_OK(go(&rig, two, p.a, 100, NULL, NULL), &rig.err);
  ASSERT_OK(go(&rig, two, p.b, 200, &p.r1, &value), &rig.err);
  EXPECT_EQ(value, 300);
  ASSERT_OK(go(&rig, one, p.b, 2, &p.r1, &value), &rig.err);
  EXPECT_EQ(value, 3);
  berth_partial_destroy(one);
  berth_partial_destroy(two);
  rig_clear(&rig);
}

TEST(partial, changes_variables) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_out_t v = berth_variable_v2(rig.graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t set = berth_assign(rig.graph, "set", v, p.a);
  berth_out_t add = berth_assign_add(rig.graph, "add", set, p.b);
  berth_partial_t *run =
      begin(&rig, (berth_out_t[]){p.a, p.b}, 2, (berth_out_t[]){set, add}, 2);
  ASSERT_OK(go(&rig, run, p.a, 5, &set, &value), &rig.err);
  EXPECT_EQ(value, 5);
  EXPECT_EQ(fetch(&rig, v), 5);
  ASSERT_OK(go(&rig, run, p.b, 6, &add, &value), &rig.err);
  EXPECT_EQ(value, 11);
  EXPECT_EQ(fetch(&rig, v), 11);
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, may_be_left_unfinished) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_out_t queue = float_queue(rig.graph, "queue", 1);
  berth_out_t taken = dequeue(rig.graph, "taken", queue);
  berth_out_t sum = berth_add_v2(rig.graph, "sum", taken, p.a);
  berth_partial_t *run = begin(&rig, &p.a, 1, &sum, 1);
  berth_partial_destroy(run);
  run = begin(&rig, (berth_out_t[]){p.a, p.b}, 2, &p.r1, 1);
  ASSERT_OK(go(&rig, run, p.a, 1, NULL, NULL), &rig.err);
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, ends_with_its_session) {
  rig_t rig;
  parts_t p;
  double value = 0;
  open_parts(&rig, &p);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b}, 2, &p.r1, 1);
  ASSERT_OK(go(&rig, run, p.a, 1, NULL, NULL), &rig.err);
  berth_session_close(rig.session);
  EXPECT_FAILS(go(&rig, run, p.b, 1, &p.r1, &value), BERTH_CANCELLED, &rig.err,
               "Session has been closed.");
  berth_partial_destroy(run);
  rig_clear(&rig);
}

TEST(partial, a_failing_step_ends_it) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_out_t product = berth_matmul(rig.graph, "product", p.a, p.b);
  berth_partial_t *run = begin(&rig, (berth_out_t[]){p.a, p.b}, 2, &product, 1);
  berth_tensor_t *column =
      tensor_of(BERTH_FLOAT, BERTH_SHAPE(2, 1), (float[]){1, 2});
  berth_tensor_t *result = NULL;
  berth_feed_t feeds[] = {{p.a, column}, {p.b, column}};
  EXPECT_FAILS(berth_partial_run(run, feeds, 2, &product, 1, &result, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Matrix size-incompatible: In[0]: [2,1], In[1]: [2,1]\n\t "
               "[[{{node product}}]]");
  EXPECT_TRUE(result == NULL);
  EXPECT_TRUE(berth_partial_run(run, NULL, 0, &product, 1, &result, &rig.err) !=
              BERTH_OK);
  berth_tensor_release(column);
  berth_partial_destroy(run);
  rig_clear(&rig);
}
