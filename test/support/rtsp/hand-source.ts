import { Codec, type MediaFormat } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import type { MountSink, MountSource } from "../../../src/rtsp/server/index.js";
import { SIMULATED_START_US } from "../base/simulated-clock.js";
import { annexB } from "./rtp-reassembly.js";

export const HAND_SPS = Buffer.from("6764001eacd9", "hex");
export const HAND_PPS = Buffer.from("68ebecb2", "hex");

const VIDEO: MediaFormat = {
  codec: Codec.H264,
  width: 640,
  height: 480,
  initialization: annexB([HAND_SPS, HAND_PPS]),
};
const AUDIO: MediaFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: Buffer.alloc(0),
};

export interface HandFrame {
  /** Microseconds after the simulated clock's start. */
  readonly atUs: number;
  readonly bytes: Buffer;
  readonly key?: boolean;
  readonly audio?: boolean;
  readonly damaged?: boolean;
  readonly undecodable?: boolean;
}

/** A source of H.264 and µ-law whose frames a test sends by hand. */
export class HandSource implements MountSource {
  readonly sinks = new Set<MountSink>();
  formats: readonly MediaFormat[] = [VIDEO, AUDIO];
  description: "ready" | "nothing" | "silent" | "broken" = "ready";

  async describe() {
    if (this.description === "silent") return new Promise<undefined>(() => undefined);
    if (this.description === "broken") throw new Error("the disk is on fire");
    return this.description === "nothing" ? undefined : { title: "Hand\r\nmade", formats: this.formats };
  }

  open(sink: MountSink) {
    this.sinks.add(sink);
    return { close: () => this.sinks.delete(sink) };
  }

  send(fields: HandFrame): void {
    const frame = handFrame(fields);
    for (const sink of this.sinks) sink.onFrame(frame, false);
    frame.release();
  }
}

export function handFrame(fields: HandFrame): Frame {
  return new Frame({
    format: fields.audio === true ? AUDIO : VIDEO,
    decodeTimeUs: SIMULATED_START_US + fields.atUs,
    presentationOffsetUs: 0,
    key: fields.key ?? fields.audio ?? false,
    damaged: fields.damaged ?? false,
    undecodable: fields.undecodable ?? false,
    discontinuity: false,
    ranges: [{ slab: undefined, bytes: fields.bytes }],
  });
}

/** An access unit of one slice whose bytes after the header are all `fill`. */
export function handSlice(key: boolean, fill: number, bytes = 20): Buffer {
  return annexB([Buffer.concat([Buffer.from([key ? 0x65 : 0x41]), Buffer.alloc(bytes, fill)])]);
}
