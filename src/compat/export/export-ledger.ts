import type { ArchiveKey } from "../../archive/index.js";
import type { Clock, ClockTimer, Guid } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { ByteRange } from "../../http/index.js";
import { spanText } from "../../route/index.js";
import type { ExportPlan, ExportRequest } from "./export-plan.js";

/** A download ends if nothing was sent for this time, so that a seeking player or a resuming client counts as one export. */
export const EXPORT_IDLE_MS = 60_000;
/** Maximum number of ranges tracked per export. */
const RANGES_MAX = 1000;
/** Maximum number of exports tracked; beyond it each answer counts as an export. */
const ENTRIES_MAX = 256;

export interface ExportUser {
  readonly id: Guid;
  readonly name: string;
}

/** A file that is sent. */
export interface SentFile extends Pick<ExportPlan, "streamTypes" | "etag"> {
  readonly request: Pick<ExportRequest, "channelName" | "fromUs" | "toUs" | "sound"> & {
    readonly of: Pick<ArchiveKey, "channelId">;
  };
  readonly byteLength: number;
}

interface Entry {
  readonly file: SentFile;
  readonly user: ExportUser;
  /** Bytes that were sent, ascending, not touching one another. */
  ranges: ByteRange[];
  sentBytes: number;
  underWay: number;
  timer: ClockTimer | undefined;
}

/**
 * Reports each export as an event: user, channel, time, number of bytes, whether the file is complete. Parts of one file
 * requested by one user count as one export.
 */
export class ExportLedger {
  readonly #events: Pick<EventLog, "raise">;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(options: { readonly events: Pick<EventLog, "raise">; readonly clock: Clock }) {
    this.#events = options.events;
    this.#clock = options.clock;
  }

  /** Called when an answer begins. The returned function must be called once with the bytes that were sent. */
  begin(file: SentFile, user: ExportUser): (sent: ByteRange) => void {
    const key = `${user.id} ${file.etag}`;
    const known = this.#entries.get(key);
    const entry = known ?? { file, user, ranges: [], sentBytes: 0, underWay: 0, timer: undefined };
    if (known === undefined && this.#entries.size < ENTRIES_MAX) this.#entries.set(key, entry);
    entry.timer?.clear();
    entry.underWay += 1;
    return (sent) => {
      entry.underWay -= 1;
      entry.sentBytes += sent.to - sent.from;
      entry.ranges = joined(entry.ranges, sent);
      if (entry.underWay > 0) return;
      const kept = this.#entries.get(key) === entry;
      if (!kept || isWhole(entry)) this.#report(key, entry);
      else entry.timer = this.#clock.setTimeout(() => this.#report(key, entry), EXPORT_IDLE_MS);
    };
  }

  /** Reports the remaining exports when the service stops. */
  stop(): void {
    for (const [key, entry] of [...this.#entries]) this.#report(key, entry);
  }

  #report(key: string, entry: Entry): void {
    entry.timer?.clear();
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    if (entry.sentBytes === 0) return;
    const { request, streamTypes, byteLength } = entry.file;
    const whole = isWhole(entry) ? "whole" : `aborted: ${coveredBytes(entry)} of ${byteLength} bytes`;
    const stream = `stream ${streamTypes.join(", ")}${request.sound ? " with sound" : ""}`;
    this.#events.raise({
      typeId: EVENT_TYPES.exportMade.id,
      channelId: request.of.channelId,
      channelName: request.channelName,
      comment: `${spanText(request.fromUs, request.toUs)}, ${stream}: ${entry.sentBytes} bytes sent, ${whole}`,
      initiator: { type: 1, id: entry.user.id, name: entry.user.name },
    });
  }
}

function isWhole(entry: Entry): boolean {
  return coveredBytes(entry) === entry.file.byteLength;
}

function coveredBytes({ ranges }: Entry): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The ranges with one added; beyond RANGES_MAX the newest range is ignored. */
function joined(ranges: readonly ByteRange[], added: ByteRange): ByteRange[] {
  if (added.to <= added.from) return [...ranges];
  const apart = ranges.filter(({ from, to }) => to < added.from || from > added.to);
  const touching = ranges.filter((range) => !apart.includes(range));
  if (touching.length === 0 && apart.length >= RANGES_MAX) return apart;
  const from = Math.min(added.from, ...touching.map((range) => range.from));
  const to = Math.max(added.to, ...touching.map((range) => range.to));
  return [...apart, { from, to }].sort((a, b) => a.from - b.from);
}
