import {
  alarmTarget,
  eventSelection,
  mail as mailKind,
  quietHours,
  sendingHours,
  syslog as syslogKind,
} from "../../../contract/index.js";
import { scheduleOf, type Week, weekOf } from "../cameras/week/week.js";
import type { Mail, SelectionObject, Syslog, Target, Times } from "./model.js";

/** Which events are told, and when: what is chosen in a form. */
export interface SelectionDraft {
  readonly events: SelectionObject["Events"];
  readonly typeIds: ReadonlySet<string>;
  readonly allCameras: boolean;
  readonly cameraIds: ReadonlySet<string>;
  readonly ofRecorder: boolean;
  readonly times: Times;
  readonly from: string;
  readonly to: string;
  readonly week: Week;
  readonly otherwise: SelectionObject["SendingHours"]["Otherwise"];
  readonly errorsAnyway: boolean;
}

/** What the form holds: texts as they are typed. */
export interface Draft extends SelectionDraft {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly kind: Target["Kind"];
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
    ...{
      events: target?.Events ?? eventSelection.Events.default,
      typeIds: new Set(target?.EventTypeIds ?? []),
    },
    ...{
      allCameras: target?.AllChannels ?? eventSelection.AllChannels.default,
      cameraIds: new Set(target?.ChannelIds ?? []),
    },
    ofRecorder: target?.RecorderEvents ?? eventSelection.RecorderEvents.default,
    times: hours?.IsOn === true ? "Week" : quiet?.IsOn === true ? "Quiet" : "Always",
    ...{ from: quiet?.From ?? quietHours.From.default, to: quiet?.To ?? quietHours.To.default },
    ...{ week: weekOf(hours?.Week ?? null), otherwise: hours?.Otherwise ?? sendingHours.Otherwise.default },
    errorsAnyway: (hours?.IsOn === true ? hours : quiet)?.ErrorsAnyway ?? quietHours.ErrorsAnyway.default,
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
    ...{
      name: target?.Name ?? "",
      isEnabled: target?.IsEnabled ?? alarmTarget.IsEnabled.default,
      kind: target?.Kind ?? "Mail",
    },
    ...{ host: mail?.Host ?? syslog?.Host ?? "", port: port === undefined ? "" : String(port) },
    ...{
      security: mail?.Security ?? mailKind.Security.default,
      login: mail?.Login ?? "",
      password: "",
      secret: "",
    },
    ...{ sender: mail?.Sender ?? "", recipients: mail?.Recipients.join(", ") ?? "" },
    ...{ url: target?.Webhook?.Url ?? "", transport: syslog?.Transport ?? syslogKind.Transport.default },
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
