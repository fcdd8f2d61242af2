// chain_text.c - Writes kernels for groups of element-wise functions.
//
// Registers: %v3_1 is the result of step 3 for element 1 of a thread, %i3_1 that
// element of input 3, %c3 an input that is a single number. Functions are
// blocks with registers of their own, whose names are short letters without an
// underscore.
#include "cuda/ops/chain_text.h"

#include <string.h>

enum { MOST_SETS = BERTH_CHAIN_TEXT_SETS, OFFSET_OF_INPUTS = 40 };

_Static_assert(offsetof(berth_chain_text_params_t, row) == 24 &&
                   offsetof(berth_chain_text_params_t, stride) == 36 &&
                   offsetof(berth_chain_text_params_t, in) == OFFSET_OF_INPUTS,
               "what kernels read");

// One kernel that is being written.
typedef struct writer {
  const berth_chain_text_t *chain;
  berth_str_t *out;
  int pack;             // Elements that lie side by side.
  int sets;             // Packs of a thread.
  const char **bodies;  // By step: its function, or NULL: none is needed.
  bool *is_clean;       // By step: a NaN is the one that arithmetic makes.
  bool was_read[BERTH_CHAIN_TEXT_INPUTS];
} writer_t;

int berth_chain_text_type(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return 0;
    case BERTH_HALF:
      return 1;
    case BERTH_BFLOAT16:
      return 2;
    default:
      return -1;
  }
}

static int size_of(berth_dtype_t dtype) { return (int)berth_dtype_size(dtype); }

static bool is_named(const berth_chain_text_step_t *step, const char *name) {
  return strcmp(step->name, name) == 0;
}

// ---- Functions ----

// Returns the instruction that a function of floats is, the one that the
// compiler makes of it, or NULL.
static const char *is_plain(const berth_chain_text_step_t *step) {
  if (step->dtype != BERTH_FLOAT) return NULL;
  if (is_named(step, "b_add")) return "add.rn.f32";
  if (is_named(step, "b_sub")) return "sub.rn.f32";
  if (is_named(step, "b_mul")) return "mul.rn.f32";
  return NULL;
}

// True when step |s| is one instruction because of what it takes. "x <= 0 ? 0 :
// x" leaves a NaN as it is, the instruction makes another of it: the same one as
// arithmetic does. Zeros are alike: of two the instruction takes the positive.
static bool is_max(const writer_t *w, int s) {
  const berth_chain_text_step_t *step = &w->chain->steps[s];
  int32_t from = step->inputs[0];
  return w->chain->cc_major >= 8 && step->dtype == BERTH_FLOAT &&
         is_named(step, "u_relu") && from < 0 && w->is_clean[~from];
}

// Returns the instruction that only moves the sign of a float, or NULL. Which NaN
// it makes of a NaN is not said, and depends on what it is compiled into; alone
// it is that of arithmetic.
static const char *sign_of(const berth_chain_text_step_t *step) {
  if (step->dtype != BERTH_FLOAT) return NULL;
  if (is_named(step, "u_neg")) return "neg.f32";
  return is_named(step, "u_abs") ? "abs.f32" : NULL;
}

// True when a NaN that step |s| makes has the bits that arithmetic gives it.
static bool is_clean(const writer_t *w, int s) {
  const berth_chain_text_step_t *step = &w->chain->steps[s];
  int32_t from = step->inputs[0];
  if (is_plain(step) != NULL || sign_of(step) != NULL) return true;
  return step->dtype == BERTH_FLOAT && is_named(step, "u_relu") && from < 0 &&
         w->is_clean[~from];
}

// Returns the text of the function of |step|, from its opening brace on, or NULL.
static const char *body_of(const berth_chain_text_t *chain,
                           const berth_chain_text_step_t *step) {
  static const char *const types[] = {"f32", "f16", "bf16"};
  char name[96];
  int type = berth_chain_text_type(step->dtype);
  if (type < 0 || chain->terms[type] == NULL) return NULL;
  snprintf(name, sizeof(name), " berth_term_%s_%s(", step->name, types[type]);
  const char *found = strstr(chain->terms[type], name);
  const char *body = found != NULL ? strstr(found, "\n{\n") : NULL;
  return body != NULL ? body + 3 : NULL;
}

