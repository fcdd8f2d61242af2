// regex.c - Kernels that search texts: RegexReplace, RegexFullMatch and those
// whose pattern is an attribute.
//
// A pattern that is an attribute is compiled once, with the plan.
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/text_map.h"

#include "base/unicode.h"

// A pattern and what stands for its matches.
typedef struct rewriting {
  const berth_pattern_t *pattern;
  const char *rewrite;
  size_t size;
  bool is_global;
} rewriting_t;

static berth_code_t compile(const char *text, size_t size,
                            berth_pattern_t **out_pattern, berth_error_t *err) {
  berth_error_t own = {0};
  berth_code_t code = berth_pattern_compile(text, size, out_pattern, &own);
  if (code == BERTH_INVALID_ARGUMENT) {
    (void)berth_error_set(err, code, "Invalid pattern: %.*s, error: %s",
                          (int)size, text, berth_error_message(&own));
  } else if (code != BERTH_OK) {
    (void)berth_error_no_memory(err, "a pattern");
  }
  berth_error_clear(&own);
  return code;
}

// ---- Replacing ----

// True when |rewriting| names no group that the pattern does not have.
static bool rewrite_fits(const rewriting_t *rewriting) {
  int groups = berth_pattern_groups(rewriting->pattern);
  for (size_t i = 0; i < rewriting->size; ++i) {
    if (rewriting->rewrite[i] != '\\') continue;
    if (++i == rewriting->size) return false;
    char c = rewriting->rewrite[i];
    bool is_group = c >= '0' && c <= '9';
    if (c != '\\' && (!is_group || c - '0' > groups)) return false;
  }
  return true;
}

static void put_rewrite(const rewriting_t *rewriting, const char *text,
                        const berth_match_t *groups, berth_str_t *str) {
  for (size_t i = 0; i < rewriting->size; ++i) {
    char c = rewriting->rewrite[i];
    if (c != '\\') {
      berth_str_putc(str, c);
      continue;
    }
    c = rewriting->rewrite[++i];
    if (c == '\\') {
      berth_str_putc(str, c);
    } else if (groups[c - '0'].begin >= 0) {
      berth_str_put(str, text + groups[c - '0'].begin,
                    (size_t)(groups[c - '0'].end - groups[c - '0'].begin));
    }
  }
}

// Appends |text| with its matches replaced: all, or the first. An empty match
// right behind another is none.
static berth_code_t replace(const rewriting_t *rewriting, const char *text,
                            size_t size, berth_str_t *str, berth_error_t *err) {
  size_t at = 0;
  ptrdiff_t last = -1;
  bool fits = rewrite_fits(rewriting), goes_on = fits;
  while (goes_on && at <= size) {
    berth_match_t groups[BERTH_PATTERN_GROUPS];
    bool found = false;
    BERTH_TRY(berth_pattern_search(rewriting->pattern, text, size, at, false,
                                   groups, &found, err));
    if (!found) break;
    berth_str_put(str, text + at, (size_t)groups[0].begin - at);
    at = (size_t)groups[0].begin;
    if (groups[0].begin == last && groups[0].end == last) {
      int32_t c = 0;
      size_t step =
          at < size ? (size_t)berth_utf8_read(text + at, size - at, &c) : 0;
      berth_str_put(str, text + at, step);
      at += step > 0 ? step : 1;
      continue;
    }
    put_rewrite(rewriting, text, groups, str);
    at = (size_t)groups[0].end;
    last = groups[0].end;
    goes_on = rewriting->is_global;
  }
  if (at < size) berth_str_put(str, text + at, size - at);
  return BERTH_OK;
}

static berth_code_t replace_one(berth_text_job_t *job,
                                const rewriting_t *rewriting) {
  BERTH_TRY(replace(rewriting, job->text, job->size, &job->str, job->err));
  return berth_text_take(&job->str, (berth_string_t *)job->out + job->index,
                         job->err);
}

static berth_code_t each_replace(berth_text_job_t *job) {
  const berth_text_map_t *map = &job->work->map;
  rewriting_t rewriting = {job->work->pattern, map->rewrite, map->rewrite_size,
                           map->is_global};
  return replace_one(job, &rewriting);
}

