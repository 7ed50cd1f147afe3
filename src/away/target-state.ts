import * as v from "valibot";
import { type Clock, type Guid, type Log, US_PER_DAY } from "../base/index.js";
import { KeptFile, keptKind } from "../kept/index.js";
import { dayOf } from "./plan/sent-segment.js";
import type { UploadProgress } from "./send/send-messages.js";

const FOLDER_MODE = 0o750;
const SAVE_AFTER_MS = 2_000;
/** Numbers that grow with each segment: a kill takes what came within this time. */
const COUNTED_AFTER_MS = 10_000;
/** Of so many days it is known how much was sent. */
const SENT_DAYS_MAX = 31;
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const uploadSchema = v.object({
  key: v.string(),
  uploadId: v.string(),
  partBytes: whole,
  parts: v.array(v.object({ number: whole, etag: v.string() })),
});
const schema = v.object({
  sinceUs: v.record(v.string(), whole),
  settled: v.record(v.string(), v.string()),
  month: v.string(),
  monthBytes: whole,
  sentSegments: whole,
  sentBytes: whole,
  sentDays: v.optional(v.array(v.object({ day: v.string(), bytes: whole })), []),
  lastSentUs: v.optional(whole),
  upload: v.optional(uploadSchema),
  roomFromUs: v.optional(whole, 0),
  auditedKey: v.string(),
  auditedDay: v.string(),
});
type Kept = v.InferOutput<typeof schema>;

/** In the folder of a target, beside the journals of what was sent. */
export const TARGET_STATE_KIND = keptKind({
  name: "state.json",
  folder: "away/…/",
  says: "what a target's replication remembers beside its journals",
  policy: "rebuild",
  damaged: "the state of a target is lost",
  unsaved: "the state of a target cannot be saved",
  severity: "warn",
  schema,
  // Before anything was sent there is none.
  folderMode: FOLDER_MODE,
  delayMs: SAVE_AFTER_MS,
});

/** What of the recordings was sent on a day (UTC). */
export interface SentDay {
  readonly day: string;
  readonly bytes: number;
}

const NOTHING: Kept = {
  ...{ sinceUs: {}, settled: {}, month: "", monthBytes: 0 },
  ...{ sentSegments: 0, sentBytes: 0, sentDays: [], roomFromUs: 0, auditedKey: "", auditedDay: "" },
};

/**
 * What a target's replication remembers beside its journals: a small file. Without it nothing is sent twice; days are looked
 * through again, "from now on" begins anew, and the month's volume is counted from zero.
 */
export class TargetState {
  readonly #file: KeptFile<typeof schema>;
  #kept: Kept = NOTHING;

  constructor({ directory, clock, log }: { directory: string; clock: Clock; log: Log }) {
    this.#file = new KeptFile(TARGET_STATE_KIND, { directory, clock, log, content: () => this.#kept });
  }

  start(): void {
    this.#kept = this.#file.read() ?? NOTHING;
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  get kept(): Readonly<Kept> {
    return this.#kept;
  }

  change(change: Partial<Kept>, withinMs = SAVE_AFTER_MS): void {
    this.#kept = { ...this.#kept, ...change };
    this.#file.changed(withinMs);
  }

  /** What was wanted of a day when all of it had been sent. */
  get(day: string): string | undefined {
    return this.#kept.settled[day];
  }

  set(day: string, wanted: string | undefined): void {
    const { [day]: _before, ...others } = this.#kept.settled;
    this.change({ settled: wanted === undefined ? others : { ...others, [day]: wanted } });
  }

  retain(isHere: (day: string) => boolean): void {
    const { settled } = this.#kept;
    const here = Object.entries(settled).filter(([day]) => isHere(day));
    if (here.length < Object.keys(settled).length) this.change({ settled: Object.fromEntries(here) });
  }

  /** When "from now on" was first seen for a channel, never later than now; 0: from the oldest. */
  sinceUs(channelId: Guid, from: "now" | "oldest", nowUs: number): number {
    const { [channelId]: known, ...others } = this.#kept.sinceUs;
    if (from === "oldest") {
      if (known !== undefined) this.change({ sinceUs: others });
      return 0;
    }
    if (known !== undefined && known <= nowUs) return known;
    // It was ahead and was set back within the last hour: rather a day too much goes than nothing for years.
    const sinceUs = known === undefined ? nowUs : Math.max(0, nowUs - US_PER_DAY);
    this.change({ sinceUs: { ...others, [channelId]: sinceUs } });
    return sinceUs;
  }

  /** A segment is there. */
  noteSent(bytes: number, nowUs: number): void {
    const { sentSegments, sentBytes, sentDays } = this.#kept;
    const day = dayOf(nowUs);
    const before = sentDays.find((other) => other.day === day)?.bytes ?? 0;
    const days = [...sentDays.filter((other) => other.day !== day), { day, bytes: before + bytes }];
    const counted = {
      ...{ sentSegments: sentSegments + 1, sentBytes: sentBytes + bytes, lastSentUs: nowUs },
      sentDays: days.sort((a, b) => (a.day < b.day ? -1 : 1)).slice(-SENT_DAYS_MAX),
    };
    this.change(counted, COUNTED_AFTER_MS);
  }

  /** A segment of several parts that is under way. */
  uploadOf(key: string): UploadProgress | undefined {
    const { upload } = this.#kept;
    return upload?.key === key && upload.uploadId !== "" ? upload : undefined;
  }

  noteUpload(key: string, upload: UploadProgress | undefined): void {
    this.change({ upload: upload === undefined ? undefined : { key, ...upload, parts: [...upload.parts] } });
  }

  noteBytes(month: string, bytes: number): void {
    const monthBytes = (this.#kept.month === month ? this.#kept.monthBytes : 0) + bytes;
    this.change({ month, monthBytes }, COUNTED_AFTER_MS);
  }
}
