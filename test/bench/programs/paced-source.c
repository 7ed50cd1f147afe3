/*
 * A light RTSP server that paces N streams like N cameras: `paced-source FILE STREAMS FPS`.
 *
 * FILE is an H.264 Annex B stream; it is played in a loop at FPS by every client of rtsp://127.0.0.1:PORT/<0..STREAMS-1>,
 * over TCP interleaved only, each access unit in one writev, as FU-A packets of about 1400 bytes (RFC 6184), the
 * phases of the streams spread over the frame interval. Before each access unit stands an SEI with user data
 * (H.264 D.1.7): "nvrd-paced-clock" and "SSSS NNNNNNNNNN TTTTTTTTTTTTTTTT": stream, frame number since the process
 * started, and the Unix time in microseconds it was sent at, in hexadecimal. A reader can thus tell delay and loss.
 *
 * Prints "port N" once it listens, and on SIGUSR1 and at its end (SIGTERM)
 * "sent BYTES frames FRAMES dropped FRAMES clients CLIENTS".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = 1024,
  REQUEST_BYTES_MAX = 16384,
  PACKET_PAYLOAD_BYTES = 1400,
  PACKETS_MAX = 4096,           /* of one access unit */
  BACKLOG_BYTES_MAX = 4 << 20,  /* of one client; beyond it frames are dropped up to the next key frame */
  SEND_BUFFER_BYTES = 512 * 1024,
  HEADER_BYTES = 4 + 12 + 2,    /* interleaved, RTP, FU */
  SENDER_REPORT_FRAMES = 125,
  SEI_TEXT_BYTES = 48,
  IOV_MAX_PER_CALL = 1024,
  STAMPS = 64, /* of a stream: clients are never further apart */
};

typedef struct { const uint8_t *bytes; size_t length; } Nal;
typedef struct { size_t firstNal, nals; int key; } AccessUnit;
typedef struct {
  int fd, stream, playing, waitForKey, channel;
  uint16_t sequence;
  uint32_t ssrc, timestampOffset;
  uint32_t packets, octets;
  uint64_t frame;       /* frames of the stream's schedule since the process started */
  char request[REQUEST_BYTES_MAX];
  size_t requestBytes, skipBytes;
  uint8_t *backlog;
  size_t backlogStart, backlogEnd;
} Client;

typedef struct { uint64_t frame, us; } Stamp;

static Nal *nals;
static size_t nalCount;
static AccessUnit *units;
static size_t unitCount;
static Nal sps, pps;
static Stamp *stamps;
static Client *clients[CLIENTS_MAX];
static int clientCount, streams, port, epollFd;
static uint64_t startNs, frameNs;
static uint64_t sentBytes, sentFrames, droppedFrames;
static struct iovec vectors[2 * PACKETS_MAX];
static uint8_t headers[PACKETS_MAX][HEADER_BYTES];

