import { type Guid, NvrdError } from "../base/index.js";
import { placeOfManifest, type ReadManifest, readManifest, segmentKey } from "./plan/manifest.js";
import type { SentEntry } from "./plan/sent-segment.js";
import type { Sender } from "./send/sender.js";
import type { TargetState } from "./target-state.js";

const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;
const PERCENT = 100;

/** An object that is not as it was sent. */
export interface AuditFinding {
  readonly channelId: Guid;
  readonly day: string;
  readonly entry: SentEntry;
  readonly isMissing: boolean;
}

/** A manifest that is not as it was written. */
export interface ManifestFinding {
  readonly channelId: Guid;
  readonly day: string;
  readonly key: string;
}

/** A day whose manifest is not there, though it was written. */
export interface MissingManifest {
  readonly channelId: Guid;
  readonly day: string;
}

export interface AuditOptions {
  readonly sender: Pick<Sender, "run">;
  readonly state: TargetState;
  readonly percent: () => number;
  readonly today: () => string;
  /** Whether it may be gone because of its age. */
  readonly isAgeing: (channelId: Guid, entry: SentEntry) => boolean;
  readonly onFinding: (finding: AuditFinding) => Promise<void>;
  readonly onManifest: (finding: ManifestFinding) => Promise<void>;
  /** Days that were named, as far as it is known here, of which none of these manifests is. Rejects with SendError. */
  readonly missingAmong: (listed: readonly string[]) => Promise<readonly MissingManifest[]>;
  readonly onMissing: (finding: MissingManifest) => Promise<void>;
}

interface Waiting {
  readonly channelId: Guid;
  readonly day: string;
  readonly entry: SentEntry;
}

/**
 * Reads back what was sent, manifest after manifest, a share of them each day, so that in the end all was read; then from the
 * beginning. One object at a time, so that sending goes on between. A manifest that is gone would be read by nobody: each day all are looked for.
 */
export class Audit {
  readonly #options: AuditOptions;
  #manifests: string[] = [];
  #missing: MissingManifest[] = [];
  #current: string | undefined;
  #waiting: Waiting[] = [];

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Reads one object; false when there is nothing to do today. Rejects with SendError. */
  async step(): Promise<boolean> {
    const { sender, state, onMissing } = this.#options;
    await this.#plan();
    const [missing] = this.#missing;
    if (missing !== undefined) {
      await onMissing(missing);
      this.#missing.shift();
      return true;
    }
    while (this.#waiting.length === 0) {
      if (this.#current !== undefined) state.change({ auditedKey: this.#current });
      this.#current = this.#manifests.shift();
      if (this.#current === undefined) return false;
      this.#waiting = await this.#entriesOf(this.#current);
    }
    const next = this.#waiting[0];
    if (next === undefined) return false;
    const { channelId, day, entry } = next;
    const key = segmentKey(channelId, entry);
    // One more byte than it should have is enough to see that it is another.
    const sha256 = await sender
      .run({ op: "digest", key, bytesMax: (entry.sealedBytes ?? entry.bytes) + 1 })
      .catch((error: unknown) => {
        if (isTooLong(error)) return "longer";
        throw error;
      });
    this.#waiting.shift();
    const isAged = sha256 === undefined && this.#options.isAgeing(channelId, entry);
    if (sha256 !== entry.sha256 && !isAged)
      await this.#options.onFinding({ channelId, day, entry, isMissing: sha256 === undefined });
    return true;
  }

  /** Once a day: the manifests after those of yesterday, and all that are not there any more. */
  async #plan(): Promise<void> {
    const { sender, state, percent, today, missingAmong } = this.#options;
    const { auditedDay, auditedKey } = state.kept;
    if (auditedDay === today() || percent() === 0) return;
    const listed = (await sender.run({ op: "list", start: "manifests/" })).map(({ key }) => key).sort();
    const share = Math.ceil((listed.length * percent()) / PERCENT);
    const after = listed.filter((key) => key > auditedKey);
    this.#missing = [...(await missingAmong(listed))];
    this.#manifests = [...after, ...listed].slice(0, share);
    state.change({ auditedDay: today() });
  }

  async #entriesOf(key: string): Promise<Waiting[]> {
    const { sender, onManifest } = this.#options;
    const place = placeOfManifest(key);
    // Somebody else's object.
    if (place === undefined) return [];
    const content = await sender
      .run({ op: "get", key, bytesMax: MANIFEST_BYTES_MAX })
      .catch((error: unknown) => {
        if (isTooLong(error)) return Buffer.alloc(0);
        throw error;
      });
    // Replaced by a newer one since it was listed: that one is read in the next round.
    if (content === undefined) return [];
    const segments = segmentsOf(content, place);
    if (segments === undefined) await onManifest({ ...place, key });
    return (segments ?? []).map((entry) => ({ ...place, entry }));
  }
}

/** Undefined: it is no manifest, or that of another day. */
function segmentsOf(
  content: Uint8Array,
  { channelId, day }: Pick<Waiting, "channelId" | "day">,
): ReadManifest["segments"] | undefined {
  try {
    const read = readManifest(content);
    return read.channel.id === channelId && read.day === day ? read.segments : undefined;
  } catch (error) {
    // A later version has written it, which this one may not replace.
    if (error instanceof NvrdError && error.code === "FORMAT_NEWER") return [];
    return undefined;
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && "fault" in error && error.fault === "answer";
}
