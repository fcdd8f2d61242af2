// end_name_test.c - Tests of the names of feeds and fetches.
#include "runtime/end_name.h"

#include "berth/ops.h"
#include "harness.h"

static berth_out_t placeholder(berth_graph_t *graph, const char *name) {
  berth_op_t *op = berth_op_begin(graph, "Placeholder", name);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  return (berth_out_t){berth_op_finish(op), 0};
}

// Lists the ends of a run as "name op " each.
static void list(berth_graph_t *graph, const berth_signature_t *run,
                 berth_str_t *str) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  berth_prune_t prune;
  const berth_place_end_t *ends = NULL;
  int count = 0;
  ASSERT_OK(berth_prune_init(&prune, graph, run, berth_graph_node_count(graph),
                             false, &err),
            &err);
  ASSERT_OK(berth_end_names_list(graph, &prune, &arena, &ends, &count, &err),
            &err);
  for (int i = 0; i < count; ++i) {
    berth_str_printf(str, "%s %s ", ends[i].name, ends[i].op);
  }
  berth_prune_deinit(&prune);
  berth_arena_clear(&arena);
}

TEST(end_name, sorts_and_leaves_out_feeds_that_nobody_takes) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t b = placeholder(graph, "b"), a = placeholder(graph, "a");
  berth_out_t sum = berth_add_v2(graph, "sum", a, b);
  berth_out_t part = berth_neg(graph, "sum/part", sum);
  berth_str_t str = {0};
  // A slash comes before the colon that follows a shorter name.
  list(graph,
       &(berth_signature_t){.feeds = (berth_out_t[]){b, a},
                            .feed_count = 2,
                            .fetches = (berth_out_t[]){sum, part},
                            .fetch_count = 2},
       &str);
  EXPECT_STR(berth_str_get(&str),
             "_arg_a_0_0 _Arg _arg_b_0_1 _Arg "
             "_retval_sum/part_0_0 _Retval _retval_sum_0_1 _Retval ");
  berth_str_clear(&str);
  // With the sum fed nobody takes a, which is counted all the same.
  list(graph,
       &(berth_signature_t){.feeds = (berth_out_t[]){sum, a},
                            .feed_count = 2,
                            .fetches = &part,
                            .fetch_count = 1},
       &str);
  EXPECT_STR(berth_str_get(&str),
             "_arg_sum_0_1 _Arg _retval_sum/part_0_0 _Retval ");
  berth_str_clear(&str);
  berth_graph_release(graph);
}