static void fail(const char *what) {
  fprintf(stderr, "paced-source: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t clockNs(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int isVcl(const Nal *nal) { int type = nal->bytes[0] & 31; return type >= 1 && type <= 5; }

static int startsUnit(const Nal *nal, int unitHasVcl) {
  int type = nal->bytes[0] & 31;
  if (!unitHasVcl) return 0;
  if (isVcl(nal)) return nal->length > 1 && (nal->bytes[1] & 0x80); /* first_mb_in_slice is 0 */
  return type >= 6 && type <= 9;
}

static void addNal(const uint8_t *bytes, size_t length) {
  while (length > 0 && bytes[length - 1] == 0) length -= 1;
  if (length == 0) return;
  nals = realloc(nals, (nalCount + 1) * sizeof *nals);
  nals[nalCount++] = (Nal){bytes, length};
}

static void loadFile(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail(path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file), from = 0;
  rewind(file);
  uint8_t *bytes = malloc(size);
  if (fread(bytes, 1, size, file) != size) fail(path);
  fclose(file);
  for (size_t at = 0; at + 3 <= size; at++) {
    if (bytes[at] != 0 || bytes[at + 1] != 0 || bytes[at + 2] != 1) continue;
    if (from > 0) addNal(bytes + from, at - from);
    from = at += 3;
  }
  if (from > 0) addNal(bytes + from, size - from);
  int hasVcl = 0;
  for (size_t i = 0; i < nalCount; i++) {
    int type = nals[i].bytes[0] & 31;
    if (type == 7) sps = nals[i];
    if (type == 8) pps = nals[i];
    if (unitCount == 0 || startsUnit(&nals[i], hasVcl)) {
      units = realloc(units, (unitCount + 1) * sizeof *units);
      units[unitCount++] = (AccessUnit){i, 0, 0};
      hasVcl = 0;
    }
    units[unitCount - 1].nals += 1;
    if (type == 5) units[unitCount - 1].key = 1;
    if (isVcl(&nals[i])) hasVcl = 1;
  }
  if (sps.length > 300 || pps.length > 300) sps.bytes = NULL;
  if (unitCount == 0 || !units[0].key || sps.bytes == NULL || pps.bytes == NULL) {
    fprintf(stderr, "paced-source: %s is no H.264 stream that starts with a key frame\n", path);
    exit(1);
  }
}

static void base64(const Nal *nal, char *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t at = 0;
  for (size_t i = 0; i < nal->length; i += 3) {
    size_t rest = nal->length - i;
    uint32_t bits = (uint32_t)nal->bytes[i] << 16;
    if (rest > 1) bits |= (uint32_t)nal->bytes[i + 1] << 8;
    if (rest > 2) bits |= nal->bytes[i + 2];
    out[at++] = digits[bits >> 18];
    out[at++] = digits[bits >> 12 & 63];
    out[at++] = rest > 1 ? digits[bits >> 6 & 63] : '=';
    out[at++] = rest > 2 ? digits[bits & 63] : '=';
  }
  out[at] = 0;
}

static void watch(Client *client, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = client};
  epoll_ctl(epollFd, EPOLL_CTL_MOD, client->fd, &event);
}

static void drop(Client *client) {
  close(client->fd);
  client->fd = -1;
  client->playing = 0;
}

/* Sends `count` vectors, the rest that the socket does not take into the client's backlog. */
static void sendVectors(Client *client, struct iovec *list, int count) {
  size_t total = 0;
  for (int i = 0; i < count; i++) total += list[i].iov_len;
  sentBytes += total;
  ssize_t taken = 0;
  if (client->backlogStart == client->backlogEnd) {
    struct msghdr message = {.msg_iov = list, .msg_iovlen = (size_t)count};
    taken = sendmsg(client->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0 && errno != EAGAIN) { drop(client); return; }
    if (taken < 0) taken = 0;
    if ((size_t)taken == total) return;
    client->backlogStart = client->backlogEnd = 0;
    watch(client, EPOLLIN | EPOLLOUT);
  }
  if (client->backlog == NULL) client->backlog = malloc(2 * BACKLOG_BYTES_MAX);
  size_t skip = (size_t)taken;
  for (int i = 0; i < count; i++) {
    size_t from = skip < list[i].iov_len ? skip : list[i].iov_len;
    skip -= from;
    size_t length = list[i].iov_len - from;
    if (client->backlogEnd + length > 2 * BACKLOG_BYTES_MAX) { drop(client); return; }
    memcpy(client->backlog + client->backlogEnd, (uint8_t *)list[i].iov_base + from, length);
    client->backlogEnd += length;
  }
}

static void sendBacklog(Client *client) {
  size_t length = client->backlogEnd - client->backlogStart;
  ssize_t taken = send(client->fd, client->backlog + client->backlogStart, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (taken < 0) { if (errno != EAGAIN) drop(client); return; }
  client->backlogStart += (size_t)taken;
  if (client->backlogStart < client->backlogEnd) {
    memmove(client->backlog, client->backlog + client->backlogStart, client->backlogEnd - client->backlogStart);
    client->backlogEnd -= client->backlogStart;
    client->backlogStart = 0;
    return;
  }
  client->backlogStart = client->backlogEnd = 0;
  watch(client, EPOLLIN);
}

static uint8_t *put32(uint8_t *at, uint32_t value) {
  uint32_t big = htonl(value);
  memcpy(at, &big, 4);
  return at + 4;
}

static size_t putHeader(Client *client, uint8_t *at, size_t payload, int marker, uint32_t timestamp) {
  size_t length = 12 + payload;
  at[0] = '$';
  at[1] = (uint8_t)client->channel;
  at[2] = (uint8_t)(length >> 8);
  at[3] = (uint8_t)length;
  at[4] = 0x80;
  at[5] = (uint8_t)(96 | (marker ? 0x80 : 0));
  at[6] = (uint8_t)(client->sequence >> 8);
  at[7] = (uint8_t)client->sequence++;
  put32(at + 8, timestamp);
  put32(at + 12, client->ssrc);
  client->packets += 1;
  client->octets += (uint32_t)payload;
  return 16;
}

static int packetizeNal(Client *client, const Nal *nal, int lastNal, uint32_t timestamp, int packet) {
  if (packet == PACKETS_MAX) return packet;
  if (nal->length <= PACKET_PAYLOAD_BYTES) {
    size_t header = putHeader(client, headers[packet], nal->length, lastNal, timestamp);
    vectors[2 * packet] = (struct iovec){headers[packet], header};
    vectors[2 * packet + 1] = (struct iovec){(void *)nal->bytes, nal->length};
    return packet + 1;
  }
  for (size_t at = 1; at < nal->length && packet < PACKETS_MAX; packet++) {
    size_t length = nal->length - at < PACKET_PAYLOAD_BYTES - 2 ? nal->length - at : PACKET_PAYLOAD_BYTES - 2;
    int end = at + length == nal->length;
    size_t header = putHeader(client, headers[packet], length + 2, end && lastNal, timestamp);
    headers[packet][header] = (uint8_t)((nal->bytes[0] & 0xe0) | 28);
    headers[packet][header + 1] = (uint8_t)((nal->bytes[0] & 31) | (at == 1 ? 0x80 : 0) | (end ? 0x40 : 0));
    vectors[2 * packet] = (struct iovec){headers[packet], header + 2};
    vectors[2 * packet + 1] = (struct iovec){(void *)(nal->bytes + at), length};
    at += length;
  }
  return packet;
}

static void sendSenderReport(Client *client, uint32_t timestamp) {
  uint8_t report[4 + 28] = {'$', (uint8_t)(client->channel + 1), 0, 28, 0x80, 200, 0, 6};
  uint64_t nowNs = clockNs(CLOCK_REALTIME);
  uint8_t *at = put32(report + 8, client->ssrc);
  at = put32(at, (uint32_t)(nowNs / 1000000000u + 2208988800u));
  at = put32(at, (uint32_t)(((nowNs % 1000000000u) << 32) / 1000000000u));
  at = put32(at, timestamp);
  at = put32(at, client->packets);
  put32(at, client->octets);
  struct iovec vector = {report, sizeof report};
  sendVectors(client, &vector, 1);
}

/* When a frame was sent first: as a camera does, all clients are sent the same bytes. */
static uint64_t stampUs(int stream, uint64_t frame) {
  Stamp *stamp = &stamps[(size_t)stream * STAMPS + frame % STAMPS];
  if (stamp->us == 0 || stamp->frame != frame) *stamp = (Stamp){frame, clockNs(CLOCK_REALTIME) / 1000u};
  return stamp->us;
}

static void sendFrame(Client *client) {
  const AccessUnit *unit = &units[client->frame % unitCount];
  uint32_t timestamp = client->timestampOffset + (uint32_t)(client->frame * frameNs / 1000u * 90 / 1000u);
  size_t backlogBytes = client->backlogEnd - client->backlogStart;
  if (backlogBytes > BACKLOG_BYTES_MAX) client->waitForKey = 1;
  if (client->waitForKey && (!unit->key || backlogBytes > BACKLOG_BYTES_MAX)) {
    if (client->packets > 0) droppedFrames += 1;
    return;
  }
  client->waitForKey = 0;
  if (client->packets == 0 || client->frame % SENDER_REPORT_FRAMES == 0) sendSenderReport(client, timestamp);
  if (client->fd < 0) return;
  uint8_t sei[3 + SEI_TEXT_BYTES + 2] = {6, 5, SEI_TEXT_BYTES};
  snprintf((char *)sei + 3, SEI_TEXT_BYTES + 1, "nvrd-paced-clock%04x %010llx %016llx", client->stream,
           (unsigned long long)client->frame, (unsigned long long)stampUs(client->stream, client->frame));
  sei[3 + SEI_TEXT_BYTES] = 0x80;
  Nal clockNal = {sei, 3 + SEI_TEXT_BYTES + 1};
  int packets = 0, clockSent = 0;
  for (size_t i = 0; i < unit->nals; i++) {
    const Nal *nal = &nals[unit->firstNal + i];
    if (isVcl(nal) && !clockSent++) packets = packetizeNal(client, &clockNal, 0, timestamp, packets);
    packets = packetizeNal(client, nal, i + 1 == unit->nals, timestamp, packets);
  }
  for (int at = 0; at < 2 * packets && client->fd >= 0; at += IOV_MAX_PER_CALL) {
    int count = 2 * packets - at < IOV_MAX_PER_CALL ? 2 * packets - at : IOV_MAX_PER_CALL;
    sendVectors(client, vectors + at, count);
  }
  sentFrames += 1;
}

static const char *headerOf(const char *request, const char *name) {
  for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
      line += strlen(name) + 1;
      while (*line == ' ') line += 1;
      return line;
    }
  }
  return NULL;
}

