import { createHash } from "node:crypto";
import { constants, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import {
  BOOT_TIMES_FILE,
  type BootTime,
  bootTimesText,
  HEADER_FIXED_BYTES,
  isKeyFramesHead,
  parseBootTimes,
  segmentPath,
  VOLUME_FORMAT_VERSION,
} from "../archive/index.js";
import {
  type Clock,
  type Guid,
  NvrdError,
  openPlain,
  pauseUnlessAborted,
  readSmallFile,
  replaceSmallFile,
  US_PER_DAY,
} from "../base/index.js";
import { findingFile } from "../finding/index.js";
import { BOOTS_BYTES_MAX, BOOTS_FOLDER } from "./plan/boot-keys.js";
import { FINDINGS_BYTES_MAX, findingsKey } from "./plan/finding-keys.js";
import {
  type ListedDay,
  listedDays,
  type ReadManifest,
  readManifest,
  revisionOf,
  segmentKey,
} from "./plan/manifest.js";
import { dayBeginUs, formOf, type SentEntry } from "./plan/sent-segment.js";
import { S3Client } from "./s3/s3-client.js";
import { S3Error } from "./s3/s3-error.js";
import type { S3Target } from "./s3/s3-target.js";
import { SealError } from "./seal/age-header.js";
import { Unsealing } from "./seal/age-stream.js";

const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;
const AT_ONCE = 4;
const TRIES = 6;
const RETRY_MS = 1000;

export interface RestoreOptions {
  readonly target: S3Target;
  /** Each volume of the recorder becomes a folder in it, named by its id. */
  readonly directory: string;
  /** Private keys, for what is encrypted. */
  readonly identities?: readonly Uint8Array[];
  readonly channelId?: Guid | undefined;
  /** Segments that overlap `[fromUs, toUs)`. */
  readonly fromUs?: number | undefined;
  readonly toUs?: number | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RestoreProgress) => void;
}

export interface RestoreProgress {
  /** Of the days of channels, 0 to 1. */
  readonly part: number;
  readonly segments: number;
  readonly bytes: number;
}

export interface RestoreReport {
  /** Fetched by this run. */
  readonly segments: number;
  readonly bytes: number;
  /** Fetched by an earlier one. */
  readonly kept: number;
  /** Named by a manifest and missing or changed in the bucket. */
  readonly damaged: readonly string[];
  /** Folders that are volumes now. */
  readonly volumes: readonly string[];
}

/**
 * Fetches what manifests name onto new disks, byte for byte; each file is compared with its SHA-256 before it gets its name. Run
 * again, it fetches what is missing. Rejects with S3Error, or with an error of the disk.
 */
export async function restoreBucket(options: RestoreOptions): Promise<RestoreReport> {
  const { target, clock } = options;
  const client = new S3Client({ target, clock });
  try {
    return await new Restoring(options, client).run();
  } finally {
    client.close();
  }
}

class Restoring {
  readonly #options: RestoreOptions;
  readonly #client: S3Client;
  readonly #volumes = new Map<string, Promise<void>>();
  readonly #damaged: string[] = [];
  #boots: ReadonlyMap<Guid, BootTime> = new Map();
  #hasAnswered = false;
  #segments = 0;
  #bytes = 0;
  #kept = 0;

  constructor(options: RestoreOptions, client: S3Client) {
    this.#options = options;
    this.#client = client;
  }

  async run(): Promise<RestoreReport> {
    this.#boots = await this.#bootTimes();
    const days = await this.#days();
    for (const [index, { keys }] of days.entries()) {
      const manifest = await this.#newest(keys);
      if (manifest !== undefined) await this.#restoreDay(manifest);
      this.#options.onProgress?.({
        ...{ part: (index + 1) / days.length, segments: this.#segments, bytes: this.#bytes },
      });
    }
    return {
      ...{ segments: this.#segments, bytes: this.#bytes, kept: this.#kept, damaged: this.#damaged },
      volumes: [...this.#volumes.keys()].sort(),
    };
  }

  /** The newest table of boots that can be read. */
  async #bootTimes(): Promise<ReadonlyMap<Guid, BootTime>> {
    const { objects } = await this.#tried(() => this.#client.list(BOOTS_FOLDER, this.#sending));
    const keys = objects.map(({ key }) => key).filter((key) => revisionOf(key) !== undefined);
    for (const key of keys.sort().reverse()) {
      const get = () => this.#client.get(key, { bytesMax: BOOTS_BYTES_MAX, ...this.#sending });
      const { body } = await this.#tried(get);
      try {
        return parseBootTimes(Buffer.from(body).toString("utf8"));
      } catch {
        this.#damaged.push(key);
      }
    }
    return new Map();
  }

