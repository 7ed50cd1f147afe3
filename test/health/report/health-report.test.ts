import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type HealthFigures,
  healthProblems,
  healthReport,
  isFaulty,
  PROBLEMS,
  summaryOf,
  visibleFigures,
  volumeDays,
} from "../../../src/health/index.js";
import type { ReportedLoss } from "../../../src/live/index.js";
import type { SiteWarning } from "../../../src/site/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import {
  cameraHealth,
  diskState,
  FIGURES_TIME_US,
  healthFigures,
  streamHealth,
  volumeHealth,
  volumeStatus,
} from "../../support/health/health-figures.js";

const HOUR_US = 3_600_000_000;
const AWAY_WAITING = { segments: 7, bytes: 9000, oldestDay: "2026-06-01" };

const WELL = healthFigures();
const PARTNER = {
  name: "Gatehouse",
  isConnected: true,
  sinceUs: 0,
  recordedHere: 0,
  reserveProblem: undefined,
};
const { machine, memory, eventLoop, archive, index, eventLog, clock } = WELL;
const lostGate = cameraHealth(GATE_ID, "Gate", {
  isConnected: false,
  isRecording: false,
  streams: [
    streamHealth({ state: "lost", cause: "unauthorized", reason: "the camera refuses the password" }),
  ],
});
const losing = (loss: ReportedLoss) =>
  cameraHealth(GATE_ID, "Gate", { streams: [streamHealth({ losses: [loss] })] });
const doubt = (kind: SiteWarning["kind"], what: string): SiteWarning => {
  return { kind, what, names: ["Gate", "Yard"], ids: [GATE_ID, YARD_ID] };
};
const endedRun = (minutesAgo: number, kind: "crashed" | "killed" | "power-lost") => ({
  startMs: FIGURES_TIME_US / 1000 - minutesAgo * 60_000,
  aliveMs: FIGURES_TIME_US / 1000 - minutesAgo * 60_000,
  ...{ bootId: "b", version: "1", end: { kind, detail: "" } },
});

