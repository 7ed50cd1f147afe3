import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The services that take messages, as their documentation of the API has them: paths, tokens, fields, limits and refusals. What
 * one would refuse is refused here in its own words.
 */

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly type: string;
  readonly body: Buffer;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What arrived, as a person would see it. */
export interface Arrived {
  readonly to: string;
  readonly title?: string;
  readonly text: string;
  readonly link?: string;
  readonly picture?: Buffer;
}

type Service = (
  call: ServiceCall,
  arrived: Arrived[],
  base: string,
) => Promise<ServiceAnswer> | ServiceAnswer;

export const TOKENS = {
  Ntfy: "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2",
  Telegram: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
  Discord: "",
  Slack: "",
  SlackBot: "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy",
  Matrix: "syt_YWxpY2U_abcdefghij",
  Pushover: "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
  Gotify: "AKmA.A2-tdfLjLo",
  HomeAssistant: "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.e30.abc",
} as const;

export const RECEIVERS = {
  Ntfy: "gate_alarms",
  Telegram: "-1001234567890",
  Discord: "",
  Slack: "",
  SlackBot: "C0123456789",
  Matrix: "!abc:example.org",
  Pushover: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
  Gotify: "",
  HomeAssistant: "notify.mobile_app_phone",
} as const;

/** What follows the host in the address of a webhook that a service gave whole. */
export const WEBHOOK_PATHS = {
  Discord: "/api/webhooks/1234567890/aVeryLongTokenOfDiscord",
  Slack: "/services/T0000/B0000/XXXXXXXXXXXXXXXXXXXXXXXX",
} as const;

export type ServiceName = keyof typeof TOKENS;

const bearer = ({ headers }: ServiceCall): string =>
  /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
const jsonOf = ({ body }: ServiceCall) => JSON.parse(body.toString("utf8"));
const isJson = ({ type }: ServiceCall): boolean => type.startsWith("application/json");

async function partsOf({ type, body }: ServiceCall): Promise<FormData> {
  return await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
}

async function fileOf(form: FormData, name: string): Promise<Buffer> {
  const file = form.get(name);
  if (!(file instanceof Blob)) throw new Error(`no file in the part ${name}`);
  if (file.type !== "image/jpeg") throw new Error(`the picture is said to be ${file.type}`);
  return Buffer.from(await file.arrayBuffer());
}

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? "");

/** RFC 2047, as ntfy reads its headers. */
function headerText(value: string | string[] | undefined): string {
  const text = String(value ?? "");
  const [, base64] = /^=\?UTF-8\?B\?(.*)\?=$/.exec(text) ?? [];
  return base64 === undefined ? text : Buffer.from(base64, "base64").toString("utf8");
}

const ntfy: Service = (call, arrived) => {
  if (bearer(call) !== TOKENS.Ntfy)
    return { status: 401, json: { code: 40101, http: 401, error: "unauthorized" } };
  if (call.method === "PUT") {
    const { title, message, click, filename } = call.headers;
    if (filename === undefined) return { status: 400, json: { code: 40001, error: "no file name" } };
    arrived.push({
      to: call.path.slice(1),
      ...{ title: headerText(title), text: headerText(message), link: headerText(click), picture: call.body },
    });
    return { status: 200, json: { id: "hwQ2YpKdmg" } };
  }
  const { topic, title, message, click } = jsonOf(call);
  if (call.path !== "/" || typeof topic !== "string")
    return { status: 400, json: { code: 40017, http: 400, error: "invalid request: topic invalid" } };
  arrived.push({ to: topic, title, text: message, link: click });
  return { status: 200, json: { id: "hwQ2YpKdmg", event: "message" } };
};

const TELEGRAM_CAPTION_MAX = 1024;

