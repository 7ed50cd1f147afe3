import type { MessageFormName } from "../contract/index.js";

/**
 * How a message is put for each service: requests as data. `{name}` in a text stands for a value: `token`, `to`, `id`, `title`,
 * `text`, `link`, `all` (title, text and link), `file`, `size`, or what `take` found in an earlier answer. A text with an empty
 * value is left out, and so is an object of which nothing is left. In a path values are encoded.
 */

export type Template =
  | string
  | number
  | boolean
  | readonly Template[]
  | { readonly [name: string]: Template };

export type RequestBody =
  | { readonly json: Template }
  /** `application/x-www-form-urlencoded`. */
  | { readonly form: { readonly [name: string]: string } }
  /** `multipart/form-data` with the picture as the part `file`; a value that is no text goes as JSON. */
  | { readonly parts: { readonly [name: string]: Template }; readonly file: string }
  /** The picture alone. */
  | { readonly picture: true };

export interface MessageRequest {
  readonly method?: "PUT";
  /** Behind the address of the target. */
  readonly path: string;
  /** Instead: the value that is a whole address, which the service gave in an earlier answer. */
  readonly at?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body: RequestBody;
  /** The member of the answer that is true when it was accepted; otherwise the status says it. */
  readonly accepted?: string;
  /** Values for later requests, by where the answer has them. */
  readonly take?: { readonly [value: string]: readonly string[] };
}

type AnswerPlace = readonly (string | number)[];

export interface MessageRequests {
  readonly text: readonly MessageRequest[];
  /** With a picture; undefined: the service takes none. */
  readonly picture?: readonly MessageRequest[];
  /** Most characters of title and text, of a message with a picture too. */
  readonly titleMax: number;
  readonly textMax: number;
  /** `&`, `<` and `>` stand for something in its texts. */
  readonly isEscaped?: true;
  /** What may be before the name in `to`, and is left out. */
  readonly toPrefix?: string;
  /** Where its answers say what is wrong; undefined: the whole answer is a text. */
  readonly fault?: AnswerPlace;
  /** Where they say for how long it wants no more, and the milliseconds of that unit. */
  readonly retry?: { readonly at: AnswerPlace; readonly unitMs: number };
}

const BEARER = { Authorization: "Bearer {token}" } as const;
const SECOND_MS = 1000;
const GOTIFY_PRIORITY = 5;

const NTFY = { topic: "{to}", title: "{title}", message: "{text}", click: "{link}" } as const;
const TELEGRAM = { chat_id: "{to}" } as const;
const DISCORD = { content: "{all}", allowed_mentions: { parse: [] } } as const;
const MATRIX_SEND = {
  method: "PUT",
  path: "/_matrix/client/v3/rooms/{to}/send/m.room.message/{id}",
  headers: BEARER,
} as const;
const PUSHOVER = {
  ...{ token: "{token}", user: "{to}", title: "{title}", message: "{text}", url: "{link}" },
} as const;

