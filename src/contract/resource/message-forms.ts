import { type TextRule, word } from "../kinds/kinds.js";

/**
 * Services that take messages over a webhook, and what an owner gives for each. How a message is put for them:
 * `src/alarm/message-requests.ts`.
 */

export interface MessageForm {
  /** The address of the service; undefined: each owner has another, such as that of a server at home. */
  readonly address?: string;
  /** The token with which the recorder logs in, the member `Secret`. With `none` the address itself lets it in. */
  readonly token: "needed" | "optional" | "none";
  /** Who or what gets the message, the member `To`; undefined: the address says it. */
  readonly to?: TextRule & { readonly pattern: RegExp };
  /** Whether the service takes a picture from the recorder. */
  readonly hasPicture: boolean;
}

/** The form of nvrd is the document of docs/ref/alarms.md, whose `Secret` signs it. */
export const formOfMessage = word(
  ...(["Nvrd", "Ntfy", "Telegram", "Discord", "Slack", "SlackBot"] as const),
  ...(["Matrix", "Pushover", "Gotify", "HomeAssistant"] as const),
);
export type MessageFormName = (typeof formOfMessage.of)[number];

export const MESSAGE_FORMS: Readonly<Record<Exclude<MessageFormName, "Nvrd">, MessageForm>> = {
  Ntfy: {
    address: "https://ntfy.sh",
    token: "optional",
    to: { pattern: /^[-_A-Za-z0-9]{1,64}$/, accepted: "a topic of up to 64 letters, digits, - and _" },
    hasPicture: true,
  },
  Telegram: {
    address: "https://api.telegram.org",
    token: "needed",
    to: {
      pattern: /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/,
      accepted: "the number of a chat, or @ and a channel",
    },
    hasPicture: true,
  },
  Discord: { token: "none", hasPicture: true },
  Slack: { token: "none", hasPicture: false },
  SlackBot: {
    address: "https://slack.com",
    token: "needed",
    to: { pattern: /^[CDG][A-Z0-9]{6,24}$/, accepted: "the ID of a channel, such as C0123456789" },
    hasPicture: true,
  },
  Matrix: {
    token: "needed",
    to: { pattern: /^![^\s/]{1,254}$/, accepted: "the ID of a room, such as !abc:example.org" },
    hasPicture: true,
  },
  Pushover: {
    address: "https://api.pushover.net",
    token: "needed",
    to: { pattern: /^[A-Za-z0-9]{30}$/, accepted: "the key of a user or a group, 30 letters and digits" },
    hasPicture: true,
  },
  Gotify: { token: "needed", hasPicture: false },
  HomeAssistant: {
    token: "needed",
    to: {
      pattern: /^(?:notify\.)?[a-z0-9_]{1,64}$/,
      accepted: "the name of a notify action, such as mobile_app_phone",
    },
    hasPicture: false,
  },
};