const telegram: Service = async (call, arrived) => {
  const refuse = (error_code: number, description: string): ServiceAnswer => ({
    status: error_code,
    json: { ok: false, error_code, description },
  });
  const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(call.path) ?? [];
  if (token !== TOKENS.Telegram) return refuse(401, "Unauthorized");
  if (method === "sendMessage") {
    const { chat_id, text } = jsonOf(call);
    if (String(chat_id) !== RECEIVERS.Telegram) return refuse(400, "Bad Request: chat not found");
    arrived.push({ to: chat_id, text });
  } else if (method === "sendPhoto") {
    const form = await partsOf(call);
    if (textOf(form, "chat_id") !== RECEIVERS.Telegram) return refuse(400, "Bad Request: chat not found");
    const text = textOf(form, "caption");
    if (text.length > TELEGRAM_CAPTION_MAX) return refuse(400, "Bad Request: message caption is too long");
    arrived.push({ to: textOf(form, "chat_id"), text, picture: await fileOf(form, "photo") });
  } else return refuse(404, "Not Found");
  return { status: 200, json: { ok: true, result: {} } };
};

const discord: Service = async (call, arrived) => {
  if (call.path !== WEBHOOK_PATHS.Discord)
    return { status: 404, json: { message: "Unknown Webhook", code: 10015 } };
  const form = isJson(call) ? undefined : await partsOf(call);
  const { content } = form === undefined ? jsonOf(call) : JSON.parse(textOf(form, "payload_json"));
  if (typeof content !== "string" || content.length > 2000)
    return { status: 400, json: { message: "Invalid Form Body", code: 50035 } };
  const picture = form === undefined ? {} : { picture: await fileOf(form, "files[0]") };
  arrived.push({ to: "", text: content, ...picture });
  return { status: 204 };
};

const slack: Service = (call, arrived) => {
  if (call.path !== WEBHOOK_PATHS.Slack) return { status: 403, text: "invalid_token" };
  arrived.push({ to: "", text: jsonOf(call).text });
  return { status: 200, text: "ok" };
};

const slackBot = (): Service => {
  const files = new Map<string, Buffer>();
  return (call, arrived, base) => {
    const upload = /^\/upload\/v1\/(\w+)$/.exec(call.path)?.[1];
    if (upload !== undefined) {
      if (call.headers.authorization !== undefined) return { status: 400, text: "a token came along" };
      files.set(upload, call.body);
      return { status: 200, text: `OK - ${call.body.length}` };
    }
    // Slack answers 200 to what it refuses.
    if (bearer(call) !== TOKENS.SlackBot) return { status: 200, json: { ok: false, error: "invalid_auth" } };
    if (call.path === "/api/files.getUploadURLExternal") {
      const query = new URLSearchParams(call.body.toString("utf8"));
      if (!(Number(query.get("length")) > 0) || query.get("filename") === null)
        return { status: 200, json: { ok: false, error: "invalid_arguments" } };
      return { status: 200, json: { ok: true, upload_url: `${base}/upload/v1/F1`, file_id: "F1" } };
    }
    const { channel, text, files: named, channel_id, initial_comment } = jsonOf(call);
    if (call.path === "/api/chat.postMessage") arrived.push({ to: channel, text });
    else if (call.path === "/api/files.completeUploadExternal") {
      const picture = files.get(named[0].id);
      if (picture === undefined) return { status: 200, json: { ok: false, error: "file_not_found" } };
      arrived.push({ to: channel_id, text: initial_comment, picture });
    } else return { status: 200, json: { ok: false, error: "unknown_method" } };
    return { status: 200, json: { ok: true } };
  };
};

const matrix = (): Service => {
  const media = new Map<string, Buffer>();
  return (call, arrived) => {
    if (bearer(call) !== TOKENS.Matrix)
      return { status: 401, json: { errcode: "M_UNKNOWN_TOKEN", error: "Unrecognised access token" } };
    if (call.method === "POST" && call.path === "/_matrix/media/v3/upload?filename=event.jpg") {
      if (call.type !== "image/jpeg") return { status: 400, json: { errcode: "M_UNKNOWN", error: "type" } };
      media.set("mxc://example.org/AQwafuaFswefuhsfAFAgsw", call.body);
      return { status: 200, json: { content_uri: "mxc://example.org/AQwafuaFswefuhsfAFAgsw" } };
    }
    const [, room = ""] =
      /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/[\w-]+$/.exec(call.path) ?? [];
    if (call.method !== "PUT" || decodeURIComponent(room) !== RECEIVERS.Matrix)
      return { status: 404, json: { errcode: "M_UNRECOGNIZED", error: "Unrecognized request" } };
    const { msgtype, body, url } = jsonOf(call);
    const picture = media.get(url);
    if ((msgtype === "m.image") !== (picture !== undefined))
      return { status: 400, json: { errcode: "M_BAD_JSON", error: "no such picture" } };
    arrived.push({ to: RECEIVERS.Matrix, text: body, ...(picture === undefined ? {} : { picture }) });
    return { status: 200, json: { event_id: "$YUwRidLecu:example.com" } };
  };
};