// One line of a function: from |text| on, |size| bytes without blanks around.
typedef struct line {
  const char *text;
  int size;
} line_t;

// Takes the next line at |*at|; false at the closing brace.
static bool line_next(const char **at, line_t *line) {
  const char *end = strchr(*at, '\n');
  if (end == NULL || (*at)[0] == '}') return false;
  const char *text = *at;
  while (text < end && (*text == '\t' || *text == ' ')) ++text;
  *line = (line_t){text, (int)(end - text)};
  *at = end + 1;
  return true;
}

static bool line_begins(line_t line, const char *with) {
  size_t size = strlen(with);
  return (size_t)line.size >= size && memcmp(line.text, with, size) == 0;
}

// True when the function stands for itself: it calls nothing, and touches no
// memory but its parameters.
static bool stands_alone(const char *body) {
  static const char *const others[] = {"ld.global",    "ld.const", "ld.local",
                                       "st.local",     "call",     ".local",
                                       "mov.u64 \t%SP"};
  line_t line;
  while (line_next(&body, &line)) {
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
      if (line_begins(line, others[i])) return false;
    }
  }
  return true;
}

// True when nothing but the end follows.
static bool is_last(const char *at) {
  line_t line;
  while (line_next(&at, &line)) {
    if (line.size > 0) return false;
  }
  return true;
}

// Writes where input |i| of step |s| is, for element |e|.
static void put_operand(writer_t *w, int s, int i, int e) {
  int32_t from = w->chain->steps[s].inputs[i];
  if (from < 0) {
    berth_str_printf(w->out, "%%v%d_%d", ~from, e);
  } else if (w->chain->reach[from] == BERTH_REACH_ONE) {
    berth_str_printf(w->out, "%%c%d", from);
  } else {
    berth_str_printf(w->out, "%%i%d_%d", from, e);
  }
}

// Writes "ld.param.f32 %f1, [name_param_0]" as a move of what is meant.
static void put_param(writer_t *w, line_t line, int s, int e) {
  const berth_chain_text_step_t *step = &w->chain->steps[s];
  const char *to = memchr(line.text, '%', (size_t)line.size);
  const char *comma = memchr(line.text, ',', (size_t)line.size);
  int index = line.text[line.size - 3] - '0';  // "0];"
  if (to == NULL || comma == NULL) return;
  if (index == step->input_count) {
    uint64_t bits = 0;
    memcpy(&bits, &step->parameter, sizeof(bits));
    berth_str_printf(w->out, "mov.f64 %.*s, 0d%016llX;\n", (int)(comma - to),
                     to, (unsigned long long)bits);
    return;
  }
  berth_str_printf(w->out, "mov.f32 %.*s, ", (int)(comma - to), to);
  put_operand(w, s, index, e);
  berth_str_puts(w->out, ";\n");
}

// Writes "st.param.f32 [func_retval0+0], %f2" as a move into the result.
static void put_result(writer_t *w, line_t line, int s, int e) {
  const char *from = memchr(line.text, '%', (size_t)line.size);
  if (from == NULL) return;
  berth_str_printf(w->out, "mov.f32 %%v%d_%d, %.*s\n", s, e,
                   (int)(line.text + line.size - from), from);
}

