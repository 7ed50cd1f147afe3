import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { syslogLines } from "../../src/alarm/syslog-sender.js";
import type { SyslogDelivery } from "../../src/site/index.js";
import { alarmEvent, alarmMessage, sendAlarm } from "../support/alarm/alarm-samples.js";
import { until } from "../support/api/api-harness.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { makeCertificate } from "../support/http/certificate.js";
import { BackgroundProcess, freePorts } from "../support/service/background-process.js";

const NEVER = new AbortController().signal;
let directory: TemporaryDirectory;
let rsyslogd: BackgroundProcess;
let udpPort: number;
let tcpPort: number;
const servers: Server[] = [];

/** rsyslog, which writes what it understood of each message. */
beforeAll(async () => {
  directory = new TemporaryDirectory("syslog");
  [udpPort = 0, tcpPort = 0] = await freePorts(2);
  const file = directory.join("rsyslog.conf");
  writeFileSync(
    file,
    `global(workDirectory="${directory.path}")
module(load="imudp") input(type="imudp" address="127.0.0.1" port="${udpPort}")
module(load="imtcp") input(type="imtcp" address="127.0.0.1" port="${tcpPort}")
template(name="parts" type="string" string="%syslogfacility-text%|%syslogseverity-text%|%protocol-version%|%app-name%|%msgid%|%timereported:::date-rfc3339%|%msg%\\n")
action(type="omfile" file="${directory.join("received")}" template="parts")
`,
  );
  rsyslogd = new BackgroundProcess("rsyslogd", ["-n", "-f", file, "-i", directory.join("pid")]);
  await until("rsyslogd runs", () => existsSync(directory.join("pid")));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

afterAll(async () => {
  await rsyslogd.stop();
  directory.remove();
});

const delivery = (transport: SyslogDelivery["transport"], port: number): SyslogDelivery => ({
  ...{ kind: "syslog", host: "127.0.0.1", port, transport, facility: 16 },
});

/** What rsyslog wrote that holds the mark. */
const linesWith = (mark: string): string[] =>
  existsSync(directory.join("received"))
    ? readFileSync(directory.join("received"), "utf8")
        .split("\n")
        .filter((line) => line.includes(mark))
    : [];

it.each(["udp", "tcp"] as const)("rsyslog reads every part of the messages over %s", async (transport) => {
  const mark = `mark-${transport}`;
  const events = [
    alarmEvent(1, { channelName: "Tor Süd", comment: mark }),
    alarmEvent(2, { type: "tamperingStarted", comment: `${mark}\n<0>1 - - - - - - forged` }),
    alarmEvent(3, { type: "recordingStarted", comment: mark }),
  ];
  const send = () =>
    sendAlarm(delivery(transport, transport === "udp" ? udpPort : tcpPort), alarmMessage({ events }), NEVER);
  // The socket is open a moment after the file of the process id is there.
  await expect
    .poll(
      async () => {
        await send().catch(() => undefined);
        return linesWith(mark).length;
      },
      { timeout: PATIENCE_MS, interval: 200 },
    )
    .toBeGreaterThanOrEqual(3);
  const [lost, tampering, started] = linesWith(mark);
  expect(lost).toMatch(
    /^local0\|err\|1\|nvrd\|cameraLost\|2024-01-01T00:00:01\.000(?:Z|\+00:00)\|.*Tor Süd: mark-/,
  );
  expect(tampering).toMatch(/^local0\|warning\|1\|nvrd\|tamperingStarted\|.*<0>1 - - - - - - forged$/);
  expect(started).toMatch(/^local0\|info\|1\|nvrd\|recordingStarted\|/);
});

it("a message is at most 2048 octets, and ends with a whole character", () => {
  for (let extra = 0; extra < 4; extra++) {
    const [line] = syslogLines(
      alarmMessage({ events: [alarmEvent(1, { comment: "x".repeat(extra) + "ü€😀".repeat(700) })] }),
      16,
    );
    expect(line?.length).toBeLessThanOrEqual(2048);
    expect(line?.length).toBeGreaterThan(2040);
    expect(line?.toString("utf8")).not.toContain("\ufffd");
  }
});

it("over TLS a certificate that nobody vouches for is refused", async () => {
  const server = createTlsServer(await makeCertificate());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await expect(sendAlarm(delivery("tls", port), alarmMessage(), NEVER)).rejects.toThrow(
    /self-signed certificate/,
  );
});

it("a closed port is reported, with the host", async () => {
  const [port = 0] = await freePorts(1);
  await expect(sendAlarm(delivery("tcp", port), alarmMessage(), NEVER)).rejects.toThrow(
    /^127\.0\.0\.1: it refuses the connection/,
  );
});

it("ends with its signal when the other side takes nothing", async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pause());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  const refused = expect(sendAlarm(delivery("tcp", port), alarmMessage(), stop.signal)).rejects.toThrow(
    "127.0.0.1: it takes too long",
  );
  setTimeout(() => stop.abort(), 200);
  await refused;
});
