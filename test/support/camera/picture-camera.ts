import type { Socket } from "node:net";
import { interleaved, rtpPacket } from "../rtsp/rtp-packets.js";
import {
  cameraAnswers,
  describeReply,
  reply,
  type ScriptedAnswer,
  ScriptedRtspServer,
  SPROP,
} from "../rtsp/scripted-rtsp-server.js";

/** Parameter sets of a stream of 320x240 and of one of 160x120. */
const [LARGE = [], SMALL = []] = [SPROP, "Z2QAC6zZQoR+XAWyAAADAAIAAAMAZB4oUyw=,aOvjyyLA"].map((sets) =>
  sets.split(",").map((set) => Buffer.from(set, "base64")),
);

export const PICTURE_MS = 40;
export const GOP_PICTURES = 10;
const PICTURE_TICKS = 3600;
const SLICE_BYTES = 900;

export interface PictureCameraOptions {
  /** Whether part `part` (of 4: three slices and the rest of the last one) of picture `index` gets lost. */
  readonly loses?: (index: number, part: number) => boolean;
  /** From this picture, a key picture, on the stream has other parameter sets. */
  readonly changesSetsAt?: number;
  readonly answers?: Readonly<Record<string, ScriptedAnswer>>;
  /** Default: one H.264 track. */
  readonly sdp?: readonly string[];
}

export function h264Sdp(tracks = 1): string[] {
  const lines = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=camera", "t=0 0"];
  for (let track = 1; track <= tracks; track += 1) {
    lines.push("m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000");
    lines.push("a=fmtp:96 packetization-mode=1", `a=control:trackID=${track}`);
  }
  return lines;
}

/** Words that stand in the slices of picture `index`, and name slice and picture. */
export function sliceNames(index: number): string[] {
  return [0, 1, 2].map((part) => `<${index}.${part}>`);
}

/** The names of slices found in a frame's bytes. */
export function namesIn(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/<\d+\.\d>/g) ?? [];
}

/** A slice; the first of a picture has first_mb_in_slice 0, the others have not. */
function slice(key: boolean, index: number, part: number): Buffer {
  const header = Buffer.from([key ? 0x65 : 0x41, part === 0 ? 0x88 : 0x48, 0x84]);
  return Buffer.concat([
    header,
    Buffer.from(`<${index}.${part}>`),
    Buffer.alloc(SLICE_BYTES, 0x55),
    Buffer.of(0x80),
  ]);
}

/** RTP payloads of picture `index`: parameter sets before a key picture, three slices, the last one in two fragments. */
function payloads(index: number, sets: readonly Buffer[]): { payload: Buffer; part: number }[] {
  const key = index % GOP_PICTURES === 0;
  const last = slice(key, index, 2);
  const indicator = (last[0] ?? 0) & 0xe0;
  const type = (last[0] ?? 0) & 0x1f;
  const half = last.length >> 1;
  return [
    ...(key ? sets : []).map((payload) => ({ payload, part: -1 })),
    { payload: slice(key, index, 0), part: 0 },
    { payload: slice(key, index, 1), part: 1 },
    { payload: Buffer.concat([Buffer.of(indicator | 28, 0x80 | type), last.subarray(1, half)]), part: 2 },
    { payload: Buffer.concat([Buffer.of(indicator | 28, 0x40 | type), last.subarray(half)]), part: 3 },
  ];
}

/**
 * A camera over TCP whose pictures name themselves, 25 a second, a key picture each 10; begins anew with each PLAY. Where the
 * machine is too busy for one in time, what is due comes with the next one: a camera's clock does not stand still.
 */
export class PictureCamera {
  readonly server: ScriptedRtspServer;
  readonly #options: PictureCameraOptions;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: PictureCameraOptions = {}) {
    this.#options = options;
    this.server = new ScriptedRtspServer(
      cameraAnswers({
        DESCRIBE: () => describeReply(options.sdp ?? h264Sdp()),
        PLAY: (_request, socket) => {
          this.#play(socket);
          return reply(200, ["Session: 4711"]);
        },
        ...options.answers,
      }),
    );
  }

  /** The interleaved packets of picture `index`, `sequence` counted from the lost ones as well. */
  static packets(
    index: number,
    sequence: number,
    options: PictureCameraOptions,
  ): { packets: Buffer[]; next: number } {
    const sets = options.changesSetsAt !== undefined && index >= options.changesSetsAt ? SMALL : LARGE;
    const all = payloads(index, sets);
    const packets = all.flatMap(({ payload, part }, at) =>
      part >= 0 && options.loses?.(index, part) === true
        ? []
        : [
            rtpPacket(
              {
                sequence: (sequence + at) & 0xffff,
                timestamp: index * PICTURE_TICKS,
                marker: at === all.length - 1,
                ssrc: 0x11223344,
              },
              payload,
            ),
          ],
    );
    return { packets, next: sequence + all.length };
  }

  async start(port = 0): Promise<this> {
    await this.server.start(port);
    return this;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.server.stop();
  }

  #play(socket: Socket): void {
    let index = 0;
    let sequence = 1;
    const begunMs = performance.now();
    const timer = setInterval(() => {
      if (socket.destroyed) {
        clearInterval(timer);
        this.#timers.delete(timer);
        return;
      }
      for (const due = Math.floor((performance.now() - begunMs) / PICTURE_MS); index < due; index += 1) {
        const { packets, next } = PictureCamera.packets(index, sequence, this.#options);
        sequence = next;
        socket.write(Buffer.concat(packets.map((packet) => interleaved(0, packet))));
      }
    }, PICTURE_MS);
    this.#timers.add(timer);
  }
}
