import type { MessageRequest, RequestBody, Template } from "./message-requests.js";

/** The values of a message by their names. */
export type MessageValues = ReadonlyMap<string, string>;

interface FilledBody {
  readonly type: string;
  readonly bytes: Buffer;
}

const PLACE = /\{(\w+)\}/g;
const JPEG = "image/jpeg";

/** The text with its values; undefined: one of them is empty. */
export function filledText(text: string, values: MessageValues): string | undefined {
  const names = [...text.matchAll(PLACE)].map(([, name = ""]) => name);
  if (names.some((name) => (values.get(name) ?? "") === "")) return undefined;
  return text.replace(PLACE, (_, name: string) => values.get(name) ?? "");
}

/** The path of a request, with its values encoded. A colon may stand in a path, and Telegram's tokens have one. */
export function filledPath(path: string, values: MessageValues): string {
  return path.replace(PLACE, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? "").replaceAll("%3A", ":"),
  );
}

/** Headers hold ASCII alone: others are encoded (RFC 2047). */
export function filledHeaders(
  { headers = {} }: MessageRequest,
  values: MessageValues,
): Readonly<Record<string, string>> {
  const filled = Object.entries(headers).flatMap(([name, template]) => {
    const text = filledText(template, values);
    return text === undefined ? [] : [[name, asciiHeader(text)] as const];
  });
  return Object.fromEntries(filled);
}

function asciiHeader(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;
}

export async function filledBody(
  body: RequestBody,
  values: MessageValues,
  picture: Uint8Array | undefined,
): Promise<FilledBody> {
  if ("json" in body)
    return { type: "application/json; charset=utf-8", bytes: jsonBytes(filled(body.json, values) ?? {}) };
  if ("form" in body) {
    const members = Object.entries(body.form).flatMap(([name, template]) => {
      const text = filledText(template, values);
      return text === undefined ? [] : [[name, text] as [string, string]];
    });
    const text = new URLSearchParams(members).toString();
    return { type: "application/x-www-form-urlencoded", bytes: Buffer.from(text) };
  }
  const jpeg = picture ?? new Uint8Array();
  if ("picture" in body) return { type: JPEG, bytes: Buffer.from(jpeg) };
  const form = new FormData();
  for (const [name, template] of Object.entries(body.parts)) {
    const value = filled(template, values);
    if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  form.append(body.file, new Blob([new Uint8Array(jpeg)], { type: JPEG }), values.get("file"));
  const encoded = new Response(form);
  return {
    type: encoded.headers.get("content-type") ?? "multipart/form-data",
    bytes: Buffer.from(await encoded.arrayBuffer()),
  };
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The template with its values; undefined: nothing is left of it. */
function filled(template: Template, values: MessageValues): unknown {
  if (typeof template === "string") return filledText(template, values);
  if (typeof template !== "object") return template;
  if (isList(template)) return template.map((item) => filled(item, values));
  const members = Object.entries(template).flatMap(([name, part]) => {
    const value = filled(part, values);
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function isList(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}