/* Answers a request; `headers` are whole lines, `body` may be empty. */
static void answer(Client *client, int cseq, const char *status, const char *headers, const char *body) {
  char text[4096];
  int length = snprintf(text, sizeof text, "RTSP/1.0 %s\r\nCSeq: %d\r\n%s\r\n%s", status, cseq, headers, body);
  struct iovec vector = {text, (size_t)length};
  sendVectors(client, &vector, 1);
}

static void reply(Client *client, int cseq, const char *status, const char *headers) {
  answer(client, cseq, status, headers, "");
}

static void describe(Client *client, int cseq) {
  char spsText[512], ppsText[512], sdp[2048], headers[512];
  base64(&sps, spsText);
  base64(&pps, ppsText);
  int length = snprintf(sdp, sizeof sdp,
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=paced source\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n"
    "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
    "a=fmtp:96 packetization-mode=1;profile-level-id=%02x%02x%02x;sprop-parameter-sets=%s,%s\r\na=control:trackID=0\r\n",
    sps.bytes[1], sps.bytes[2], sps.bytes[3], spsText, ppsText);
  snprintf(headers, sizeof headers,
    "Content-Base: rtsp://127.0.0.1:%d/%d/\r\nContent-Type: application/sdp\r\nContent-Length: %d\r\n",
    port, client->stream, length);
  answer(client, cseq, "200 OK", headers, sdp);
}

