import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { createPartnerCertificate } from "../../src/fleet/join/certificates.js";
import { certificateHash } from "../../src/fleet/join/code.js";
import { TOKEN_SECONDS } from "../../src/fleet/join/tokens.js";
import { askOver, connectPartner } from "../../src/fleet/partner/partner-connection.js";
import { answerPartner, bodyOf } from "../../src/fleet/partner/partner-port.js";
import { forEachTest } from "../support/base/for-tests.js";
import { until } from "../support/base/until.js";
import { PartnerBench } from "../support/fleet/partner-bench.js";
import { Siege } from "../support/http/siege.js";
import { freePorts } from "../support/service/background-process.js";

const bench = forEachTest(() => PartnerBench.start());

describe("two recorders", () => {
  it("are partners after a code of one was pasted at the other, and each says who it is", async () => {
    const [one, other] = await bench.pair();

    expect(one.partners.states()).toMatchObject([
      {
        id: other.id,
        name: "other",
        version: "1.2.3",
        hosts: ["127.0.0.1"],
        port: other.partners.listensOn,
        httpsPort: 443,
      },
    ]);
    expect(other.partners.states()).toMatchObject([
      { id: one.id, name: "one", problem: undefined, detail: "" },
    ]);
  });

  it("hear each other again after one of them was started anew, at another port", async () => {
    const [one, other] = await bench.pair();
    await one.partners.stop();
    await until("the other does not hear it", () => other.partners.state(one.id)?.isConnected === false, {
      seen: () => other.partners.states(),
    });

    const [port = 0] = await freePorts(1);
    const again = await bench.box("one", { id: one.id, port });

    await bench.heard(again, other);
    expect(other.partners.state(one.id)).toMatchObject({ port: again.partners.listensOn });
  });

  it("ask each other whatever the other serves, and are told who asks", async () => {
    const [one, other] = await bench.pair();
    one.partners.serve("/echo", async ({ partnerId, method, path, stream }) => {
      const body = await bodyOf(stream);
      answerPartner(stream, 201, { partnerId, method, path, body: body?.toString() });
    });
    const question = {
      method: "PUT",
      path: "/echo/a?b=c",
      body: Buffer.from("hello"),
      bytesMax: 1000,
      withinMs: 5000,
    };

    const { status, body } = await other.partners.ask(one.id, question);

    expect(status).toBe(201);
    expect(JSON.parse(body.toString())).toEqual({
      partnerId: other.id,
      method: "PUT",
      path: "/echo/a?b=c",
      body: "hello",
    });
    expect((await other.partners.ask(one.id, { ...question, path: "/nothing" })).status).toBe(404);
    await expect(other.partners.ask(one.id, { ...question, bytesMax: 10 })).rejects.toThrow(
      "the answer is too long",
    );
    await expect(other.partners.ask(randomUUID(), question)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("are none any more when one of them leaves: neither port nor key remains", async () => {
    const [one, other] = await bench.pair();
    expect(statSync(bench.path("one/partners/key.pem")).mode & 0o777).toBe(0o600);

    await one.partners.leave(other.id);

    await until("the other knows it", () => other.partners.states().length === 0, {
      seen: () => other.partners.states(),
    });
    await until(
      "nothing is left",
      () => !existsSync(bench.path("other/partners")) && !existsSync(bench.path("one/partners")),
    );
    expect([one.partners.listensOn, other.partners.listensOn]).toEqual([0, 0]);
  });

  it("know that the other has forgotten them", async () => {
    const [one, other] = await bench.pair();
    await (await bench.box("third")).partners.join((await one.partners.makeCode()).code);
    await other.partners.stop();
    await one.partners.leave(other.id);

    const again = await bench.box("other", { id: other.id });

    await until("it is refused", () => again.partners.state(one.id)?.problem === "refused", {
      seen: () => again.partners.states(),
    });
    expect(again.partners.state(one.id)?.isConnected).toBe(false);
  });
});

it("partners hear each other again though strangers hold as many connections at both as they can", async () => {
  const [one, other] = await bench.pair();
  const port = other.partners.listensOn;
  const addresses = Array.from({ length: 20 }, (_, at) => at + 2);
  await other.partners.stop();
  const again = await bench.box("other", { id: other.id });
  const sieges = [one.partners.listensOn, port].map((at) => new Siege({ port: at, addresses, each: 8 }));
  try {
    await until("the strangers are there", () => sieges.every(({ closed }) => closed > 100), {
      seen: () => sieges.map(({ open, closed }) => [open, closed]),
    });
    await one.partners.stop();
    const third = await bench.box("one", { id: one.id });
    await bench.heard(third, again);
  } finally {
    for (const siege of sieges) siege.end();
  }
});

describe("a code of a recorder", () => {
  it("counts once", async () => {
    const [one, other, third] = [await bench.box("one"), await bench.box("other"), await bench.box("third")];
    const { code } = await one.partners.makeCode();
    await other.partners.join(code);

    await expect(third.partners.join(code)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(one.partners.states()).toHaveLength(1);
    expect(third.partners.listensOn).toBe(0);
  });

  it("counts for 15 minutes", async () => {
    const [one, other] = [await bench.box("one"), await bench.box("other")];
    const { code } = await one.partners.makeCode();
    bench.clock.shiftUs = TOKEN_SECONDS * 1_000_000;

    await expect(other.partners.join(code)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("was used, or is older than 15 minutes"),
    });
  });

  it("sends nothing to a machine that shows another certificate", async () => {
    const [one, other, third] = [await bench.box("one"), await bench.box("other"), await bench.box("third")];
    const { code } = await one.partners.makeCode();
    await third.partners.makeCode();
    const misled = code.replace(`:${one.partners.listensOn}/`, `:${third.partners.listensOn}/`);

    await expect(other.partners.join(misled)).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("is another machine"),
    });
  });

  it("is given back to a recorder that is a partner already, and is refused at the recorder that made it", async () => {
    const [one, other] = await bench.pair();
    const { code } = await one.partners.makeCode();

    await expect(other.partners.join(code)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(one.partners.join(code)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("own code"),
    });
    await expect(one.partners.join("nvrd-hub://x")).rejects.toMatchObject({ code: "BAD_REQUEST" });

    const third = await bench.box("third");
    await third.partners.join(code);
    expect(one.partners.states()).toHaveLength(2);
  });

  it("lets a copy of the recorder not in", async () => {
    const one = await bench.box("one");
    const twin = await bench.box("twin", { id: one.id });

    await expect(twin.partners.join((await one.partners.makeCode()).code)).rejects.toMatchObject({
      message: expect.stringContaining("the same id"),
    });
  });

  it("opens the port for its time, and without one there is no port", async () => {
    const one = await bench.box("one");
    expect(one.partners.listensOn).toBe(0);

    await one.partners.makeCode();

    expect(one.partners.listensOn).toBeGreaterThan(0);
  });

  it("is not made where partners are switched off", async () => {
    const one = await bench.box("one", { port: 0 });

    await expect(one.partners.makeCode()).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

describe("a stranger at the port of partners", () => {
  it("gets no session, whatever certificate it has", async () => {
    const [one] = await bench.pair();
    const own = await createPartnerCertificate(randomUUID(), Date.now());
    const certificate = certificateHash(readFileSync(bench.path("one/partners/certificate.pem"), "utf8"));
    const { session } = await connectPartner(
      { hosts: ["127.0.0.1"], port: one.partners.listensOn, certificate, own },
      bench.clock,
    );
    const question = { method: "POST", path: "/partner/beat", bytesMax: 1000, withinMs: 5000 };

    await expect(askOver(session, question, bench.clock)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it("gets no session without a certificate", async () => {
    const [one] = await bench.pair();
    const socket = connect({
      port: one.partners.listensOn,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ALPNProtocols: ["h2"],
    });
    const session = connectHttp2("https://partner", { createConnection: () => socket });
    session.on("error", () => undefined);

    await new Promise<void>((resolve) => session.once("close", () => resolve()));
  });

  it("holds no more than eight connections of one address", async () => {
    const one = await bench.box("one");
    await one.partners.makeCode();
    const sockets = Array.from({ length: 12 }, () =>
      connect({ port: one.partners.listensOn, host: "127.0.0.1", rejectUnauthorized: false }),
    );
    let closed = 0;
    for (const socket of sockets) socket.on("error", () => undefined).once("close", () => (closed += 1));

    await until("four are closed", () => closed === 4, { seen: () => closed });
    for (const socket of sockets) socket.destroy();
  });
});
