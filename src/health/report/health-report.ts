import { formatIsoTime, type Guid, US_PER_DAY, US_PER_MS } from "../../base/index.js";
import type { DiskState } from "../disk/disk-state.js";
import type { HealthFigures, VolumeHealth } from "./health-figures.js";
import { type HealthProblem, healthProblems } from "./health-problems.js";
import { healthSummary } from "./health-summary.js";
import type { Run } from "./run-history.js";

/** The worst severity of the present problems. */
export type HealthState = "ok" | "warning" | "error";

const DAY_DECIMALS = 2;

/** The figures that a user may see: hidden channels are in no list and not counted. */
export function visibleFigures(figures: HealthFigures, maySee: (channelId: Guid) => boolean): HealthFigures {
  return {
    ...figures,
    cameras: figures.cameras.filter(({ id }) => maySee(id)),
    siteWarnings: figures.siteWarnings.filter(({ ids }) => ids.every(maySee)),
  };
}

/** The report as plain data for JSON: times in ISO 8601, null for unknown values. */
export function healthReport(figures: HealthFigures) {
  const problems = healthProblems(figures);
  return {
    state: stateOf(problems),
    summary: summaryOf(figures, problems),
    time: formatIsoTime(figures.timeUs),
    problems: problems.map(({ channelId = null, ...rest }) => ({ ...rest, channelId })),
    cameras: camerasPart(figures),
    archive: archivePart(figures),
    volumes: figures.volumes.map((volume) => volumePart(volume, figures.timeUs)),
    disks: figures.disks?.map(diskPart) ?? null,
    disksProblem: figures.disksProblem ?? null,
    clock: figures.clock,
    memory: {
      ...figures.memory,
      systemTotalBytes: figures.machine.memoryTotalBytes,
      systemAvailableBytes: figures.machine.memoryAvailableBytes,
    },
    machine: {
      uptimeSeconds: figures.machine.uptimeSeconds,
      load: figures.machine.load,
      temperatures: figures.machine.temperatures,
      systemDisk: systemDiskPart(figures.machine.systemDisk),
    },
    service: {
      uptimeSeconds: figures.uptimeSeconds,
      cpuSeconds: figures.cpuSeconds,
      openFiles: figures.machine.openFiles,
      eventLoop: figures.eventLoop,
      openStreams: figures.api.openStreams,
      viewers: figures.api.viewers,
      eventListeners: figures.api.eventListeners,
      transcodes: figures.transcodes,
    },
    alarms: figures.alarms.map(({ name, isEnabled, isFailing, waitingEvents, omittedEvents, problem }) => ({
      ...{ name, isEnabled, isFailing, waitingEvents, omittedEvents },
      problem: problem ?? null,
    })),
    away: figures.away.map(({ name, waiting, failingUs }) => ({
      ...{ name, isFailing: failingUs !== undefined },
      ...{ waitingSegments: waiting.segments, waitingBytes: waiting.bytes },
      oldestWaitingDay: waiting.oldestDay ?? null,
    })),
    mqtt: mqttPart(figures),
    motion: figures.motion ?? null,
    objects: figures.objects ?? null,
    versions: figures.versions,
    restarts: figures.runs.map(runPart),
    lastCrash:
      figures.crash === undefined
        ? null
        : { time: isoOfMs(figures.crash.timeMs), version: figures.crash.version },
    ...figures.parts,
  };
}

/** The summary line. */
export function summaryOf(figures: HealthFigures, problems = healthProblems(figures)): string {
  const on = figures.cameras.filter(({ isDisabled }) => !isDisabled);
  const toRecord = on.filter(({ mustRecord }) => mustRecord);
  return healthSummary({
    camerasOn: on.length,
    camerasToRecord: toRecord.length,
    camerasRecording: toRecord.filter(({ isRecording }) => isRecording).length,
    ...archiveDays(figures),
    problems,
  });
}

/** Days of all volumes that are recorded onto, as the forecast has them: streams are spread over them, and move when one is gone. */
export function archiveDays({ reach }: Pick<HealthFigures, "reach">): ArchiveDays {
  return { daysLeft: reach?.daysLeft, daysHeld: reach?.daysHeld };
}

export interface ArchiveDays {
  /** Until the oldest recordings are deleted; undefined while the rate is not known, or nothing is written. */
  readonly daysLeft: number | undefined;
  /** That are held when full. */
  readonly daysHeld: number | undefined;
}

