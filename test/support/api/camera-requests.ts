import { RTSP_MODEL } from "../../../src/camera/index.js";
import { type ApiHarness, ROOT_QUERY } from "./api-harness.js";

export type Json = Record<string, unknown>;

export interface JsonAnswer {
  readonly status: number;
  readonly json: Json;
  readonly etag: string | null;
}

/** Sends a body to the configuration API as root; `body` as it is when it is a text. */
export async function sendJson(
  api: ApiHarness,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const response = await fetch(`${api.url(path)}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
  });
  const json = (await response.json()) as Json;
  return { status: response.status, json, etag: response.headers.get("etag") };
}

/** What every object of PUT must have. */
export function changeOf(id: string, members: Json = {}): Json {
  const connection = { ModelId: RTSP_MODEL.id, ...(members.ConnectionSettings as Json | undefined) };
  return { Id: id, ...members, ConnectionSettings: connection };
}

/** The object nested around one member: `nested("A.B", 1)` is `{ A: { B: 1 } }`. */
export function nested(path: string, value: unknown): Json {
  const [name = "", ...rest] = path.split(".");
  return { [name]: rest.length === 0 ? value : nested(rest.join("."), value) };
}

/** The member that a path names. */
export function memberAt(object: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, name) => (typeof value === "object" && value !== null ? (value as Json)[name] : undefined),
      object,
    );
}
