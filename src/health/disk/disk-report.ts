import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import {
  type Clock,
  errorText,
  type Guid,
  NvrdError,
  readPlain,
  US_PER_MS,
  writeAfresh,
} from "../../base/index.js";
import { type BlockDisk, DISKS_MAX } from "./block-disks.js";
import type { SmartKnowledge } from "./smart-source.js";
import type { SmartReading } from "./smart-types.js";

/**
 * The file in which a process with root rights passes the health data of the disks to the service, which has no such rights.
 * docs/ref/disk-report.md describes it.
 */

export const DISK_REPORT_FORMAT = 1;
/** A report of DISKS_MAX disks is some 150 KB. */
export const DISK_REPORT_BYTES_MAX = 1024 * 1024;
const FILE_MODE = 0o644;
const TEXT_MAX = 1024;
const NAMES_MAX = 64;

const text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const texts = v.pipe(v.array(text), v.maxLength(NAMES_MAX), v.readonly());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const countOrNull = v.nullable(count);
const kind = v.picklist(["ata", "scsi", "nvme", "other"]);
const flagOrNull = v.nullable(v.boolean());

const reading = v.object({
  readMs: count,
  passed: flagOrNull,
  temperatureCelsius: v.nullable(v.pipe(v.number(), v.minValue(-100), v.maxValue(200))),
  powerOnHours: countOrNull,
  bytesWritten: countOrNull,
  reallocatedSectors: countOrNull,
  uncorrectableErrors: countOrNull,
  commandTimeouts: countOrNull,
  pendingSectors: countOrNull,
  offlineUncorrectable: countOrNull,
  percentageUsed: countOrNull,
  availableSparePercent: countOrNull,
  criticalWarnings: texts,
  availableSpareThresholdPercent: countOrNull,
  failedAttributes: texts,
  selfTestFailed: flagOrNull,
}) satisfies v.GenericSchema<unknown, SmartReading>;

const blockDisk = v.object({
  device: v.pipe(text, v.startsWith("/dev/")),
  name: text,
  model: text,
  serial: text,
  firmware: text,
  bytes: count,
  kind,
  isRotational: flagOrNull,
  isSuspended: v.boolean(),
}) satisfies v.GenericSchema<unknown, BlockDisk>;

const reportedDisk = v.object({
  disk: blockDisk,
  isAsleep: v.boolean(),
  problem: v.nullable(text),
  identity: v.nullable(
    v.object({
      model: text,
      serial: text,
      firmware: text,
      bytes: countOrNull,
      kind,
      isRotational: flagOrNull,
    }),
  ),
  askedMonotonicMs: countOrNull,
  readMonotonicMs: countOrNull,
  smart: v.nullable(reading),
});

const schema = v.object({
  format: v.literal(DISK_REPORT_FORMAT),
  bootId: text,
  writtenMs: count,
  writtenMonotonicMs: count,
  disks: v.pipe(v.array(reportedDisk), v.maxLength(DISKS_MAX)),
});

export type DiskReport = v.InferOutput<typeof schema>;
export type ReportedDisk = v.InferOutput<typeof reportedDisk>;

/** A disk's part of the report. */
export function reportedDiskOf(
  disk: BlockDisk,
  knowledge: SmartKnowledge | undefined,
  askedUs: number | undefined,
): ReportedDisk {
  return {
    disk,
    isAsleep: knowledge?.isAsleep ?? disk.isSuspended,
    problem: knowledge?.problem ?? null,
    identity: knowledge?.identity ?? null,
    askedMonotonicMs: milliseconds(askedUs),
    readMonotonicMs: milliseconds(knowledge?.readUs),
    smart: knowledge?.reading ?? null,
  };
}

/** What a disk's part of a report of this boot says. */
export function knowledgeOf(reported: ReportedDisk): SmartKnowledge {
  const { isAsleep, problem, identity, smart, readMonotonicMs } = reported;
  return {
    isAsleep,
    problem: problem ?? undefined,
    identity: identity ?? undefined,
    reading: smart ?? undefined,
    readUs: readMonotonicMs === null ? undefined : readMonotonicMs * US_PER_MS,
  };
}

export function makeDiskReport(disks: readonly ReportedDisk[], clock: Clock, bootId: Guid): DiskReport {
  return {
    format: DISK_REPORT_FORMAT,
    bootId,
    writtenMs: Math.floor(clock.nowUs() / US_PER_MS),
    writtenMonotonicMs: Math.floor(clock.monotonicUs() / US_PER_MS),
    disks: [...disks],
  };
}

/** Reads a report; undefined when there is no such file. Rejects with NvrdError NOT_AVAILABLE, in words, when it is not a report. */
export async function readDiskReport(file: string): Promise<DiskReport | undefined> {
  let printed: string | undefined;
  try {
    printed = (await readPlain(file, DISK_REPORT_BYTES_MAX)).toString("utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw noReport(file, errorText(error), error);
  }
  let value: unknown;
  try {
    value = JSON.parse(printed);
  } catch (error) {
    throw noReport(file, "it is no JSON", error);
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw noReport(file, `${v.getDotPath(issue) ?? "it"}: ${issue.message}`.slice(0, TEXT_MAX));
}

/**
 * Replaces the report; a reader sees the old one or the new one, whole. The directory may belong to somebody with fewer
 * rights: nothing that lies there already is opened.
 */
export async function writeDiskReport(file: string, report: DiskReport): Promise<void> {
  const unfinished = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomBytes(8).toString("hex")}`,
  );
  try {
    await writeAfresh(unfinished, `${JSON.stringify(report, undefined, 1)}\n`, FILE_MODE);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function noReport(file: string, why: string, cause?: unknown): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the disk report ${file} cannot be used: ${why}`, {
    hint: "see whether nvrd-disks.service writes it: journalctl -u nvrd-disks",
    ...(cause === undefined ? {} : { cause }),
  });
}

function milliseconds(timeUs: number | undefined): number | null {
  return timeUs === undefined ? null : Math.floor(timeUs / US_PER_MS);
}
