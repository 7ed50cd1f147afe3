import { rm } from "node:fs/promises";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { ApiSettings } from "../../../src/service/api/api-server.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { PAGE_HTML, PAGE_SCRIPT, pageFolder, SCRIPT_PATH } from "../../support/api/page-folder.js";

let api: ApiHarness;

async function serve(page: ApiSettings["page"]): Promise<void> {
  api = await startApi(page === undefined ? {} : { settings: { page } });
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Bytes as they come: fetch would take the compression off. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: api.port, path, method, headers, agent: false },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
        );
      },
    );
    sent.on("error", reject).end();
  });
}

afterEach(() => api.stop());

describe("the page", () => {
  it("is there without a login, at / and /index.html", async () => {
    await serve({ folder: await pageFolder() });
    for (const path of ["/", "/index.html", "//"]) {
      const got = await get(path);
      expect([got.status, got.body.toString()]).toEqual([200, PAGE_HTML]);
      expect(got.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        vary: "Accept-Encoding",
      });
    }
    expect((await get("/", {}, "POST")).status).toBe(405);
    const head = await get("/", {}, "HEAD");
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([
      200,
      String(PAGE_HTML.length),
      0,
    ]);
  });

  it("has files that are kept for ever, as their names change with them", async () => {
    await serve({ folder: await pageFolder() });
    const got = await get(SCRIPT_PATH);
    expect([got.status, got.body.toString()]).toEqual([200, PAGE_SCRIPT]);
    expect(got.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect((await get("/page/main-other.js")).status).toBe(404);
  });

  it.each([
    ["br", "gzip, deflate, br, zstd"],
    ["gzip", "gzip, deflate"],
    ["gzip", "br;q=0, gzip;q=0.5"],
    ["br", "*"],
    ["gzip", "*, br;q=0.000"],
    [undefined, "identity"],
    [undefined, ""],
    [undefined, "gzip;q=0, br; Q=0"],
  ])("is sent as %s where the browser takes %j", async (encoding, accepted) => {
    await serve({ folder: await pageFolder() });
    const got = await get(SCRIPT_PATH, { "Accept-Encoding": accepted });
    expect(got.headers["content-encoding"]).toBe(encoding);
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ""] ?? ((body: Buffer) => body);
    expect(unpack(got.body).toString()).toBe(PAGE_SCRIPT);
  });

  it("is not sent again while it is the same", async () => {
    await serve({ folder: await pageFolder() });
    const first = await get("/", { "Accept-Encoding": "gzip" });
    const etag = String(first.headers.etag);
    const again = await get("/", { "Accept-Encoding": "gzip", "If-None-Match": `"x", W/${etag}` });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    // A length would be that of the file (RFC 9110, 8.6).
    expect(again.headers["content-length"]).toBeUndefined();
    expect(again.headers["content-security-policy"]).toBeDefined();
    // Another form of it is another version.
    expect((await get("/", { "If-None-Match": etag })).status).toBe(200);
  });

  it("is in each form what it was when the service started, whatever becomes of its files", async () => {
    const folder = await pageFolder();
    await serve({ folder });
    await rm(folder, { recursive: true });
    for (const accepted of ["br", "gzip", "identity", "identity"]) {
      const { headers, body } = await get(SCRIPT_PATH, { "Accept-Encoding": accepted });
      const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[String(headers["content-encoding"])];
      expect((unpack?.(body) ?? body).toString()).toBe(PAGE_SCRIPT);
    }
  });

  it("has nothing after the head of a 304: the next answer follows", async () => {
    await serve({ folder: await pageFolder() });
    const client = api.connect();
    client.get("/", ["If-None-Match: *"]);
    await until("the head", () => client.text.endsWith("\r\n\r\n"));
    const head = client.text;
    client.get("/");
    await until("the page", () => client.text.endsWith(PAGE_HTML));
    expect([head.slice(0, 12), client.text.slice(head.length, head.length + 15)]).toEqual([
      "HTTP/1.1 304",
      "HTTP/1.1 200 OK",
    ]);
  });

  it.each([
    "/page/../files.json",
    "/page/%2e%2e/files.json",
    "/page/files.json",
    "/page/",
    "/page/__proto__",
    "/files.json",
  ])("gives no other file: %s", async (path) => {
    await serve({ folder: await pageFolder() });
    const got = await get(path);
    expect(got.status).toBe(404);
    expect(got.body.toString()).not.toContain("immutable");
  });
});

