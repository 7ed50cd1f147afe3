import {
  alarmTarget,
  eventSelection,
  MESSAGE_FORMS,
  mail as mailKind,
  quietHours,
  sendingHours,
  syslog as syslogKind,
  webhook as webhookKind,
} from "../../../contract/index.js";
import { pageAddress } from "../../state/place.js";
import { scheduleOf, type Week, weekOf } from "../cameras/week/week.js";
import {
  type Mail,
  type SelectionObject,
  type Syslog,
  serviceOf,
  type Target,
  type Times,
  type Way,
  wayOf,
} from "./model.js";

/** Which events are sent, and when: what is chosen in a form. */
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
  readonly way: Way;
  readonly host: string;
  readonly port: string;
  readonly security: Mail["Security"];
  readonly login: string;
  readonly password: string;
  readonly sender: string;
  readonly recipients: string;
  readonly url: string;
  readonly secret: string;
  /** Of a service: who gets it there. */
  readonly receiver: string;
  readonly hasPicture: boolean;
  readonly pageUrl: string;
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

/** Whether more than errors is sent: only then can errors alone be sent at all hours. */
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
      way: target === undefined ? "Mail" : wayOf(target),
    },
    ...{ host: mail?.Host ?? syslog?.Host ?? "", port: port === undefined ? "" : String(port) },
    ...{
      security: mail?.Security ?? mailKind.Security.default,
      login: mail?.Login ?? "",
      password: "",
      secret: "",
    },
    ...{ sender: mail?.Sender ?? "", recipients: mail?.Recipients.join(", ") ?? "" },
    ...webhookDraft(target?.Webhook ?? undefined),
    ...{ transport: syslog?.Transport ?? syslogKind.Transport.default },
    ...selectionDraftOf(target),
  };
}

function webhookDraft(webhook: Target["Webhook"] | undefined) {
  return {
    ...{ url: webhook?.Url ?? "", receiver: webhook?.To ?? "" },
    hasPicture: webhook?.HasPicture ?? webhookKind.HasPicture.default,
    // Who sets it up has reached the page at an address that others may well use too.
    pageUrl: webhook?.PageUrl ?? pageAddress(),
  };
}

/** The draft with another way: what was typed for the former one is of no use there. */
export function withWay(draft: Draft, way: Way): Draft {
  const service = serviceOf(way);
  const url = service === undefined ? "" : (MESSAGE_FORMS[service].address ?? "");
  return { ...draft, way, url, receiver: "", secret: "", port: "" };
}

/** The body of the request that keeps it. A password or secret that was not typed stays as it is. */
export function targetOf(
  draft: Draft,
  id: string | undefined,
): Readonly<Record<string, unknown>> & { readonly Id?: string } {
  return {
    ...(id === undefined ? {} : { Id: id }),
    ...{ Name: draft.name.trim(), IsEnabled: draft.isEnabled },
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
  switch (draft.way) {
    case "Mail":
      return {
        Kind: "Mail",
        Mail: {
          ...place,
          ...{ Security: draft.security, Login: draft.login.trim(), Sender: draft.sender.trim() },
          ...typed("Password", draft.password),
          Recipients: draft.recipients.split(/[\s,;]+/).filter((address) => address !== ""),
        },
      };
    case "Syslog":
      return { Kind: "Syslog", Syslog: { ...place, Transport: draft.transport } };
    default:
      return {
        Kind: "Webhook",
        Webhook: {
          ...{ Form: serviceOf(draft.way) ?? webhookKind.Form.default, Url: draft.url.trim() },
          ...{ To: draft.receiver.trim(), HasPicture: draft.hasPicture, PageUrl: draft.pageUrl.trim() },
          ...typed("Secret", draft.secret.trim()),
        },
      };
  }
}