/** Days of one volume, at its own rate. */
export function volumeDays({ status, bytesPerDay }: VolumeHealth): ArchiveDays {
  if (status === undefined || bytesPerDay === undefined || bytesPerDay <= 0)
    return { daysLeft: undefined, daysHeld: undefined };
  const leftBytes = Math.max(0, status.allowedBytes - status.usedBytes);
  return { daysLeft: leftBytes / bytesPerDay, daysHeld: status.allowedBytes / bytesPerDay };
}

function stateOf(problems: readonly HealthProblem[]): HealthState {
  if (problems.some(({ severity }) => severity === "error")) return "error";
  return problems.length > 0 ? "warning" : "ok";
}

function camerasPart({ cameras }: HealthFigures) {
  const on = cameras.filter(({ isDisabled }) => !isDisabled);
  return {
    configured: cameras.length,
    enabled: on.length,
    connected: on.filter(({ isConnected }) => isConnected).length,
    toRecord: on.filter(({ mustRecord }) => mustRecord).length,
    recording: on.filter(({ isRecording }) => isRecording).length,
    list: cameras,
  };
}

function archivePart(figures: HealthFigures) {
  const { archive, index, eventLog, findings, removed } = figures;
  const { daysLeft, daysHeld } = archiveDays(figures);
  return {
    ...archive,
    daysLeft: daysOrNull(daysLeft),
    daysHeld: daysOrNull(daysHeld),
    removedSegments: removed.segments,
    removedBytes: removed.bytes,
    index: { ...index, failure: index.failure ?? null, reading: index.reading ?? null },
    eventLog,
    findings: findings ?? null,
  };
}

function volumePart(whole: VolumeHealth, timeUs: number) {
  const { status, bytesPerDay, ...volume } = whole;
  const { daysLeft, daysHeld } = volumeDays(whole);
  const oldestUs = status?.channels.reduce((oldest, channel) => Math.min(oldest, channel.oldestUs), timeUs);
  return {
    ...volume,
    id: status?.id ?? null,
    totalBytes: status?.totalBytes ?? null,
    freeBytes: status?.freeBytes ?? null,
    totalFiles: status?.files?.total ?? null,
    freeFiles: status?.files?.free ?? null,
    usedBytes: status?.usedBytes ?? null,
    allowedBytes: status?.allowedBytes ?? null,
    protectedBytes: status?.protectedBytes ?? null,
    bytesPerDay: bytesPerDay === undefined ? null : Math.round(bytesPerDay),
    daysLeft: daysOrNull(daysLeft),
    daysHeld: daysOrNull(daysHeld),
    depthDays: oldestUs === undefined ? null : daysOrNull((timeUs - oldestUs) / US_PER_DAY),
    writtenTodayBytes: status?.writtenTodayBytes ?? null,
    projectedYearBytes: status?.projectedYearBytes ?? null,
    workloadShare: status?.workloadShare ?? null,
  };
}

function mqttPart({ mqtt }: HealthFigures) {
  if (mqtt === undefined) return null;
  const { sinceUs, ...state } = mqtt;
  return { ...state, since: formatIsoTime(sinceUs) };
}

function systemDiskPart(space: HealthFigures["machine"]["systemDisk"]) {
  if (space === null) return null;
  const { files, totalBytes, freeBytes } = space;
  return { totalBytes, freeBytes, totalFiles: files?.total ?? null, freeFiles: files?.free ?? null };
}

function diskPart({ smart, ...disk }: DiskState) {
  if (smart === undefined) return { ...disk, smart: null };
  const { readMs, ...figures } = smart;
  return { ...disk, smart: { readTime: isoOfMs(readMs), ...figures } };
}

function runPart({ startMs, aliveMs, version, bootId, end }: Run) {
  return {
    start: isoOfMs(startMs),
    lastSeen: isoOfMs(aliveMs),
    end: end?.kind ?? null,
    detail: end?.detail ?? null,
    version,
    bootId,
  };
}

function isoOfMs(timeMs: number): string {
  return formatIsoTime(timeMs * US_PER_MS);
}

function daysOrNull(days: number | undefined): number | null {
  return days === undefined ? null : Math.round(days * 10 ** DAY_DECIMALS) / 10 ** DAY_DECIMALS;
}
