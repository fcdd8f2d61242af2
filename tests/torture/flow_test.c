// flow_test.c - Conditionals and loops without memory.
#include "session/flow_testing.h"
#include "torture_testing.h"

// A GraphDef that TensorFlow has written: a loop in a loop.
static char bytes[1 << 14];
static size_t size;

static void load(const char *name) {
  char path[256];
  snprintf(path, sizeof path, FLOW_DIR "%s.pb", name);
  FILE *file = fopen(path, "rb");
  ASSERT_TRUE(file != NULL);
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
}

// Imports the graph and runs it once, for three rounds.
static berth_code_t imported(berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  rig_t rig = {0};
  berth_tensor_t *three = NULL, *result = NULL;
  const int32_t value = 3;
  rig_init(&rig);
  if (rig.graph == NULL) {
    return berth_graph_error(NULL, err);
  }
  STEP(berth_graph_import(rig.graph, bytes, size, NULL, err));
  STEP(berth_session_create(rig.graph, NULL, &rig.session, err));
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &value, &three, err));
  berth_feed_t feed = {{berth_graph_find(rig.graph, "Placeholder"), 0}, three};
  berth_out_t exit = {berth_graph_find(rig.graph, "while/Exit_1"), 0};
  STEP(berth_session_run(rig.session, &feed, 1, &exit, 1, &result, err));
done:
  berth_tensor_release(result);
  berth_tensor_release(three);
  rig_clear(&rig);
  return code;
}

TEST(torture, loops_without_memory) {
  load("nested_while");
  torture("alloc", imported);
}

TEST(torture, conditionals_without_memory) {
  load("cond_in_while");
  torture("alloc", imported);
}