const pushover: Service = async (call, arrived) => {
  const refuse = (...errors: string[]): ServiceAnswer => ({
    status: 400,
    json: { errors, status: 0, request: "5042853c-402d-4a18-abcb-168734a801de" },
  });
  if (call.path !== "/1/messages.json" || call.method !== "POST") return refuse("not found");
  const form = isJson(call) ? undefined : await partsOf(call);
  const fields =
    form === undefined
      ? jsonOf(call)
      : Object.fromEntries([...form].filter(([, value]) => typeof value === "string"));
  if (fields.token !== TOKENS.Pushover) return refuse("application token is invalid");
  if (fields.user !== RECEIVERS.Pushover) return refuse("user identifier is not a valid user");
  if (fields.message.length > 1024) return refuse("message is too long");
  const picture = form === undefined ? {} : { picture: await fileOf(form, "attachment") };
  arrived.push({ to: fields.user, title: fields.title, text: fields.message, link: fields.url, ...picture });
  return { status: 200, json: { status: 1, request: "647d2300-702c-4b38-8b2f-d56326ae460b" } };
};

const gotify: Service = (call, arrived) => {
  if (call.headers["x-gotify-key"] !== TOKENS.Gotify)
    return {
      status: 401,
      json: {
        error: "Unauthorized",
        errorCode: 401,
        errorDescription: "you need to provide a valid access token or user credentials to access this api",
      },
    };
  const { title, message, extras } = jsonOf(call);
  if (call.path !== "/message" || typeof message !== "string")
    return { status: 400, json: { error: "Bad Request", errorCode: 400, errorDescription: "no message" } };
  arrived.push({ to: "", title, text: message, link: extras?.["client::notification"]?.click?.url });
  return { status: 200, json: { id: 25, appid: 5 } };
};

const homeAssistant: Service = (call, arrived) => {
  if (bearer(call) !== TOKENS.HomeAssistant) return { status: 401, text: "401: Unauthorized" };
  const [, action] = /^\/api\/services\/notify\/(\w+)$/.exec(call.path) ?? [];
  if (action !== "mobile_app_phone") return { status: 400, json: { message: "Action notify not found." } };
  const { title, message, data } = jsonOf(call);
  arrived.push({ to: action, title, text: message, link: data?.url });
  return { status: 200, json: [] };
};

function serviceNamed(name: ServiceName): Service {
  switch (name) {
    case "Ntfy":
      return ntfy;
    case "Telegram":
      return telegram;
    case "Discord":
      return discord;
    case "Slack":
      return slack;
    case "SlackBot":
      return slackBot();
    case "Matrix":
      return matrix();
    case "Pushover":
      return pushover;
    case "Gotify":
      return gotify;
    case "HomeAssistant":
      return homeAssistant;
  }
}

/** One service on a port of its own. */
export class MessageService {
  readonly arrived: Arrived[] = [];
  readonly calls: ServiceCall[] = [];
  /** Answers to the next calls, in place of the service's own. */
  readonly instead: (ServiceAnswer | "silence")[] = [];
  readonly #server: Server;

  private constructor(name: ServiceName) {
    const service = serviceNamed(name);
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", async () => {
        const call = {
          ...{ method: request.method ?? "", path: request.url ?? "", headers: request.headers },
          ...{ type: request.headers["content-type"] ?? "", body: Buffer.concat(pieces) },
        };
        this.calls.push(call);
        const answer = this.instead.shift() ?? (await service(call, this.arrived, this.base));
        if (answer === "silence") return;
        const text = answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json));
        response.writeHead(answer.status, answer.headers).end(text);
      });
    });
  }

  static async start(name: ServiceName): Promise<MessageService> {
    const one = new MessageService(name);
    await new Promise<void>((resolve) => one.#server.listen(0, "127.0.0.1", resolve));
    return one;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