describe("the headers of the page", () => {
  it("allow it its own files alone, and nobody to frame it", async () => {
    await serve({ folder: await pageFolder() });
    for (const path of ["/", SCRIPT_PATH]) {
      const { headers } = await get(path);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; object-src 'none'; " +
          "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "x-frame-options": "DENY",
      });
    }
  });

  it("keep other windows apart where a browser heeds that: over plain HTTP it would complain", async () => {
    await serve({ folder: await pageFolder() });
    const policy = (await get("/", { host: "192.168.1.20:8080" })).headers["cross-origin-opener-policy"];
    expect(policy).toBe(undefined);
  });

  it.each([
    ["no such file", "/page/none.js", {}, 404],
    ["another method", "/", { method: "POST" }, 405],
    ["another method for a file", "/PAGE/none.js", { method: "DELETE" }, 405],
    ["a path of thousands of characters", `/page/${"x".repeat(9000)}`, {}, 414],
  ])("are those of errors too: %s", async (_, path, init, status) => {
    await serve({ folder: await pageFolder(), frameAncestors: ["self"] });
    const answer = await fetch(api.url(path), init);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'self';.*frame-ancestors 'self';/,
    );
    expect([
      answer.headers.get("x-content-type-options"),
      answer.headers.get("referrer-policy"),
      answer.headers.get("x-frame-options"),
    ]).toEqual(["nosniff", "no-referrer", "SAMEORIGIN"]);
  });

  it("are not those of the API's errors", async () => {
    await serve({ folder: await pageFolder() });
    const { headers } = await fetch(api.url("/api/none"));
    expect(headers.get("content-security-policy")).toBe(null);
  });

  it.each([
    [["self"], "frame-ancestors 'self';", "SAMEORIGIN"],
    [["self", "https://panel.example"], "frame-ancestors 'self' https://panel.example;", undefined],
  ])("allow %j to frame it where the settings do", async (frameAncestors, policy, frameOptions) => {
    await serve({ folder: await pageFolder(), frameAncestors });
    const { headers } = await get("/");
    expect(headers["content-security-policy"]).toContain(policy);
    expect(headers["x-frame-options"]).toBe(frameOptions);
  });
});

describe("without a page", () => {
  it("that is not built, / says what to do, and the API works", async () => {
    await serve({ folder: "/nonexistent" });
    const got = await get("/");
    expect([got.status, got.body.toString()]).toEqual([503, expect.stringContaining("npm run build")]);
    expect(got.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect((await api.get("/configex")).status).toBe(200);
  });

  it("because it is switched off, / is 404", async () => {
    await serve("off");
    const got = await get("/");
    expect([got.status, got.body.toString()]).toEqual([404, expect.stringContaining("switched off")]);
  });

  it.each([
    ["that is no JSON", "{"],
    ["that leaves the folder", [{ path: "/", file: "../x", type: "text/html", immutable: false }]],
    [
      "with a path of the API",
      [{ path: "/configex", file: "index.html", type: "text/html", immutable: false }],
    ],
    [
      "with a file that is not there",
      [{ path: "/", file: "gone.html", type: "text/html", immutable: false }],
    ],
    [
      "with a type that splits the header",
      [{ path: "/", file: "index.html", type: "text/html\r\nX: y", immutable: false }],
    ],
    ["without /", []],
  ])("whose list %s, / is 503", async (_what, list) => {
    await serve({ folder: await pageFolder(list) });
    expect((await get("/")).status).toBe(503);
  });
});

it("may ask at the addresses of a trial of network settings while one runs", async () => {
  await serve({ folder: await pageFolder() });
  const policy = async () => String((await get("/")).headers["content-security-policy"]);
  expect(await policy()).toContain("connect-src 'self';");
  api.network.hosts = ["192.168.1.20", "nvrd-1.local"];
  expect(await policy()).toContain(
    `connect-src 'self' http://192.168.1.20:${api.port} http://nvrd-1.local:${api.port};`,
  );
});
