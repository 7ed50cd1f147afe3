import type { ZooPacket, ZooPicture, ZooReply, ZooRequest, ZooSound } from "./habit.js";
import { replyText } from "./habits/replies.js";
import type { ZooCamera } from "./zoo-camera.js";
import { baseDescription } from "./zoo-description.js";

/** Where a session's bytes go. */
export interface Wire {
  /** On the connection. */
  write(bytes: Buffer): void;
  /** To a port of the client. */
  datagram(port: number, fromPort: number, bytes: Buffer): void;
  hangUp(): void;
  /** Ports of the camera for a track's RTP and RTCP. */
  ports(track: number): readonly [number, number];
}

/** What is counted for a track of a session. */
interface TrackState {
  readonly ssrc: number;
  readonly firstTicks: number;
  sequence: number;
  count: number;
  inGop: number;
  channel: number;
  clientPort: number | undefined;
  isSending: boolean;
}

/** Where its pictures, its sound and its loudspeaker are. */
const TRACKS = new Map([
  ["/live/track1", 0],
  ["/live/track2", 1],
  ["/live/track9", 2],
]);
const NTP_EPOCH_S = 2_208_988_800;
const REPORT_MS = 5000;
const FIRST_REPORT_MS = 500;

/** One connection of the camera: its dialogue, and what it sends while it plays. */
export class CameraSession {
  readonly camera: ZooCamera;
  readonly requests: ZooRequest[] = [];
  /** Since the camera's start: when it began to play, when the client last reported, when it last asked something. */
  playedMs: number | undefined;
  lastReportMs = 0;
  lastRequestMs = 0;
  isOpen = true;
  readonly #wire: Wire;
  readonly #tracks: TrackState[];
  #play = -1;
  #text: Buffer = Buffer.alloc(0);
  #nextPicture = 0;
  #nextSound = 0;
  #apartTicks: number | undefined;
  #nextReportMs = 0;
  #everyMs = 0;
  #total = 0;

