// program.c - A program of somebody who has Berth installed.
#include <berth/berth.h>
#include <stdio.h>

int main(void) {
  static const float values[] = {1, 2, 3, 4};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_tensor_t *sum = NULL;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_const_f32(graph, "a", values, BERTH_SHAPE(2, 2));
  berth_out_t b = berth_add_v2(graph, "b", a, a);
  berth_code_t code = berth_session_create(graph, NULL, &session, &err);
  if (code == BERTH_OK) {
    code = berth_session_run(session, NULL, 0, &b, 1, &sum, &err);
  }
  if (code == BERTH_OK) code = berth_tensor_print(sum, stdout, &err);
  if (code != BERTH_OK) fprintf(stderr, "%s\n", berth_error_message(&err));
  berth_error_clear(&err);
  berth_tensor_release(sum);
  berth_session_destroy(session);
  berth_graph_release(graph);
  return code == BERTH_OK ? 0 : 1;
}
