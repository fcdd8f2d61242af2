// audio_bands.c - Kernels of what is heard in sound: AudioSpectrogram, Mfcc.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/audio.h"

#define PI 3.14159265358979323846

// ---- AudioSpectrogram ----

// What all windows share, in scratch space: turns of twice |n| numbers, weights
// of a window, and room for |n| complex numbers, which are neighbours of it.
typedef struct tables {
  int64_t n;
  double *cosines, *sines, *weights, *re, *im;
} tables_t;

static tables_t tables_make(const berth_spectrogram_t *plan, double *room) {
  int64_t n = plan->bands - 1;
  tables_t t = {n, room, room + n, room + 4 * n, room + 2 * n, room + 3 * n};
  for (int64_t i = 0; i < n; ++i) {
    double angle = -PI * (double)i / (double)n;
    t.cosines[i] = cos(angle);
    t.sines[i] = sin(angle);
  }
  for (int64_t i = 0; i < plan->size; ++i) {
    t.weights[i] = 0.5 - 0.5 * cos(2 * PI * (double)i / (double)plan->size);
  }
  return t;
}

// Does the |half| butterflies of one piece of a transform, whose turns are
// |step| apart.
static void butterflies(const tables_t *t, int64_t at, int64_t half,
                        int64_t step) {
  double *re = t->re + at, *im = t->im + at;
  for (int64_t k = 0; k < half; ++k) {
    double c = t->cosines[k * step], s = t->sines[k * step];
    double x = re[half + k] * c - im[half + k] * s;
    double y = re[half + k] * s + im[half + k] * c;
    re[half + k] = re[k] - x;
    im[half + k] = im[k] - y;
    re[k] += x;
    im[k] += y;
  }
}

// Transforms the numbers, as many as a power of two, in place.
static void transform(const tables_t *t) {
  for (int64_t i = 1, j = 0; i < t->n; ++i) {
    int64_t bit = t->n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double re = t->re[i], im = t->im[i];
    t->re[i] = t->re[j];
    t->im[i] = t->im[j];
    t->re[j] = re;
    t->im[j] = im;
  }
  for (int64_t size = 2; size <= t->n; size *= 2) {
    for (int64_t at = 0; at < t->n; at += size) {
      butterflies(t, at, size / 2, 2 * t->n / size);
    }
  }
}

static void window_read(const berth_spectrogram_t *plan, const tables_t *t,
                        const float *in) {
  memset(t->re, 0, (size_t)t->n * sizeof(double));
  memset(t->im, 0, (size_t)t->n * sizeof(double));
  for (int64_t i = 0; i < plan->size; ++i) {
    double *to = i % 2 == 0 ? t->re : t->im;
    to[i / 2] = t->weights[i] * (double)in[i * plan->channels];
  }
}

// Does one window: what comes of its even numbers and of its odd ones is told
// apart, and joined.
static void window_run(const berth_spectrogram_t *plan, const tables_t *t,
                       const float *in, float *out) {
  window_read(plan, t, in);
  transform(t);
  for (int64_t i = 0; i < plan->bands; ++i) {
    int64_t a = i == t->n ? 0 : i, b = i == 0 ? 0 : t->n - i;
    double c = i == t->n ? -1 : t->cosines[i], s = i == t->n ? 0 : t->sines[i];
    double x = (t->im[a] + t->im[b]) / 2, y = (t->re[b] - t->re[a]) / 2;
    double re = (t->re[a] + t->re[b]) / 2 + c * x - s * y;
    double im = (t->im[a] - t->im[b]) / 2 + c * y + s * x;
    float square = (float)(re * re + im * im);
    out[i] = plan->is_squared ? square : sqrtf(square);
  }
}

static berth_code_t run_spectrogram(const void *arg, void *const *args,
                                    berth_call_t *call) {
  const berth_spectrogram_t *plan = arg;
  const float *in = args[0];
  float *out = args[1];
  int64_t step = plan->stride * plan->channels;
  tables_t tables = tables_make(plan, args[2]);
  for (int64_t i = 0; i < plan->channels * plan->frames; ++i) {
    int64_t channel = i / plan->frames, frame = i % plan->frames;
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    window_run(plan, &tables, in + frame * step + channel,
               out + i * plan->bands);
  }
  return BERTH_OK;
}

static berth_code_t prepare_spectrogram(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  berth_spectrogram_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_spectrogram(&prepare->op, plan, err));
  int64_t numbers = plan->channels * plan->frames * plan->bands;
  prepare->scratch_size = (size_t)plan->bands * 6 * sizeof(double);
  prepare->run = numbers > 0 ? run_spectrogram : berth_run_nothing;
  prepare->work = numbers * 50;
  return BERTH_OK;
}

// ---- Mfcc ----

static double mel_of(double hertz) { return 1127.0 * log1p(hertz / 700.0); }

