import { requestJson } from "../../state/request.js";
import type { Schedule } from "../cameras/model.js";

export const KINDS = ["Mail", "Webhook", "Syslog"] as const;
export type Kind = (typeof KINDS)[number];
export const SELECTIONS = ["Errors", "ErrorsAndAlarms", "Chosen"] as const;
export type Selection = (typeof SELECTIONS)[number];
export const SECURITIES = ["StartTls", "Tls", "None"] as const;
/** When somebody is told: at all hours, outside quiet ones, or in those of a painted week. */
export const TIMES = ["Always", "Quiet", "Week"] as const;
export type Times = (typeof TIMES)[number];
/** What becomes of events at other hours than the painted ones. */
export const OTHERS = ["Later", "Never"] as const;
export const TRANSPORTS = ["Udp", "Tcp", "Tls"] as const;

/** Which events are told, and when. */
export interface SelectionObject {
  readonly Events: Selection;
  readonly EventTypeIds: readonly string[];
  readonly AllChannels: boolean;
  readonly ChannelIds: readonly string[];
  readonly RecorderEvents: boolean;
  readonly QuietHours: QuietHours;
  readonly SendingHours: SendingHours;
}

/** Who is told of events, as `/configure/alarms` has it. */
export interface Target extends SelectionObject {
  readonly Id: string;
  readonly Name: string;
  readonly IsEnabled: boolean;
  readonly Kind: Kind;
  readonly PerHourMax: number;
  readonly Webhook: { readonly Url: string } | null;
  readonly Mail: Mail | null;
  readonly Syslog: Syslog | null;
}

export interface QuietHours {
  readonly IsOn: boolean;
  readonly From: string;
  readonly To: string;
  readonly ErrorsAnyway: boolean;
}

export interface SendingHours {
  readonly IsOn: boolean;
  readonly Week: Schedule | null;
  readonly Otherwise: (typeof OTHERS)[number];
  readonly ErrorsAnyway: boolean;
}

export interface Mail {
  readonly Host: string;
  readonly Port: number;
  readonly Security: (typeof SECURITIES)[number];
  readonly Login: string;
  readonly Sender: string;
  readonly Recipients: readonly string[];
}

export interface Syslog {
  readonly Host: string;
  readonly Port: number;
  readonly Transport: (typeof TRANSPORTS)[number];
}

/** How the messages go, as `/api/alarms` has it. */
export interface TargetState {
  readonly Id: string;
  readonly IsFailing: boolean;
  readonly IsLimited: boolean;
  readonly IsQuiet: boolean;
  readonly WaitingEvents: number;
  readonly LastResult: LastResult | null;
}

export interface LastResult {
  readonly Time: string;
  readonly IsTest: boolean;
  readonly IsSent: boolean;
  readonly Problem: string | null;
}

export interface Alarms {
  readonly list: readonly Target[];
  readonly states: ReadonlyMap<string, TargetState>;
}

export async function readAlarms(): Promise<Alarms> {
  const [list, states] = await Promise.all([
    requestJson<readonly Target[]>("/configure/alarms"),
    requestJson<readonly TargetState[]>("/api/alarms"),
  ]);
  return { list, states: new Map(states.map((state) => [state.Id, state])) };
}

/** Adds a target (without `Id`), or changes what is given. Rejects with RequestError: its message says what is wrong. */
export async function saveTarget(target: object & { readonly Id?: string }): Promise<void> {
  const method = target.Id === undefined ? "POST" : "PUT";
  await requestJson("/configure/alarms", { method, body: [target] });
}

export async function removeTarget(id: string): Promise<void> {
  await requestJson(`/configure/alarms/${id}`, { method: "DELETE" });
}

/** Sends a test message. Resolves with why it did not arrive; undefined: it was accepted. */
export async function testTarget(id: string): Promise<string | undefined> {
  const { Results } = await requestJson<{ readonly Results: readonly { readonly Problem: string | null }[] }>(
    "/api/alarms/test",
    { method: "POST", body: { Id: id } },
  );
  return Results[0]?.Problem ?? undefined;
}