static void setup(Client *client, int cseq, const char *request) {
  const char *transport = headerOf(request, "Transport");
  char extra[256];
  if (transport == NULL || strncasecmp(transport, "RTP/AVP/TCP", 11) != 0) {
    reply(client, cseq, "461 Unsupported Transport", "");
    return;
  }
  const char *interleaved = strstr(transport, "interleaved=");
  client->channel = interleaved != NULL ? atoi(interleaved + 12) & 0xfe : 0;
  snprintf(extra, sizeof extra,
    "Session: %08x;timeout=60\r\nTransport: RTP/AVP/TCP;unicast;interleaved=%d-%d;ssrc=%08x\r\n",
    client->ssrc, client->channel, client->channel + 1, client->ssrc);
  reply(client, cseq, "200 OK", extra);
}

static uint64_t dueNs(const Client *client) {
  return startNs + client->frame * frameNs + frameNs * (uint64_t)client->stream / (uint64_t)streams;
}

static void play(Client *client, int cseq) {
  char extra[256];
  uint64_t nowNs = clockNs(CLOCK_MONOTONIC);
  client->frame = (nowNs - startNs) / frameNs + 1;
  client->playing = client->waitForKey = 1;
  snprintf(extra, sizeof extra, "Session: %08x\r\nRange: npt=0.000-\r\nRTP-Info: url=rtsp://127.0.0.1:%d/%d/trackID=0;seq=%u\r\n",
    client->ssrc, port, client->stream, client->sequence);
  reply(client, cseq, "200 OK", extra);
}