describe("what is wrong", () => {
  it("names what cannot be recorded of a camera whose key frame is waited for", () => {
    const losses: ReportedLoss[] = [
      { id: "unknown-structure", detail: "", count: 3 },
      { id: "other-payload-type", detail: "", count: 3 },
    ];
    const stream = streamHealth({ state: "waiting", reason: "waiting for a key frame", losses });
    const cameras = [cameraHealth(GATE_ID, "Gate", { isConnected: false, streams: [stream] })];
    const codes = healthProblems(healthFigures({ cameras })).map(({ code }) => code);
    expect(codes).toEqual(["camera-losing", "camera-waiting", "camera-incomplete"]);
  });

  it("says nothing of cameras that a user may not see", () => {
    const figures = healthFigures({ siteWarnings: [doubt("same-name", "cameras with one name")] });
    const seen = visibleFigures(figures, (id) => id === GATE_ID);
    expect(healthProblems(seen)).toEqual([]);
  });

  it("is nothing on a recorder that is well", () => {
    expect(healthProblems(WELL)).toEqual([]);
    expect(healthReport(WELL)).toMatchObject({ state: "ok", summary: "2 of 2 recording, 50 days left" });
  });

  const cases: readonly (readonly [keyof typeof PROBLEMS, string, Partial<HealthFigures>])[] = [
    [
      "camera-lost",
      "camera Gate refuses user name or password: the camera refuses the password",
      { cameras: [lostGate], faultyCameras: new Set([GATE_ID]) },
    ],
    [
      "camera-not-recorded",
      "camera Gate sends, and is not recorded",
      { cameras: [cameraHealth(GATE_ID, "Gate", { isRecording: false })], faultyCameras: new Set([GATE_ID]) },
    ],
    [
      "camera-waiting",
      "camera Gate, stream Main: waiting for a key frame",
      {
        cameras: [
          cameraHealth(GATE_ID, "Gate", {
            ...{ isConnected: false, isRecording: false },
            streams: [streamHealth({ state: "waiting", reason: "waiting for a key frame" })],
          }),
        ],
        faultyCameras: new Set([GATE_ID]),
      },
    ],
    [
      "camera-losing",
      "camera Gate, stream Main: Pictures of the camera were dropped: they are larger than the recorder accepts",
      { cameras: [losing({ id: "too-large", detail: "", count: 3 })] },
    ],
    [
      "camera-incomplete",
      "camera Gate, stream Main: The camera's sound is of a kind that cannot be recorded (G722)",
      { cameras: [losing({ id: "sound-unsupported", detail: "G722", count: 0 })] },
    ],
    [
      "volume-lost",
      "volume /mnt/two is left out: it is not mounted",
      {
        volumes: [
          volumeHealth(),
          volumeHealth({
            directory: "/mnt/two",
            isUsable: false,
            reason: "it is not mounted",
            status: undefined,
          }),
        ],
      },
    ],
    [
      "volume-unread",
      "recordings of volume /mnt/one could not be read into the index: lists and timelines lack them",
      { volumes: [volumeHealth({ status: volumeStatus({ isUnread: true }) })] },
    ],
    [
      "volume-too-small",
      "volume /mnt/one keeps next to nothing: 1000 MB are to stay free, and 29 MB are there for that and for recordings",
      {
        volumes: [
          volumeHealth({ status: volumeStatus({ tooSmall: { reserveBytes: 1e9, roomBytes: 29_400_000 } }) }),
        ],
      },
    ],
    [
      "volume-crowded",
      "other files take 7920000 MB of the disk of volume /mnt/one, 99 %: 20 MB are left for recordings",
      {
        volumes: [
          volumeHealth({ status: volumeStatus({ crowded: { otherBytes: 7.92e12, leftBytes: 20e6 } }) }),
        ],
      },
    ],
    [
      "cameras-same-name",
      "cameras with one name, which lists and alarms cannot distinguish: Gate, Yard",
      {
        siteWarnings: [
          doubt("same-name", "cameras with one name, which lists and alarms cannot distinguish"),
        ],
      },
    ],
    [
      "cameras-same-device",
      "cameras that are the same device, so that it is recorded twice: Gate, Yard",
      {
        siteWarnings: [
          doubt("same-device", "cameras that are the same device, so that it is recorded twice"),
        ],
      },
    ],
    [
      "protection-unknown",
      "it is not known which recordings are protected, and none is deleted: protected.json: it is empty",
      { protectionLack: "protected.json: it is empty" },
    ],
    [
      "frames-dropped",
      "frames of cameras were not recorded in the last minutes",
      { archive: { ...archive, errors: { ...archive.errors, frameSaving: true } } },
    ],
    [
      "frames-thinned",
      "only key frames of some streams were recorded in the last minutes",
      { archive: { ...archive, errors: { ...archive.errors, thinning: true } } },
    ],
    ["index-failing", "the index of recordings cannot be written", { index: { ...index, failing: true } }],
    [
      "index-failing",
      "the index of recordings cannot be written: no space",
      { index: { ...index, failure: "no space" } },
    ],
    ["event-log-failing", "the event log cannot be written", { eventLog: { ...eventLog, isFailing: true } }],
    [
      "events-lost",
      "3 events were not kept since the start",
      { eventLog: { ...eventLog, droppedEvents: 3 } },
    ],
    [
      "findings-failing",
      "what was seen cannot be kept: 7 findings wait",
      { findings: { unread: 0, waiting: 7, lost: 0, isFailing: true } },
    ],
    [
      "findings-lost",
      "3 findings were not kept since the start",
      { findings: { unread: 0, waiting: 0, lost: 3, isFailing: false } },
    ],
    [
      "disk-failing",
      "sda has 24 bad sectors",
      { disks: [diskState({ verdict: "failing", summary: "sda has 24 bad sectors" })] },
    ],
    ["disk-worn", "sda is old", { disks: [diskState({ verdict: "worn", summary: "sda is old" })] }],
    [
      "disks-unknown",
      "smartctl is not installed",
      { disks: undefined, disksProblem: "smartctl is not installed" },
    ],
    [
      "disk-overworked",
      "volume /mnt/one is written at 150 % of its disk's workload rating",
      { volumes: [volumeHealth({ status: volumeStatus({ workloadShare: 1.5 }) })] },
    ],
    [
      "system-disk-full",
      "100 MB are free on the system disk",
      { machine: { ...machine, systemDisk: { totalBytes: 32e9, freeBytes: 100e6 } } },
    ],
    [
      "volume-files-low",
      "volume /mnt/one has inodes for 1500 more files of 1000000: the oldest recordings go although 5000000 MB are free",
      { volumes: [volumeHealth({ status: volumeStatus({ files: { total: 1e6, free: 1500 } }) })] },
    ],
    [
      "system-disk-files-low",
      "the system disk has inodes for 7 more files",
      {
        machine: {
          ...machine,
          systemDisk: { totalBytes: 32e9, freeBytes: 20e9, files: { total: 2e6, free: 7 } },
        },
      },
    ],
    ["clock-unknown", "the clock is not known to be set", { clock: { ...clock, isKnown: false } }],
    ["memory-low", "100 MB of memory are left", { machine: { ...machine, memoryAvailableBytes: 100e6 } }],
    [
      "frame-memory-low",
      "1000 MB of 1024 MB for frames are in use",
      { memory: { ...memory, slabBytes: 1010e6, slabIdleBytes: 10e6 } },
    ],
    [
      "memory-low",
      "20 MB of memory are left to the control group of the service",
      { machine: { ...machine, groupAvailableBytes: 20e6 } },
    ],
    [
      "frame-memory-low",
      "frames of cameras were dropped: 48 MB of 1024 MB for frames are in use",
      { memory: { ...memory, leftOut: ["frames"] } },
    ],
    [
      "memory-short",
      "memory is short: recordings begin later before motion than configured; pictures were not decoded",
      { memory: { ...memory, leftOut: ["preRoll", "pictures"] } },
    ],
    [
      "memory-small",
      "the control group gives 300 MB of memory, less than the 400 MB that the service needs",
      { memory: { ...memory, limitBytes: 300e6 }, objects: undefined },
    ],
    [
      "memory-small",
      "the control group gives 300 MB of memory, less than the 400 MB that the service needs while it looks for objects",
      { memory: { ...memory, limitBytes: 300e6 } },
    ],
    [
      "too-hot",
      "cpu-thermal has 106 °C",
      {
        machine: { ...machine, temperatures: [{ zone: "cpu-thermal", celsius: 106, criticalCelsius: 110 }] },
      },
    ],
    [
      "too-hot",
      "soc has 86 °C",
      { machine: { ...machine, temperatures: [{ zone: "soc", celsius: 86, criticalCelsius: null }] } },
    ],
    ["event-loop-late", "work was done up to 700 ms late", { eventLoop: { ...eventLoop, p99Ms: 700 } }],
    [
      "motion-slow",
      "motion is looked for 2.5 times less often than wanted",
      { motion: { cameras: 16, blind: 0, stretch: 2.5, isStrained: true, codecShare: 0.5 } },
    ],
    [
      "hub-lost",
      "the recorder is not connected to its hub hub.example:18443",
      { hub: { hub: "hub.example:18443", isConnected: false, sinceUs: 0 } },
    ],
    [
      "partner-lost",
      "the partner Gatehouse is not heard",
      { partners: [{ ...PARTNER, isConnected: false }] },
    ],
    [
      "recorded-for-partner",
      "2 cameras of Gatehouse are recorded here, because it is silent",
      { partners: [{ ...PARTNER, recordedHere: 2 }] },
    ],
    [
      "replicas-not-kept",
      "recordings of other recorders cannot be kept: the disk for replicas is not there",
      { replicas: { problem: "the disk for replicas is not there", shares: [] } },
    ],
    [
      "reserve-refuses",
      "the partner Gatehouse does not stand in for this recorder's cameras: too many",
      { partners: [{ ...PARTNER, reserveProblem: "too many" }] },
    ],
    [
      "mqtt-lost",
      "the MQTT broker mqtt://broker cannot be used: it refuses the login",
      {
        mqtt: {
          ...{ broker: "mqtt://broker", isConnected: false, sinceUs: 0, problem: "it refuses the login" },
          ...{ waitingMessages: 3, droppedMessages: 0, publishedMessages: 0 },
          ...{ commandsDone: 0, commandsRefused: 0 },
        },
      },
    ],
    [
      "alarm-failing",
      "alarms do not reach Guard: nobody answers",
      {
        alarms: [
          {
            ...{ name: "Guard", isEnabled: true, isFailing: true },
            ...{ waitingEvents: 3, omittedEvents: 0, problem: "nobody answers" },
          },
        ],
      },
    ],
    [
      "away-failing",
      "no recordings have gone to the target Cellar for 2 hours: s3.example refuses connections",
      {
        away: [
          {
            ...{ name: "Cellar", waiting: AWAY_WAITING, failingUs: 2.9 * HOUR_US },
            problem: "s3.example refuses connections",
          },
        ],
      },
    ],
    [
      "bucket-failing",
      "the bucket recordings cannot be read: it is busy",
      { bucket: { name: "recordings", problem: "it is busy" }, volumes: [] },
    ],
    [
      "port-shut",
      "nobody can connect over HTTPS: port 443 is in use",
      { listenerProblems: [{ name: "HTTPS", isShut: true, reason: "port 443 is in use" }] },
    ],
    [
      "certificate-not-used",
      "HTTPS has its former certificate: the key is another one's",
      { listenerProblems: [{ name: "HTTPS", isShut: false, reason: "the key is another one's" }] },
    ],
    [
      "certificate-not-renewed",
      "the certificate of HTTPS for nvr.example.org ends in 20 days and could not be renewed: down",
      {
        api: {
          ...healthFigures().api,
          certificateProblem:
            "the certificate of HTTPS for nvr.example.org ends in 20 days and could not be renewed: down",
        },
      },
    ],
    [
      "ends-unclean",
      "the service ended 3 times out of order in the last 24 hours",
      { runs: [endedRun(1, "crashed"), endedRun(60, "killed"), endedRun(600, "crashed")] },
    ],
  ];

  it("says nothing of a target that has failed for less than an hour", () => {
    const target = { name: "Cellar", waiting: AWAY_WAITING, problem: "it is busy" };
    for (const failingUs of [undefined, HOUR_US - 1])
      expect(healthProblems(healthFigures({ away: [{ ...target, failingUs }] }))).toEqual([]);
  });

  it.each(cases)("%s: %s", (code, text, change) => {
    const [severity, action] = PROBLEMS[code];
    const problems = healthProblems(healthFigures(change));
    const channel = code.startsWith("camera-") ? { channelId: GATE_ID } : {};
    expect(problems).toEqual([{ code, severity, text, action, ...channel }]);
    const state = severity === "error" ? "error" : "warning";
    expect(healthReport(healthFigures(change))).toMatchObject({ state });
  });

  it("no volume at all is one more than each that is lost", () => {
    const volumes = [volumeHealth({ isUsable: false })];
    expect(healthProblems(healthFigures({ volumes })).map(({ code }) => code)).toEqual([
      "no-volume",
      "volume-lost",
    ]);
  });

  it("every problem has a case here", () => {
    const covered = new Set(["no-volume", ...cases.map(([code]) => code)]);
    expect([...covered].toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
  });

  it("every problem has its row in docs/ref/api.md", () => {
    const page = readFileSync(new URL("../../../docs/ref/api.md", import.meta.url), "utf8");
    const rows = page.split("\n").map((line) => line.split(" | "));
    for (const [code, [severity, action]] of Object.entries(PROBLEMS))
      expect(
        rows.some((row) => row[0] === `| \`${code}\`` && row[1] === severity && row[3] === `${action} |`),
        code,
      ).toBe(true);
  });

  it("errors come before warnings", () => {
    const figures = healthFigures({
      clock: { ...clock, isKnown: false },
      cameras: [lostGate],
      faultyCameras: new Set([GATE_ID]),
    });
    expect(healthProblems(figures).map(({ severity }) => severity)).toEqual(["error", "warning"]);
    expect(summaryOf(figures)).toMatch(
      /^0 of 1 recording, 50 days left; camera Gate refuses .* \(and 1 more\)$/,
    );
  });

  it.each([
    [
      "power that was lost",
      [endedRun(1, "power-lost"), endedRun(2, "power-lost"), endedRun(3, "power-lost")],
    ],
    ["ends of long ago", [endedRun(1500, "crashed"), endedRun(1501, "crashed"), endedRun(1502, "crashed")]],
  ])("%s is no fault of the service", (_title, runs) => {
    expect(healthProblems(healthFigures({ runs }))).toEqual([]);
  });
});

describe("a camera is faulty", () => {
  const idle = { mustRecord: false, isRecording: false, isConnected: false };
  it.each([
    ["not while it is recorded", {}, false],
    ["when it is to be recorded and is not", { isRecording: false }, true],
    ["not while it is switched off", { isDisabled: true, isRecording: false }, false],
    ["not while nothing is wanted of it", { ...idle, streams: [streamHealth({ state: "idle" })] }, false],
    ["when a viewer's stream is lost", { ...idle, streams: [streamHealth({ state: "lost" })] }, true],
  ] as const)("%s", (_title, change, faulty) => {
    expect(isFaulty(cameraHealth(GATE_ID, "Gate", change))).toBe(faulty);
  });
});

describe("days", () => {
  it("of the archive are those of the forecast, in the report and its summary", () => {
    const figures = healthFigures({ reach: { daysLeft: 12.345, daysHeld: 30 } });
    const report = healthReport(figures);
    expect(report.archive).toMatchObject({ daysLeft: 12.35, daysHeld: 30 });
    expect(report.summary).toBe("2 of 2 recording, 12 days left");
  });

  it("of the archive are not known without a forecast", () => {
    const report = healthReport(healthFigures({ reach: undefined }));
    expect(report.archive).toMatchObject({ daysLeft: null, daysHeld: null });
    expect(report.summary).toBe("2 of 2 recording");
  });

  it("of a volume go by its own rate", () => {
    expect(volumeDays(volumeHealth())).toEqual({ daysLeft: 50, daysHeld: 79 });
    expect(volumeDays(volumeHealth({ bytesPerDay: 200e9 }))).toEqual({ daysLeft: 25, daysHeld: 39.5 });
  });

  it("of a volume are not known while its rate is not, nothing is written, or it is away", () => {
    for (const change of [{ bytesPerDay: undefined }, { bytesPerDay: 0 }, { status: undefined }])
      expect(volumeDays(volumeHealth(change))).toEqual({ daysLeft: undefined, daysHeld: undefined });
  });
});

it("hidden channels are in no list, no problem and not counted", () => {
  const figures = healthFigures({
    cameras: [lostGate, cameraHealth(YARD_ID, "Yard")],
    faultyCameras: new Set([GATE_ID]),
  });
  const report = healthReport(visibleFigures(figures, (id) => id === YARD_ID));
  expect(report).toMatchObject({ state: "ok", summary: "1 of 1 recording, 50 days left", problems: [] });
  expect(report.cameras).toMatchObject({ configured: 1, enabled: 1, recording: 1 });
  expect(JSON.stringify(report)).not.toContain("Gate");
});

it("an away target says how far it is behind", () => {
  const target = { name: "Cellar", waiting: AWAY_WAITING, failingUs: undefined, problem: undefined };
  const { away, state } = healthReport(healthFigures({ away: [target] }));
  expect(away).toEqual([
    {
      ...{ name: "Cellar", isFailing: false, waitingSegments: 7, waitingBytes: 9000 },
      oldestWaitingDay: "2026-06-01",
    },
  ]);
  expect(state).toBe("ok");
});

it("a part that comes later stands under its name", () => {
  expect(healthReport(healthFigures({ parts: { update: { state: "idle" } } }))).toMatchObject({
    update: { state: "idle" },
  });
});
