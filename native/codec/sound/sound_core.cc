// See sound_core.h.
#include "sound_core.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
}

#include "sound_adts.h"

namespace nvrd::codec {
namespace {

constexpr double kMicroseconds = 1e6;
// Bits per sample of the AAC encoder, and the limits of its bit rate.
constexpr int kAacBitsPerSample = 4;
constexpr int64_t kAacBitsPerSecondMin = 24000;
constexpr int64_t kAacBitsPerSecondMax = 96000;

double SamplesUs(int64_t samples, int rate) {
  return static_cast<double>(samples) * kMicroseconds / rate;
}

Failure NoMemory() {
  return Failure::Of(FailureKind::kMemory, "no memory left");
}

bool InBounds(int rate, int channels) {
  return rate >= kSoundRateMin && rate <= kSoundRateMax && channels >= 1 && channels <= kSoundChannelsMax;
}

}  // namespace

std::unique_ptr<SoundCore> SoundCore::Open(const SoundSettings& settings, Failure* failure) {
  const bool pcm = settings.input == SoundInput::kPcm;
  if (!InBounds(settings.output_rate, 1) || (pcm && !InBounds(settings.input_rate, settings.input_channels))) {
    *failure = Failure::Of(FailureKind::kTooLarge, "sample rate or channels of the sound are out of bounds");
    return nullptr;
  }
  std::unique_ptr<SoundCore> core(new SoundCore(settings));
  if (core->frame_ == nullptr || core->encoder_frame_ == nullptr || core->packet_ == nullptr) {
    *failure = NoMemory();
    return nullptr;
  }
  *failure = pcm ? Failure::None() : core->OpenDecoder();
  if (!*failure && settings.output == SoundOutput::kAac) *failure = core->OpenEncoder();
  if (*failure) return nullptr;
  return core;
}

SoundCore::SoundCore(const SoundSettings& settings)
    : settings_(settings),
      frame_(av_frame_alloc()),
      encoder_frame_(av_frame_alloc()),
      packet_(av_packet_alloc()) {}

SoundCore::~SoundCore() {
  avcodec_free_context(&decoder_);
  avcodec_free_context(&encoder_);
  swr_free(&resampler_);
  av_frame_free(&frame_);
  av_frame_free(&encoder_frame_);
  av_packet_free(&packet_);
}

Failure SoundCore::OpenDecoder() {
  const std::vector<uint8_t>& config = settings_.config;
  const bool opus = settings_.input == SoundInput::kOpus;
  if (config.empty() || config.size() > kSoundConfigBytesMax) return Failure::Of(FailureKind::kCorrupt, "sound without a usable config");
  const AVCodec* codec = avcodec_find_decoder_by_name(opus ? "opus" : "aac");
  if (codec == nullptr) return Failure::Of(FailureKind::kUnsupported, "libavcodec has no decoder for this sound");
  decoder_ = avcodec_alloc_context3(codec);
  if (decoder_ == nullptr) return NoMemory();
  decoder_->thread_count = 1;
  decoder_->extradata = static_cast<uint8_t*>(av_mallocz(config.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (decoder_->extradata == nullptr) return NoMemory();
  std::memcpy(decoder_->extradata, config.data(), config.size());
  decoder_->extradata_size = static_cast<int>(config.size());
  if (avcodec_open2(decoder_, codec, nullptr) < 0) return Failure::Of(FailureKind::kCorrupt, "the config of the sound cannot be read");
  return Failure::None();
}

Failure SoundCore::OpenEncoder() {
  if (!IsAdtsRate(settings_.output_rate)) return Failure::Of(FailureKind::kUnsupported, "AAC has no such sample rate");
  const AVCodec* codec = avcodec_find_encoder_by_name("aac");
  if (codec == nullptr) return Failure::Of(FailureKind::kUnsupported, "libavcodec has no AAC encoder");
  avcodec_free_context(&encoder_);
  encoder_ = avcodec_alloc_context3(codec);
  if (encoder_ == nullptr) return NoMemory();
  encoder_->thread_count = 1;
  encoder_->sample_rate = settings_.output_rate;
  encoder_->sample_fmt = AV_SAMPLE_FMT_FLTP;
  av_channel_layout_default(&encoder_->ch_layout, 1);
  encoder_->time_base = AVRational{1, settings_.output_rate};
  const int64_t wanted = static_cast<int64_t>(settings_.output_rate) * kAacBitsPerSample;
  encoder_->bit_rate = std::min(std::max(wanted, kAacBitsPerSecondMin), kAacBitsPerSecondMax);
  encoder_->profile = kAacLowComplexity;
  if (avcodec_open2(encoder_, codec, nullptr) < 0 || encoder_->frame_size <= 0) {
    return Failure::Of(FailureKind::kUnsupported, "the AAC encoder cannot be opened at this sample rate");
  }
  encoded_samples_ = 0;
  frame_times_.clear();
  return Failure::None();
}

Failure SoundCore::Push(const uint8_t* bytes, size_t length, int64_t time_us, std::vector<SoundPiece>* pieces) {
  const bool pcm = settings_.input == SoundInput::kPcm;
  const bool taken = pcm ? TakePcm(bytes, length) : Decode(bytes, length);
  if (!taken) return SkipUnit();
  bad_units_ = 0;
  Failure failure = TakeFrame(time_us, pieces);
  av_frame_unref(frame_);
  KeepOrder(pieces);
  return failure;
}

void SoundCore::KeepOrder(std::vector<SoundPiece>* pieces) {
  for (SoundPiece& piece : *pieces) {
    const int64_t back_us = output_us_.value_or(piece.time_us) - piece.time_us;
    if (back_us > 0 && back_us < kSoundBackUs) piece.time_us += back_us;
    output_us_ = piece.time_us;
  }
}

Failure SoundCore::SkipUnit() {
  skipped_units_ += 1;
  bad_units_ += 1;
  av_frame_unref(frame_);
  if (bad_units_ < kSoundBadUnitsMax) return Failure::None();
  bad_units_ = 0;
  return Failure::Of(FailureKind::kCorrupt, "the sound cannot be decoded");
}

// Fills `frame_` with an aligned copy of 16-bit samples, valid until the next unit.
bool SoundCore::TakePcm(const uint8_t* bytes, size_t length) {
  const size_t sample_bytes = static_cast<size_t>(settings_.input_channels) * 2;
  if (length == 0 || length > kSoundPcmUnitBytesMax || length % sample_bytes != 0) return false;
  frame_->format = AV_SAMPLE_FMT_S16;
  frame_->sample_rate = settings_.input_rate;
  frame_->nb_samples = static_cast<int>(length / sample_bytes);
  av_channel_layout_default(&frame_->ch_layout, settings_.input_channels);
  if (av_frame_get_buffer(frame_, 0) < 0) return false;
  std::memcpy(frame_->data[0], bytes, length);
  return true;
}

bool SoundCore::Decode(const uint8_t* bytes, size_t length) {
  const size_t length_max = settings_.input == SoundInput::kOpus ? kSoundOpusUnitBytesMax : kSoundAacUnitBytesMax;
  if (length == 0 || length > length_max) return false;
  padded_.resize(length + AV_INPUT_BUFFER_PADDING_SIZE);
  std::memcpy(padded_.data(), bytes, length);
  std::memset(padded_.data() + length, 0, AV_INPUT_BUFFER_PADDING_SIZE);
  // Not reference-counted: the decoder copies what it keeps.
  packet_->data = padded_.data();
  packet_->size = static_cast<int>(length);
  const int sent = avcodec_send_packet(decoder_, packet_);
  av_packet_unref(packet_);
  if (sent < 0 || avcodec_receive_frame(decoder_, frame_) < 0) return false;
  return frame_->nb_samples > 0 && InBounds(frame_->sample_rate, frame_->ch_layout.nb_channels);
}

Failure SoundCore::TakeFrame(int64_t time_us, std::vector<SoundPiece>* pieces) {
  const double time = static_cast<double>(time_us);
  const bool changed = resampler_ == nullptr || resampler_rate_ != frame_->sample_rate ||
                       resampler_channels_ != frame_->ch_layout.nb_channels || resampler_format_ != frame_->format;
  const bool stepped = running_ && std::fabs(time - expected_us_) > static_cast<double>(kSoundStepUs);
  if (running_ && (changed || stepped)) {
    if (Failure failure = EndRun(pieces)) return failure;
  }
  if (!running_) {
    if (Failure failure = OpenResampler()) return failure;
    expected_us_ = time;
    running_ = true;
  } else {
    expected_us_ += (time - expected_us_) / kSoundSlewParts;
  }
  expected_us_ += SamplesUs(frame_->nb_samples, frame_->sample_rate);
  ResampleFrame(frame_->nb_samples, pieces);
  return EncodeWaiting(pieces);
}

Failure SoundCore::OpenResampler() {
  swr_free(&resampler_);
  AVChannelLayout mono;
  av_channel_layout_default(&mono, 1);
  const AVSampleFormat format = settings_.output == SoundOutput::kAac ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_S16;
  // A layout without an order cannot be mixed down: the default layout of as many channels is used.
  AVChannelLayout source;
  av_channel_layout_default(&source, frame_->ch_layout.nb_channels);
  if (frame_->ch_layout.order == AV_CHANNEL_ORDER_NATIVE) av_channel_layout_copy(&source, &frame_->ch_layout);
  const int allocated = swr_alloc_set_opts2(&resampler_, &mono, format, settings_.output_rate, &source,
                                            static_cast<AVSampleFormat>(frame_->format), frame_->sample_rate, 0, nullptr);
  av_channel_layout_uninit(&source);
  if (allocated < 0) return Failure::Of(FailureKind::kUnsupported, "the resampler cannot be opened");
  // In the mono mix, a sound that is equal on all channels keeps its level and does not clip.
  av_opt_set_double(resampler_, "rematrix_maxval", 1.0, 0);
  if (swr_init(resampler_) < 0) return Failure::Of(FailureKind::kUnsupported, "the resampler cannot be opened");
  resampler_rate_ = frame_->sample_rate;
  resampler_channels_ = frame_->ch_layout.nb_channels;
  resampler_format_ = frame_->format;
  return Failure::None();
}

// Resamples `frame_` (`samples` above 0), or flushes the resampler (0).
void SoundCore::ResampleFrame(int64_t samples, std::vector<SoundPiece>* pieces) {
  const int count = static_cast<int>(samples);
  const int room = swr_get_out_samples(resampler_, count);
  if (room <= 0) return;
  const size_t sample_bytes = settings_.output == SoundOutput::kAac ? sizeof(float) : sizeof(int16_t);
  converted_.resize(static_cast<size_t>(room) * sample_bytes);
  uint8_t* out = converted_.data();
  const uint8_t** in = count == 0 ? nullptr : const_cast<const uint8_t**>(frame_->extended_data);
  const int made = swr_convert(resampler_, &out, room, in, count);
  if (made <= 0) return;
  // The output ends where the input ends, minus what the resampler still holds.
  const int64_t held_us = count == 0 ? 0 : swr_get_delay(resampler_, 1000000);
  AddOutput(converted_.data(), made, expected_us_ - static_cast<double>(held_us), pieces);
}

void SoundCore::AddOutput(const uint8_t* samples, int count, double end_us, std::vector<SoundPiece>* pieces) {
  if (settings_.output == SoundOutput::kAac) {
    const auto* floats = reinterpret_cast<const float*>(samples);
    waiting_.insert(waiting_.end(), floats, floats + count);
    waiting_end_us_ = end_us;
    return;
  }
  const double duration_us = SamplesUs(count, settings_.output_rate);
  SoundPiece piece;
  piece.data.assign(samples, samples + static_cast<size_t>(count) * sizeof(int16_t));
  piece.time_us = std::llround(end_us - duration_us);
  piece.duration_us = std::llround(duration_us);
  pieces->push_back(std::move(piece));
}

// An incomplete frame of the encoder at the end of a run is dropped: filling it would insert silence.
Failure SoundCore::EndRun(std::vector<SoundPiece>* pieces) {
  ResampleFrame(0, pieces);
  running_ = false;
  if (encoder_ == nullptr) return Failure::None();
  if (Failure failure = EncodeWaiting(pieces)) return failure;
  waiting_.clear();
  if (encoded_samples_ == 0) return Failure::None();
  if (avcodec_send_frame(encoder_, nullptr) >= 0) {
    if (Failure failure = ReceivePackets(pieces)) return failure;
  }
  return OpenEncoder();
}

Failure SoundCore::EncodeWaiting(std::vector<SoundPiece>* pieces) {
  if (encoder_ == nullptr) return Failure::None();
  const auto frame_size = static_cast<size_t>(encoder_->frame_size);
  size_t taken = 0;
  Failure failure;
  while (!failure && waiting_.size() - taken >= frame_size) {
    const auto left = static_cast<int64_t>(waiting_.size() - taken);
    const double start_us = waiting_end_us_ - SamplesUs(left, settings_.output_rate);
    frame_times_.push_back({encoded_samples_, start_us});
    failure = EncodeFrame(waiting_.data() + taken, pieces);
    taken += frame_size;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  return failure;
}

Failure SoundCore::EncodeFrame(const float* samples, std::vector<SoundPiece>* pieces) {
  AVFrame* frame = encoder_frame_;
  frame->format = AV_SAMPLE_FMT_FLTP;
  frame->sample_rate = settings_.output_rate;
  frame->nb_samples = encoder_->frame_size;
  av_channel_layout_default(&frame->ch_layout, 1);
  if (av_frame_get_buffer(frame, 0) < 0) return NoMemory();
  std::memcpy(frame->data[0], samples, static_cast<size_t>(encoder_->frame_size) * sizeof(float));
  frame->pts = encoded_samples_;
  encoded_samples_ += encoder_->frame_size;
  const int sent = avcodec_send_frame(encoder_, frame);
  av_frame_unref(frame);
  if (sent < 0) return Failure::Of(FailureKind::kInternal, "the AAC encoder failed");
  return ReceivePackets(pieces);
}

// A packet's pts excludes the encoder's delay: the first one is before the first sample.
Failure SoundCore::ReceivePackets(std::vector<SoundPiece>* pieces) {
  const int rate = settings_.output_rate;
  while (true) {
    const int received = avcodec_receive_packet(encoder_, packet_);
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return Failure::None();
    if (received < 0) return Failure::Of(FailureKind::kInternal, "the AAC encoder failed");
    while (frame_times_.size() > 1 && frame_times_[1].sample <= packet_->pts) frame_times_.pop_front();
    const FrameTime known = frame_times_.empty() ? FrameTime{packet_->pts, expected_us_} : frame_times_.front();
    SoundPiece piece;
    piece.time_us = std::llround(known.time_us + SamplesUs(packet_->pts - known.sample, rate));
    piece.duration_us = std::llround(SamplesUs(encoder_->frame_size, rate));
    const bool fits = AppendAdts(packet_->data, static_cast<size_t>(packet_->size), rate, &piece.data);
    av_packet_unref(packet_);
    if (!fits) return Failure::Of(FailureKind::kInternal, "the AAC encoder made a frame that ADTS cannot hold");
    pieces->push_back(std::move(piece));
  }
}

}  // namespace nvrd::codec
