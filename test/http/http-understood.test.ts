import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROUTES } from "../../src/service/api/routes.js";
import { GATE_ID } from "../support/api/api-fakes.js";
import { archivedFrames, liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";
import { pageFolder } from "../support/api/page-folder.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { RawClient } from "../support/http/raw-http.js";

/** What docs/ref/api.md says of HTTP under "What HTTP is understood", by raw sockets against the whole API. */

/** The library closes after 10 s; its clock ticks each 4 s, and this machine may be busy. */
const CLOSED_WITHIN_MS = 30_000;

const directory = new TemporaryDirectory();
let api: ApiHarness;

beforeAll(async () => {
  api = await startApi({ settings: { page: { folder: await pageFolder(undefined, directory.path) } } });
});

afterAll(async () => {
  await api.stop();
  directory.remove();
});

const TIME = `/command?type=gettime&${ROOT_QUERY}`;

function open(): RawClient {
  const client = new RawClient(api.port);
  onTestFinished(() => client.destroy());
  return client;
}

/** What comes back on the bytes: up to the end, or until `enough`. */
async function exchange(bytes: string, enough: (text: string) => boolean = isWhole): Promise<string> {
  const client = open();
  client.send(bytes);
  await until("an answer or the end", () => client.closed || enough(client.text), {
    timeoutMs: CLOSED_WITHIN_MS,
    seen: () => client.text,
  });
  return client.text;
}

/** An answer with its body, by its Content-Length. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
  return end >= 0 && text.length >= end + 4 + length;
}

const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\nHost: nvr\r\n${headers}\r\n`;
const post = (headers: string, body: string): string =>
  `POST ${TIME} HTTP/1.1\r\nHost: nvr\r\n${headers}\r\n${body}`;

describe("a request of HTTP/1.1", () => {
  it("is answered on a kept connection, one after the other", async () => {
    const client = open();
    client.send(get(TIME));
    await until("the first answer", () => isWhole(client.text));
    client.send(get(TIME));
    await until("the second answer", () => client.text.split("HTTP/1.1 200 OK").length === 3);
    expect(client.closed).toBe(false);
  });

  it("has a body that a GET does not read, and the next request is not mistaken for it", async () => {
    const client = open();
    client.send(`GET ${TIME} HTTP/1.1\r\nHost: nvr\r\nContent-Length: 5\r\n\r\nhello`);
    await until("the first answer", () => isWhole(client.text), { seen: () => client.text });
    client.send(get(TIME));
    await until("the second answer", () => client.text.split("HTTP/1.1 200 OK").length === 3, {
      seen: () => client.text,
    });
  });

  it("waits for 100-continue, and gets it", async () => {
    const client = open();
    client.send(post("Content-Length: 2\r\nExpect: 100-continue\r\n", ""));
    await until("the go-ahead", () => client.text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"), {
      seen: () => client.text,
    });
    client.send("{}");
    await until("the answer", () => client.text.includes("HTTP/1.1 200 OK"), { seen: () => client.text });
  });

  it("sends its body in chunks", async () => {
    const answer = await exchange(post("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it.each([
    ["a path in another case with doubled slashes", `//CoMMand/?type=gettime&${ROOT_QUERY}`],
    ["a leading ?&", `/command?&type=gettime&${ROOT_QUERY}`],
    [
      "an escaped ampersand of an HTML page",
      `/command?type=gettime&login=root&${ROOT_QUERY.split("&")[1]}&amp;password=x`,
    ],
    ["parameters nobody knows", `/command?type=gettime&is_ajax=true&isForward=true&${ROOT_QUERY}`],
    ["the same parameter twice with one value", `/command?type=gettime&Type=gettime&${ROOT_QUERY}`],
  ])("is answered with %s", async (_what, path) => {
    expect(await exchange(get(path))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it.each([
    ["a broken percent escape, which the library reads as absent", `/command?type=get%time&${ROOT_QUERY}`],
    ["one parameter with two values", `/command?type=gettime&type=getprofiles&${ROOT_QUERY}`],
  ])("is 400 with %s", async (_what, path) => {
    expect(await exchange(get(path))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe("what the library refuses with a bare status", () => {
  it.each([
    [
      "HTTP/1.0, with the line that nginx needs",
      `GET ${TIME} HTTP/1.0\r\nHost: nvr\r\n\r\n`,
      /^HTTP\/1\.1 505 .*\r\n\r\nnvrd speaks HTTP\/1\.1 alone\. .*proxy_http_version 1\.1; /s,
    ],
    [
      "a raw blank in the query",
      get("/command?type=gettime&searchtime=21.11.2026 09:00:00"),
      /^HTTP\/1\.1 505 /,
    ],
    ["lines that end with LF alone", `GET ${TIME} HTTP/1.1\nHost: nvr\n\n`, /^HTTP\/1\.1 505 /],
    ["a whole URL in the request line", get(`http://nvr${TIME}`), /^HTTP\/1\.1 505 /],
    ["a header block of more than 16 KiB", get(TIME, `X-Big: ${"a".repeat(17_000)}\r\n`), /^HTTP\/1\.1 431 /],
    ["more than 100 headers", get(TIME, "X-One: 1\r\n".repeat(101)), /^HTTP\/1\.1 431 /],
    [
      "Content-Length together with Transfer-Encoding",
      post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      /^HTTP\/1\.1 400 /,
    ],
  ])("%s", async (_what, bytes, status) => {
    const answer = await exchange(bytes, () => false);
    expect(answer).toMatch(status);
  });

  it.each([
    ["a chunk with an extension", post("Transfer-Encoding: chunked\r\n", "2;a=b\r\n{}\r\n0\r\n\r\n")],
    ["trailers after the last chunk", post("Transfer-Encoding: chunked\r\n", "0\r\nX-Trailer: 1\r\n\r\n")],
  ])("%s is not read on: the connection ends", async (_what, bytes) => {
    await exchange(bytes, () => false);
  });
});

describe("a client that is too slow", () => {
  /** Sends `bytes` one by one, a second apart, until the server closes. */
  async function drip(start: string, bytes: string): Promise<RawClient> {
    const client = open();
    client.send(start);
    let at = 0;
    const timer = setInterval(() => {
      if (!client.closed && bytes !== "") client.send(bytes[at++ % bytes.length] ?? "");
    }, 1000);
    try {
      await until("the connection is closed", () => client.closed, {
        timeoutMs: CLOSED_WITHIN_MS,
        seen: () => client.text,
      });
    } finally {
      clearInterval(timer);
    }
    return client;
  }

  it("is closed without an answer of 200: slow headers, no headers, slow body, no Host, folded headers", async () => {
    const ends = await Promise.all([
      drip("", ""),
      drip("GET / HTTP/1.1\r\nX-Slow: ", "a"),
      drip(post("Content-Length: 100000\r\n", ""), "a"),
      drip(`GET ${TIME} HTTP/1.1\r\n\r\n`, ""),
      drip(`GET ${TIME} HTTP/1.1\r\nHost: nvr\r\nX-A: b\r\n c\r\n\r\n`, ""),
    ]);
    for (const client of ends) expect(client.text).not.toContain("HTTP/1.1 200");
  });

  it("that sends nothing after an answer is closed", async () => {
    const client = open();
    client.send(get(TIME));
    await until("the answer", () => isWhole(client.text), { seen: () => client.text });
    await until("the connection is closed", () => client.closed, {
      timeoutMs: CLOSED_WITHIN_MS,
      seen: () => client.text,
    });
  });
});