static void handle(Client *client, const char *request) {
  char method[32] = "", url[512] = "";
  sscanf(request, "%31s %511s", method, url);
  const char *cseqText = headerOf(request, "CSeq"), *path = strncmp(url, "rtsp://", 7) == 0 ? strchr(url + 7, '/') : NULL;
  int cseq = cseqText != NULL ? atoi(cseqText) : 0, stream = path != NULL ? atoi(path + 1) : client->stream;
  char session[64];
  snprintf(session, sizeof session, "Session: %08x\r\n", client->ssrc);
  if (stream < 0 || stream >= streams) { reply(client, cseq, "404 Not Found", ""); return; }
  client->stream = stream;
  if (strcmp(method, "OPTIONS") == 0) {
    reply(client, cseq, "200 OK", "Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN\r\n");
  } else if (strcmp(method, "DESCRIBE") == 0) describe(client, cseq);
  else if (strcmp(method, "SETUP") == 0) setup(client, cseq, request);
  else if (strcmp(method, "PLAY") == 0) play(client, cseq);
  else if (strcmp(method, "GET_PARAMETER") == 0) reply(client, cseq, "200 OK", session);
  else if (strcmp(method, "TEARDOWN") == 0) {
    client->playing = 0;
    reply(client, cseq, "200 OK", session);
  } else reply(client, cseq, "501 Not Implemented", "");
}

