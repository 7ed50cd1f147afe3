import type { Language } from "../base/index.js";
import type { WebhookDelivery } from "../site/index.js";
import type { AlarmMessage } from "./alarm-message.js";
import type { MessageValues } from "./filled-request.js";
import { cut, messageContent, momentAddress } from "./message-content.js";
import type { MessageRequests } from "./message-requests.js";

const FILE_NAME = "event.jpg";

/** The values of a message for the requests of a service. */
export function messageValues(
  { secret, to = "", pageUrl = "" }: WebhookDelivery,
  message: AlarmMessage,
  { requests, language, size }: { requests: MessageRequests; language: Language; size: number },
): MessageValues {
  const { titleMax, textMax, isEscaped, toPrefix = "" } = requests;
  const shown = (text: string): string => (isEscaped === true ? escaped(text) : text);
  const content = messageContent(message, language);
  const title = shown(cut(content.title, titleMax));
  const text = shown(cut(content.lines.join(" · "), textMax));
  const link = pageUrl === "" ? "" : shown(linkOf(pageUrl, content.event));
  return new Map([
    ["token", secret],
    ["to", to.startsWith(toPrefix) ? to.slice(toPrefix.length) : to],
    ["id", message.id],
    ...([
      ["title", title],
      ["text", text],
      ["link", link],
    ] as const),
    ["all", [title, text, link].filter((part) => part !== "").join("\n")],
    ["file", FILE_NAME],
    ["size", String(size)],
  ]);
}

function linkOf(pageUrl: string, event: AlarmMessage["events"][number] | undefined): string {
  const base = pageUrl.replace(/#.*$/s, "").replace(/\/*$/, "/");
  return event === undefined ? `${base}#/events` : `${base}${momentAddress(event)}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
