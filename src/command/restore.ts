import { readFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { type RestoreReport, restoreBucket, s3TargetOf } from "../away/index.js";
import { BYTES_PER_MB, EXIT, errorText, NvrdError, SystemClock } from "../base/index.js";
import { awayReach, changed, readIdentity } from "../contract/index.js";
import { readerOfValue } from "../contract/reading/index.js";
import type { RestoreLine } from "./command-line.js";
import { ProgressLine } from "./progress-line.js";

const PERCENT = 100;
const DAMAGED_NAMED_MAX = 20;

/** The members of an away target that say where it is, as /configure/away has them; others are left out. */
const schema = v.object({
  Endpoint: readerOfValue(awayReach.Endpoint),
  Region: v.optional(readerOfValue(awayReach.Region)),
  Bucket: readerOfValue(awayReach.Bucket),
  Prefix: v.optional(readerOfValue(awayReach.Prefix)),
  Style: v.optional(readerOfValue(awayReach.Style)),
  AccessKeyId: readerOfValue(awayReach.AccessKeyId),
  SecretAccessKey: readerOfValue(awayReach.SecretAccessKey),
  SessionToken: v.nullish(readerOfValue(awayReach.SessionToken)),
  Authority: v.optional(readerOfValue(awayReach.Authority)),
  Proxy: v.optional(readerOfValue(awayReach.Proxy)),
  ProxyLogin: v.optional(readerOfValue(awayReach.ProxyLogin)),
  ProxyPassword: v.nullish(readerOfValue(awayReach.ProxyPassword)),
});

/** `nvrd restore`: fetches recordings from a bucket onto new disks. Resolves with the exit status. */
export async function runRestoreCommand(line: RestoreLine): Promise<number> {
  const clock = new SystemClock();
  const target = s3TargetOf(await readTarget(line.file));
  const shown = new ProgressLine(process.stderr, () => performance.now());
  const { channelId, fromUs, toUs } = line;
  const identities = line.identity === undefined ? [] : await readIdentities(line.identity);
  const directory = path.resolve(line.directory);
  try {
    const report = await restoreBucket({
      ...{ target, directory, identities, channelId, fromUs, toUs, clock },
      onProgress: ({ part, segments, bytes }) =>
        shown.show(`${Math.floor(part * PERCENT)} % ${segments} segments, ${megabytes(bytes)}`),
    });
    shown.end();
    process.stdout.write(line.json ? `${JSON.stringify(report)}\n` : reportText(report));
    return report.damaged.length === 0 ? EXIT.done : EXIT.problems;
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    throw new NvrdError("NOT_AVAILABLE", `the recordings cannot be fetched: ${errorText(error)}`, {
      hint: "run the same command again: it goes on where it was",
      cause: error,
    });
  } finally {
    shown.end();
  }
}

/** Private keys as `age-keygen` writes them: a line for each, and comments. */
async function readIdentities(file: string): Promise<readonly Uint8Array[]> {
  const refused = (reason: string): NvrdError =>
    new NvrdError("SETTINGS_INVALID", `${file}: ${reason}`, {
      hint: "give a file as age-keygen writes it, with a line AGE-SECRET-KEY-1…",
    });
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw refused(errorText(error));
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#")).map(readIdentity);
  if (keys.length === 0 || keys.includes(undefined)) throw refused("no private key of age can be read in it");
  return keys.filter((key) => key !== undefined);
}

async function readTarget(file: string): Promise<Parameters<typeof s3TargetOf>[0]> {
  const refused = (reason: string): NvrdError =>
    new NvrdError("SETTINGS_INVALID", `${file}: ${reason}`, {
      hint: "give a JSON file with Endpoint, Bucket, AccessKeyId and SecretAccessKey",
    });
  let data: unknown;
  try {
    data = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    // The text may hold a secret, which JSON.parse would quote.
    throw refused(error instanceof SyntaxError ? "no JSON" : errorText(error));
  }
  const read = v.safeParse(schema, data);
  if (!read.success) {
    const [issue] = read.issues;
    throw refused(`${v.getDotPath(issue) ?? "the document"}: ${issue.message}`);
  }
  return changed(awayReach, read.output);
}

function reportText({ segments, bytes, kept, damaged, volumes }: RestoreReport): string {
  const lines = [
    `${segments} segments fetched, ${megabytes(bytes)}; ${kept} were there already`,
    ...volumes.map((volume) => `volume: ${volume}`),
    ...damaged.slice(0, DAMAGED_NAMED_MAX).map((key) => `missing or changed in the bucket: ${key}`),
  ];
  if (damaged.length > DAMAGED_NAMED_MAX) lines.push(`and ${damaged.length - DAMAGED_NAMED_MAX} more`);
  return `${lines.join("\n")}\n`;
}

function megabytes(bytes: number): string {
  return `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
}
