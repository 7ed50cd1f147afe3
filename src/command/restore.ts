import { readFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import {
  OFFER_BYTES_MAX,
  REPLICA_PATH,
  type RestoreReport,
  readOffer,
  recorderTarget,
  restoreBucket,
  type S3Target,
  s3TargetOf,
} from "../away/index.js";
import {
  BYTES_PER_MB,
  type Clock,
  createLog,
  EXIT,
  errorText,
  MS_PER_SECOND,
  NvrdError,
  SystemClock,
} from "../base/index.js";
import { awayReach, changed, readIdentity } from "../contract/index.js";
import { GUID_PATTERN, readerOfValue } from "../contract/reading/index.js";
import type { RestoreLine } from "./command-line.js";
import { ProgressLine } from "./progress-line.js";

const PERCENT = 100;
const DAMAGED_NAMED_MAX = 20;
const ASKED_MS_MAX = 10 * MS_PER_SECOND;

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
  const target = await readTarget(line.file, clock);
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

/** Another recorder instead: where this one sent replicas. */
const recorderSchema = v.object({
  Recorder: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  DataDir: v.pipe(v.string(), v.minLength(1)),
});

async function readTarget(file: string, clock: Clock): Promise<S3Target> {
  const refused = (reason: string): NvrdError =>
    new NvrdError("SETTINGS_INVALID", `${file}: ${reason}`, {
      hint: "give a JSON file with Endpoint, Bucket, AccessKeyId and SecretAccessKey, or with Recorder and DataDir",
    });
  let data: unknown;
  try {
    data = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    // The text may hold a secret, which JSON.parse would quote.
    throw refused(error instanceof SyntaxError ? "no JSON" : errorText(error));
  }
  const recorder = v.safeParse(recorderSchema, data);
  if (recorder.success) return await atRecorder(recorder.output, clock);
  const read = v.safeParse(schema, data);
  if (!read.success) {
    const [issue] = read.issues;
    throw refused(`${v.getDotPath(issue) ?? "the document"}: ${issue.message}`);
  }
  return s3TargetOf(changed(awayReach, read.output));
}

/** The place of a partner that keeps replicas: it is asked where. */
async function atRecorder(
  { Recorder, DataDir }: v.InferOutput<typeof recorderSchema>,
  clock: Clock,
): Promise<S3Target> {
  const { askOver, connectPartner, keptPlace } = await import("../fleet/index.js");
  const id = Recorder.toLowerCase();
  const { ownId, partner, place } = await keptPlace(
    { dataDir: DataDir, id },
    { clock, log: createLog({ level: "silent" }) },
  );
  const { session, host } = await connectPartner(place, clock);
  try {
    const question = { method: "GET", path: REPLICA_PATH, bytesMax: OFFER_BYTES_MAX, withinMs: ASKED_MS_MAX };
    const answer = await askOver(session, question, clock);
    const port = answer.status === 200 ? (readOffer(answer.body)?.Port ?? 0) : 0;
    if (port === 0)
      throw new NvrdError("NOT_AVAILABLE", `${partner.name} gives out no replicas now`, {
        hint: "look there at GET /api/fleet/replicas",
      });
    const at = { ...place, hosts: [host], name: partner.name, port, problem: "" };
    return s3TargetOf(recorderTarget({ id, ownId, place: at, channelIds: [] }));
  } finally {
    session.close();
  }
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
