// The least a still can cost: libavcodec, one thread, opened for one H.264 key frame and drained, again and again.
//   bare-decode FILE TIMES      (FILE: one access unit in Annex B form)
// Prints: wall US cpu US      (medians of one decoding, microseconds)
#include <libavcodec/avcodec.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMES_MAX 10000

static int64_t clock_us(clockid_t which) {
  struct timespec now;
  clock_gettime(which, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int by_size(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static int decode(const uint8_t *bytes, int size) {
  AVCodecContext *context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
  AVPacket *packet = av_packet_alloc();
  AVFrame *frame = av_frame_alloc();
  context->thread_count = 1;
  int error = avcodec_open2(context, NULL, NULL);
  if (error >= 0) error = av_new_packet(packet, size);
  if (error >= 0) {
    memcpy(packet->data, bytes, (size_t)size);
    packet->flags |= AV_PKT_FLAG_KEY;
    error = avcodec_send_packet(context, packet);
  }
  if (error >= 0) error = avcodec_send_packet(context, NULL);
  if (error >= 0) error = avcodec_receive_frame(context, frame);
  av_frame_free(&frame);
  av_packet_free(&packet);
  avcodec_free_context(&context);
  return error;
}

int main(int argc, char **argv) {
  static uint8_t bytes[16 * 1024 * 1024];
  static int64_t wall[TIMES_MAX], cpu[TIMES_MAX];
  if (argc != 3) return 2;
  FILE *file = fopen(argv[1], "rb");
  if (file == NULL) return 2;
  int size = (int)fread(bytes, 1, sizeof bytes, file), times = atoi(argv[2]);
  if (times < 1 || times > TIMES_MAX) return 2;
  for (int at = 0; at < times; at++) {
    int64_t wall_us = clock_us(CLOCK_MONOTONIC), cpu_us = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    if (decode(bytes, size) < 0) {
      fprintf(stderr, "bare-decode: no picture\n");
      return 1;
    }
    cpu[at] = clock_us(CLOCK_PROCESS_CPUTIME_ID) - cpu_us;
    wall[at] = clock_us(CLOCK_MONOTONIC) - wall_us;
  }
  qsort(wall, (size_t)times, sizeof *wall, by_size);
  qsort(cpu, (size_t)times, sizeof *cpu, by_size);
  printf("wall %lld cpu %lld\n", (long long)wall[times / 2], (long long)cpu[times / 2]);
  return 0;
}
