// chain.c - Running element-wise steps that are done as one.
#include <string.h>

#include "base/parallel.h"
#include "cpu/loops/stream.h"
#include "cpu/ops/chain_internal.h"

struct berth_chain {
  const berth_chain_plan_t *plan;
  void *const *args;
  char *scratch;            // NULL: none.
  const char *const *rows;  // By argument: the row, repeated; or NULL.
  bool streams;
  const berth_supply_t *feed;  // NULL: none.
};

// A block of elements on its way through the links.
typedef struct block {
  int64_t begin, count;
  char *registers;
  char *out;
} block_t;

static char *register_at(const berth_chain_t *chain, const block_t *block,
                         int32_t index) {
  return block->registers + (size_t)index * chain->plan->register_size;
}

// Returns where |source| is for |block|.
static const char *source_at(const berth_chain_t *chain,
                             const berth_link_source_t *source,
                             const block_t *block) {
  if (source->fixed != NULL) return source->fixed;
  if (source->from == BERTH_FROM_OUTPUT) return block->out;
  if (source->from < 0) return register_at(chain, block, ~source->from);
  const char *data = chain->args[source->from];
  switch (source->reach) {
    case BERTH_REACH_ALL:
      return data + block->begin * source->size;
    case BERTH_REACH_ROW:
      return chain->rows[source->from];
    default:
      return data;
  }
}

// Takes |block| through the functions of |link|.
static void strands_run(const berth_chain_t *chain, const berth_link_t *link,
                        const block_t *block, char *to) {
  berth_strand_t strands[BERTH_CHAIN_STRANDS];
  for (int i = 0; i < link->strand_count; ++i) {
    const char *y = source_at(chain, &link->strands[i].y, block);
    strands[i] =
        (berth_strand_t){link->strands[i].code, (const float *)(const void *)y};
  }
  const char *x = source_at(chain, &link->in[0], block);
  chain->plan->strand(strands, link->strand_count,
                      (const float *)(const void *)x, (float *)(void *)to,
                      block->count);
}

// Returns where what |link| makes belongs; NULL: in its register.
static char *output_at(const berth_chain_t *chain, const berth_link_t *link,
                       const block_t *block) {
  if (link->arg < 0) return link->to < 0 ? block->out : NULL;
  return (char *)chain->args[link->arg] + block->begin * link->size;
}

static void link_run(const berth_chain_t *chain, const berth_link_t *link,
                     const block_t *block) {
  char *out = output_at(chain, link, block);
  bool streams = chain->streams && out != NULL && link->is_unread;
  char *to = streams       ? register_at(chain, block, chain->plan->stream)
             : out != NULL ? out
                           : register_at(chain, block, link->to);
  if (link->strands != NULL) {
    strands_run(chain, link, block, to);
  } else {
    const char *in[BERTH_TERM_INPUTS];
    for (int i = 0; i < link->input_count; ++i) {
      in[i] = source_at(chain, &link->in[i], block);
    }
    link->apply(link->plan, in, to, block->count);
  }
  if (streams) {
    berth_cpu_stream()(out, to, (size_t)(block->count * link->size));
  }
}

// Does elements [begin, end), blocks that begin with a row.
static void blocks_run(const berth_chain_t *chain, int64_t begin, int64_t end) {
  const berth_chain_plan_t *plan = chain->plan;
  char *out = chain->args[plan->output];
  block_t block = {.begin = begin};
  atomic_flag *slot = NULL;
  if (plan->slots.count > 0) {
    slot = berth_slots_take(&plan->slots, chain->scratch + plan->slots_at,
                            &block.registers);
  }
  for (; block.begin < end; block.begin += plan->block) {
    int64_t left = end - block.begin;
    block.count = left < plan->block ? left : plan->block;
    block.out = out + block.begin * plan->out_size;
    for (int l = 0; l < plan->link_count; ++l) {
      link_run(chain, &plan->links[l], &block);
    }
  }
  if (chain->streams) berth_cpu_stream_end();
  if (slot != NULL) berth_slots_give(slot);
}

berth_chain_place_t berth_chain_take(const berth_chain_t *chain) {
  const berth_chain_plan_t *plan = chain->plan;
  berth_chain_place_t place = {0};
  place.slot = berth_slots_take(&plan->slots, chain->scratch + plan->slots_at,
                                &place.registers);
  place.space = place.registers + plan->registers_bytes;
  return place;
}

void berth_chain_give(const berth_chain_place_t *place) {
  berth_slots_give(place->slot);
}

void berth_chain_make_at(const berth_chain_t *chain,
                         const berth_chain_place_t *place, int64_t begin,
                         int64_t count, char *to) {
  const berth_chain_plan_t *plan = chain->plan;
  block_t block = {.registers = place->registers, .out = to};
  for (int64_t i = 0; i < count; i += plan->block) {
    block.begin = begin + i;
    block.count = count - i < plan->block ? count - i : plan->block;
    block.out = to + i * plan->out_size;
    for (int l = 0; l < plan->link_count; ++l) {
      link_run(chain, &plan->links[l], &block);
    }
  }
}

