// graph.c - Captured work, and running it again.
#include "softgpu/graph.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "softgpu/capture.h"
#include "softgpu/exports.h"
#include "softgpu/stream.h"
#include "softgpu/stress.h"

// What a node of an instantiated graph takes of the card: 22 MiB for 10,000.
static const uint64_t NODE_BYTES = 2304;

struct CUgraph_st {
  berth_soft_work_t **nodes;
  size_t count;
  size_t capacity;
};

typedef struct program {
  atomic_int references;
  size_t count;
  berth_soft_work_t *nodes[];
} program_t;

struct CUgraphExec_st {
  berth_soft_object_t object;
  uint64_t charged_bytes;
  program_t *program;
};

// ---- Graphs ----

CUgraph berth_soft_graph_create(void) {
  return berth_calloc(1, sizeof(struct CUgraph_st));
}

void berth_soft_graph_destroy(CUgraph graph) {
  if (graph == NULL) return;
  for (size_t i = 0; i < graph->count; ++i) berth_free(graph->nodes[i]);
  berth_free(graph->nodes);
  berth_free(graph);
}

bool berth_soft_graph_add(CUgraph graph, const berth_soft_work_kind_t *kind,
                          const void *payload, size_t size) {
  if (graph->count == graph->capacity) {
    void *grown = berth_grow(graph->nodes, graph->count, &graph->capacity,
                             sizeof(graph->nodes[0]));
    if (grown == NULL) return false;
    graph->nodes = grown;
  }
  berth_soft_work_t *node = berth_soft_work_create(kind, payload, size);
  if (node == NULL) return false;
  graph->nodes[graph->count++] = node;
  return true;
}

CUresult cuGraphDestroy(CUgraph graph) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (graph == NULL) return CUDA_ERROR_INVALID_VALUE;
  berth_soft_graph_destroy(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (graph == NULL || count == NULL) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; nodes != NULL && i < *count; ++i) {
    nodes[i] = i < graph->count ? (CUgraphNode)(void *)graph->nodes[i] : NULL;
  }
  if (nodes == NULL || *count > graph->count) *count = graph->count;
  return CUDA_SUCCESS;
}

// ---- Programs ----

static void program_release(program_t *program) {
  if (program == NULL || atomic_fetch_sub_explicit(&program->references, 1,
                                                   memory_order_release) > 1) {
    return;
  }
  (void)atomic_load_explicit(&program->references, memory_order_acquire);
  for (size_t i = 0; i < program->count; ++i) berth_free(program->nodes[i]);
  berth_free(program);
}

static program_t *program_create(CUgraph graph) {
  program_t *program = berth_calloc(
      1, sizeof(*program) + graph->count * sizeof(program->nodes[0]));
  if (program == NULL) return NULL;
  atomic_init(&program->references, 1);
  for (size_t i = 0; i < graph->count; ++i) {
    const berth_soft_work_t *node = graph->nodes[i];
    program->nodes[i] =
        berth_soft_work_create(node->kind, node->payload, node->size);
    if (program->nodes[i] == NULL) {
      program_release(program);
      return NULL;
    }
    ++program->count;
  }
  return program;
}

typedef struct launch_payload {
  program_t *program;
} launch_payload_t;

static void run_program(CUstream stream, const void *payload) {
  const program_t *program = ((const launch_payload_t *)payload)->program;
  for (size_t i = 0; i < program->count; ++i) {
    if (i > 0) berth_soft_stress_pause(&stream->dice);
    program->nodes[i]->kind->run(stream, program->nodes[i]->payload);
  }
}

static void drop_program(const void *payload) {
  program_release(((const launch_payload_t *)payload)->program);
}

static const berth_soft_work_kind_t launch_kind = {"graph", run_program,
                                                   drop_program, false};

// ---- Instantiated graphs ----

static void close_exec(berth_soft_object_t *object) {
  program_release(((CUgraphExec)object)->program);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (exec == NULL || graph == NULL || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphExec made = berth_calloc(1, sizeof(*made));
  program_t *program = made != NULL ? program_create(graph) : NULL;
  uint64_t bytes = graph->count * NODE_BYTES;
  berth_mutex_lock(&context->lock);
  bool is_paid = program != NULL && berth_soft_context_take(context, bytes);
  berth_mutex_unlock(&context->lock);
  if (!is_paid) {
    program_release(program);
    berth_free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  made->object.close = close_exec;
  made->charged_bytes = bytes;
  made->program = program;
  berth_soft_object_add(context, &made->object);
  *exec = made;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  if (exec == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_object_check(exec));
  CUcontext context = exec->object.context;
  berth_mutex_lock(&context->lock);
  berth_soft_context_give(context, exec->charged_bytes);
  berth_mutex_unlock(&context->lock);
  berth_soft_object_destroy(&exec->object);
  return CUDA_SUCCESS;
}

// Says in which way |graph| is not what |program| was made of.
static CUgraphExecUpdateResult compare(const program_t *program,
                                       CUgraph graph) {
  if (program->count != graph->count) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  for (size_t i = 0; i < graph->count; ++i) {
    if (program->nodes[i]->kind != graph->nodes[i]->kind) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  if (exec == NULL || graph == NULL || info == NULL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  BERTH_SOFT_TRY(berth_soft_object_check(exec));
  *info =
      (CUgraphExecUpdateResultInfo){compare(exec->program, graph), NULL, NULL};
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  program_t *program = program_create(graph);
  if (program == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  program_release(exec->program);
  exec->program = program;
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  CUstream found = NULL;
  if (exec == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_object_check(exec));
  return berth_soft_stream_find(stream, &found);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  CUstream found = NULL;
  if (exec == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_object_check(exec));
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  // A graph inside a graph would need nodes with references.
  if (berth_soft_capture_status(found) != CU_STREAM_CAPTURE_STATUS_NONE) {
    return berth_soft_capture_break(found);
  }
  launch_payload_t payload = {exec->program};
  atomic_fetch_add_explicit(&exec->program->references, 1,
                            memory_order_relaxed);
  CUresult result =
      berth_soft_submit(found, &launch_kind, &payload, sizeof(payload));
  if (result != CUDA_SUCCESS) program_release(exec->program);
  return result;
}
