import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { request } from "node:https";
import { expect, it, onTestFinished } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import { createPartnerCertificate } from "../../src/fleet/join/certificates.js";
import { JOIN_PATH } from "../../src/fleet/partner/partner-messages.js";
import { answerPartner, PartnerPort, type PartnerPortOptions } from "../../src/fleet/partner/partner-port.js";
import { until } from "../support/base/until.js";
import { silentLog } from "../support/site/site-samples.js";

const ID = randomUUID();
const CONNECTIONS_OF_ONE_MAX = 8;

async function opened(options: Partial<PartnerPortOptions> = {}) {
  const own = await createPartnerCertificate(ID, Date.now());
  const port = new PartnerPort({
    ...{ listen: "127.0.0.1", port: 0, own, hosts: [], clock: new SystemClock(), log: silentLog },
    partnerOf: () => ID,
    onCall: async ({ stream }) => answerPartner(stream, 200, {}),
    onJoin: async () => "token",
    ...options,
  });
  await port.start();
  onTestFinished(() => port.stop());
  return { port: port.port, own };
}

/** Opens connections of a partner. */
async function partner(options: Partial<PartnerPortOptions> = {}): Promise<() => ClientHttp2Session> {
  const { port, own } = await opened(options);
  return () => {
    const session = connect(`https://127.0.0.1:${port}`, {
      ...{ key: own.key, cert: own.certificate, rejectUnauthorized: false },
    });
    session.on("error", () => session.destroy());
    onTestFinished(() => session.destroy());
    return session;
  };
}

/** Whether a request over it is answered. */
async function isAnswered(session: ClientHttp2Session): Promise<boolean> {
  if (session.destroyed) return false;
  const stream = session.request({ ":path": "/" });
  stream.resume();
  return await new Promise((resolve) => {
    stream.once("response", () => resolve(true));
    stream.once("error", () => resolve(false));
    stream.once("close", () => resolve(false));
  });
}

it("a partner that says nothing any more is left, so that none of its power cuts leaves a connection", async () => {
  const connected = await partner({ silenceMsMax: 50 });
  const session = connected();
  expect(await isAnswered(session)).toBe(true);
  await until("it is closed", () => session.destroyed, { seen: () => session.closed });
});

it("a partner with many connections loses the oldest, and comes in by the newest", async () => {
  const connected = await partner();
  const sessions: ClientHttp2Session[] = [];
  for (let at = 0; at <= CONNECTIONS_OF_ONE_MAX; at += 1) {
    const session = connected();
    sessions.push(session);
    expect([at, await isAnswered(session)]).toEqual([at, true]);
  }
  await until("the oldest is closed", () => sessions[0]?.destroyed === true, {
    seen: () => sessions.map(({ destroyed }) => destroyed),
  });
  expect(sessions.filter(({ destroyed }) => destroyed)).toHaveLength(1);
});

it("a stranger's request to join is read to some kilobytes, whatever is in it", async () => {
  const asked: unknown[] = [];
  const { port, own } = await opened({
    onJoin: async (body) => {
      asked.push(body);
      return "token";
    },
  });
  const join = async (body: string): Promise<number | undefined> => {
    const call = request({
      ...{ host: "127.0.0.1", port, path: JOIN_PATH, method: "POST", agent: false },
      ...{ key: own.key, cert: own.certificate, rejectUnauthorized: false },
    });
    call.end(body);
    const [response] = (await once(call, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await join('{"Token":"a"}')).toBe(403);
  const members = Array.from({ length: 1000 }, (_, at) => `"k${at}":1`);
  expect(await join(`{${members.join(",")}}`)).toBe(400);
  expect(asked).toEqual([{ Token: "a" }]);
});
