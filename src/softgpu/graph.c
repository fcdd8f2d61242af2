// graph.c - Captured work, and running it again.
#include "softgpu/graph.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "softgpu/capture.h"
#include "softgpu/exports.h"
#include "softgpu/module.h"
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

// A node of the graph that a program was made of, which names the program's own.
typedef const void *origin_t;

struct CUgraphExec_st {
  berth_soft_object_t object;
  uint64_t charged_bytes;
  program_t *program;
  origin_t *origins;  // By node of |program|.
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

size_t berth_soft_graph_last(CUgraph graph, const CUgraphNode **out) {
  if (graph->count == 0) return 0;
  *out = (const CUgraphNode *)(const void *)&graph->nodes[graph->count - 1];
  return 1;
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

static program_t *program_create(berth_soft_work_t *const *nodes,
                                 size_t count) {
  program_t *program =
      berth_calloc(1, sizeof(*program) + count * sizeof(program->nodes[0]));
  if (program == NULL) return NULL;
  atomic_init(&program->references, 1);
  for (size_t i = 0; i < count; ++i) {
    const berth_soft_work_t *node = nodes[i];
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
  berth_free(((CUgraphExec)object)->origins);
}

// Returns the nodes of |graph|, as names; NULL when there is no memory.
static origin_t *origins_of(CUgraph graph) {
  origin_t *origins = berth_alloc((graph->count + 1) * sizeof(*origins));
  for (size_t i = 0; origins != NULL && i < graph->count; ++i) {
    origins[i] = graph->nodes[i];
  }
  return origins;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (exec == NULL || graph == NULL || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphExec made = berth_calloc(1, sizeof(*made));
  program_t *program =
      made != NULL ? program_create(graph->nodes, graph->count) : NULL;
  origin_t *origins = program != NULL ? origins_of(graph) : NULL;
  uint64_t bytes = graph->count * NODE_BYTES;
  berth_mutex_lock(&context->lock);
  bool is_paid = origins != NULL && berth_soft_context_take(context, bytes);
  berth_mutex_unlock(&context->lock);
  if (!is_paid) {
    program_release(program);
    berth_free(origins);
    berth_free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  made->object.close = close_exec;
  made->charged_bytes = bytes;
  made->program = program;
  made->origins = origins;
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

// Has |exec| do |nodes|, as many as it has, from its next launch on.
static CUresult program_replace(CUgraphExec exec,
                                berth_soft_work_t *const *nodes) {
  program_t *program = program_create(nodes, exec->program->count);
  if (program == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  program_release(exec->program);
  exec->program = program;
  return CUDA_SUCCESS;
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
  return program_replace(exec, graph->nodes);
}

// Returns the index of the node that |node| names, or -1.
static int64_t node_find(CUgraphExec exec, CUgraphNode node) {
  for (size_t i = 0; i < exec->program->count; ++i) {
    if (exec->origins[i] == (const void *)node) return (int64_t)i;
  }
  return -1;
}

// Puts a copy of |node| in the place of node |index|, from the next launch on.
static CUresult node_replace(CUgraphExec exec, int64_t index,
                             berth_soft_work_t *node) {
  size_t count = exec->program->count;
  berth_soft_work_t **nodes = berth_alloc(count * sizeof(nodes[0]));
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (nodes != NULL) {
    memcpy(nodes, exec->program->nodes, count * sizeof(nodes[0]));
    nodes[index] = node;
    result = program_replace(exec, nodes);
  }
  berth_free(nodes);
  return result;
}

CUresult cuGraphExecKernelNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
  if (exec == NULL || params == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_object_check(exec));
  int64_t index = node_find(exec, node);
  if (index < 0) return CUDA_ERROR_INVALID_VALUE;
  berth_soft_work_t *work = NULL;
  BERTH_SOFT_TRY(berth_soft_launch_work(params, &work));
  CUresult result = work->kind == exec->program->nodes[index]->kind
                        ? node_replace(exec, index, work)
                        : CUDA_ERROR_INVALID_VALUE;
  berth_free(work);
  return result;
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
