import { type LogRing, US_PER_MS } from "../../base/index.js";
import { LOG_LEVELS, type LogLevel } from "../../contract/answer/index.js";
import { type Secret, SecretScrubber } from "../../health/index.js";
import { type JournalLine, JournalUnreadable, readJournal } from "../../host/systemd/index.js";
import type { LogQuery, ServiceLogLine, ServiceLogPage, ServiceLogReader } from "../../owner/index.js";

export interface ServiceLogOptions {
  /** The newest lines of this run. */
  readonly ring: LogRing;
  /** The service writes its log to the journal. */
  readonly isJournalled: boolean;
  readonly secrets: () => readonly Secret[];
  /** The program that reads the journal; for tests. */
  readonly program?: string;
}

/** Most lines looked at for one answer: some seconds of reading. */
const LOOKED_AT_MAX = 50_000;
/** A person reads no further. */
const TEXT_LENGTH_MAX = 2000;
const PRIORITY_OF: Readonly<Record<LogLevel, number>> = { Debug: 7, Information: 6, Warning: 4, Error: 3 };
/** Levels of pino from which a line is as bad. */
const PINO_LEVELS: readonly (readonly [number, LogLevel])[] = [
  [50, "Error"],
  [40, "Warning"],
  [30, "Information"],
];

/** The service's own log for administrators: from the journal where it goes there, else what is in memory. */
export class ServiceLog implements ServiceLogReader {
  readonly #options: ServiceLogOptions;
  /** Requests come one after the other: each may read gigabytes. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ServiceLogOptions) {
    this.#options = options;
  }

  read(query: LogQuery): Promise<ServiceLogPage> {
    const page = this.#last.then(() => this.#read(query));
    this.#last = page.catch(() => undefined);
    return page;
  }

  async #read(query: LogQuery): Promise<ServiceLogPage> {
    const page = await this.#page(query);
    // Secrets are left out where lines are written; this catches what was missed there.
    const scrubber = new SecretScrubber(this.#options.secrets());
    const lines: ServiceLogLine[] = [];
    for (const line of page.lines) {
      // Cut afterwards: a secret that is cut is not found any more.
      const text = await scrubber.scrub(line.text);
      lines.push({ ...line, text: text.slice(0, TEXT_LENGTH_MAX) });
    }
    return { ...page, lines };
  }

  async #page(query: LogQuery): Promise<ServiceLogPage> {
    const { isJournalled, program } = this.#options;
    if (isJournalled) {
      try {
        const { sinceUs } = query;
        const entries = readJournal({ priorityMax: PRIORITY_OF[query.level], sinceUs }, program);
        return { source: "Journal", ...(await matching(mapped(entries), query)) };
      } catch (error) {
        // This process may not read it: what this run has written is there all the same.
        if (!(error instanceof JournalUnreadable)) throw error;
      }
    }
    return { source: "Memory", ...(await matching(this.#inMemory(), query)) };
  }

  async *#inMemory(): AsyncGenerator<ServiceLogLine> {
    for (const text of this.#options.ring.lines().toReversed()) yield lineOf(text);
  }
}

async function* mapped(entries: AsyncGenerator<JournalLine>): AsyncGenerator<ServiceLogLine> {
  for await (const { timeUs, priority, message } of entries) {
    const level = LOG_LEVELS.findLast((name) => priority <= PRIORITY_OF[name]) ?? "Debug";
    yield { timeUs, level, text: message };
  }
}

async function matching(
  lines: AsyncGenerator<ServiceLogLine>,
  query: LogQuery,
): Promise<Pick<ServiceLogPage, "lines" | "hasMore">> {
  const found: ServiceLogLine[] = [];
  let lookedAt = 0;
  for await (const line of lines) {
    lookedAt += 1;
    if (line.timeUs < (query.sinceUs ?? 0)) break;
    const isFull = found.length >= query.limit;
    if ((isFull && isWanted(line, query)) || lookedAt > LOOKED_AT_MAX) return { lines: found, hasMore: true };
    if (isWanted(line, query)) found.push(line);
  }
  return { lines: found, hasMore: false };
}

function isWanted({ level, text }: ServiceLogLine, query: LogQuery): boolean {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(query.level)) return false;
  const lower = text.toLowerCase();
  // Lines name a camera by its id, in members of different names.
  if (query.channelId !== undefined && !lower.includes(query.channelId)) return false;
  return query.text === undefined || lower.includes(query.text.toLowerCase());
}

/** A line of pino: its message and the other members. */
function lineOf(line: string): ServiceLogLine {
  const data = parsed(line);
  const { level, time, msg, ...members } = data ?? {};
  const rest = Object.entries(members).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const text = data === undefined ? line.trimEnd() : String(msg ?? "");
  return {
    timeUs: typeof time === "number" ? time * US_PER_MS : 0,
    level: PINO_LEVELS.find(([from]) => Number(level ?? 30) >= from)?.[1] ?? "Debug",
    text: rest.length === 0 ? text : `${text} (${rest.join(" ")})`,
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(line);
    return typeof data === "object" && data !== null ? { ...data } : undefined;
  } catch {
    return undefined; // a long line that was cut
  }
}
