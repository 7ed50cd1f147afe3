import { writeFile } from "node:fs/promises";
import { expect } from "vitest";
import type { Clock, StreamKey } from "../../../src/base/index.js";
import {
  type AudioFormat,
  Codec,
  type MediaFormat,
  type VideoFormat,
} from "../../../src/live/codec/codec.js";
import { append, startArchive, type TestArchive } from "../archive/archive-fixture.js";
import type { TemporaryDirectory } from "../base/temporary-directory.js";
import { type SentClip, sentClip } from "../media/shown-clip.js";
import { ffmpegFilter, toneAac, toneL16, toneOpus, tonePcm } from "../media/tone.js";
import { GATE_ID } from "./api-fakes.js";
import { NINE_US } from "./api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "./api-harness.js";

export const GATE_MAIN: StreamKey = { channelId: GATE_ID, streamType: "Main" };
export const WIDTH = 320;
export const HEIGHT = 180;

/** What tests look at of a task. */
export interface TaskAnswer {
  readonly Id: string;
  readonly State: string;
  readonly Progress: number | null;
  readonly Error: string | null;
  readonly Result: { readonly Id: string | null; readonly Name: string; readonly Bytes: number } | null;
}

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
  const clip = await sentClip({ codec, width, height, seconds, gopFrames, bFrames });
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
function initializationOf({ codec, units }: SentClip): Uint8Array {
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

export type SoundName = "aac" | "pcm_mulaw" | "pcm_alaw" | "pcm_s16be" | "opus";

/** A tone of 1 kHz in a codec, as a camera sends it. */
export async function toneUnits(name: SoundName, seconds: number): Promise<RecordedUnit[]> {
  const tone = { frequency: 1000, level: 0.5, seconds };
  if (name === "aac") {
    const { units, format } = await toneAac({ ...tone, rate: 16_000 });
    return soundUnits(format, units, (1024 * 1e6) / 16_000);
  }
  if (name === "pcm_s16be" || name === "opus") {
    const { units, format } =
      name === "opus" ? await toneOpus(tone) : toneL16({ ...tone, rate: 16_000, channels: 2 });
    return soundUnits(format, units, 20_000);
  }
  const format = name === "pcm_mulaw" ? "mulaw" : "alaw";
  const coded = await ffmpegFilter(
    ["-f", "s16le", "-ar", "8000", "-ac", "1", "-i", "pipe:0", "-f", format, "pipe:1"],
    tonePcm({ ...tone, rate: 8000 }),
  );
  const packets = Array.from({ length: Math.floor(coded.length / 160) }, (_, at) =>
    coded.subarray(at * 160, at * 160 + 160),
  );
  const codec = name === "pcm_mulaw" ? Codec.PCMU : Codec.PCMA;
  return soundUnits(
    { codec, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) },
    packets,
    20_000,
  );
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

  /** Starts a task, by default as root; resolves with it. */
  async startTask(body: object, login = ROOT_QUERY): Promise<TaskAnswer> {
    const response = await fetch(this.api.url(`/api/tasks?${login}`), {
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as TaskAnswer;
  }

  async task(id: string): Promise<TaskAnswer> {
    return (await (await this.api.get(`/api/tasks/${id}`)).json()) as TaskAnswer;
  }

  async endOfTask(id: string): Promise<TaskAnswer> {
    const state = async () => (await this.task(id)).State;
    await expect.poll(state).not.toMatch(/Waiting|Running/);
    return await this.task(id);
  }

  /** Has a file of seconds from 09:00:00 on made and kept; resolves with the task when it is over. */
  async saveOnRecorder(fromS: number, toS: number, more: object = {}): Promise<TaskAnswer> {
    const [FromTime, ToTime] = [timeText(fromS), timeText(toS)].map((text) => text.replace("+", " "));
    const { Id } = await this.startTask({
      ...{ Kind: "SaveFile", ChannelId: GATE_ID, FromTime, ToTime, Sound: true },
      ...more,
    });
    return await this.endOfTask(Id);
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
