// chain_testing.h - Does on the host what kernels that chain_text.h has written do.
//
// One thread after the other goes through the text, instruction by instruction:
// those for addresses, memory and the three of arithmetic. A text that has others
// fails the test.
#ifndef BERTH_CUDA_OPS_CHAIN_TESTING_H_
#define BERTH_CUDA_OPS_CHAIN_TESTING_H_

#include <ctype.h>
#include <stdlib.h>

#include "cuda/ops/chain_text.h"
#include "harness.h"

enum { PTX_NAMES = 4096, PTX_MOST = 12, PTX_WORD = 32 };

typedef struct ptx {
  const char *body;  // Of the kernel, from its brace on.
  const void *params;
  uint32_t block, lane, blocks, lanes;
  char names[PTX_NAMES][PTX_WORD];  // By hash.
  uint64_t values[PTX_NAMES];
} ptx_t;

// An instruction, its operands without braces.
typedef struct ptx_line {
  char guard[PTX_WORD], op[PTX_WORD];
  char operands[PTX_MOST][PTX_WORD];
  int count;
} ptx_line_t;

static uint64_t *ptx_at(ptx_t *x, const char *name) {
  uint32_t at = 2166136261U;
  for (const char *c = name; *c != '\0'; ++c)
    at = (at ^ (uint8_t)*c) * 16777619U;
  at %= PTX_NAMES;
  while (x->names[at][0] != '\0' && strcmp(x->names[at], name) != 0) {
    at = (at + 1) % PTX_NAMES;
  }
  snprintf(x->names[at], PTX_WORD, "%s", name);
  return &x->values[at];
}

// Returns what |word| stands for: a register, or a number.
static uint64_t ptx_get(ptx_t *x, const char *word) {
  if (strcmp(word, "%ctaid.x") == 0) return x->block;
  if (strcmp(word, "%tid.x") == 0) return x->lane;
  if (strcmp(word, "%nctaid.x") == 0) return x->blocks;
  if (strcmp(word, "%ntid.x") == 0) return x->lanes;
  return word[0] == '%' ? *ptx_at(x, word) : strtoull(word, NULL, 10);
}

