import type { VolumeStatus } from "../../../src/archive/index.js";
import {
  type CameraHealth,
  type DiskState,
  type HealthFigures,
  type StreamHealth,
  VIEWER_KINDS,
  type VolumeHealth,
} from "../../../src/health/index.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../api/api-fakes.js";

/** 2026-11-21T09:00:00Z. */
export const FIGURES_TIME_US = 1_795_251_600_000_000;
const DAY_BYTES = 100e9;

export function streamHealth(change: Partial<StreamHealth> = {}): StreamHealth {
  return {
    streamType: "Main",
    state: "active",
    cause: null,
    reason: null,
    codec: "H.264",
    width: 1920,
    height: 1080,
    frames: 250_000,
    bytes: 5_000_000_000,
    pictures: 90,
    damagedFrames: 3,
    losses: [],
    keyIntervalSeconds: null,
    connects: 2,
    viewers: 1,
    framesDropped: 0,
    framesThinned: 0,
    ...change,
  };
}

export function cameraHealth(id: string, name: string, change: Partial<CameraHealth> = {}): CameraHealth {
  return {
    ...{ id, name, isDisabled: false, isConnected: true, mustRecord: true, isRecording: true },
    streams: [streamHealth()],
    ...change,
  };
}

export function volumeStatus(change: Partial<VolumeStatus> = {}): VolumeStatus {
  return {
    id: "77777777-0000-4000-8000-000000000001",
    directory: "/mnt/one",
    isRetired: false,
    isUnread: false,
    totalBytes: 8e12,
    freeBytes: 5e12,
    files: { total: 6e7, free: 5e7 },
    usedBytes: 2.9e12,
    allowedBytes: 7.9e12,
    tooSmall: undefined,
    crowded: undefined,
    protectedBytes: 1e9,
    writtenTodayBytes: 30e9,
    writtenYearBytes: 2.9e12,
    projectedYearBytes: 36e12,
    workloadTbPerYear: 180,
    workloadShare: 0.2,
    channels: [{ channelId: GATE_ID, oldestUs: FIGURES_TIME_US - 29 * 86_400_000_000 }],
    ...change,
  };
}

export function volumeHealth(change: Partial<VolumeHealth> = {}): VolumeHealth {
  return {
    directory: "/mnt/one",
    isUsable: true,
    isRetired: false,
    reason: null,
    streams: 2,
    writtenBytes: 12e9,
    bytesPerSecond: 1_200_000,
    heldBytes: 40_000,
    heldBytesMax: 67_108_864,
    writeStallMs: 0,
    syncStallMs: 12,
    segmentsFailed: 0,
    bytesPerDay: DAY_BYTES,
    status: volumeStatus(),
    ...change,
  };
}

export function diskState(change: Partial<DiskState> = {}): DiskState {
  return {
    device: "/dev/sda",
    model: "Example 8TB",
    serial: "S1",
    firmware: "1.0",
    bytes: 8e12,
    kind: "ata",
    isRotational: true,
    isAsleep: false,
    volumes: ["/mnt/one"],
    verdict: "good",
    summary: "Disk sda (Example 8TB, serial S1) is well",
    smart: {
      readMs: FIGURES_TIME_US / 1000 - 600_000,
      passed: true,
      temperatureCelsius: 36,
      powerOnHours: 1000,
      bytesWritten: 4e12,
      reallocatedSectors: 0,
      uncorrectableErrors: 0,
      commandTimeouts: 0,
      pendingSectors: 0,
      offlineUncorrectable: 0,
      percentageUsed: null,
      availableSparePercent: null,
      criticalWarnings: [],
    },
    ...change,
  };
}