// Writes the function of step |s| for element |e|: a block of its own.
static void put_function(writer_t *w, int s, int e) {
  const char *at = w->bodies[s];
  line_t line;
  bool jumps = false;
  berth_str_puts(w->out, "{\n");
  while (line_next(&at, &line)) {
    if (line.size == 0 || line_begins(line, "//")) continue;
    if (line_begins(line, "ld.param")) {
      put_param(w, line, s, e);
    } else if (line_begins(line, "st.param")) {
      put_result(w, line, s, e);
    } else if (line_begins(line, "ret;")) {
      if (is_last(at)) continue;
      berth_str_puts(w->out, "bra.uni BERTH_END;\n");
      jumps = true;
    } else {
      berth_str_printf(w->out, "%.*s\n", line.size, line.text);
    }
  }
  if (jumps) {
    berth_str_printf(w->out, "BERTH_END:\nmov.f32 %%v%d_%d, %%v%d_%d;\n", s, e,
                     s, e);
  }
  berth_str_puts(w->out, "}\n");
}

// Writes a change of sign, with the NaN that it makes alone.
static void put_sign(writer_t *w, const char *sign, int s, int e) {
  berth_str_printf(w->out, "%s %%v%d_%d, ", sign, s, e);
  put_operand(w, s, 0, e);
  berth_str_puts(w->out, ";\nsetp.nan.f32 %is0, ");
  put_operand(w, s, 0, e);
  berth_str_puts(w->out, ", ");
  put_operand(w, s, 0, e);
  berth_str_printf(w->out,
                   ";\nselp.f32 %%v%d_%d, 0f7FFFFFFF, %%v%d_%d, %%is0;\n", s, e,
                   s, e);
}

static void put_step(writer_t *w, int s, int e) {
  const berth_chain_text_step_t *step = &w->chain->steps[s];
  const char *plain = is_plain(step);
  if (sign_of(step) != NULL) {
    put_sign(w, sign_of(step), s, e);
    return;
  }
  if (plain == NULL && !is_max(w, s)) {
    put_function(w, s, e);
    return;
  }
  berth_str_printf(w->out, "%s %%v%d_%d, ",
                   plain != NULL ? plain : "max.NaN.f32", s, e);
  put_operand(w, s, 0, e);
  berth_str_puts(w->out, ", ");
  if (plain != NULL) {
    put_operand(w, s, 1, e);
  } else {
    berth_str_puts(w->out, "0f00000000");
  }
  berth_str_puts(w->out, ";\n");
}

// ---- Memory ----

// Writes registers |name|0 to |name|3, or one alone, of set |k|.
static void put_pack(writer_t *w, const char *name, int k) {
  berth_str_puts(w->out, w->pack > 1 ? "{" : "");
  for (int j = 0; j < w->pack; ++j) {
    berth_str_printf(w->out, "%s%s%d", j > 0 ? ", " : "", name,
                     k * w->pack + j);
  }
  berth_str_puts(w->out, w->pack > 1 ? "}" : "");
}

static const char *vector_of(const writer_t *w) {
  return w->pack > 1 ? ".v4" : "";
}

// Writes how register |to| becomes the number in |from|, of 16 bits.
static void put_widen(writer_t *w, berth_dtype_t dtype, const char *to,
                      const char *from) {
  if (dtype == BERTH_HALF) {
    berth_str_printf(w->out, "cvt.f32.f16 %s, %s;\n", to, from);
  } else {
    berth_str_printf(w->out, "mov.b32 %s, {%%zero, %s};\n", to, from);
  }
}

// Returns what counts the elements of an input that is read so.
static const char *index_of(uint8_t reach) {
  switch (reach) {
    case BERTH_REACH_ROW:
      return "row";
    case BERTH_REACH_PART:
      return "part";
    default:
      return "at";
  }
}

