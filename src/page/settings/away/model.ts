import { requestJson } from "../../state/request.js";
import { hoursOf, type Limit, type LimitedHours, limitsOf } from "./limits.js";
import { type CameraPlan, type CameraPlans, camerasOf, type Plan, plansOf, secondsOf } from "./plans.js";
import { numberOf } from "./typed.js";

/** Members that are texts, those that are numbers, and those that are never shown again. */
const TEXTS = [
  ...(["Name", "Endpoint", "Region", "Bucket", "Prefix", "AccessKeyId"] as const),
  ...(["Authority", "Proxy", "ProxyLogin"] as const),
];
const NUMBERS = [
  ...(["KilobitsPerSecondMax", "GigabytesPerMonthMax", "KeepDays"] as const),
  ...(["LockDays", "AuditPercentPerDay"] as const),
];
export const SECRETS = ["SecretAccessKey", "SessionToken", "ProxyPassword", "Identity"] as const;
/** Members with one of several words. */
export const CHOICES = {
  Style: ["Path", "Host"],
  LockMode: ["None", "Governance", "Compliance"],
  AgeBy: ["Recorder", "Bucket"],
} as const;
const FLAGS = ["IsEnabled", "LegalHold"] as const;

type Chosen = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
type Texts<Name extends string> = { readonly [Each in Name]: string };

/** A target as `/configure/away` has it. */
export interface Target
  extends Plan,
    Chosen,
    Texts<(typeof TEXTS)[number]>,
    Readonly<Record<(typeof FLAGS)[number], boolean>>,
    Readonly<Record<(typeof NUMBERS)[number], number | null>> {
  readonly Id: string;
  readonly Cameras: readonly CameraPlan[];
  readonly Hours: readonly LimitedHours[];
  readonly Recipients: readonly string[];
}

/** How it does, as `/api/away` has it; of targets that are on. */
export interface TargetState {
  readonly Id: string;
  readonly Activity: "Starting" | "Idle" | "Sending" | "Paused" | "Failing";
  readonly WaitingSegments: number;
  readonly WaitingBytes: number;
  readonly OldestWaitingDay: string | null;
  readonly SentSegments: number;
  readonly SentBytes: number;
  readonly MonthBytes: number;
  readonly SentDays: readonly SentDay[];
  readonly Problem: string | null;
  readonly ReadProblem: string | null;
}

/** What was sent on a day, UTC. */
export interface SentDay {
  readonly Day: string;
  readonly Bytes: number;
}

export interface Targets {
  readonly list: readonly Target[];
  readonly states: readonly TargetState[];
}

export async function readTargets(): Promise<Targets> {
  const [list, states] = await Promise.all([
    requestJson<readonly Target[]>("/configure/away"),
    requestJson<readonly TargetState[]>("/api/away"),
  ]);
  return { list, states };
}

/** What the form holds: numbers and lists as they are typed; a secret that is empty stays as it is. */
export interface Draft
  extends Plan,
    Chosen,
    Texts<(typeof TEXTS)[number] | (typeof NUMBERS)[number] | (typeof SECRETS)[number]>,
    Readonly<Record<(typeof FLAGS)[number], boolean>> {
  readonly Recipients: string;
  /** Secrets other than the first are removed. */
  readonly ClearSecrets: boolean;
  readonly plans: readonly CameraPlans[];
  readonly limits: readonly Limit[];
}

/** Members that are typed, the name aside. */
export type TextName =
  | Exclude<(typeof TEXTS)[number], "Name" | "Authority">
  | (typeof NUMBERS)[number]
  | (typeof SECRETS)[number]
  | "Recipients";

const NEW: Omit<Target, "Id"> = {
  ...{ Name: "", IsEnabled: true, Endpoint: "", Region: "us-east-1", Bucket: "", Prefix: "", Style: "Path" },
  ...{ AccessKeyId: "", Authority: "", Proxy: "", ProxyLogin: "" },
  ...{ Content: "Everything", Stream: "Recorded", From: "Now", SecondsBefore: 10, SecondsAfter: 60 },
  ...{ Cameras: [], KilobitsPerSecondMax: null, Hours: [], GigabytesPerMonthMax: null },
  ...{ AuditPercentPerDay: 1, LockMode: "None", LockDays: 90, LegalHold: false },
  ...{ KeepDays: null, AgeBy: "Recorder", Recipients: [] },
};

export function draftOf(target: Target | undefined): Draft {
  const { Cameras, Hours, Recipients, ...rest } = target ?? NEW;
  const typed = Object.fromEntries(NUMBERS.map((name) => [name, `${rest[name] ?? ""}`]));
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, ""]));
  return {
    ...rest,
    ...(typed as Texts<(typeof NUMBERS)[number]>),
    ...(secrets as Texts<(typeof SECRETS)[number]>),
    ...{ Recipients: Recipients.join(" "), ClearSecrets: false },
    ...{ plans: plansOf(Cameras), limits: limitsOf(Hours) },
  };
}

/** Adds a target (without `id`), or changes it; one that is on is tried first. Rejects with RequestError: its message says what is wrong. */
export async function saveTarget(draft: Draft, id: string | undefined): Promise<void> {
  const { plans, limits, Recipients, ...rest } = draft;
  const target = {
    ...rest,
    ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf(draft[name])])),
    ...secondsOf(draft),
    ...(id === undefined ? {} : { Id: id }),
    ...{ Recipients: Recipients.split(/[\s,]+/).filter(Boolean), Cameras: camerasOf(plans) },
    Hours: hoursOf(limits),
  };
  await requestJson("/configure/away", { method: id === undefined ? "POST" : "PUT", body: [target] });
}

export async function removeTarget(id: string): Promise<void> {
  await requestJson(`/configure/away/${id}`, { method: "DELETE" });
}

/** Why the target does not take what it should; undefined: it does. */
export async function tryTarget(id: string): Promise<string | undefined> {
  const { Results } = await requestJson<{ readonly Results: readonly { readonly Problem: string | null }[] }>(
    "/api/away/test",
    { method: "POST", body: { Id: id } },
  );
  return Results[0]?.Problem ?? undefined;
}
