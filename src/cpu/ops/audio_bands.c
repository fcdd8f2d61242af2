// audio_bands.c - Kernels of what is heard in sound: AudioSpectrogram, Mfcc.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/audio.h"

#define PI 3.14159265358979323846

// ---- AudioSpectrogram ----

// Transforms |n| complex numbers, a power of two, in place.
static void transform(double *data, int64_t n) {
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    for (int part = 0; i < j && part < 2; ++part) {
      double kept = data[2 * i + part];
      data[2 * i + part] = data[2 * j + part];
      data[2 * j + part] = kept;
    }
  }
  for (int64_t size = 2; size <= n; size *= 2) {
    for (int64_t k = 0; k < size / 2; ++k) {
      double angle = -2 * PI * (double)k / (double)size;
      double c = cos(angle), s = sin(angle);
      for (int64_t i = k; i < n; i += size) {
        double *a = data + 2 * i, *b = data + 2 * (i + size / 2);
        double re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
    }
  }
}

// Does one window, with room for twice as many numbers as it transforms.
static void window_run(const berth_spectrogram_t *plan, const float *in,
                       double *room, float *out) {
  int64_t n = (plan->bands - 1) * 2;
  memset(room, 0, (size_t)n * 2 * sizeof(*room));
  for (int64_t i = 0; i < plan->size; ++i) {
    double weight = 0.5 - 0.5 * cos(2 * PI * (double)i / (double)plan->size);
    room[2 * i] = weight * (double)in[i * plan->channels];
  }
  transform(room, n);
  for (int64_t i = 0; i < plan->bands; ++i) {
    double square =
        room[2 * i] * room[2 * i] + room[2 * i + 1] * room[2 * i + 1];
    out[i] = plan->is_squared ? (float)square : sqrtf((float)square);
  }
}

static berth_code_t run_spectrogram(const void *arg, void *const *args,
                                    berth_call_t *call) {
  const berth_spectrogram_t *plan = arg;
  const float *in = args[0];
  float *out = args[1];
  for (int64_t i = 0; i < plan->channels * plan->frames; ++i) {
    int64_t channel = i / plan->frames, frame = i % plan->frames;
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    window_run(plan, in + frame * plan->stride * plan->channels + channel,
               args[2], out + i * plan->bands);
  }
  return BERTH_OK;
}

static berth_code_t prepare_spectrogram(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  berth_spectrogram_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_spectrogram(&prepare->op, plan, err));
  int64_t numbers = plan->channels * plan->frames * plan->bands;
  prepare->scratch_size = (size_t)plan->bands * 4 * sizeof(double);
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
} bank_t;

static double center_of(const bank_t *bank, int64_t filter) {
  return bank->low + bank->spacing * (double)(filter + 1);
}

// Adds up what each filter lets through.
static void bank_run(const bank_t *bank, const float *in, double *out) {
  int64_t filters = bank->plan->filters, filter = 0;
  memset(out, 0, (size_t)filters * sizeof(*out));
  for (int64_t i = bank->first; i <= bank->last; ++i) {
    double mel = mel_of((double)i * bank->hertz);
    while (filter < filters && center_of(bank, filter) < mel) ++filter;
    int64_t left = filter - 1;  // -1: below the first center.
    double value = sqrt((double)in[i]);
    double part = value * (center_of(bank, left + 1) - mel) / bank->spacing;
    if (left >= 0) out[left] += part;
    if (left + 1 < filters) out[left + 1] += value - part;
  }
}

static void cosines(const berth_mfcc_t *plan, const double *in, float *out) {
  double norm = sqrt(2.0 / (double)plan->filters);
  double step = PI / (double)plan->filters;
  for (int64_t i = 0; i < plan->coefficients; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < plan->filters; ++j) {
      sum += norm * cos((double)i * step * ((double)j + 0.5)) * in[j];
    }
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
  for (int64_t row = 0; row < plan->rows; ++row) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    bank_run(&bank, (const float *)args[0] + row * plan->bands, room);
    for (int64_t i = 0; i < plan->filters; ++i) {
      room[i] = log(room[i] < 1e-12 ? 1e-12 : room[i]);
    }
    cosines(plan, room, (float *)args[2] + row * plan->coefficients);
  }
  return BERTH_OK;
}

static berth_code_t prepare_mfcc(berth_prepare_t *prepare, berth_error_t *err) {
  berth_mfcc_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_mfcc(&prepare->op, plan, err));
  int64_t filters = plan->filters > 0 ? plan->filters : 0;
  prepare->scratch_size = ((size_t)filters + 1) * sizeof(double);
  prepare->run = run_mfcc;
  prepare->work = plan->rows * (plan->bands * 30 + filters * 200);
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_audio_bands_kernels[] = {
    {.op = "AudioSpectrogram", .prepare = prepare_spectrogram},
    {.op = "Mfcc", .prepare = prepare_mfcc},
    {.op = NULL},
};
