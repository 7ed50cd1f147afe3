import * as v from "valibot";
import type { Clock, Log } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { DeviceDescription, DeviceProfile } from "../description/device-description.js";

/** What is kept about a device across a restart: enough to connect to its streams without asking it. */
export interface RememberedDevice {
  readonly identity: string | undefined;
  readonly profiles: readonly DeviceProfile[];
}

/** Name of the file in the data directory. It holds no credentials. Without it, the next start takes a moment longer. */
export const DEVICE_MEMORY_FILE = "camera-devices.json";
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
  devices: v.record(
    v.pipe(v.string(), v.maxLength(URL_LENGTH_MAX)),
    v.strictObject({
      identity: v.optional(text),
      profiles: v.pipe(v.array(profileSchema), v.maxLength(PROFILES_MAX)),
    }),
  ),
});

export const DEVICE_MEMORY_KIND = keptKind({
  name: DEVICE_MEMORY_FILE,
  says: "what ONVIF devices answered last",
  policy: "rebuild",
  damaged: "the stored answers of cameras cannot be read: the cameras are asked again",
  unsaved: "the answers of cameras cannot be saved",
  severity: "warn",
  versionMember: "format",
  schema: fileSchema,
  delayMs: WRITE_DELAY_MS,
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
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #devices = new Map<string, RememberedDevice>();

  constructor({ dataDir, clock, log }: DeviceMemoryOptions) {
    // A full system disk: recording continues, and the next start asks the cameras.
    const content = () => ({ devices: Object.fromEntries(this.#devices) });
    this.#file = new KeptFile(DEVICE_MEMORY_KIND, { directory: dataDir, clock, log, content });
  }

  /** Reads the file. An unreadable file is treated as a missing one. */
  start(): void {
    for (const [address, { identity, profiles }] of Object.entries(this.#file.read()?.devices ?? {}))
      this.#devices.set(address, { identity, profiles: profiles.map(wholeProfile) });
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
    await this.#file.flush();
  }
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