// Reads the elements of input |i|.
static void put_read(writer_t *w, int i) {
  berth_dtype_t dtype = w->chain->dtypes[i];
  bool is_float = dtype == BERTH_FLOAT;
  char name[32];
  berth_str_printf(w->out, ".reg .f32 %%i%d_<%d>;\n", i, w->pack * w->sets);
  if (!is_float) {
    berth_str_printf(w->out, ".reg .b16 %%h%d_<%d>;\n", i, w->pack * w->sets);
  }
  snprintf(name, sizeof(name), "%%%s%d_", is_float ? "i" : "h", i);
  for (int k = 0; k < w->sets; ++k) {
    berth_str_printf(w->out, "mad.lo.u64 %%there, %%%s%d, %d, %%g%d;\n",
                     index_of(w->chain->reach[i]), k, size_of(dtype), i);
    berth_str_printf(w->out, "ld.global%s.%s ", vector_of(w),
                     is_float ? "f32" : "b16");
    put_pack(w, name, k);
    berth_str_puts(w->out, ", [%there];\n");
  }
  for (int e = 0; !is_float && e < w->pack * w->sets; ++e) {
    char to[32], from[32];
    snprintf(to, sizeof(to), "%%i%d_%d", i, e);
    snprintf(from, sizeof(from), "%%h%d_%d", i, e);
    put_widen(w, dtype, to, from);
  }
}

// Reads input |i|, a single number.
static void put_single(writer_t *w, int i) {
  berth_dtype_t dtype = w->chain->dtypes[i];
  char to[32];
  snprintf(to, sizeof(to), "%%c%d", i);
  berth_str_printf(w->out, ".reg .f32 %s;\n", to);
  if (dtype == BERTH_FLOAT) {
    berth_str_printf(w->out, "ld.global.f32 %s, [%%g%d];\n", to, i);
    return;
  }
  berth_str_printf(w->out, "ld.global.b16 %%half, [%%g%d];\n", i);
  put_widen(w, dtype, to, "%half");
}

// Narrows the result of step |s|, which is rounded to its type already.
static void put_narrow(writer_t *w, int s) {
  int elements = w->pack * w->sets;
  bool is_half = w->chain->steps[s].dtype == BERTH_HALF;
  berth_str_printf(w->out, ".reg .b16 %%z%d_<%d>;\n", s, elements);
  for (int e = 0; e < elements; ++e) {
    berth_str_printf(w->out,
                     is_half ? "cvt.rn.f16.f32 %%z%d_%d, %%v%d_%d;\n"
                             : "mov.b32 {%%half, %%z%d_%d}, %%v%d_%d;\n",
                     s, e, s, e);
  }
}

// Writes where output |index| begins: the first one's address stands by itself.
static void put_out(writer_t *w, int index) {
  if (index == 0) {
    berth_str_puts(w->out, "%out");
  } else {
    berth_str_printf(w->out, "%%g%d", w->chain->input_count + index - 1);
  }
}

// Stores output |index|.
static void put_write(writer_t *w, int index) {
  int s = w->chain->outputs[index];
  berth_dtype_t dtype = w->chain->steps[s].dtype;
  char name[32];
  snprintf(name, sizeof(name), "%%%s%d_", dtype == BERTH_FLOAT ? "v" : "z", s);
  if (dtype != BERTH_FLOAT) put_narrow(w, s);
  for (int k = 0; k < w->sets; ++k) {
    berth_str_printf(w->out, "mad.lo.u64 %%there, %%at%d, %d, ", k,
                     size_of(dtype));
    put_out(w, index);
    berth_str_puts(w->out, ";\n");
    if (k > 0) berth_str_printf(w->out, "@%%is%d ", k);
    berth_str_printf(w->out, "st.global%s.%s [%%there], ", vector_of(w),
                     dtype == BERTH_FLOAT ? "f32" : "b16");
    put_pack(w, name, k);
    berth_str_puts(w->out, ";\n");
  }
}

// ---- Kernels ----

// Inputs, and outputs but for the first.
static int address_count(const berth_chain_text_t *chain) {
  return chain->input_count + chain->output_count - 1;
}

// True when some input is read so.
static bool has(const berth_chain_text_t *chain, uint8_t reach) {
  for (int i = 0; i < chain->input_count; ++i) {
    if (chain->reach[i] == reach) return true;
  }
  return false;
}

