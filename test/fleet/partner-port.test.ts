import { randomUUID } from "node:crypto";
import { type ClientHttp2Session, connect } from "node:http2";
import { expect, it, onTestFinished } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import { createPartnerCertificate } from "../../src/fleet/join/certificates.js";
import { answerPartner, PartnerPort, type PartnerPortOptions } from "../../src/fleet/partner/partner-port.js";
import { until } from "../support/base/until.js";
import { silentLog } from "../support/site/site-samples.js";

const ID = randomUUID();
const CONNECTIONS_OF_ONE_MAX = 8;

async function port(options: Partial<PartnerPortOptions> = {}): Promise<() => ClientHttp2Session> {
  const own = await createPartnerCertificate(ID, Date.now());
  const opened = new PartnerPort({
    ...{ listen: "127.0.0.1", port: 0, own, hosts: [], clock: new SystemClock(), log: silentLog },
    partnerOf: () => ID,
    onCall: async ({ stream }) => answerPartner(stream, 200, {}),
    onJoin: async () => "token",
    ...options,
  });
  await opened.start();
  onTestFinished(() => opened.stop());
  return () => {
    const session = connect(`https://127.0.0.1:${opened.port}`, {
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
  const connected = await port({ silenceMsMax: 50 });
  const session = connected();
  expect(await isAnswered(session)).toBe(true);
  await until("it is closed", () => session.destroyed, { seen: () => session.closed });
});

it("a partner with many connections loses the oldest, and comes in by the newest", async () => {
  const connected = await port();
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
