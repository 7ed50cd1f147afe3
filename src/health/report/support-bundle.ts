import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Clock, errorText, US_PER_MS, withTimeout } from "../../base/index.js";
import { type Secret, SecretScrubber } from "./secret-scrubber.js";

/** Most characters of one file; of a log the end is kept. */
export const ENTRY_LENGTH_MAX = 3_000_000;
/** Most characters of all files: packed, they are no larger, and fit the control socket's answer. */
export const BUNDLE_LENGTH_MAX = 10_000_000;
/** A file that is not there after this is left out. */
export const ENTRY_WAIT_MS = 10_000;
const FOLDER = "nvrd-support";
const FILE_MODE = 0o640;

/** One file of a support bundle. */
export interface SupportEntry {
  readonly name: string;
  /** What it is, for the bundle's README. */
  readonly about: string;
  /** The text; if it rejects, the file holds the reason. */
  readonly read: () => string | Promise<string>;
  /** Where it is too long: the end is kept, as of a log; the beginning otherwise. */
  readonly keepEnd?: boolean;
}

export interface SupportBundleOptions {
  readonly entries: readonly SupportEntry[];
  /** Secrets that must not occur in it. */
  readonly secrets: Iterable<Secret>;
  readonly clock: Clock;
}

/**
 * Packs the entries, without the secrets, into a tar archive, gzipped: at most 10 MB, within 10 s an entry; a missing part is
 * replaced by the reason, and the rest is still included.
 */
export async function supportBundle({ entries, secrets, clock }: SupportBundleOptions): Promise<Uint8Array> {
  const scrubber = new SecretScrubber(secrets);
  // Loaded on demand: most recorders never make one.
  const { pack } = await import("tar-stream");
  const archive = pack();
  const chunks: Buffer[] = [];
  const packed = pipeline(archive, createGzip(), async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) chunks.push(chunk);
  });
  const mtime = new Date(clock.nowUs() / US_PER_MS);
  const add = (name: string, text: string) =>
    archive.entry({ name: `${FOLDER}/${name}`, mode: FILE_MODE, mtime }, text);
  add("README.txt", readme(entries));
  let room = BUNDLE_LENGTH_MAX;
  for (const entry of entries) {
    const read = cut(await textOf(entry, clock), Math.min(ENTRY_LENGTH_MAX, room), entry);
    const text = await scrubber.scrub(read);
    room = Math.max(0, room - text.length);
    add(entry.name, text);
  }
  archive.finalize();
  await packed;
  return Buffer.concat(chunks);
}

async function textOf(entry: SupportEntry, clock: Clock): Promise<string> {
  const error = () => new Error(`it did not come within ${ENTRY_WAIT_MS / 1000} s`);
  try {
    const read = Promise.resolve().then(() => entry.read());
    return await withTimeout(read, { clock, ms: ENTRY_WAIT_MS, error });
  } catch (error) {
    return `not in this bundle: ${errorText(error)}\n`;
  }
}

function cut(text: string, lengthMax: number, { keepEnd = false }: SupportEntry): string {
  if (text.length <= lengthMax) return text;
  const note = `[cut: ${text.length - lengthMax} characters are left out]\n`;
  return keepEnd ? note + text.slice(text.length - lengthMax) : `${text.slice(0, lengthMax)}\n${note}`;
}

function readme(entries: readonly SupportEntry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  const lines = entries.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    "A support bundle of nvrd: what somebody needs to understand a recorder from afar.",
    "Passwords, their hashes and keys are not in it. Names of cameras and users, addresses, and what events say are:",
    "look through it before you send it to anybody.",
    "",
    ...lines,
    "",
  ].join("\n");
}
