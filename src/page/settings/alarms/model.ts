import {
  type alarmTarget,
  eventSelection,
  MESSAGE_FORMS,
  type mail,
  type ObjectOf,
  sendingHours,
  syslog,
  type webhook,
} from "../../../contract/index.js";
import { requestJson } from "../../state/request.js";

/** A service that takes messages over a webhook. */
export type Service = keyof typeof MESSAGE_FORMS;
export const SERVICES = Object.keys(MESSAGE_FORMS) as readonly Service[];
/** How messages are sent: a kind of target, or a webhook in the form of a service. */
export type Way = Target["Kind"] | Service;
/** In the order of the form. */
export const WAYS: readonly Way[] = ["Mail", ...SERVICES, "Webhook", "Syslog"];

export function wayOf({ Kind, Webhook }: Pick<Target, "Kind" | "Webhook">): Way {
  return Webhook === null || Webhook.Form === "Nvrd" ? Kind : Webhook.Form;
}

export function serviceOf(way: Way): Service | undefined {
  return SERVICES.find((service) => service === way);
}

export const SELECTIONS = eventSelection.Events.of;
export const SECURITIES = ["StartTls", "Tls", "None"] as const satisfies readonly Mail["Security"][];
/** When messages are sent: at all hours, outside quiet ones, or in those of a painted week. */
export const TIMES = ["Always", "Quiet", "Week"] as const;
export type Times = (typeof TIMES)[number];
/** What becomes of events at other hours than the painted ones. */
export const OTHERS = sendingHours.Otherwise.of;
export const TRANSPORTS = syslog.Transport.of;

/** Which events are sent, and when. */
export type SelectionObject = ObjectOf<typeof eventSelection>;

/** Who is notified of events, as `/configure/alarms` has it. */
export type Target = ObjectOf<typeof alarmTarget> & { readonly Id: string };
export type Mail = ObjectOf<typeof mail>;
export type Webhook = ObjectOf<typeof webhook>;
export type Syslog = ObjectOf<typeof syslog>;

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
