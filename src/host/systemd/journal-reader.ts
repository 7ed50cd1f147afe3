import { createInterface } from "node:readline";
import { errorText, startProgram } from "../../base/index.js";

/** One entry of the service in the journal. */
export interface JournalLine {
  /** Unix µs. */
  readonly timeUs: number;
  /** As in RFC 5424: 3 is an error, 4 a warning, 6 information. */
  readonly priority: number;
  readonly message: string;
}

interface JournalQuery {
  /** Entries at least as bad as this. */
  readonly priorityMax: number;
  /** Unix µs. */
  readonly sinceUs: number | undefined;
}

/** The program that reads it, for a test another one. */
const JOURNALCTL = "journalctl";
/** Longest wait: a journal on a slow disk may hold gigabytes. What was read by then is answered. */
const WAIT_MS = 5000;
const LINE_BYTES_MAX = 64 * 1024;
const US_PER_SECOND = 1_000_000;

/** There is no journal, or this process may not read it. */
export class JournalUnreadable extends Error {}

/**
 * The service's entries, the newest first, until the caller has enough. The command line is fixed but for two numbers. Throws
 * JournalUnreadable if there is no journal, or this process may not read it.
 */
export async function* readJournal(query: JournalQuery, program = JOURNALCTL): AsyncGenerator<JournalLine> {
  const { priorityMax, sinceUs } = query;
  const since = sinceUs === undefined ? [] : [`--since=@${Math.floor(sinceUs / US_PER_SECOND)}`];
  const fields = "--output-fields=MESSAGE,PRIORITY";
  const args = ["--unit=nvrd", "--no-pager", "--quiet", "--reverse", "--output=json", fields];
  const child = startReader(program, [...args, `--priority=${priorityMax}`, ...since]);
  let complaint = "";
  child.stderr.on("data", (bytes: Buffer) => {
    if (complaint.length < LINE_BYTES_MAX) complaint += bytes.toString("utf8");
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      complaint = error.message;
      resolve(null);
    });
    child.on("close", (status) => resolve(status));
  });
  let count = 0;
  try {
    for await (const text of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = text.length > LINE_BYTES_MAX ? undefined : lineOf(text);
      if (line === undefined) continue;
      count += 1;
      yield line;
    }
    const status = await ended;
    if (count === 0 && (status !== 0 || complaint !== "")) throw new JournalUnreadable(complaint.trim());
  } finally {
    child.kill("SIGKILL");
  }
}

/** Throws JournalUnreadable. */
function startReader(program: string, args: readonly string[]) {
  try {
    return startProgram(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: WAIT_MS,
      killSignal: "SIGKILL",
    });
  } catch (error) {
    throw new JournalUnreadable(errorText(error));
  }
}

function lineOf(text: string): JournalLine | undefined {
  const entry = parsed(text);
  if (entry === undefined) return undefined;
  const timeUs = Number(entry.__REALTIME_TIMESTAMP);
  const priority = Number(entry.PRIORITY ?? "6");
  if (!Number.isSafeInteger(timeUs) || !Number.isInteger(priority)) return undefined;
  return { timeUs, priority, message: textOf(entry.MESSAGE) };
}

/** A message that is no UTF-8 is a list of its bytes. */
function textOf(message: unknown): string {
  if (typeof message === "string") return message;
  return Array.isArray(message) ? Buffer.from(message as number[]).toString("utf8") : "";
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    return typeof entry === "object" && entry !== null ? { ...entry } : undefined;
  } catch {
    return undefined; // cut by the time limit
  }
}