// Finds the thread, and what it is told.
static void put_begin(writer_t *w, const char *name) {
  int inputs = w->chain->input_count;
  int addresses = address_count(w->chain);
  berth_str_printf(w->out,
                   "\n.visible .entry %s(\n.param .align 8 .b8 p[%d]\n)\n{\n",
                   name, OFFSET_OF_INPUTS + 8 * addresses);
  berth_str_printf(w->out,
                   ".reg .pred %%is<%d>;\n.reg .b16 %%half, %%zero;\n"
                   ".reg .b32 %%block, %%lanes, %%lane, %%blocks;\n"
                   ".reg .b32 %%by, %%factor, %%shift, %%n, %%high;\n"
                   ".reg .b64 %%out, %%count, %%first, %%there, %%i, %%apart;\n"
                   ".reg .b64 %%at<%d>, %%row<%d>;\n",
                   MOST_SETS + 1, MOST_SETS, MOST_SETS);
  berth_str_printf(w->out, ".reg .b64 %%g<%d>;\n", addresses + 1);
  if (has(w->chain, BERTH_REACH_PART)) {
    berth_str_printf(w->out,
                     ".reg .b64 %%part<%d>;\n.reg .b32 %%stride;\n"
                     "ld.param.u32 %%stride, [p+36];\n",
                     MOST_SETS);
  }
  berth_str_puts(w->out,
                 "mov.b16 %zero, 0;\nld.param.u64 %out, [p];\n"
                 "cvta.to.global.u64 %out, %out;\n"
                 "ld.param.u64 %count, [p+8];\nld.param.u64 %first, [p+16];\n"
                 "ld.param.u32 %by, [p+24];\nld.param.u32 %factor, [p+28];\n"
                 "ld.param.u32 %shift, [p+32];\n"
                 "mov.u32 %block, %ctaid.x;\nmov.u32 %lanes, %ntid.x;\n"
                 "mov.u32 %lane, %tid.x;\nmov.u32 %blocks, %nctaid.x;\n"
                 "cvt.u64.u32 %there, %lane;\n"
                 "mad.wide.u32 %i, %block, %lanes, %there;\n"
                 "mul.wide.u32 %apart, %blocks, %lanes;\n"
                 "setp.ge.u64 %is0, %i, %count;\n@%is0 bra DONE;\n");
  for (int i = 0; i < addresses; ++i) {
    berth_str_printf(w->out,
                     "ld.param.u64 %%g%d, [p+%d];\n"
                     "cvta.to.global.u64 %%g%d, %%g%d;\n",
                     i, OFFSET_OF_INPUTS + 8 * i, i, i);
    if (i < inputs && w->chain->reach[i] == BERTH_REACH_ONE) put_single(w, i);
  }
}

// Finds the place of element |k| of a thread in its row, and in a part.
static void put_row(writer_t *w, int k) {
  bool has_parts = has(w->chain, BERTH_REACH_PART);
  // BERTH_DIVIDE().
  berth_str_printf(w->out,
                   "cvt.u32.u64 %%n, %%at%d;\n"
                   "mul.hi.u32 %%high, %%n, %%factor;\n"
                   "add.u32 %%high, %%high, %%n;\n"
                   "shr.u32 %%high, %%high, %%shift;\n",
                   k);
  if (has_parts) {
    berth_str_printf(w->out, "mul.wide.u32 %%part%d, %%high, %%stride;\n", k);
  }
  berth_str_printf(w->out,
                   "mul.lo.u32 %%high, %%high, %%by;\n"
                   "sub.u32 %%n, %%n, %%high;\n"
                   "cvt.u64.u32 %%row%d, %%n;\n",
                   k);
  if (has_parts) {
    berth_str_printf(w->out, "add.u64 %%part%d, %%part%d, %%row%d;\n", k, k, k);
  }
}