/** A recorder that is well: Gate and Yard record, Store is switched off. */
export function healthFigures(change: Partial<HealthFigures> = {}): HealthFigures {
  const errors = { database: false, frameSaving: false, drives: false, thinning: false, smart: false };
  return {
    timeUs: FIGURES_TIME_US,
    versions: {
      nvrd: "0.1.0",
      commit: "abc12345",
      commitTime: "2026-11-28T17:30:00.000Z",
      node: "v22.12.0",
      libav: "5.1.9 (libavcodec 59.37.100)",
      kernel: "6.1.0",
    },
    uptimeSeconds: 3600,
    cameras: [
      cameraHealth(GATE_ID, "Gate"),
      cameraHealth(YARD_ID, 'Двор <north> & "south"'),
      cameraHealth(STORE_ID, "Store", {
        ...{ isDisabled: true, isConnected: false, mustRecord: false, isRecording: false },
        streams: [],
      }),
    ],
    faultyCameras: new Set(),
    archive: { sizeMb: 2_900_000, writeMbitPerSecond: 9.6, depthDays: 29.5, errors },
    removed: { segments: 12, bytes: 480_000_000 },
    siteWarnings: [],
    protectionLack: undefined,
    index: {
      ...{ ready: true, failure: undefined, failing: false },
      ...{ uncommittedSegments: 2, droppedSegments: 0, damagedRecords: 0 },
      reading: { files: 12_800, share: 0.25 },
    },
    eventLog: { isOpen: true, isFailing: false, waitingEvents: 1, droppedEvents: 0, damagedRecords: 0 },
    findings: { unread: 0, waiting: 1, lost: 0, isFailing: false },
    volumes: [volumeHealth()],
    reach: { daysLeft: 50, daysHeld: 79 },
    disks: [diskState()],
    disksProblem: undefined,
    clock: {
      ...{ isKnown: true, knownBy: "time-server" as const, isSynchronized: true, fromBatteryClock: false },
      ...{ errorMaxMs: 1.5, steps: 0, lastStepMs: null },
    },
    memory: {
      rssBytes: 200e6,
      heapUsedBytes: 40e6,
      heapTotalBytes: 60e6,
      heapBytesMax: 2e9,
      externalBytes: 26e6,
      arrayBufferBytes: 24e6,
      slabBytes: 64e6,
      slabIdleBytes: 16e6,
      slabBytesMax: 1024e6,
      limitBytes: 3.2e9,
      limitedBy: "control group",
      neededBytes: 400e6,
      shares: { frames: 1024e6, pictures: 700e6 },
      leftOut: [],
    },
    machine: {
      memoryTotalBytes: 4e9,
      memoryAvailableBytes: 3e9,
      groupAvailableBytes: 2.5e9,
      load: [0.5, 0.25, 0.125],
      uptimeSeconds: 86_400,
      temperatures: [{ zone: "cpu-thermal", celsius: 48.5, criticalCelsius: 110 }],
      openFiles: 70,
      systemDisk: { totalBytes: 32e9, freeBytes: 20e9, files: { total: 2e6, free: 1.8e6 } },
    },
    eventLoop: { p50Ms: 0.25, p99Ms: 12.5, maxMs: 80, busyShare: 0.125 },
    cpuSeconds: 120.5,
    gc: [{ kind: "minor", runs: 100, seconds: 0.5 }],
    transcodes: 1,
    hub: undefined,
    partners: [],
    replicas: { problem: undefined, shares: [] },
    mqtt: undefined,
    motion: { cameras: 3, blind: 1, stretch: 1, isStrained: false, codecShare: 0.125 },
    objects: {
      ...{
        cameras: 2,
        isReady: true,
        cause: null,
        problem: null,
        looksNow: 2.9,
        looksWanted: 4,
        looksPossible: 3,
        decodingStretch: 2,
      },
      ...{ lateMs: 120, lookMs: 166, residentMb: 116, looks: 12_345, failures: 2, restarts: 1 },
    },
    away: [],
    bucket: undefined,
    alarms: [
      {
        ...{ name: "Guard", isEnabled: true, isFailing: false },
        ...{ waitingEvents: 0, omittedEvents: 0, problem: undefined },
      },
    ],
    listenerProblems: [],
    api: {
      requests: [{ method: "GET", route: "/video", status: 200, count: 7 }],
      ...{ openStreams: 2, eventListeners: 1, eventsNotSent: 0 },
      liveSocket: {
        ...{ clients: 2, liveWatches: 9, recordedWatches: 4, streams: 5, transcodedStreams: 1 },
        ...{ leftOut: 120, waitingBytes: 65_536 },
      },
      viewers: VIEWER_KINDS.map((kind, at) => ({ ...kind, now: at, sinceStart: 10 * at })),
    },
    runs: [
      {
        startMs: FIGURES_TIME_US / 1000 - 3_600_000,
        bootId: "99999999-0000-4000-8000-000000000001",
        version: "0.1.0",
        aliveMs: FIGURES_TIME_US / 1000,
        end: null,
      },
      {
        startMs: FIGURES_TIME_US / 1000 - 90_000_000,
        bootId: "99999999-0000-4000-8000-000000000000",
        version: "0.1.0",
        aliveMs: FIGURES_TIME_US / 1000 - 3_700_000,
        end: { kind: "power-lost", detail: "" },
      },
    ],
    crash: undefined,
    parts: {},
    ...change,
  };
}
