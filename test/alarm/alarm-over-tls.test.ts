import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AlarmDelivery } from "../../src/site/index.js";
import { alarmMessage } from "../support/alarm/alarm-samples.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { makeCertificate } from "../support/http/certificate.js";
import { runToEnd } from "../support/service/background-process.js";

let directory: TemporaryDirectory;
let certificate: { key: string; cert: string };
let received: string[] = [];
const servers: { close(done?: () => void): unknown }[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("alarm-tls");
  certificate = await makeCertificate();
  writeFileSync(directory.join("ca.pem"), certificate.cert);
});

afterAll(() => {
  for (const server of servers) server.close();
  directory.remove();
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts the other side of a delivery, and says where it is. */
const OTHER_SIDES: Readonly<Record<string, () => Promise<AlarmDelivery>>> = {
  webhook: async () => {
    const server = createServer(certificate, (request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => received.push(text));
      request.on("end", () => response.end());
    });
    servers.push(server);
    return { kind: "webhook", url: `https://127.0.0.1:${await portOf(server)}/`, secret: "key" };
  },
  mail: () => mailSide("tls"),
  "mail with STARTTLS": () => mailSide("startTls"),
  syslog: async () => {
    const server = createTlsServer(certificate, (socket) => {
      socket.setEncoding("utf8").on("data", (text: string) => received.push(text));
    });
    servers.push(server);
    const port = await portOf(server);
    return { kind: "syslog", host: "127.0.0.1", port, transport: "tls", facility: 16 };
  },
};

async function mailSide(security: "tls" | "startTls"): Promise<AlarmDelivery> {
  const server = new SMTPServer({
    ...certificate,
    secure: security === "tls",
    onAuth: ({ password }, session, callback) =>
      callback(session.secure && password === "secret" ? null : new Error("no"), { user: "nvr" }),
    onData: (stream, _session, callback) => {
      stream.setEncoding("utf8").on("data", (text: string) => received.push(text));
      stream.on("end", () => callback(null));
    },
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const login = { login: "nvr", password: "secret", sender: "nvr@example.org" };
  return { kind: "mail", host: "127.0.0.1", port, security, ...login, recipients: ["owner@example.org"] };
}

it.each(Object.keys(OTHER_SIDES))("%s arrives where the certificate's issuer is known", async (name) => {
  received = [];
  const delivery = await OTHER_SIDES[name]?.();
  const script = `${REPOSITORY_ROOT}/test/support/alarm/alarm-over-tls.mjs`;
  const room = `${REPOSITORY_ROOT}/dist/alarm/index.js`;
  const given = [script, room, JSON.stringify(delivery), JSON.stringify(alarmMessage())];
  const known = `NODE_EXTRA_CA_CERTS=${directory.join("ca.pem")}`;
  const output = await runToEnd("env", [known, process.execPath, ...given]);
  expect(output).not.toContain("certificate");
  await expect.poll(() => received.join("")).toContain("Connection to camera lost");
});