export const MESSAGE_REQUESTS: Readonly<Record<Exclude<MessageFormName, "Nvrd">, MessageRequests>> = {
  /** https://docs.ntfy.sh/publish/ */
  Ntfy: {
    text: [{ path: "/", headers: BEARER, body: { json: NTFY } }],
    picture: [
      {
        method: "PUT",
        path: "/{to}",
        headers: {
          ...BEARER,
          ...{ Title: "{title}", Message: "{text}", Click: "{link}", Filename: "{file}" },
        },
        body: { picture: true },
      },
    ],
    ...{ titleMax: 250, textMax: 1000 },
    fault: ["error"],
  },
  /** https://core.telegram.org/bots/api#making-requests; a caption has at most 1024 characters. */
  Telegram: {
    text: [{ path: "/bot{token}/sendMessage", body: { json: { ...TELEGRAM, text: "{all}" } } }],
    picture: [
      {
        path: "/bot{token}/sendPhoto",
        body: { parts: { ...TELEGRAM, caption: "{all}" }, file: "photo" },
      },
    ],
    ...{ titleMax: 150, textMax: 500 },
    fault: ["description"],
    retry: { at: ["parameters", "retry_after"], unitMs: SECOND_MS },
  },
  /** https://discord.com/developers/docs/resources/webhook#execute-webhook */
  Discord: {
    text: [{ path: "", body: { json: DISCORD } }],
    picture: [{ path: "", body: { parts: { payload_json: DISCORD }, file: "files[0]" } }],
    ...{ titleMax: 250, textMax: 1000 },
    fault: ["message"],
    retry: { at: ["retry_after"], unitMs: SECOND_MS },
  },
  /** https://api.slack.com/messaging/webhooks; Mattermost and Rocket.Chat take it too. */
  Slack: {
    text: [{ path: "", body: { json: { text: "{all}" } } }],
    ...{ titleMax: 250, textMax: 1000, isEscaped: true },
  },
  /** https://api.slack.com/messaging/files#uploading_files */
  SlackBot: {
    text: [
      {
        ...{ path: "/api/chat.postMessage", headers: BEARER, accepted: "ok" },
        body: { json: { channel: "{to}", text: "{all}" } },
      },
    ],
    picture: [
      {
        ...{ path: "/api/files.getUploadURLExternal", headers: BEARER, accepted: "ok" },
        body: { form: { filename: "{file}", length: "{size}" } },
        take: { upload: ["upload_url"], fileId: ["file_id"] },
      },
      { path: "", at: "upload", body: { picture: true } },
      {
        ...{ path: "/api/files.completeUploadExternal", headers: BEARER, accepted: "ok" },
        body: {
          json: {
            files: [{ id: "{fileId}", title: "{title}" }],
            ...{ channel_id: "{to}", initial_comment: "{all}" },
          },
        },
      },
    ],
    ...{ titleMax: 250, textMax: 1000, isEscaped: true },
    fault: ["error"],
  },
  /** https://spec.matrix.org/latest/client-server-api/ */
  Matrix: {
    text: [{ ...MATRIX_SEND, body: { json: { msgtype: "m.text", body: "{all}" } } }],
    picture: [
      {
        path: "/_matrix/media/v3/upload?filename={file}",
        headers: BEARER,
        body: { picture: true },
        take: { uri: ["content_uri"] },
      },
      {
        ...MATRIX_SEND,
        body: {
          json: {
            ...{ msgtype: "m.image", body: "{all}", filename: "{file}", url: "{uri}" },
            info: { mimetype: "image/jpeg" },
          },
        },
      },
    ],
    ...{ titleMax: 250, textMax: 1000 },
    fault: ["error"],
    retry: { at: ["retry_after_ms"], unitMs: 1 },
  },
  /** https://pushover.net/api */
  Pushover: {
    text: [{ path: "/1/messages.json", body: { json: PUSHOVER } }],
    picture: [{ path: "/1/messages.json", body: { parts: PUSHOVER, file: "attachment" } }],
    ...{ titleMax: 250, textMax: 1000 },
    fault: ["errors", 0],
  },
  /** https://gotify.net/docs/pushmsg */
  Gotify: {
    text: [
      {
        path: "/message",
        headers: { "X-Gotify-Key": "{token}" },
        body: {
          json: {
            ...{ title: "{title}", message: "{text}", priority: GOTIFY_PRIORITY },
            extras: { "client::notification": { click: { url: "{link}" } } },
          },
        },
      },
    ],
    ...{ titleMax: 250, textMax: 1000 },
    fault: ["errorDescription"],
  },
  /** https://developers.home-assistant.io/docs/api/rest/ */
  HomeAssistant: {
    text: [
      {
        path: "/api/services/notify/{to}",
        headers: BEARER,
        // The link under the names that the applications for iOS and for Android have for it.
        body: {
          json: {
            ...{ title: "{title}", message: "{text}" },
            data: { url: "{link}", clickAction: "{link}" },
          },
        },
      },
    ],
    ...{ titleMax: 250, textMax: 1000, toPrefix: "notify." },
    fault: ["message"],
  },
};