static float ptx_float(ptx_t *x, const char *word) {
  uint32_t bits = (uint32_t)ptx_get(x, word);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// Takes the next instruction or label apart; false at the end.
static bool ptx_next(const char **at, ptx_line_t *line) {
  const char *c = *at;
  char *word = line->op;
  *line = (ptx_line_t){.count = 0};
  while (isspace((unsigned char)*c)) ++c;
  if (*c == '}' || *c == '\0') return false;
  bool is_guard = *c == '@';
  if (is_guard) word = line->guard;
  for (; *c != ';' && *c != ':'; ++c) {
    bool ends = isspace((unsigned char)*c) || *c == ',' || *c == '{' ||
                *c == '}' || *c == '[' || *c == ']';
    size_t size = strlen(word);
    if (!ends && *c != '@' && size + 1 < PTX_WORD) word[size] = *c;
    if (!ends || size == 0) continue;
    if (word == line->guard) {
      word = line->op;
    } else {
      if (line->count == PTX_MOST) HARNESS_FAIL("too long: %.80s", *at);
      word = line->operands[line->count++];
    }
  }
  if (word != line->op && word[0] == '\0') --line->count;
  *at = c + 1;
  return true;
}

// Returns where the instructions behind |label| begin.
static const char *ptx_label(const ptx_t *x, const char *label) {
  char with[PTX_WORD + 4];
  snprintf(with, sizeof(with), "\n%s:\n", label);
  const char *found = strstr(x->body, with);
  return found != NULL ? found + strlen(with) : NULL;
}

// Reads or writes one or four elements of global memory.
static void ptx_memory(ptx_t *x, const ptx_line_t *l, bool reads) {
  int count = strstr(l->op, ".v4") != NULL ? 4 : 1;
  uint64_t address = ptx_get(x, l->operands[reads ? count : 0]);
  if (address % (4 * (uint64_t)count) != 0) HARNESS_FAIL("not aligned");
  for (int i = 0; i < count; ++i) {
    uint32_t *at = (uint32_t *)(uintptr_t)address + i;
    if (reads) {
      *ptx_at(x, l->operands[i]) = *at;
    } else {
      *at = (uint32_t)ptx_get(x, l->operands[1 + i]);
    }
  }
}

// Returns what |l|, an instruction without memory, makes.
static uint64_t ptx_value(ptx_t *x, const ptx_line_t *l) {
#define IS(name) (strcmp(l->op, name) == 0)
  uint64_t a = ptx_get(x, l->operands[1]);
  uint64_t b = l->count > 2 ? ptx_get(x, l->operands[2]) : 0;
  uint64_t c = l->count > 3 ? ptx_get(x, l->operands[3]) : 0;
  uint32_t low = (uint32_t)a, other = (uint32_t)b;
  if (strstr(l->op, ".rn.f32") != NULL) {
    float u = ptx_float(x, l->operands[1]), v = ptx_float(x, l->operands[2]);
    float made = IS("add.rn.f32") ? u + v : IS("sub.rn.f32") ? u - v : u * v;
    uint32_t bits;
    memcpy(&bits, &made, sizeof(bits));
    return bits;
  }
  if (IS("ld.param.u64") || IS("ld.param.u32")) {
    const char *plus = strchr(l->operands[1], '+');
    const char *from = x->params;
    uint64_t value = 0;
    memcpy(&value, from + (plus != NULL ? strtol(plus + 1, NULL, 10) : 0),
           IS("ld.param.u64") ? 8 : 4);
    return value;
  }
  if (IS("mov.u32") || IS("mov.b16") || IS("cvta.to.global.u64")) return a;
  if (IS("cvt.u64.u32") || IS("cvt.u32.u64")) return low;
  if (IS("mad.wide.u32")) return (uint64_t)low * other + c;
  if (IS("mul.wide.u32")) return (uint64_t)low * other;
  if (IS("mul.hi.u32")) return (uint64_t)low * other >> 32;
  if (IS("mul.lo.u32")) return low * other;
  if (IS("add.u32")) return low + other;
  if (IS("sub.u32")) return low - other;
  if (IS("shr.u32")) return low >> other;
  if (IS("add.u64")) return a + b;
  if (IS("mad.lo.u64")) return a * b + c;
  if (IS("setp.ge.u64")) return a >= b;
  if (IS("setp.lt.u64")) return a < b;
  if (IS("selp.b64")) return c != 0 ? a : b;
  HARNESS_FAIL("unknown here: %s", l->op);
  return 0;
}

#undef IS

// Runs the thread that |x| says.
static void ptx_thread(ptx_t *x) {
  const char *at = x->body;
  ptx_line_t l;
  while (at != NULL && ptx_next(&at, &l)) {
    bool is_off = l.guard[0] != '\0' && ptx_get(x, l.guard) == 0;
    if (at[-1] == ':' || is_off || l.op[0] == '.') continue;
    if (strcmp(l.op, "ret") == 0) return;
    if (strcmp(l.op, "bra") == 0) {
      at = ptx_label(x, l.operands[0]);
    } else if (strncmp(l.op, "ld.global", 9) == 0) {
      ptx_memory(x, &l, true);
    } else if (strncmp(l.op, "st.global", 9) == 0) {
      ptx_memory(x, &l, false);
    } else {
      uint64_t value = ptx_value(x, &l);
      *ptx_at(x, l.operands[0]) = value;
    }
  }
}

// Runs kernel |name| of |text| in |blocks| of |lanes| threads.
static void ptx_run(const char *text, const char *name, const void *params,
                    uint32_t blocks, uint32_t lanes) {
  char head[96];
  snprintf(head, sizeof(head), ".entry %s(", name);
  const char *entry = strstr(text, head);
  const char *body = entry != NULL ? strstr(entry, "\n{\n") : NULL;
  if (body == NULL) HARNESS_FAIL("no kernel %s", name);
  ptx_t *x = calloc(1, sizeof(*x));
  for (uint32_t thread = 0; x != NULL && thread < blocks * lanes; ++thread) {
    *x = (ptx_t){.body = body + 3,
                 .params = params,
                 .block = thread / lanes,
                 .lane = thread % lanes,
                 .blocks = blocks,
                 .lanes = lanes};
    ptx_thread(x);
  }
  free(x);
}

#endif  // BERTH_CUDA_OPS_CHAIN_TESTING_H_