  constructor(camera: ZooCamera, wire: Wire) {
    this.camera = camera;
    this.#wire = wire;
    const { random } = camera;
    this.#tracks = [0, 1, 2].map((track) => ({
      ssrc: random.below(0xffffffff),
      firstTicks: random.below(0xffffffff),
      sequence: random.below(0xffff),
      count: 0,
      inGop: 0,
      channel: 2 * track,
      clientPort: undefined,
      isSending: false,
    }));
  }

  get isUdp(): boolean {
    return this.#tracks.some((track) => track.clientPort !== undefined);
  }

  /** Bytes from the client. */
  receive(bytes: Buffer): void {
    this.#text = Buffer.concat([this.#text, bytes]);
    for (;;) {
      if (this.#text[0] === 0x24) {
        if (this.#text.length < 4) return;
        const end = 4 + this.#text.readUInt16BE(2);
        if (this.#text.length < end) return;
        if ((this.#text[1] ?? 0) % 2 === 1) this.reported();
        this.#text = this.#text.subarray(end);
        continue;
      }
      const end = this.#text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = this.#text.toString("latin1", 0, end);
      this.#text = this.#text.subarray(end + 4);
      this.#asked(head);
    }
  }

  /** The client's RTCP came. */
  reported(): void {
    this.lastReportMs = this.camera.nowMs();
  }

  closed(): void {
    this.isOpen = false;
  }

  /** The source of a track's packets, as long as no habit changes it. */
  ssrcOf(track: number): number {
    return this.#tracks[track]?.ssrc ?? 0;
  }

  /** Whether the track is sent while the camera plays. */
  setSending(track: number, isSending: boolean): void {
    const state = this.#tracks[track];
    if (state === undefined || state.isSending === isSending) return;
    state.isSending = isSending;
    if (isSending && this.playedMs !== undefined) this.#skip(track, this.camera.nowMs());
  }

  hangUp(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#wire.hangUp();
  }

  write(text: string): void {
    this.#wire.write(Buffer.from(text, "latin1"));
  }

  /** Writes an answer as the camera writes its answers. */
  answer(reply: ZooReply, request: ZooRequest): void {
    const { habits } = this.camera;
    this.write(habits.reduce((text, { written }) => written?.(text, request) ?? text, replyText(reply)));
  }

  /** Whether so many milliseconds have passed since it answered so last. */
  every(ms: number): boolean {
    const nowMs = this.camera.nowMs();
    if (nowMs - this.#everyMs < ms) return false;
    this.#everyMs = nowMs;
    return true;
  }

  /** Sends what is due. */
  advance(): void {
    if (!this.isOpen || this.playedMs === undefined || this.camera.isDone) return;
    for (const habit of this.camera.habits) habit.tick?.(this);
    if (!this.isOpen || this.playedMs === undefined) return;
    const nowMs = this.camera.nowMs();
    for (;;) {
      const pictureMs = this.#pictureMs();
      const soundMs = this.#soundMs();
      if (Math.min(pictureMs, soundMs) > nowMs) break;
      if (soundMs <= pictureMs) this.#sendSound();
      else this.#sendPicture();
    }
    if (nowMs >= this.#nextReportMs) this.#report(nowMs);
  }

  /** Writes bytes on a track's channel, or to its port. */
  send(track: number, isRtcp: boolean, bytes: Buffer): void {
    const state = this.#tracks[track];
    const { habits } = this.camera;
    const offset = isRtcp && !habits.some(({ mixesReports }) => mixesReports === true) ? 1 : 0;
    if (state?.clientPort !== undefined) {
      const sendsFrom = habits.find((habit) => habit.sendsFrom !== undefined)?.sendsFrom;
      const [fromTrack, fromRtcp] = sendsFrom?.(track, isRtcp) ?? [track, isRtcp];
      const from = this.#wire.ports(fromTrack)[fromRtcp ? 1 : 0] ?? 0;
      this.#wire.datagram(state.clientPort + offset, from, bytes);
      return;
    }
    const channel = (state?.channel ?? 2 * track) + offset;
    const head = Buffer.from([0x24, channel, bytes.length >> 8, bytes.length & 0xff]);
    this.#wire.write(Buffer.concat([head, bytes]));
  }

  #pictureMs(): number {
    if (this.#tracks[0]?.isSending !== true) return Number.POSITIVE_INFINITY;
    return this.camera.sentMs(this.camera.encodedMs(this.#nextPicture));
  }

  #soundMs(): number {
    const { sound } = this.camera;
    if (sound === undefined || this.#tracks[1]?.isSending !== true) return Number.POSITIVE_INFINITY;
    return this.camera.sentMs(this.#nextSound * sound.unitMs);
  }

  #sendPicture(): void {
    const { camera } = this;
    const state = this.#tracks[0];
    const picture = camera.picture(this.#nextPicture);
    const heldUs = this.#heldUs(this.#pictureMs(), camera.encodedMs(this.#nextPicture));
    this.#nextPicture += 1;
    if (state === undefined) return;
    if (picture.key) state.inGop = 0;
    const units = camera.units(picture);
    if (units.length === 0) return;
    const timeMs = camera.takenMs(picture.index + picture.shownLater);
    const trueTicks = Math.round(timeMs * 90) + state.firstTicks;
    const ticks = this.#stamped(trueTicks, picture);
    const packets = camera.pieces(units, picture).map(({ payload, marker }) => ({
      ...this.#numbered(state, 0),
      ...{ payload, marker, payloadType: camera.clip.codec === "mjpeg" ? 26 : 96, timestamp: ticks },
    }));
    const changed = camera.habits.reduce(
      (all, habit) => habit.packets?.(all, picture, this) ?? all,
      packets as ZooPacket[],
    );
    this.#sendPackets(changed);
    this.#compare(trueTicks, changed[0]?.timestamp ?? trueTicks);
    const sentUs = camera.clock.nowUs();
    camera.pictures.push({ picture, units, sentUs, heldUs, session: this.#play });
  }

  /** Whether the timestamps of the session are as far from the true ones as those of its first picture. */
  #compare(trueTicks: number, sentTicks: number): void {
    const apart = (Math.round(sentTicks - trueTicks) % 2 ** 32) >>> 0;
    this.#apartTicks ??= apart;
    if (apart !== this.#apartTicks) this.camera.keepsTime = false;
  }

  #stamped(ticks: number, picture: ZooPicture): number {
    return this.camera.habits.reduce((stamp, habit) => habit.stamp?.(stamp, picture) ?? stamp, ticks);
  }

  #sendSound(): void {
    const { camera } = this;
    const { sound: spec, habits } = camera;
    const state = this.#tracks[1];
    if (spec === undefined || state === undefined) return;
    const sound: ZooSound = { index: this.#nextSound, atMs: this.#nextSound * spec.unitMs };
    const heldUs = this.#heldUs(this.#soundMs(), this.#nextSound * spec.unitMs);
    this.#nextSound += 1;
    const trueTicks = state.firstTicks + sound.index * spec.ticks;
    const ticks = habits.reduce((stamp, habit) => habit.stampSound?.(stamp, sound) ?? stamp, trueTicks);
    const packet: ZooPacket = {
      ...this.#numbered(state, 1),
      ...{
        payload: spec.payload(sound.index),
        marker: false,
        payloadType: spec.payloadType,
        timestamp: ticks,
      },
    };
    const packets = habits.reduce((all, habit) => habit.soundPackets?.(all, sound) ?? all, [packet]);
    this.#sendPackets(packets);
    if (packets.length > 0) camera.sounds.push({ sound, sentUs: camera.clock.nowUs(), heldUs });
  }

  #heldUs(sentMs: number, encodedMs: number): number {
    const isHeldUp = this.camera.habits.some((habit) => habit.isHeldUp === true);
    const dueMs = isHeldUp ? encodedMs : sentMs;
    return Math.max(0, Math.round(1000 * (this.camera.nowMs() - dueMs)));
  }

  /** What was due before `fromMs` is not sent. */
  #skip(track: number, fromMs: number): void {
    const { camera } = this;
    const { sound } = camera;
    if (track === 1 && sound !== undefined) this.#nextSound = Math.ceil(fromMs / sound.unitMs);
    if (track !== 0) return;
    while (camera.takenMs(this.#nextPicture) < fromMs) this.#nextPicture += 1;
  }

  #numbered(state: TrackState, track: number) {
    const { ssrc, sequence, count, inGop } = state;
    const total = this.#total;
    this.#total += 1;
    state.sequence += 1;
    state.count += 1;
    state.inGop += 1;
    return { ssrc, sequence, count, total, inGop, track };
  }

  #sendPackets(packets: readonly ZooPacket[]): void {
    for (const packet of packets) this.send(packet.track, false, packetBytes(packet));
  }

  #report(nowMs: number): void {
    this.#nextReportMs = nowMs + REPORT_MS;
    for (const [track, state] of this.#tracks.entries()) {
      if (!state.isSending) continue;
      const rate = track === 0 ? 90 : (this.camera.sound?.clockRate ?? 8000) / 1000;
      const ntpMs = this.camera.clock.nowUs() / 1000;
      const report = this.camera.habits.reduce<{ ntpMs: number; ticks: number } | undefined>(
        (all, habit) =>
          all !== undefined && habit.senderReport !== undefined ? habit.senderReport(all) : all,
        { ntpMs, ticks: Math.round(nowMs * rate) + state.firstTicks },
      );
      if (report === undefined) continue;
      const bytes = Buffer.alloc(28);
      bytes.set([0x80, 200, 0, 6]);
      bytes.writeUInt32BE(state.ssrc, 4);
      bytes.writeUInt32BE((Math.floor(report.ntpMs / 1000) + NTP_EPOCH_S) >>> 0, 8);
      bytes.writeUInt32BE(Math.floor(((report.ntpMs % 1000) / 1000) * 2 ** 32) >>> 0, 12);
      bytes.writeUInt32BE(report.ticks >>> 0, 16);
      bytes.writeUInt32BE(state.count, 20);
      this.send(track, true, bytes);
    }
  }

  #asked(head: string): void {
    const [startLine = "", ...lines] = head.split("\r\n");
    const [method = "", uri = ""] = startLine.split(" ");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const request = { method, uri, headers, index: this.requests.length };
    this.requests.push(request);
    this.lastRequestMs = this.camera.nowMs();
    const reply = this.#reply(request);
    reply.headers.unshift(["CSeq", headers.get("cseq") ?? ""]);
    for (const habit of this.camera.habits) habit.reply?.(reply, request, this);
    if (method === "SETUP" && reply.status === 200) this.#answered(request, reply);
    if (reply.isSilent !== true) this.answer(reply, request);
    if (method === "PLAY" && reply.status === 200) this.#began();
    if (method === "TEARDOWN") this.playedMs = undefined;
  }

  #reply(request: ZooRequest): ZooReply {
    const reply: ZooReply = { status: 200, headers: [], body: "" };
    const { headers } = reply;
    const { method, uri } = request;
    if (method === "OPTIONS")
      headers.push(["Public", "OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"]);
    else if (method === "DESCRIBE") {
      const lines = this.camera.habits.reduce(
        (all, habit) => habit.sdp?.(all) ?? all,
        baseDescription(this.camera),
      );
      reply.body = `${lines.join("\r\n")}\r\n`;
      headers.push(["Content-Base", `${uri.replace(/\/$/, "")}/`], ["Content-Type", "application/sdp"]);
      headers.push(["Content-Length", String(Buffer.byteLength(reply.body, "latin1"))]);
    } else if (method === "SETUP") this.#setUp(request, reply);
    else headers.push(["Session", "4711"]);
    return reply;
  }

  #setUp({ uri, headers: asked }: ZooRequest, reply: ZooReply): void {
    const track = this.#trackOf(uri) ?? -1;
    const state = this.#tracks[track];
    const transport = asked.get("transport") ?? "";
    const channels = /interleaved=(\d+)-/.exec(transport);
    const ports = /client_port=(\d+)-/.exec(transport);
    if (state === undefined) {
      reply.status = 404;
      return;
    }
    if (channels !== null) state.channel = Number(channels[1]);
    if (ports !== null) state.clientPort = Number(ports[1]);
    const own = this.#wire.ports(track);
    const answered = ports === null ? transport : `${transport};server_port=${own[0]}-${own[1]}`;
    reply.headers.push(["Session", "4711;timeout=60"], ["Transport", answered]);
  }

  /** The next key frame, where there is one. */
  #keyFrom(index: number): number {
    const end = index + this.camera.clip.pictures.length;
    for (let at = index; at < end; at += 1) if (this.camera.picture(at).key) return at;
    return index;
  }

  #trackOf(uri: string): number | undefined {
    const trackAt = this.camera.habits.find((habit) => habit.trackAt !== undefined)?.trackAt;
    return (trackAt ?? trackOf)(uri);
  }

  /** The camera does what it answered. */
  #answered({ uri }: ZooRequest, reply: ZooReply): void {
    const state = this.#tracks[this.#trackOf(uri) ?? -1];
    const transport = reply.headers.find(([name]) => /^transport$/i.test(name))?.[1] ?? "";
    const channels = /interleaved=(\d+)-(\d+)/.exec(transport);
    if (state === undefined) return;
    state.isSending = true;
    if (channels !== null) state.channel = Math.min(Number(channels[1]), Number(channels[2]));
  }

  #began(): void {
    if (this.playedMs !== undefined) return;
    const { camera } = this;
    camera.startUs ??= camera.clock.monotonicUs();
    this.#play = camera.plays;
    camera.plays += 1;
    this.playedMs = camera.plays === 1 ? 0 : camera.nowMs();
    this.lastReportMs = this.playedMs;
    this.#nextReportMs = this.playedMs + FIRST_REPORT_MS;
    this.#skip(0, this.playedMs);
    this.#skip(1, this.playedMs);
    // Most cameras begin a session with a key frame; one that begins with another picture has that as a habit.
    if (camera.plays > 1) this.#nextPicture = this.#keyFrom(this.#nextPicture);
  }
}

