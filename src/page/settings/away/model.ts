import { requestJson } from "../../state/request.js";

export const CONTENTS = ["Everything", "Events", "KeyFrames", "Protected", "Nothing"] as const;
export const BEGINNINGS = ["Now", "Oldest"] as const;

/** A target as `/configure/away` has it; what the page sets. */
export interface Target {
  readonly Id: string;
  readonly Name: string;
  readonly IsEnabled: boolean;
  readonly Endpoint: string;
  readonly Region: string;
  readonly Bucket: string;
  readonly Prefix: string;
  readonly AccessKeyId: string;
  readonly Content: (typeof CONTENTS)[number];
  readonly From: (typeof BEGINNINGS)[number];
  readonly KilobitsPerSecondMax: number | null;
  readonly GigabytesPerMonthMax: number | null;
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
  readonly Problem: string | null;
  readonly ReadProblem: string | null;
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

/** What the form holds: texts as they are typed. */
export interface Draft extends Omit<Target, "Id" | "KilobitsPerSecondMax" | "GigabytesPerMonthMax"> {
  /** Empty: as it is. */
  readonly SecretAccessKey: string;
  /** Empty: no limit. */
  readonly KilobitsPerSecondMax: string;
  readonly GigabytesPerMonthMax: string;
}

const NEW: Draft = {
  ...{ Name: "", IsEnabled: true, Endpoint: "", Region: "us-east-1", Bucket: "", Prefix: "" },
  ...{ AccessKeyId: "", SecretAccessKey: "", Content: "Everything", From: "Now" },
  ...{ KilobitsPerSecondMax: "", GigabytesPerMonthMax: "" },
};

export function draftOf(target: Target | undefined): Draft {
  if (target === undefined) return NEW;
  const { Name, IsEnabled, Endpoint, Region, Bucket, Prefix, AccessKeyId, Content, From } = target;
  return {
    ...{ Name, IsEnabled, Endpoint, Region, Bucket, Prefix, AccessKeyId, Content, From },
    SecretAccessKey: "",
    KilobitsPerSecondMax: `${target.KilobitsPerSecondMax ?? ""}`,
    GigabytesPerMonthMax: `${target.GigabytesPerMonthMax ?? ""}`,
  };
}

/** Adds a target (without `id`), or changes it; one that is on is tried first. Rejects with RequestError: its message says what is wrong. */
export async function saveTarget(draft: Draft, id: string | undefined): Promise<void> {
  const { SecretAccessKey, ...rest } = draft;
  const target = {
    ...rest,
    ...(id === undefined ? {} : { Id: id }),
    ...(SecretAccessKey === "" ? {} : { SecretAccessKey }),
    KilobitsPerSecondMax: limitOf(draft.KilobitsPerSecondMax),
    GigabytesPerMonthMax: limitOf(draft.GigabytesPerMonthMax),
  };
  await requestJson("/configure/away", { method: id === undefined ? "POST" : "PUT", body: [target] });
}

/** What is no number goes as it is: the recorder says what is wrong with it. */
function limitOf(typed: string): number | string | null {
  if (typed === "") return null;
  return /^\d+$/.test(typed) ? Number(typed) : typed;
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