// Returns what |source| adds, from the first element on; NULL: nothing.
static const float *added(const berth_chain_t *chain,
                          const berth_link_source_t *source) {
  if (source->reach == BERTH_REACH_NONE) return NULL;
  return source->fixed != NULL ? source->fixed : chain->args[source->from];
}

const berth_ending_t *berth_chain_ending(const berth_chain_t *chain,
                                         berth_ending_t *out) {
  if (chain == NULL || !chain->plan->has_ending) return NULL;
  *out = (berth_ending_t){added(chain, &chain->plan->row_added),
                          added(chain, &chain->plan->other_added),
                          chain->plan->clamp};
  return out;
}

const berth_supply_t *berth_chain_feed(const berth_chain_t *chain) {
  return chain != NULL ? chain->feed : NULL;
}

void berth_chain_finish(const berth_chain_t *chain, int64_t begin,
                        int64_t count) {
  blocks_run(chain, begin, begin + count);
}

static void piece_run(void *arg, int64_t begin, int64_t end) {
  const berth_chain_t *chain = arg;
  const berth_chain_plan_t *plan = chain->plan;
  int64_t last = end * plan->block;
  blocks_run(chain, begin * plan->block,
             last < plan->count ? last : plan->count);
}

void berth_chain_finish_all(const berth_chain_t *chain) {
  const berth_chain_plan_t *plan = chain->plan;
  if (plan->count <= plan->block) {
    blocks_run(chain, 0, plan->count);
    return;
  }
  berth_parallel_for((plan->count + plan->block - 1) / plan->block, plan->grain,
                     piece_run, (void *)(uintptr_t)chain);
}

// Repeats the rows; stores where they are.
static void rows_fill(const berth_chain_t *chain, const char **rows) {
  const berth_chain_plan_t *plan = chain->plan;
  for (int t = 0; t < plan->tile_count; ++t) {
    const berth_tile_t *tile = &plan->tiles[t];
    const char *row = chain->args[tile->arg];
    rows[tile->arg] = row;
    if (plan->block == plan->row) continue;
    char *to = chain->scratch + tile->at;
    int64_t most = plan->count < plan->block ? plan->count : plan->block;
    size_t size = tile->size * (size_t)plan->row;
    for (int64_t i = 0; i < most / plan->row; ++i) {
      memcpy(to + (size_t)i * size, row, size);
    }
    rows[tile->arg] = to;
  }
}

// True when the output is written past the caches: lines that have just been
// read are written more cheaply where they are.
static bool is_streamed(const berth_chain_plan_t *plan, void *const *args) {
  if (plan->stream < 0) return false;
  for (int32_t i = 0; i < plan->output; ++i) {
    if ((plan->streams_unless >> i & 1) != 0 && args[i] == args[plan->output]) {
      return false;
    }
  }
  return true;
}

// Collects the arguments of the head of |plan|.
static void head_args(const berth_chain_plan_t *plan, void *const *args,
                      void **out) {
  for (int32_t i = 0; i < plan->head_input_count; ++i) {
    out[i] = args[plan->head_inputs[i]];
  }
  out[plan->head_input_count] = args[plan->output];
  out[plan->head_input_count + 1] = args[plan->output + 1];
}

static berth_code_t head_run(berth_chain_t *chain, berth_call_t *call) {
  const berth_chain_plan_t *plan = chain->plan, *by = plan->fed_by;
  void *own[BERTH_CHAIN_ARGS];
  berth_supply_t feed;
  if (by != NULL) {
    berth_chain_t maker = {.plan = by, .args = chain->args};
    berth_ending_t ending;
    head_args(by, chain->args, own);
    BERTH_TRY(by->head->open(by->head_plan, own,
                             berth_chain_ending(&maker, &ending), &feed, call));
    chain->feed = &feed;
  }
  head_args(plan, chain->args, own);
  return plan->head->run(plan->head_plan, own, chain, call);
}

berth_code_t berth_chain_run(const void *arg, void *const *args,
                             berth_call_t *call) {
  const berth_chain_plan_t *plan = arg;
  const char *rows[BERTH_CHAIN_ARGS];
  berth_chain_t chain = {.plan = plan,
                         .args = args,
                         .scratch = args[plan->scratch],
                         .rows = rows,
                         .streams = is_streamed(plan, args)};
  rows_fill(&chain, rows);
  berth_slots_clear(&plan->slots, chain.scratch + plan->slots_at);
  if (plan->head != NULL) return head_run(&chain, call);
  if (plan->end != NULL) {
    return plan->end->end(plan->end_plan, args[plan->output],
                          chain.scratch + plan->end_at, &chain, call);
  }
  berth_chain_finish_all(&chain);
  return BERTH_OK;
}
