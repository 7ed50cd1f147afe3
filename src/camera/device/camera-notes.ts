import * as v from "valibot";
import { type Clock, type Guid, type Log, STREAM_TYPES, type StreamType } from "../../base/index.js";
import { cameraStream } from "../../contract/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { Camera, VideoFormatName } from "../../site/index.js";
import { type DeviceTraits, isTwin } from "../description/device-traits.js";

/** Name of the file in the data directory. It holds no credentials. */
export const CAMERA_NOTES_FILE = "camera-notes.json";
const TEXT_LENGTH_MAX = 256;
const HOSTNAME_LENGTH_MAX = 4096;
const CAMERAS_MAX = 4096;
/** Cameras answer one after another at a start: they are written together. */
const WRITE_DELAY_MS = 2000;

/** Ports of a camera whose keys are kept. */
export const KEYS_MAX = 16;

/** The key of a camera's certificate at one of its ports. */
export interface CameraKey {
  readonly port: number;
  /** SHA-256 of the public key that is expected, hexadecimal. */
  readonly sha256: string;
  /** The camera shows this one instead: it is not sent the login until the owner accepts the key. */
  readonly offered?: string;
}

/** What is known of a camera by having met it, beside what is configured. */
export interface CameraNote {
  /** Its configured address when it was met: another one may be another camera. */
  readonly hostname: string;
  readonly device?: DeviceTraits;
  /** It took the login as a digest: it is never sent the password any more. */
  readonly tookDigest?: boolean;
  /** The same of its streams' sessions. */
  readonly streamsTookDigest?: boolean;
  /** What its streams are, whatever is configured. */
  readonly formats?: Readonly<Partial<Record<StreamType, VideoFormatName>>>;
  /** The keys of its certificates, by port. */
  readonly keys?: readonly CameraKey[];
}

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const key = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const noteSchema = v.object({
  hostname: v.pipe(v.string(), v.maxLength(HOSTNAME_LENGTH_MAX)),
  device: v.exactOptional(
    v.object({
      identity: text,
      announced: text,
      manufacturer: text,
      model: text,
      serial: text,
      hardwareId: text,
      mac: text,
    }),
  ),
  tookDigest: v.exactOptional(v.boolean()),
  streamsTookDigest: v.exactOptional(v.boolean()),
  formats: v.exactOptional(
    v.object(v.entriesFromList(STREAM_TYPES, v.exactOptional(v.picklist(cameraStream.VideoFormat.of)))),
  ),
  keys: v.exactOptional(
    v.pipe(
      v.array(
        v.object({ port: v.pipe(v.number(), v.integer()), sha256: key, offered: v.exactOptional(key) }),
      ),
      v.maxLength(KEYS_MAX),
    ),
  ),
});
const fileSchema = v.object({
  cameras: v.record(v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX)), noteSchema),
});

export const CAMERA_NOTES_KIND = keptKind({
  name: CAMERA_NOTES_FILE,
  says: "what was learned of each camera",
  policy: "rebuild",
  damaged: "what was learned of cameras cannot be read: they are met anew",
  unsaved: "what was learned of cameras cannot be written",
  severity: "warn",
  versionMember: "format",
  schema: fileSchema,
  delayMs: WRITE_DELAY_MS,
});

export interface CameraNotesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What was learned of each camera, kept over restarts, beside the configuration: learning it is no change of the
 * configuration. Losing the file costs that a camera is met anew.
 */
export class CameraNotes {
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #notes = new Map<Guid, CameraNote>();
  readonly #refusesSound = new WeakSet<Camera>();
  #formatsRevision = 0;

  constructor({ dataDir, clock, log }: CameraNotesOptions) {
    // A full system disk: recording continues, and the next start meets the cameras anew.
    const content = () => ({ cameras: Object.fromEntries(this.#notes) });
    this.#file = new KeptFile(CAMERA_NOTES_KIND, { directory: dataDir, clock, log, content });
  }

  /** Reads the file; one that cannot be read is as good as none. */
  start(): void {
    const notes = Object.entries(this.#file.read()?.cameras ?? {});
    for (const [id, note] of notes.slice(0, CAMERAS_MAX)) this.#notes.set(id, note);
  }

  /** Undefined when the camera was not met where it is configured. */
  of(camera: Camera): CameraNote | undefined {
    const note = this.#notes.get(camera.id);
    return note?.hostname === camera.connection.hostname ? note : undefined;
  }

  /** Whether two cameras were met as two devices, whatever identity they have. */
  areTwoDevices(one: Camera, other: Camera): boolean {
    const [known, shown] = [this.of(one)?.device, this.of(other)?.device];
    return known !== undefined && shown !== undefined && isTwin(known, shown, false);
  }

  /** What a stream of the camera was when it was last received; undefined: it never was. */
  formatOf(camera: Camera, streamType: StreamType): VideoFormatName | undefined {
    return this.of(camera)?.formats?.[streamType];
  }

  /** Whether the camera said that it takes no sound when it was last spoken to. */
  refusesSound(camera: Camera): boolean {
    return this.#refusesSound.has(camera);
  }

  /** A change of the camera's settings makes it open again, and so does a restart: a loudspeaker may have been switched on. */
  learnSound(camera: Camera, { isRefused }: { readonly isRefused: boolean }): void {
    if (this.refusesSound(camera) === isRefused) return;
    this.#formatsRevision += 1;
    if (isRefused) this.#refusesSound.add(camera);
    else this.#refusesSound.delete(camera);
  }

  /** Changes with what `formatOf` and `refusesSound` answer. */
  get formatsRevision(): number {
    return this.#formatsRevision;
  }

  learnFormat(camera: Camera, streamType: StreamType, format: VideoFormatName): void {
    if (this.formatOf(camera, streamType) === format) return;
    this.#formatsRevision += 1;
    this.learn(camera, { formats: { ...this.of(camera)?.formats, [streamType]: format } });
  }

  /** Adds what was learned; what is equal already costs nothing. */
  learn(camera: Camera, learned: Omit<CameraNote, "hostname">): void {
    const before = this.of(camera);
    const note: CameraNote = { ...before, ...learned, hostname: camera.connection.hostname };
    if (JSON.stringify(note) === JSON.stringify(before)) return;
    if (before === undefined && this.#notes.size >= CAMERAS_MAX) return;
    this.#notes.set(camera.id, note);
    this.#file.changed();
  }

  /** The camera is followed to another address: what is known of it holds there. */
  moved(camera: Camera, hostname: string): void {
    const before = this.of(camera);
    if (before === undefined) return;
    this.#formatsRevision += 1;
    this.#notes.set(camera.id, { ...before, hostname });
    this.#file.changed();
  }

  /** Which device the camera is, is open again: whichever answers is taken. */
  forgetDevice(camera: Camera): void {
    const before = this.#notes.get(camera.id);
    // Keys alone are of a camera whose device was never recognized: they stay.
    if (before?.device === undefined && before?.tookDigest === undefined) return;
    const {
      device: _device,
      tookDigest: _digest,
      streamsTookDigest: _streams,
      keys: _keys,
      ...rest
    } = before;
    this.#notes.set(camera.id, rest);
    this.#file.changed();
  }

  /** Forgets cameras that are gone. */
  keepOnly(cameras: readonly Camera[]): void {
    const ids = new Set(cameras.map(({ id }) => id));
    for (const id of [...this.#notes.keys()]) {
      if (ids.has(id)) continue;
      this.#notes.delete(id);
      this.#file.changed();
    }
  }

  /** Resolves when what was learned is in the file. */
  async stop(): Promise<void> {
    await this.#file.flush();
  }
}