describe("the limits of the service", () => {
  it("a URL of more than 8192 characters is 414, whatever is in it", async () => {
    expect(await exchange(get(`/command?type=${"a".repeat(8200)}`))).toMatch(/^HTTP\/1\.1 414 /);
    expect(await exchange(get(`/configure/${"a".repeat(8200)}`))).toContain(
      '{"ErrorMessage":"path and query are',
    );
    const close = await exchange(get(`/${"a".repeat(8300)}`), () => false);
    expect(close).toContain("Connection: close");
  });

  it("a body that is announced as too large is refused before it comes", async () => {
    const answer = await exchange(post("Content-Length: 1048577\r\n", ""));
    expect(answer).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
  });
});

describe("every route", () => {
  it.each([...new Set(ROUTES.map(({ path }) => path))].map((path) => [path]))(
    "%s answers OPTIONS",
    async (path) => {
      const at = path.replace(/\{[^}]+\}/g, "22222222-0000-4000-8000-000000000001");
      const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method as string);
      const answer = await exchange(
        `OPTIONS ${at} HTTP/1.1\r\nHost: nvr\r\nOrigin: https://panel.example\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      const head = methods.includes("GET") ? ["HEAD"] : [];
      const allowed = /^Allow: (.*)\r$/m.exec(answer)?.[1]?.split(", ");
      expect(allowed?.toSorted()).toEqual([...methods, ...head, "OPTIONS"].toSorted());
      expect(answer).toContain(`Access-Control-Allow-Methods: ${allowed?.join(", ")}`);
    },
  );

  it.each(ROUTES.filter(({ method }) => method === "GET").map(({ path }) => [path]))(
    "%s answers HEAD as GET, without a body",
    async (path) => {
      api.streams.live(GATE_ID).setState({ state: "active" });
      api.streams.live(GATE_ID).publish(liveFrame(0, { key: true }));
      api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(2));
      const at = path.replace(/\{[^}]+\}/g, "22222222-0000-4000-8000-000000000001");
      const query = `${ROOT_QUERY}&device=none&type=gettime&command=getcapabilities&channelid=22222222-0000-4000-8000-000000000001`;
      const interval = "fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00";
      const events = "endtime=22.11.2026+00:00:00";
      const start = path === "/specialarchiveevents" ? "&starttime=21.11.2026+00:00:00" : "";
      const span = "from=2026-11-21T09:00:00Z&to=2026-11-21T09:00:02Z";
      const timeline = /timeline|strip/.test(path) ? `&${span}&channel=${GATE_ID}&channels=${GATE_ID}` : "";
      const line = `HEAD ${at}?${query}&${interval}&${events}${timeline}${start} HTTP/1.1\r\nHost: nvr\r\n\r\n`;
      const client = open();
      client.send(line);
      await until("the head", () => client.text.endsWith("\r\n\r\n"));
      const head = client.text;
      const absent =
        /page\/|motionsearch\/|files\/|tasks\/|hls\/|securityobjects\/|groups\/|users\/|views\/|userscenarios\/|alarms\/|configure\/away\/|configure\/analysers\/|findings\/|certificate\/(?:authority|file)|acme-challenge\/|away\/buckets\/|disks\/history|\/boxes\/|fleet\/templates|shared\/|session\/oidc/.test(
          path,
        );
      // A WebSocket, which HEAD does not open; a playback of ten minutes at most.
      const isRefused = /^\/api\/live$|\/talk$/.test(path);
      const ofCard = path.endsWith("/devicearchive")
        ? 501
        : path.endsWith("/devicearchive/video")
          ? 409
          : undefined;
      const expected = isRefused ? 400 : (ofCard ?? (absent ? 404 : 200));
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
      // What follows on the connection is the next answer, so nothing of a body came.
      client.send(get(TIME));
      await until("the next answer", () => client.text.endsWith("</string>"));
      expect(client.text.slice(head.length)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    },
  );

  it.each(["/nothing", "/configure/nothing"])(
    "%s, which is none, is 404 with where the paths are listed",
    async (path) => {
      const answer = await exchange(get(`${path}?${ROOT_QUERY}`));
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
      expect(answer).toContain("GET /openapi.json lists those that there are");
    },
  );

  it("is 405 for another method, and says which there are", async () => {
    const answer = await exchange(`DELETE ${TIME} HTTP/1.1\r\nHost: nvr\r\nContent-Length: 0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toContain("Allow: GET, POST, HEAD, OPTIONS");
    expect(answer).toContain("DELETE is not possible on /command: use GET, POST, HEAD, OPTIONS");
  });
});

describe("a request's id", () => {
  it.each([
    ["an answer", TIME, 200],
    ["a refusal", "/command?type=gettime", 401],
    ["a path that is none", "/nothing", 404],
  ])("is in the header of %s and in the log", async (_what, path, status) => {
    const response = await fetch(api.url(path));
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    const id = response.headers.get("x-request-id");
    expect(id).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
    const done = () => api.logLines.find(({ request, msg }) => request === id && msg === "request done");
    await until("the log line", () => done() !== undefined);
    expect(done()).toMatchObject({ method: "GET", status });
  });
});
