import { Agent, request } from "node:http";
import { apiTime, md5, ROOT_PASSWORD } from "../service/service.js";

/** Most connections the load opens, as a handful of programs with a few each. */
const CONNECTIONS_MAX = 32;
const REQUEST_TIMEOUT_MS = 30_000;
/** The model "RTSP/RTP device", which every change of a camera names. */
const RTSP_MODEL_ID = "5c1f4a52-6a0e-4d6b-9d53-2f6f0c6f7a01";

interface LoadRequest {
  readonly kind: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: string;
  /** Whether the answer's body is a right one. */
  readonly isRight: (body: string) => boolean;
}

export interface LoadReport {
  /** From the moment a request was due to the end of its answer: a late one counts as slow. */
  readonly readsMs: readonly number[];
  /** The same of changes of the configuration, which are on the disk before they are answered. */
  readonly changesMs: readonly number[];
  /** What was wrong: kind, status, start of the body. */
  readonly wrong: readonly string[];
}

export interface LoadOptions {
  readonly port: number;
  readonly channelIds: readonly string[];
  readonly requests: number;
  readonly perSecond: number;
}

/** Mixed requests as clients, panels and integrations make them, at a steady rate however slow the answers are. */
export async function loadApi({ port, channelIds, requests, perSecond }: LoadOptions): Promise<LoadReport> {
  // Two programs: what one waits for holds nobody else up.
  const readers = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const administrator = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const readsMs: number[] = [];
  const changesMs: number[] = [];
  const wrong: string[] = [];
  const startMs = performance.now();
  const pending: Promise<void>[] = [];
  try {
    for (let index = 0; index < requests; index++) {
      const dueMs = startMs + (index * 1000) / perSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const one = mixedRequest(index, channelIds);
      const isChange = one.method === "PUT";
      const answered = send(one, port, isChange ? administrator : readers).then(({ status, body }) => {
        (isChange ? changesMs : readsMs).push(performance.now() - dueMs);
        if (status !== 200 || !one.isRight(body)) wrong.push(`${one.kind}: ${status} ${body.slice(0, 200)}`);
      });
      pending.push(answered.catch((error: Error) => void wrong.push(`${one.kind}: ${error.message}`)));
    }
    await Promise.all(pending);
  } finally {
    readers.destroy();
    administrator.destroy();
  }
  return { readsMs, changesMs, wrong };
}

/** Of 20 requests one is a search, of 100 one changes a camera's description; the others read. */
function mixedRequest(index: number, channelIds: readonly string[]): LoadRequest {
  const id = channelIds[index % channelIds.length] ?? "";
  const nowUs = Date.now() * 1000;
  const interval = `fromtime=${apiTime(nowUs - 3_600_000_000)}&totime=${apiTime(nowUs)}`;
  const kinds: readonly LoadRequest[] = [
    get("configex xml", "/configex", (body) => body.trimEnd().endsWith("</Configuration>")),
    get("configex json", "/configex?responsetype=json", (body) =>
      hasCount(body, "Channels", channelIds.length),
    ),
    get("fragments", `/archivefragments?channelid=${id}&${interval}&responsetype=json`, (body) =>
      hasCount(body, "Fragments", 1),
    ),
    get(
      "findarchive",
      `/command?type=findarchive&channelid=${id}&searchtime=${apiTime(nowUs - 1_000_000)}`,
      (body) => body.includes("<HasArchive>"),
    ),
    get("states", "/command?type=getchannelsstates&responsetype=json", (body) => body.includes('"Active"')),
    get("channel", `/configure/channels/${id}`, (body) => body.includes(id)),
  ];
  if (index % 20 === 7) {
    const body = '{"searchLimitCount":100}';
    return { kind: "search", method: "POST", path: "/archive_events", body, isRight: isList };
  }
  if (index % 100 === 13) {
    const body = JSON.stringify({
      Description: `changed ${index}`,
      ConnectionSettings: { ModelId: RTSP_MODEL_ID },
    });
    const path = `/configure/channels/${id}`;
    return { kind: "change", method: "PUT", path, body, isRight: (text) => text.includes(id) };
  }
  return kinds[index % kinds.length] ?? get("configex xml", "/configex", () => true);
}

function get(kind: string, path: string, isRight: (body: string) => boolean): LoadRequest {
  return { kind, method: "GET", path, isRight };
}

function hasCount(body: string, member: string, count: number): boolean {
  const value = (JSON.parse(body) as Record<string, unknown>)[member];
  return Array.isArray(value) && value.length === count;
}

function isList(body: string): boolean {
  return Array.isArray(JSON.parse(body));
}

function send(
  { method, path, body }: LoadRequest,
  port: number,
  agent: Agent,
): Promise<{ status: number; body: string }> {
  const auth = `root:${md5(ROOT_PASSWORD)}`;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, agent, auth }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.setTimeout(REQUEST_TIMEOUT_MS, () => sent.destroy(new Error(`no answer to ${path}`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
