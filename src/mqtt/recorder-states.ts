import type { UpdateState } from "../box/update/index.js";
import type { DiskState, HealthFigures, healthReport } from "../health/index.js";
import { type MqttTopics, topicLevel } from "./mqtt-topics.js";

type Report = ReturnType<typeof healthReport>;

/** A disk and the key that stands for it in topics. */
export interface NamedDisk {
  readonly key: string;
  readonly disk: DiskState;
}

/** What is known of the recorder now. */
export interface RecorderNow {
  readonly name: string;
  readonly report: Report;
  readonly errors: HealthFigures["archive"]["errors"];
  readonly disks: readonly NamedDisk[];
  readonly update: UpdateState;
}

/** Each disk under its serial number, or its device where it has none or shares it. */
export function namedDisks(disks: readonly DiskState[]): readonly NamedDisk[] {
  const keys = new Map<string, number>();
  for (const { serial } of disks) keys.set(topicLevel(serial), (keys.get(topicLevel(serial)) ?? 0) + 1);
  return disks.map((disk) => {
    const serial = topicLevel(disk.serial);
    const isOwn = serial !== "" && keys.get(serial) === 1;
    return { key: isOwn ? serial : topicLevel(disk.device.replace(/^\/dev\//, "")), disk };
  });
}

/** The states of the recorder by topic. */
export function recorderStates(topics: MqttTopics, now: RecorderNow): ReadonlyMap<string, string> {
  const { name, report, errors, disks } = now;
  const { state, problems, archive, clock, versions } = report;
  const recorder = {
    Name: name,
    Version: versions.nvrd,
    State: state,
    ProblemCount: problems.length,
    Problems: problems.map(({ code, severity, text, action, channelId }) => ({
      Code: code,
      Severity: severity,
      Text: text,
      Action: action,
      ChannelId: channelId,
    })),
    DepthDays: archive.depthDays,
    DaysLeft: archive.daysLeft,
    WriteErrors: writeErrors(errors),
    Clock: { IsKnown: clock.isKnown, KnownBy: clock.knownBy, IsSynchronized: clock.isSynchronized },
  };
  return new Map([
    [topics.recorder, JSON.stringify(recorder)],
    [topics.update, JSON.stringify(updateObject(versions.nvrd, now.update))],
    ...disks.map(({ key, disk }): [string, string] => [topics.disk(key), JSON.stringify(diskObject(disk))]),
  ]);
}

/** Whether recordings cannot be written, or could not in the last minutes; null: not known. */
function writeErrors({ database, frameSaving, drives }: RecorderNow["errors"]): boolean | null {
  const known = [database, frameSaving, drives].filter((error) => error !== null);
  return known.length === 0 ? null : known.includes(true);
}

function diskObject({ device, model, serial, bytes, verdict, summary, isAsleep, smart }: DiskState) {
  return {
    Device: device,
    Model: model,
    Serial: serial,
    Bytes: bytes,
    Verdict: verdict,
    IsFaulty: verdict === "failing" || verdict === "worn",
    Summary: summary,
    IsAsleep: isAsleep,
    TemperatureCelsius: smart?.temperatureCelsius ?? null,
  };
}

/** Phases in which a version other than the running one is on its way. */
const UNDER_WAY: ReadonlySet<UpdateState["phase"]> = new Set([
  "receiving",
  "checking",
  "waiting",
  "installing",
  "installed",
]);

/** As Home Assistant's update entity reads it. */
function updateObject(running: string, { phase, version, percent, message }: UpdateState) {
  const isUnderWay = UNDER_WAY.has(phase);
  return {
    installed_version: running,
    latest_version: isUnderWay && version !== null ? version : running,
    in_progress: isUnderWay,
    update_percentage: isUnderWay ? percent : null,
    title: "nvrd",
    release_summary: message.slice(0, 255),
  };
}