// ---- Matching ----

static berth_code_t match_one(berth_text_job_t *job,
                              const berth_pattern_t *pattern) {
  return berth_pattern_search(pattern, job->text, job->size, 0, true, NULL,
                              (bool *)job->out + job->index, job->err);
}

static berth_code_t each_match(berth_text_job_t *job) {
  return match_one(job, job->work->pattern);
}

// ---- Patterns that are attributes ----

static void drop_pattern(void *pattern) { berth_pattern_free(pattern); }

static berth_code_t prepare_static(berth_prepare_t *prepare,
                                   berth_text_each_fn each,
                                   berth_error_t *err) {
  berth_text_work_t *work = NULL;
  BERTH_TRY(berth_text_map_prepare(prepare, each, &work, err));
  BERTH_TRY(
      compile(work->map.pattern, work->map.pattern_size, &work->pattern, err));
  if (!berth_prepare_own(prepare, work->pattern, drop_pattern)) {
    return berth_error_no_memory(err, "a plan");
  }
  prepare->work = work->map.count * 2000;
  return BERTH_OK;
}

static berth_code_t prepare_static_replace(berth_prepare_t *prepare,
                                           berth_error_t *err) {
  return prepare_static(prepare, each_replace, err);
}

static berth_code_t prepare_static_match(berth_prepare_t *prepare,
                                         berth_error_t *err) {
  return prepare_static(prepare, each_match, err);
}

// ---- Patterns that are inputs ----

typedef berth_code_t (*with_pattern_fn)(berth_text_job_t *job,
                                        const rewriting_t *rewriting);

static berth_code_t match_with(berth_text_job_t *job,
                               const rewriting_t *rewriting) {
  return match_one(job, rewriting->pattern);
}

// Runs |each| over input 0 with the pattern of input 1.
static berth_code_t run_with(const berth_text_work_t *work, void *const *args,
                             rewriting_t *rewriting, with_pattern_fn each,
                             berth_text_job_t *job) {
  const berth_string_t *in = args[0];
  berth_pattern_t *pattern = NULL;
  size_t size = 0;
  const char *text = berth_string_get(args[1], &size);
  BERTH_TRY(compile(text, size, &pattern, job->err));
  rewriting->pattern = pattern;
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < work->map.count; ++i) {
    job->text = berth_string_get(&in[i], &job->size);
    job->index = i;
    code = each(job, rewriting);
  }
  berth_str_clear(&job->str);
  berth_pattern_free(pattern);
  return code;
}

static berth_code_t run_replace(const void *plan, void *const *args,
                                berth_call_t *call) {
  const berth_text_work_t *work = plan;
  berth_text_job_t job = {.work = work, .out = args[3], .err = call->err};
  rewriting_t rewriting = {.is_global = work->map.is_global};
  rewriting.rewrite = berth_string_get(args[2], &rewriting.size);
  return run_with(work, args, &rewriting, replace_one, &job);
}

static berth_code_t run_match(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_text_work_t *work = plan;
  berth_text_job_t job = {.work = work, .out = args[2], .err = call->err};
  rewriting_t rewriting = {0};
  return run_with(work, args, &rewriting, match_with, &job);
}

static berth_code_t prepare_replace(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_text_work_t *work = NULL;
  BERTH_TRY(berth_text_map_prepare(prepare, each_replace, &work, err));
  prepare->run = run_replace;
  prepare->work = work->map.count * 2000;
  return BERTH_OK;
}

static berth_code_t prepare_match(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_text_work_t *work = NULL;
  BERTH_TRY(berth_text_map_prepare(prepare, each_match, &work, err));
  prepare->run = run_match;
  prepare->work = work->map.count * 2000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_regex_kernels[] = {
    {.op = "RegexFullMatch", .prepare = prepare_match},
    {.op = "RegexReplace", .prepare = prepare_replace},
    {.op = "StaticRegexFullMatch", .prepare = prepare_static_match},
    {.op = "StaticRegexReplace", .prepare = prepare_static_replace},
    {.op = NULL},
};
