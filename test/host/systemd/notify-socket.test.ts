import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { NotifySocket, nativeSendDatagram } from "../../../src/host/systemd/index.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

/** A real datagram socket: prints each datagram as one line of JSON. */
const RECEIVER = `
import json, socket, sys
name = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(("\\0" + name[1:]) if name.startswith("@") else name)
print("bound", flush=True)
while True:
    print(json.dumps(s.recv(65536).decode()), flush=True)
`;

async function receiver(address: string): Promise<{ next(): Promise<string> }> {
  const child = spawn("python3", ["-c", RECEIVER, address], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe("bound");
  return { next: async () => JSON.parse(await next()) as string };
}

function notifierFor(address: string, watchdogMs?: number): NotifySocket {
  return new NotifySocket({ address, watchdogMs, send: nativeSendDatagram() });
}

describe("the notify socket", () => {
  it("tells systemd's words to a socket of the file system", async () => {
    const address = `${await temporaryDirectory()}/notify`;
    const { next } = await receiver(address);
    const notify = notifierFor(address);
    notify.ready("2 of 2 recording");
    expect(await next()).toBe("READY=1\nSTATUS=2 of 2 recording");
    notify.watchdog();
    expect(await next()).toBe("WATCHDOG=1");
    notify.extendTimeout(1500);
    expect(await next()).toBe("EXTEND_TIMEOUT_USEC=1500000");
    notify.stopping();
    expect(await next()).toBe("STOPPING=1\nSTATUS=stopping");
    expect(notify.failure).toBeUndefined();
  });

  it("reaches a name of the abstract namespace", async () => {
    const address = `@nvrd-test-${process.pid}-${Date.now()}`;
    const { next } = await receiver(address);
    notifierFor(address).watchdog();
    expect(await next()).toBe("WATCHDOG=1");
  });

  it("keeps the status one line, so that no word of the protocol comes of it", async () => {
    const address = `${await temporaryDirectory()}/notify`;
    const { next } = await receiver(address);
    notifierFor(address).status(`left out: /srv/a\nMAINPID=1 ${"x".repeat(400)}`);
    const received = await next();
    expect(received).toMatch(/^STATUS=left out: \/srv\/a MAINPID=1 x+…$/);
    expect(received.length).toBeLessThanOrEqual("STATUS=".length + 300);
  });

  it("remembers why nobody could be notified", async () => {
    const notify = notifierFor(`${await temporaryDirectory()}/nobody`);
    notify.watchdog();
    expect(notify.failure).toBe(2);
  });

  it("is taken out of the environment, which children inherit", () => {
    const environment = {
      NOTIFY_SOCKET: "/run/x",
      WATCHDOG_USEC: "60000000",
      WATCHDOG_PID: `${process.pid}`,
    };
    const notify = NotifySocket.fromEnvironment(environment, () => 0);
    expect(environment).toEqual({});
    expect(notify.isThere).toBe(true);
    expect(notify.watchdogMs).toBe(60_000);
  });

  it("takes no watchdog that is another process's", () => {
    const environment = { NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: "60000000", WATCHDOG_PID: "1" };
    expect(NotifySocket.fromEnvironment(environment, () => 0).watchdogMs).toBeUndefined();
  });

  it.each([undefined, "", "relative", "/", "@"])("is not there at the address %j", (address) => {
    const sent: string[] = [];
    const notify = NotifySocket.fromEnvironment({ NOTIFY_SOCKET: address }, (to) => {
      sent.push(to);
      return 0;
    });
    notify.ready("x");
    notify.watchdog();
    expect(notify.isThere).toBe(false);
    expect(sent).toEqual([]);
  });
});
