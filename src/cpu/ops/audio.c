// audio.c - Kernels of files of sound: EncodeWav, DecodeWav.
#include "op/audio.h"

#include "base/str.h"
#include "cpu/kernels.h"
#include "io/wav.h"
#include "tensor/string.h"

// ---- Writing ----

typedef struct sound {
  int64_t frames, channels;
} sound_t;

static berth_code_t run_encode(const void *arg, void *const *args,
                               berth_call_t *call) {
  const sound_t *sound = arg;
  berth_wav_t wav = {.rate = *(const int32_t *)args[1],
                     .channels = sound->channels,
                     .frames = sound->frames};
  berth_str_t file = {0};
  BERTH_TRY(berth_wav_write(args[0], &wav, &file, call->err));
  bool ok = berth_str_ok(&file) &&
            berth_string_set(args[2], berth_str_get(&file), file.size);
  berth_str_clear(&file);
  return ok ? BERTH_OK : berth_error_no_memory(call->err, "a file of sound");
}

static berth_code_t prepare_encode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_op_encode_wav(&prepare->op, err));
  sound_t *sound = berth_prepare_plan(prepare, sizeof(*sound));
  if (sound == NULL) return berth_error_no_memory(err, "a plan");
  sound->frames = prepare->op.inputs[0].dims[0];
  sound->channels = prepare->op.inputs[0].dims[1];
  prepare->run = run_encode;
  prepare->work = prepare->op.inputs[0].count;
  return BERTH_OK;
}

// ---- Reading ----

// Fills |out|, of |frames| times |channels|: what a file has too little of is
// silence, or its last channel again.
static void fill(const berth_wav_t *wav, int64_t frames, int64_t channels,
                 float *out) {
  for (int64_t f = 0; f < frames; ++f) {
    for (int64_t c = 0; c < channels; ++c) {
      int64_t from = c < wav->channels ? c : wav->channels - 1;
      *out++ =
          f < wav->frames ? berth_wav_sample(wav, f * wav->channels + from) : 0;
    }
  }
}

static berth_code_t run_decode(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  size_t size = 0;
  const char *file = berth_string_get(call->inputs[0]->data, &size);
  berth_wav_t wav;
  BERTH_TRY(berth_wav_read(file, size, &wav, call->err));
  int64_t channels = berth_node_attr_int(call->node, "desired_channels", -1);
  int64_t frames = berth_node_attr_int(call->node, "desired_samples", -1);
  if (channels == -1) channels = wav.channels;
  if (frames == -1) frames = wav.frames;
  int64_t dims[2] = {frames, channels};
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT32, 0, NULL, 1, &call->outputs[1],
                              call->err));
  *(int32_t *)call->outputs[1]->data = (int32_t)wav.rate;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_FLOAT, 2, dims,
                              frames * channels, &call->outputs[0], call->err));
  fill(&wav, frames, channels, call->outputs[0]->data);
  return BERTH_OK;
}

static berth_code_t prepare_decode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  prepare->run = run_decode;
  prepare->work = 10000;
  return berth_op_decode_wav(&prepare->op, err);
}

const berth_kernel_t berth_cpu_audio_kernels[] = {
    {.op = "DecodeWav", .prepare = prepare_decode},
    {.op = "EncodeWav", .prepare = prepare_encode},
    {.op = NULL},
};
