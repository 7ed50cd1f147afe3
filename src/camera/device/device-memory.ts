import path from "node:path";
import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Log, readSmallFile } from "../../base/index.js";
import type { DeviceDescription, DeviceProfile } from "../description/device-description.js";

/** What is kept about a device across a restart: enough to connect to its streams without asking it. */
export interface RememberedDevice {
  readonly identity: string | undefined;
  readonly profiles: readonly DeviceProfile[];
}

/** Name of the file in the data directory. It holds no credentials. Without it, the next start takes a moment longer. */
export const DEVICE_MEMORY_FILE = "camera-devices.json";
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const DEVICES_MAX = 256;
const PROFILES_MAX = 256;
const TEXT_LENGTH_MAX = 256;
const URL_LENGTH_MAX = 4096;
/** After a start, many devices answer within a short time; they are written together. */
const WRITE_DELAY_MS = 2000;

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const url = (pattern: RegExp) =>
  v.optional(v.pipe(v.string(), v.maxLength(URL_LENGTH_MAX), v.regex(pattern)));
const count = v.optional(v.pipe(v.number(), v.minValue(0)));
const profileSchema = v.object({
  token: text,
  name: text,
  videoSourceToken: text,
  channelNumber: v.pipe(v.number(), v.integer(), v.minValue(1)),
  codec: v.optional(v.picklist(["MJPEG", "MPEG4_Part2", "H264", "Hevc"])),
  encoding: text,
  width: v.pipe(v.number(), v.minValue(0)),
  height: v.pipe(v.number(), v.minValue(0)),
  framesPerSecond: count,
  gopLength: count,
  bitrateLimit: count,
  streamUri: url(/^rtsp(?:s|\+https?)?:\/\/[^@\s]+$/i),
  snapshotUri: url(/^https?:\/\/[^\s]+$/i),
  audioCodec: v.optional(v.picklist(["G711", "G726", "AAC"])),
  ptzNodeToken: v.optional(text),
  hasAnalytics: v.boolean(),
});
const fileSchema = v.strictObject({
  format: v.literal(1),
  devices: v.record(
    v.pipe(v.string(), v.maxLength(URL_LENGTH_MAX)),
    v.strictObject({
      identity: v.optional(text),
      profiles: v.pipe(v.array(profileSchema), v.maxLength(PROFILES_MAX)),
    }),
  ),
});

export interface DeviceMemoryOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The last answers of ONVIF devices, by configured address, so that recording resumes after a restart before they are asked.
 */
export class DeviceMemory {
  readonly #path: string;
  readonly #log: Log;
  readonly #file: DelayedFile;
  readonly #devices = new Map<string, RememberedDevice>();

  constructor({ dataDir, clock, log }: DeviceMemoryOptions) {
    const file = path.join(dataDir, DEVICE_MEMORY_FILE);
    this.#path = file;
    this.#log = log;
    this.#file = new DelayedFile({
      file,
      text: () => JSON.stringify({ format: 1, devices: Object.fromEntries(this.#devices) }),
      delayMs: WRITE_DELAY_MS,
      clock,
      // A full system disk: recording continues, and the next start asks the cameras.
      onFailed: (error) =>
        log.warn({ file, error: errorText(error) }, "the answers of cameras cannot be saved"),
    });
  }

  /** Reads the file. An unreadable file is treated as a missing one. */
  start(): void {
    try {
      const read = readSmallFile(this.#path);
      if (read === undefined) return;
      if (read.length > FILE_BYTES_MAX) throw new Error("it is too large");
      for (const [address, device] of Object.entries(parseDevices(read))) this.#devices.set(address, device);
    } catch (error) {
      this.#log.warn(
        { file: this.#path, error: errorText(error) },
        "the stored answers of cameras cannot be read: the cameras are asked again",
      );
    }
  }

  get(address: string): RememberedDevice | undefined {
    return this.#devices.get(address);
  }

  set(address: string, { identity, profiles }: DeviceDescription): void {
    this.#devices.delete(address);
    this.#devices.set(address, { identity, profiles: profiles.slice(0, PROFILES_MAX) });
    for (const oldest of this.#devices.keys()) {
      if (this.#devices.size <= DEVICES_MAX) break;
      this.#devices.delete(oldest);
    }
    this.#file.changed();
  }

  /** Resolves when all changes are in the file. */
  async stop(): Promise<void> {
    await this.#file.stop();
  }
}

/** Throws if the text is not valid. */
function parseDevices(read: string): Record<string, RememberedDevice> {
  const { devices } = v.parse(fileSchema, JSON.parse(read));
  return Object.fromEntries(
    Object.entries(devices).map(([address, { identity, profiles }]) => [
      address,
      { identity, profiles: profiles.map(wholeProfile) },
    ]),
  );
}

/** Adds the members that JSON omits because they are undefined. */
function wholeProfile(read: v.InferOutput<typeof profileSchema>): DeviceProfile {
  const { codec, framesPerSecond, gopLength, bitrateLimit } = read;
  const { streamUri, snapshotUri, audioCodec, ptzNodeToken } = read;
  return {
    ...read,
    codec,
    framesPerSecond,
    gopLength,
    bitrateLimit,
    streamUri,
    snapshotUri,
    audioCodec,
    ptzNodeToken,
  };
}