  /** The days of the time that is wanted, the newest first. */
  async #days(): Promise<readonly ListedDay[]> {
    const { channelId, fromUs = 0, toUs = Number.POSITIVE_INFINITY } = this.#options;
    const start = channelId === undefined ? "manifests/" : `manifests/${channelId}/`;
    const keys: string[] = [];
    for (let after: string | undefined; ; ) {
      const list = () =>
        this.#client.list(start, { ...this.#sending, ...(after === undefined ? {} : { after }) });
      const { objects, next } = await this.#tried(list);
      keys.push(...objects.map(({ key }) => key));
      if (next === undefined) break;
      after = next;
    }
    const isWanted = ({ day }: ListedDay): boolean => {
      const beginUs = dayBeginUs(day);
      // A segment of the day before may reach into the time.
      return beginUs < toUs && beginUs + 2 * US_PER_DAY > fromUs;
    };
    return listedDays(keys).filter(isWanted);
  }

  async #newest(keys: readonly string[]): Promise<ReadManifest | undefined> {
    for (const key of keys) {
      const get = () => this.#client.get(key, { bytesMax: MANIFEST_BYTES_MAX, ...this.#sending });
      const content = await this.#tried(get);
      try {
        return readManifest(content.body);
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "FORMAT_NEWER") throw error;
        this.#damaged.push(key); // the one before it has nearly the same
      }
    }
    return undefined;
  }

  async #restoreDay({ channel, day, segments }: ReadManifest): Promise<void> {
    const { fromUs = 0, toUs = Number.POSITIVE_INFINITY } = this.#options;
    const waiting = segments.filter((segment) => segment.toUs > fromUs && segment.fromUs < toUs);
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        try {
          await this.#restore(channel.id, next);
        } catch (error) {
          // The others finish what they fetch: it need not be fetched again.
          waiting.length = 0;
          throw error;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    const last = segments.findLast((segment) => segment.toUs > fromUs && segment.fromUs < toUs);
    if (last !== undefined) await this.#restoreFindings(channel.id, day, last.volumeId);
  }

  /** What was found of a day comes back to a volume that has recordings of it; a recorder reads it from there. */
  async #restoreFindings(channelId: Guid, day: string, volumeId: string): Promise<void> {
    const key = findingsKey(channelId, day);
    const file = path.join(this.#options.directory, volumeId, findingFile(channelId, day));
    const get = () => this.#client.get(key, { bytesMax: FINDINGS_BYTES_MAX, ...this.#sending });
    try {
      const { body } = await this.#tried(get);
      if (((await stat(file).catch(() => undefined))?.size ?? 0) >= body.byteLength) return;
      await mkdir(path.dirname(file), { recursive: true });
      await replaceSmallFile(file, body);
    } catch (error) {
      if (!(error instanceof S3Error) || error.fault !== "not-found") throw error;
    }
  }

  async #restore(channelId: Guid, entry: SentEntry): Promise<void> {
    const key = segmentKey(channelId, entry);
    const volume = path.join(this.#options.directory, entry.volumeId);
    // Several at once begin with the same volume.
    const making = this.#volumes.get(volume) ?? this.#makeVolume(volume, entry.volumeId);
    this.#volumes.set(volume, making);
    await making;
    const { stream: streamType, segmentId } = entry;
    // Key frames alone have the name of the whole segment here: there is one of the two.
    const file = path.join(volume, segmentPath({ key: { channelId, streamType }, segmentId }));
    if (await isEnoughAt(file, entry)) {
      this.#kept += 1;
      return;
    }
    await mkdir(path.dirname(file), { recursive: true });
    const unfinished = `${file}.unfinished`;
    const isWhole = await this.#tried(() => this.#fetch(key, entry, unfinished));
    if (!isWhole) {
      await rm(unfinished, { force: true });
      this.#damaged.push(key);
      return;
    }
    await rename(unfinished, file);
    this.#segments += 1;
    this.#bytes += entry.bytes;
  }

  /** Resolves with whether the object is there, as it was sent. */
  async #fetch(key: string, entry: SentEntry, file: string): Promise<boolean> {
    const { sha256, sealedBytes, bytes } = entry;
    const unsealing = sealedBytes === undefined ? undefined : this.#unsealing(key);
    const out = createWriteStream(file);
    const digest = createHash("sha256");
    const failed = new Promise<never>((_, reject) => out.once("error", reject));
    failed.catch(() => undefined); // the race below reports it
    const sink = (piece: Uint8Array): boolean => {
      digest.update(piece);
      const plain = unsealing === undefined ? piece : unsealing.push(piece);
      return out.write(plain);
    };
    try {
      await Promise.race([
        this.#client.fetch(key, {
          bytesMax: sealedBytes ?? bytes,
          sink,
          drained: () => drain(out),
          ...this.#sending,
        }),
        failed,
      ]);
      if (unsealing !== undefined) out.write(unsealing.end());
    } catch (error) {
      out.destroy();
      const damage = sealDamageOf(error);
      if (damage?.isForOthers === true) throw wrongKey(key);
      if (damage !== undefined) return false;
      if (error instanceof S3Error && (error.fault === "not-found" || error.fault === "answer")) return false;
      throw error;
    }
    out.end();
    await finished(out);
    if (digest.digest("hex") !== sha256 || out.bytesWritten !== bytes) return false;
    const handle = await openPlain(file, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return true;
  }

  #unsealing(key: string): Unsealing {
    const { identities = [] } = this.#options;
    if (identities.length > 0) return new Unsealing(identities);
    throw new NvrdError("BAD_REQUEST", `${key} is encrypted, and no key was given`, {
      hint: "give the file with the private key: --identity FILE",
    });
  }

  /** A folder that a recorder takes for the volume it was. */
  async #makeVolume(volume: string, volumeId: Guid): Promise<void> {
    await mkdir(path.join(volume, "streams"), { recursive: true });
    const identity = path.join(volume, "volume.json");
    const created = new Date(Math.floor(this.#options.clock.nowUs() / 1000)).toISOString();
    const text = JSON.stringify({ formatVersion: VOLUME_FORMAT_VERSION, volumeId, created });
    if (!existsSync(identity)) await replaceSmallFile(identity, `${text}\n`);
    await this.#dateBoots(path.join(volume, BOOT_TIMES_FILE));
  }

  /** Without it recordings from before the clock was known would have the times that their headers say. */
  async #dateBoots(file: string): Promise<void> {
    if (this.#boots.size === 0) return;
    const all = new Map([...parseBootTimes(readSmallFile(file)), ...this.#boots]);
    await replaceSmallFile(file, bootTimesText(all));
  }

  get #sending(): { readonly signal?: AbortSignal } {
    const { signal } = this.#options;
    return signal === undefined ? {} : { signal };
  }

  /** Until something has answered, an address without a server is one that was entered wrong. */
  #isPassing({ fault, isLasting, code }: S3Error): boolean {
    const isWrongAddress = !this.#hasAnswered && (code === "ECONNREFUSED" || code === "ENOTFOUND");
    return !isLasting && fault !== "not-found" && !isWrongAddress;
  }

  /** Faults that pass by themselves are waited for. */
  async #tried<T>(work: () => Promise<T>): Promise<T> {
    const { clock, signal = new AbortController().signal } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        const done = await work();
        this.#hasAnswered = true;
        return done;
      } catch (error) {
        if (!(error instanceof S3Error) || !this.#isPassing(error) || tries >= TRIES || signal.aborted)
          throw error;
        await pauseUnlessAborted(clock, RETRY_MS * 2 ** tries, signal);
      }
    }
  }
}