/* Takes one request or one interleaved packet off the front; 0 when more bytes are needed. */
static size_t takeMessage(Client *client) {
  if (client->request[0] == '$') {
    if (client->requestBytes < 4) return 0;
    size_t length = 4 + ((size_t)(uint8_t)client->request[2] << 8 | (uint8_t)client->request[3]);
    client->skipBytes = length > client->requestBytes ? length - client->requestBytes : 0;
    return length - client->skipBytes;
  }
  char *end = memmem(client->request, client->requestBytes, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  end[2] = 0;
  size_t length = (size_t)(end - client->request) + 4;
  const char *body = headerOf(client->request, "Content-Length");
  size_t bodyBytes = body != NULL ? (size_t)atoi(body) : 0, there = client->requestBytes - length;
  handle(client, client->request);
  client->skipBytes = bodyBytes > there ? bodyBytes - there : 0;
  return length + bodyBytes - client->skipBytes;
}

static void receive(Client *client) {
  ssize_t got = recv(client->fd, client->request + client->requestBytes,
                     REQUEST_BYTES_MAX - 1 - client->requestBytes, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) { drop(client); return; }
  client->requestBytes += (size_t)got;
  while (client->requestBytes > 0 && client->fd >= 0) {
    size_t take = client->skipBytes < client->requestBytes ? client->skipBytes : client->requestBytes;
    if (take > 0) client->skipBytes -= take;
    else if ((take = takeMessage(client)) == 0) break;
    client->requestBytes -= take;
    memmove(client->request, client->request + take, client->requestBytes);
  }
  if (client->requestBytes == REQUEST_BYTES_MAX - 1) drop(client);
}

static void acceptClient(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1, size = SEND_BUFFER_BYTES;
  if (fd < 0) return;
  if (clientCount == CLIENTS_MAX) { close(fd); return; }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  Client *client = calloc(1, sizeof *client);
  client->fd = fd;
  client->ssrc = (uint32_t)random();
  client->sequence = (uint16_t)random();
  client->timestampOffset = (uint32_t)random();
  clients[clientCount++] = client;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  epoll_ctl(epollFd, EPOLL_CTL_ADD, fd, &event);
}

/* Sends what is due and sets the timer to the next frame. */
static void pace(int timer) {
  uint64_t nowNs = clockNs(CLOCK_MONOTONIC), nextNs = nowNs + 1000000000u;
  for (int i = 0; i < clientCount; i++) {
    Client *client = clients[i];
    if (!client->playing) continue;
    while (client->playing && dueNs(client) <= nowNs) {
      sendFrame(client);
      client->frame += 1;
    }
    if (client->playing && dueNs(client) < nextNs) nextNs = dueNs(client);
  }
  struct itimerspec next = {.it_value = {(time_t)(nextNs / 1000000000u), (long)(nextNs % 1000000000u)}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &next, NULL);
}

static void sweep(void) {
  for (int i = 0; i < clientCount;) {
    if (clients[i]->fd >= 0) { i++; continue; }
    free(clients[i]->backlog);
    free(clients[i]);
    clients[i] = clients[--clientCount];
  }
}

static void report(void) {
  printf("sent %llu frames %llu dropped %llu clients %d\n", (unsigned long long)sentBytes,
         (unsigned long long)sentFrames, (unsigned long long)droppedFrames, clientCount);
  fflush(stdout);
}

static int listenOn(int wanted) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)wanted)};
  socklen_t length = sizeof address;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1024) < 0) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  port = ntohs(address.sin_port);
  return listener;
}

static void add(int fd, void *tag) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = tag};
  if (epoll_ctl(epollFd, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: paced-source FILE STREAMS FPS [PORT]\n");
    return 2;
  }
  loadFile(argv[1]);
  streams = atoi(argv[2]);
  frameNs = (uint64_t)(1e9 / atof(argv[3]));
  stamps = calloc((size_t)streams * STAMPS, sizeof *stamps);
  if (stamps == NULL) fail("calloc");
  int listener = listenOn(argc > 4 ? atoi(argv[4]) : 0);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGINT);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  int signals = signalfd(-1, &mask, SFD_CLOEXEC);
  epollFd = epoll_create1(EPOLL_CLOEXEC);
  static int listenerTag, timerTag, signalTag;
  add(listener, &listenerTag);
  add(timer, &timerTag);
  add(signals, &signalTag);
  srandom((unsigned)clockNs(CLOCK_REALTIME));
  startNs = clockNs(CLOCK_MONOTONIC);
  printf("port %d\n", port);
  fflush(stdout);
  for (;;) {
    struct epoll_event events[64];
    int count = epoll_wait(epollFd, events, 64, -1), paced = 0;
    for (int i = 0; i < count; i++) {
      void *tag = events[i].data.ptr;
      if (tag == &listenerTag) acceptClient(listener);
      else if (tag == &timerTag) paced = 1;
      else if (tag == &signalTag) {
        struct signalfd_siginfo info;
        if (read(signals, &info, sizeof info) != sizeof info) continue;
        report();
        if (info.ssi_signo != SIGUSR1) return 0;
      } else {
        Client *client = tag;
        if (client->fd >= 0 && (events[i].events & EPOLLOUT)) sendBacklog(client);
        if (client->fd >= 0 && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) receive(client);
        if (client->fd >= 0 && client->playing) paced = 1;
      }
    }
    if (paced) {
      uint64_t expirations;
      if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("timer");
      pace(timer);
    }
    sweep();
  }
}