// The filters, triangles that overlap: band i adds |weights| of itself to
// filter |filters|[i] and the rest to the next.
typedef struct bank {
  const berth_mfcc_t *plan;
  double low, spacing;  // In mels.
  double hertz;         // Of one band.
  int64_t first, last;  // Bands that count.
  double *lefts,
      *parts;       // Of each band: the filter it leaves, what that keeps.
  double *cosines;  // Rows of coefficients.
} bank_t;

static double center_of(const bank_t *bank, int64_t filter) {
  return bank->low + bank->spacing * (double)(filter + 1);
}

// Notes for each band which filter it leaves, and how much of it that keeps;
// and the cosines of each coefficient.
static void bank_fill(bank_t *bank) {
  const berth_mfcc_t *plan = bank->plan;
  double norm = sqrt(2.0 / (double)plan->filters);
  double step = PI / (double)plan->filters;
  int64_t filter = 0;
  for (int64_t i = bank->first; i <= bank->last; ++i) {
    double mel = mel_of((double)i * bank->hertz);
    while (filter < plan->filters && center_of(bank, filter) < mel) ++filter;
    bank->lefts[i] = (double)(filter - 1);  // -1: below the first center.
    bank->parts[i] = (center_of(bank, filter) - mel) / bank->spacing;
  }
  for (int64_t i = 0; i < plan->coefficients * plan->filters; ++i) {
    double turn = (double)(i / plan->filters) * step;
    bank->cosines[i] = norm * cos(turn * ((double)(i % plan->filters) + 0.5));
  }
}

// Adds up what each filter lets through.
static void bank_run(const bank_t *bank, const float *in, double *out) {
  int64_t filters = bank->plan->filters;
  memset(out, 0, (size_t)filters * sizeof(*out));
  for (int64_t i = bank->first; i <= bank->last; ++i) {
    int64_t left = (int64_t)bank->lefts[i];
    double value = sqrt((double)in[i]), part = value * bank->parts[i];
    if (left >= 0) out[left] += part;
    if (left + 1 < filters) out[left + 1] += value - part;
  }
}

static void cosines_take(const bank_t *bank, const double *in, float *out) {
  const berth_mfcc_t *plan = bank->plan;
  for (int64_t i = 0; i < plan->coefficients; ++i) {
    const double *row = bank->cosines + i * plan->filters;
    double sum = 0;
    for (int64_t j = 0; j < plan->filters; ++j) sum += row[j] * in[j];
    out[i] = (float)sum;
  }
}

static bool is_possible(const berth_mfcc_t *plan, int32_t rate) {
  return rate > 0 && plan->bands > 1 && plan->filters > 0 &&
         plan->coefficients > 0 && plan->coefficients <= plan->filters &&
         plan->low >= 0 && plan->high > plan->low;
}

static berth_code_t run_mfcc(const void *arg, void *const *args,
                             berth_call_t *call) {
  const berth_mfcc_t *plan = arg;
  int32_t rate = *(const int32_t *)args[1];
  if (!is_possible(plan, rate)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Mfcc initialization failed for channel count %lld, "
                           "sample rate %d and filterbank_channel_count %lld",
                           (long long)plan->bands, (int)rate,
                           (long long)plan->filters);
  }
  bank_t bank = {.plan = plan,
                 .low = mel_of(plan->low),
                 .hertz = 0.5 * rate / (double)(plan->bands - 1)};
  bank.spacing = (mel_of(plan->high) - bank.low) / (double)(plan->filters + 1);
  bank.first = (int64_t)(1.5 + plan->low / bank.hertz);
  bank.last = (int64_t)(plan->high / bank.hertz);
  if (bank.last >= plan->bands) bank.last = plan->bands - 1;
  double *room = args[3];
  bank.lefts = room + plan->filters;
  bank.parts = bank.lefts + plan->bands;
  bank.cosines = bank.parts + plan->bands;
  bank_fill(&bank);
  for (int64_t row = 0; row < plan->rows; ++row) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    bank_run(&bank, (const float *)args[0] + row * plan->bands, room);
    for (int64_t i = 0; i < plan->filters; ++i) {
      room[i] = log(room[i] < 1e-12 ? 1e-12 : room[i]);
    }
    cosines_take(&bank, room, (float *)args[2] + row * plan->coefficients);
  }
  return BERTH_OK;
}

static berth_code_t prepare_mfcc(berth_prepare_t *prepare, berth_error_t *err) {
  berth_mfcc_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_mfcc(&prepare->op, plan, err));
  int64_t filters = plan->filters > 0 ? plan->filters : 0;
  int64_t cosines = plan->coefficients > 0 && plan->coefficients <= filters
                        ? plan->coefficients * filters
                        : 0;
  prepare->scratch_size =
      (size_t)(filters + 1 + 2 * plan->bands + cosines) * sizeof(double);
  prepare->run = run_mfcc;
  prepare->work = plan->rows * (plan->bands * 30 + filters * 200);
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_audio_bands_kernels[] = {
    {.op = "AudioSpectrogram", .prepare = prepare_spectrogram},
    {.op = "Mfcc", .prepare = prepare_mfcc},
    {.op = NULL},
};