/** Whether a file is what would be restored, or the whole of what would be restored as key frames. */
async function isEnoughAt(file: string, entry: SentEntry): Promise<boolean> {
  const known = await stat(file).catch(() => undefined);
  if (known === undefined) return false;
  const isKeyFrames = isKeyFramesHead(await headOf(file));
  if (formOf(entry) === "key frames" && !isKeyFrames) return true;
  return known.size === entry.bytes && isKeyFrames === (formOf(entry) === "key frames");
}

async function headOf(file: string): Promise<Buffer> {
  const handle = await openPlain(file, constants.O_RDONLY);
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(HEADER_FIXED_BYTES),
      0,
      HEADER_FIXED_BYTES,
      0,
    );
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const EVENTS = ["drain", "error", "close"];

function drain(out: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of EVENTS) out.removeListener(event, done);
      resolve();
    };
    for (const event of EVENTS) out.once(event, done);
  });
}

/** The client gives what a sink throws as the cause of its own error. */
function sealDamageOf(error: unknown): SealError | undefined {
  if (error instanceof SealError) return error;
  return error instanceof Error && error.cause instanceof SealError ? error.cause : undefined;
}

function wrongKey(key: string): NvrdError {
  return new NvrdError("BAD_REQUEST", `${key} is encrypted for another key`, {
    hint: "give the private key to one of the target's Recipients: --identity FILE",
  });
}
