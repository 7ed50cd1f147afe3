import { writeFile } from "node:fs/promises";
import type { Clock, StreamKey } from "../../../src/base/index.js";
import {
  type AudioFormat,
  Codec,
  type MediaFormat,
  type VideoFormat,
} from "../../../src/live/codec/codec.js";
import { append, startArchive, type TestArchive } from "../archive/archive-fixture.js";
import type { TemporaryDirectory } from "../base/temporary-directory.js";
import { type ShownClip, shownClip } from "../media/shown-clip.js";
import { GATE_ID } from "./api-fakes.js";
import { NINE_US } from "./api-frames.js";
import { type ApiHarness, startApi } from "./api-harness.js";

export const GATE_MAIN: StreamKey = { channelId: GATE_ID, streamType: "Main" };
export const WIDTH = 320;
export const HEIGHT = 180;

/** One frame of a recording, times from 0. */
export interface RecordedUnit {
  readonly format: MediaFormat;
  readonly bytes: Buffer;
  readonly key: boolean;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
}

/** A clip's frames as a camera's: parameter sets told with the format, and before each key frame. */
export async function videoUnits(
  codec: "h264" | "h265" | "mpeg4" | "mjpeg",
  options: {
    readonly seconds: number;
    readonly gopFrames?: number;
    readonly bFrames?: number;
    readonly width?: number;
    readonly height?: number;
  },
): Promise<RecordedUnit[]> {
  const { seconds, gopFrames = 25, bFrames = 0, width = WIDTH, height = HEIGHT } = options;
  const clip = await shownClip({ codec, width, height, seconds, gopFrames, bFrames });
  const initialization = initializationOf(clip);
  const format: VideoFormat = { codec: clip.codec, width, height, initialization };
  return clip.units.map((unit) => ({
    format,
    bytes: Buffer.concat(unit.bytes),
    key: unit.key,
    decodeTimeUs: unit.decodeTimeUs,
    presentationOffsetUs: unit.presentationOffsetUs,
  }));
}

/** What precedes the first coded picture. */
function initializationOf({ codec, units }: ShownClip): Uint8Array {
  const first = Buffer.concat(units[0]?.bytes ?? []);
  if (codec === Codec.MJPEG) return new Uint8Array(0);
  if (codec === Codec.MPEG4) return first.subarray(0, first.indexOf(Buffer.from([0, 0, 1, 0xb3])));
  for (
    let at = first.indexOf(Buffer.from([0, 0, 1]));
    at >= 0;
    at = first.indexOf(Buffer.from([0, 0, 1]), at + 3)
  ) {
    const byte = first[at + 3] ?? 0;
    const isPicture = codec === Codec.H264 ? (byte & 0x1f) <= 6 : ((byte >> 1) & 0x3f) < 32;
    // Its start code has three or four bytes; no parameter set ends with a zero.
    if (isPicture) return first.subarray(0, first[at - 1] === 0 ? at - 1 : at);
  }
  return first;
}

/** Sound in units of one length. */
export function soundUnits(format: AudioFormat, units: readonly Buffer[], unitUs: number): RecordedUnit[] {
  return units.map((bytes, index) => ({
    format,
    bytes,
    key: true,
    decodeTimeUs: Math.round(index * unitUs),
    presentationOffsetUs: 0,
  }));
}

/** A real archive, and the API that exports from it. */
export class ExportedArchive {
  readonly archive: TestArchive;
  readonly api: ApiHarness;
  readonly #directory: TemporaryDirectory;

  private constructor(directory: TemporaryDirectory, archive: TestArchive, api: ApiHarness) {
    this.#directory = directory;
    this.archive = archive;
    this.api = api;
  }

  static async start(
    directory: TemporaryDirectory,
    segmentSeconds = 3,
    options: { readonly clock?: Clock } = {},
  ): Promise<ExportedArchive> {
    const archive = await startArchive(directory.join("archive"), { segmentSeconds });
    const api = await startApi(options);
    api.archive.recordedFrom = archive.archive;
    return new ExportedArchive(directory, archive, api);
  }

  /** Records units as one run from `fromUs` on, sound between the pictures; resolves when it is on the disk. */
  async record(
    units: readonly RecordedUnit[],
    options: { readonly fromUs?: number; readonly key?: StreamKey; readonly goesOn?: boolean } = {},
  ): Promise<void> {
    const { fromUs = NINE_US, key = GATE_MAIN, goesOn = false } = options;
    const writer = this.archive.archive.writer(key);
    const inOrder = [...units].sort((a, b) => a.decodeTimeUs - b.decodeTimeUs);
    for (const [index, unit] of inOrder.entries()) {
      append(writer, {
        ...unit,
        decodeTimeUs: fromUs + unit.decodeTimeUs,
        discontinuity: index === 0 && !goesOn,
      });
    }
    if (!goesOn) await writer.end();
  }

  /** Path and query of an export of seconds from 09:00:00 on. */
  path(fromS: number, toS: number, more = ""): string {
    return `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(fromS)}&totime=${timeText(toS)}${more}`;
  }

  /** Fetches an export into a file. */
  async save(name: string, path: string): Promise<string> {
    const response = await this.api.get(path);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${response.status} ${bytes.toString()}`);
    const file = this.#directory.join(name);
    await writeFile(file, bytes);
    return file;
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.archive.archive.stop();
  }
}

/** A second of 21.11.2026 09:00:00 and later, as the API takes it. */
export function timeText(seconds: number): string {
  const iso = new Date(NINE_US / 1000 + Math.round(seconds * 1000)).toISOString();
  return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}+${iso.slice(11, 23)}`;
}
