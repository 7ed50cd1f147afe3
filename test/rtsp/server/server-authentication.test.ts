import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { type AuthScheme, RtspServer } from "../../../src/rtsp/server/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { HandSource } from "../../support/rtsp/hand-source.js";
import { type RawResponse, RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";

const USER = "viewer";
const PASSWORD = 'pass"word: ü';

let stop: () => Promise<void> = async () => undefined;
afterEach(() => stop());

async function start(schemes?: readonly AuthScheme[]) {
  const clock = new SimulatedClock();
  const server = new RtspServer({
    listen: "127.0.0.1",
    port: 0,
    mounts: new Map([["/hand", new HandSource()]]),
    clock,
    log: createLog({ level: "silent" }),
    credentials: { user: USER, password: PASSWORD, ...(schemes && { schemes }) },
  });
  const { port } = await server.start();
  const client = await RawRtspClient.connect(port);
  stop = async () => {
    client.close();
    await server.stop();
  };
  const uri = `rtsp://127.0.0.1:${port}/hand`;
  const describeWith = (authorization?: string) =>
    client.request("DESCRIBE", uri, authorization === undefined ? {} : { Authorization: authorization });
  return { client, clock, uri, describeWith };
}

function nonceOf(response: RawResponse, algorithm: string): string {
  const challenge = response.challenges.find((text) => text.includes(`algorithm=${algorithm},`)) ?? "";
  return /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
}

/** An answer to a Digest challenge (RFC 7616, 3.4.1), with or without qop. */
function digest(options: {
  uri: string;
  nonce: string;
  algorithm: "MD5" | "SHA-256";
  nc?: number;
  password?: string;
}) {
  const { uri, nonce, algorithm, nc, password = PASSWORD } = options;
  const hash = (text: string) =>
    createHash(algorithm === "MD5" ? "md5" : "sha256")
      .update(text)
      .digest("hex");
  const [secret, request] = [hash(`${USER}:nvrd:${password}`), hash(`DESCRIBE:${uri}`)];
  const count = nc?.toString(16).padStart(8, "0");
  const response =
    nc === undefined
      ? hash(`${secret}:${nonce}:${request}`)
      : hash(`${secret}:${nonce}:${count}:abc:auth:${request}`);
  const qop = nc === undefined ? "" : `, qop=auth, nc=${count}, cnonce="abc"`;
  return `Digest username="${USER}", realm="nvrd", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, response="${response}"${qop}`;
}

describe("RTSP server with credentials", () => {
  it("allows OPTIONS and challenges all else, with one header per scheme, the strongest first", async () => {
    const { client, describeWith } = await start();
    expect((await client.request("OPTIONS", "*")).status).toBe(200);
    const response = await describeWith();
    expect(response.status).toBe(401);
    expect(response.challenges.map((text) => text.replace(/nonce="[^"]+"/, "nonce"))).toEqual([
      'Digest realm="nvrd", nonce, algorithm=SHA-256, qop="auth"',
      'Digest realm="nvrd", nonce, algorithm=MD5, qop="auth"',
      'Basic realm="nvrd"',
    ]);
    expect((await client.request("SETUP", "rtsp://h/hand/trackID=0")).status).toBe(401);
    expect((await client.request("PLAY", "rtsp://h/hand")).status).toBe(401);
  });

  it("takes Basic", async () => {
    const { describeWith } = await start(["Basic"]);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    expect((await describeWith(basic(`${USER}:wrong`))).status).toBe(401);
    expect((await describeWith(basic(`${USER}:${PASSWORD}`))).status).toBe(200);
  });

  it.each(["MD5", "SHA-256"] as const)("takes Digest %s with and without qop", async (algorithm) => {
    const { describeWith, uri } = await start();
    const nonce = nonceOf(await describeWith(), algorithm);
    expect((await describeWith(digest({ uri, nonce, algorithm }))).status).toBe(200);
    expect((await describeWith(digest({ uri, nonce, algorithm, nc: 1 }))).status).toBe(200);
    expect((await describeWith(digest({ uri, nonce, algorithm, nc: 2 }))).status).toBe(200);
  });

  it("reports a correct response to an old or foreign nonce, or with a replayed count, as stale", async () => {
    const { describeWith, uri, clock } = await start();
    const isStale = (response: RawResponse) =>
      response.status === 401 && response.challenges.some((text) => text.includes("stale=true"));
    const foreign = digest({ uri, nonce: "0123456789abcdef", algorithm: "MD5" });
    const first = await describeWith(foreign);
    expect(isStale(first)).toBe(true);
    const nonce = nonceOf(first, "MD5");
    expect((await describeWith(digest({ uri, nonce, algorithm: "MD5", nc: 1 }))).status).toBe(200);
    const replayed = await describeWith(digest({ uri, nonce, algorithm: "MD5", nc: 1 }));
    expect(isStale(replayed)).toBe(true);
    const fresh = nonceOf(replayed, "MD5");
    for (let minute = 0; minute < 6; minute++) {
      clock.advance(55_000_000);
      await describeWith();
    }
    expect(isStale(await describeWith(digest({ uri, nonce: fresh, algorithm: "MD5" })))).toBe(true);
  });

  it("does not report a wrong password as a stale nonce", async () => {
    const { describeWith, uri } = await start();
    const nonce = nonceOf(await describeWith(), "MD5");
    const response = await describeWith(digest({ uri, nonce, algorithm: "MD5", password: "wrong" }));
    expect(response.status).toBe(401);
    expect(response.challenges.some((text) => text.includes("stale"))).toBe(false);
  });

  it("accepts no scheme that it does not offer", async () => {
    const { describeWith, uri } = await start(["Digest SHA-256"]);
    const nonce = nonceOf(await describeWith(), "SHA-256");
    expect((await describeWith(digest({ uri, nonce, algorithm: "MD5" }))).status).toBe(401);
    expect(
      (await describeWith(`Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`)).status,
    ).toBe(401);
  });

  it("closes a connection after several wrong credentials, and survives odd ones", async () => {
    const { client, describeWith } = await start();
    const odd = [
      "Digest",
      "Digest ",
      "Basic",
      `Digest ${"a".repeat(5000)}`,
      'Digest username="',
      "Bearer x",
      "Basic !!!",
      'Digest response="\\',
    ];
    for (const authorization of odd) expect((await describeWith(authorization)).status).toBe(401);
    await client.until(() => client.closed);
    expect(client.closed).toBe(true);
  });
});