/** The track of an address; undefined where the camera has none of that name. */
function trackOf(uri: string): number | undefined {
  const path = /^rtsp:\/\/[^/:]+(?::\d+)?(\/[^?]*)/i.exec(uri)?.[1] ?? "";
  return TRACKS.get(path);
}

/** RFC 3550, 5.1. */
export function packetBytes(packet: ZooPacket): Buffer {
  const { extension, csrc = 0 } = packet;
  const header = Buffer.alloc(12 + 4 * csrc);
  const padding = Buffer.alloc(packet.padding ?? 0);
  if (padding.length > 0) padding[padding.length - 1] = padding.length;
  header[0] = 0x80 | csrc | (extension ? 0x10 : 0) | (padding.length > 0 ? 0x20 : 0);
  header[0] |= packet.bits ?? 0;
  header[1] = packet.payloadType | (packet.marker ? 0x80 : 0);
  header.writeUInt16BE(packet.sequence & 0xffff, 2);
  header.writeUInt32BE((Math.round(packet.timestamp) % 2 ** 32) >>> 0, 4);
  header.writeUInt32BE(packet.ssrc >>> 0, 8);
  const pieces: Buffer[] = [header];
  if (extension !== undefined) {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(extension.profile, 0);
    head.writeUInt16BE(extension.data.length / 4, 2);
    pieces.push(head, extension.data);
  }
  return Buffer.concat([...pieces, packet.payload, padding]);
}