// Says which elements a thread takes next. One whose last packs lie beyond the
// end takes its first instead of them, and does not write.
static void put_places(writer_t *w) {
  for (int k = 0; k < w->sets; ++k) {
    berth_str_printf(w->out, "mad.lo.u64 %%at%d, %%apart, %d, %%i;\n", k, k);
    if (k > 0) {
      berth_str_printf(w->out,
                       "setp.lt.u64 %%is%d, %%at%d, %%count;\n"
                       "selp.b64 %%at%d, %%at%d, %%i, %%is%d;\n",
                       k, k, k, k, k);
    }
    berth_str_printf(w->out, "mad.lo.u64 %%at%d, %%at%d, %d, %%first;\n", k, k,
                     w->pack);
    if (has(w->chain, BERTH_REACH_ROW) || has(w->chain, BERTH_REACH_PART)) {
      put_row(w, k);
    }
  }
}

// Reads what step |s| is the first to need.
static void put_reads(writer_t *w, int s) {
  const berth_chain_text_step_t *step = &w->chain->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    int32_t from = step->inputs[i];
    if (from < 0 || w->was_read[from] ||
        w->chain->reach[from] == BERTH_REACH_ONE) {
      continue;
    }
    put_read(w, from);
    w->was_read[from] = true;
  }
}

static void put_kernel(writer_t *w, const char *name, int pack) {
  w->pack = pack;
  memset(w->was_read, 0, sizeof(w->was_read));
  put_begin(w, name);
  berth_str_puts(w->out, "LOOP:\n");
  put_places(w);
  // No other thread works while one of few waits for memory, and nothing moves a
  // read before the branches of a function: it waits once, for everything.
  for (int s = 0; w->chain->is_few && s < w->chain->step_count; ++s) {
    put_reads(w, s);
  }
  for (int s = 0; s < w->chain->step_count; ++s) {
    put_reads(w, s);
    berth_str_printf(w->out, ".reg .f32 %%v%d_<%d>;\n", s, pack * w->sets);
    for (int e = 0; e < pack * w->sets; ++e) put_step(w, s, e);
  }
  // All is read before anything is written: an output may take an input's place.
  for (int i = 0; i < w->chain->output_count; ++i) put_write(w, i);
  berth_str_printf(w->out,
                   "mad.lo.u64 %%i, %%apart, %d, %%i;\n"
                   "setp.lt.u64 %%is0, %%i, %%count;\n@%%is0 bra LOOP;\n"
                   "DONE:\nret;\n}\n",
                   w->sets);
}

// Finds the functions; false when one is not there.
static bool functions_find(writer_t *w) {
  const berth_chain_text_t *chain = w->chain;
  for (int s = 0; s < chain->step_count; ++s) {
    const berth_chain_text_step_t *step = &chain->steps[s];
    w->is_clean[s] = is_clean(w, s);
    w->bodies[s] = NULL;
    if (is_plain(step) != NULL || sign_of(step) != NULL || is_max(w, s)) {
      continue;
    }
    w->bodies[s] = body_of(chain, step);
    if (w->bodies[s] == NULL || !stands_alone(w->bodies[s])) return false;
  }
  return true;
}

bool berth_chain_text_write(const berth_chain_text_t *chain, berth_str_t *out) {
  const char *bodies[BERTH_CHAIN_TEXT_STEPS];
  bool clean[BERTH_CHAIN_TEXT_STEPS];
  writer_t w = {.chain = chain,
                .out = out,
                .sets = chain->is_few ? 1 : MOST_SETS,
                .bodies = bodies,
                .is_clean = clean};
  if (chain->step_count > BERTH_CHAIN_TEXT_STEPS ||
      address_count(chain) > BERTH_CHAIN_TEXT_INPUTS || !functions_find(&w)) {
    return false;
  }
  berth_str_puts(out, chain->cc_major >= 8 ? ".version 7.0\n.target sm_80\n"
                                           : ".version 6.0\n.target sm_70\n");
  berth_str_puts(out, ".address_size 64\n");
  if (!chain->is_few) put_kernel(&w, BERTH_CHAIN_WIDE, BERTH_CHAIN_WIDTH);
  put_kernel(&w, BERTH_CHAIN_NARROW, 1);
  return berth_str_ok(out);
}
