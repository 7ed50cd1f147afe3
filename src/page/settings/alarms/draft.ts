import { scheduleOf, type Week, weekOf } from "../cameras/week/week.js";
import type { Kind, Mail, Selection, SelectionObject, SendingHours, Syslog, Target, Times } from "./model.js";

/** Which events are told, and when: what is chosen in a form. */
export interface SelectionDraft {
  readonly events: Selection;
  readonly typeIds: ReadonlySet<string>;
  readonly allCameras: boolean;
  readonly cameraIds: ReadonlySet<string>;
  readonly ofRecorder: boolean;
  readonly times: Times;
  readonly from: string;
  readonly to: string;
  readonly week: Week;
  readonly otherwise: SendingHours["Otherwise"];
  readonly errorsAnyway: boolean;
}

/** What the form holds: texts as they are typed. */
export interface Draft extends SelectionDraft {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly kind: Kind;
  readonly host: string;
  readonly port: string;
  readonly security: Mail["Security"];
  readonly login: string;
  readonly password: string;
  readonly sender: string;
  readonly recipients: string;
  readonly url: string;
  readonly secret: string;
  readonly transport: Syslog["Transport"];
}

export function selectionDraftOf(target: SelectionObject | undefined): SelectionDraft {
  const { QuietHours: quiet, SendingHours: hours } = target ?? {};
  return {
    ...{ events: target?.Events ?? "Errors", typeIds: new Set(target?.EventTypeIds ?? []) },
    ...{ allCameras: target?.AllChannels ?? true, cameraIds: new Set(target?.ChannelIds ?? []) },
    ofRecorder: target?.RecorderEvents ?? true,
    times: hours?.IsOn === true ? "Week" : quiet?.IsOn === true ? "Quiet" : "Always",
    ...{ from: quiet?.From ?? "22:00", to: quiet?.To ?? "06:00" },
    ...{ week: weekOf(hours?.Week ?? null), otherwise: hours?.Otherwise ?? "Later" },
    errorsAnyway: (hours?.IsOn === true ? hours : quiet)?.ErrorsAnyway ?? true,
  };
}

/** Whether more than errors is told: only then can errors alone be told at all hours. */
export function hasMore({ events }: SelectionDraft): boolean {
  return events !== "Errors";
}

export function selectionBody(draft: SelectionDraft): object {
  const { events, allCameras, times } = draft;
  const ErrorsAnyway = hasMore(draft) && draft.errorsAnyway;
  return {
    ...{ Events: events, ...(events === "Chosen" ? { EventTypeIds: [...draft.typeIds] } : {}) },
    ...{ AllChannels: allCameras, ...(allCameras ? {} : { ChannelIds: [...draft.cameraIds] }) },
    RecorderEvents: draft.ofRecorder,
    QuietHours: { IsOn: times === "Quiet", From: draft.from, To: draft.to, ErrorsAnyway },
    SendingHours: {
      ...{ IsOn: times === "Week", Week: scheduleOf(draft.week) },
      ...{ Otherwise: draft.otherwise, ErrorsAnyway },
    },
  };
}

export function draftOf(target: Target | undefined): Draft {
  const { Mail: mail, Syslog: syslog } = target ?? {};
  const port = mail?.Port ?? syslog?.Port;
  return {
    ...{ name: target?.Name ?? "", isEnabled: target?.IsEnabled ?? true, kind: target?.Kind ?? "Mail" },
    ...{ host: mail?.Host ?? syslog?.Host ?? "", port: port === undefined ? "" : String(port) },
    ...{ security: mail?.Security ?? "StartTls", login: mail?.Login ?? "", password: "", secret: "" },
    ...{ sender: mail?.Sender ?? "", recipients: mail?.Recipients.join(", ") ?? "" },
    ...{ url: target?.Webhook?.Url ?? "", transport: syslog?.Transport ?? "Udp" },
    ...selectionDraftOf(target),
  };
}

/** The body of the request that keeps it. A password or secret that was not typed stays as it is. */
export function targetOf(
  draft: Draft,
  id: string | undefined,
): Readonly<Record<string, unknown>> & { readonly Id?: string } {
  return {
    ...(id === undefined ? {} : { Id: id }),
    ...{ Name: draft.name.trim(), IsEnabled: draft.isEnabled, Kind: draft.kind },
    ...selectionBody(draft),
    ...deliveryOf(draft),
  };
}

function deliveryOf(draft: Draft): object {
  const place = {
    Host: draft.host.trim(),
    ...(draft.port.trim() === "" ? {} : { Port: Number(draft.port) }),
  };
  const typed = (name: string, value: string): object => (value === "" ? {} : { [name]: value });
  switch (draft.kind) {
    case "Mail":
      return {
        Mail: {
          ...place,
          ...{ Security: draft.security, Login: draft.login.trim(), Sender: draft.sender.trim() },
          ...typed("Password", draft.password),
          Recipients: draft.recipients.split(/[\s,;]+/).filter((address) => address !== ""),
        },
      };
    case "Webhook":
      return { Webhook: { Url: draft.url.trim(), ...typed("Secret", draft.secret) } };
    case "Syslog":
      return { Syslog: { ...place, Transport: draft.transport } };
  }
}
