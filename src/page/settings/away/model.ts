import type { AwayState, AwayTests } from "../../../contract/answer/index.js";
import { awayTarget, defaultsOf, type ObjectOf, shown } from "../../../contract/index.js";
import { requestJson } from "../../state/request.js";
import { hoursOf, type Limit, limitsOf } from "./limits.js";
import { type CameraPlans, camerasOf, type Plan, plansOf, secondsOf } from "./plans.js";
import { numberOf } from "./typed.js";

/** Members that are numbers, and those that are never shown again. */
const NUMBERS = [
  ...(["KilobitsPerSecondMax", "GigabytesPerMonthMax", "KeepDays"] as const),
  ...(["LockDays", "AuditPercentPerDay"] as const),
];
type NumberName = (typeof NUMBERS)[number];
const SECRETS = ["SecretAccessKey", "SessionToken", "ProxyPassword", "Identity"] as const;
export type SecretName = (typeof SECRETS)[number];

type Shown = ObjectOf<typeof awayTarget>;
type Texts<Name extends string> = { readonly [Each in Name]: string };

/** A target as `/configure/away` has it. */
export type Target = Shown & { readonly Id: string };

export interface Targets {
  readonly list: readonly Target[];
  readonly states: readonly AwayState[];
}

export async function readTargets(): Promise<Targets> {
  const [list, states] = await Promise.all([
    requestJson<readonly Target[]>("/configure/away"),
    requestJson<readonly AwayState[]>("/api/away"),
  ]);
  // Partners that cameras name are in the answer as well; they are shown where they are chosen.
  return { list, states: states.filter(({ Id }) => list.some((target) => target.Id === Id)) };
}

/** What the form holds: numbers and lists as they are typed; a secret that is empty stays as it is. */
export interface Draft
  extends Plan,
    Omit<Shown, keyof Plan | NumberName | SecretName | "Cameras" | "Hours" | "Recipients">,
    Texts<NumberName | SecretName | "Recipients"> {
  /** Secrets other than the first are removed. */
  readonly ClearSecrets: boolean;
  readonly plans: readonly CameraPlans[];
  readonly limits: readonly Limit[];
}

/** Members that are typed, the name aside. */
export type TextName =
  | ("Endpoint" | "Region" | "Bucket" | "Prefix" | "AccessKeyId" | "Proxy" | "ProxyLogin" | "Recipients")
  | NumberName;

/** Whoever adds a storage in the page wants recordings there. */
const NEW: Shown = {
  ...shown(awayTarget, {
    ...defaultsOf(awayTarget),
    ...{ name: "", endpoint: "", bucket: "", accessKeyId: "" },
  }),
  Content: "Everything",
};

export function draftOf(target: Target | undefined): Draft {
  const { Cameras, Hours, Recipients, ...rest } = target ?? NEW;
  const typed = Object.fromEntries(NUMBERS.map((name) => [name, `${rest[name] ?? ""}`]));
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, ""]));
  return {
    ...rest,
    ...(typed as Texts<NumberName>),
    ...(secrets as Texts<SecretName>),
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
  const { Results } = await requestJson<AwayTests>("/api/away/test", { method: "POST", body: { Id: id } });
  return Results[0]?.Problem ?? undefined;
}
