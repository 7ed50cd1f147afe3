import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callLine, SystemClock } from "../../src/base/index.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

/** A helper that closes its first connections unanswered, as systemd does while an earlier one is being served. */
class BusyHelper {
  connections = 0;
  readonly #server: Server;

  constructor(socketPath: string, busyTimes: number) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      if (this.connections <= busyTimes) socket.destroy();
      else socket.once("data", () => socket.end("done\n"));
      // The client may have gone.
      socket.on("error", () => undefined);
    }).listen(socketPath);
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe("a line to a helper", () => {
  let directory: TemporaryDirectory;
  let helper: BusyHelper | undefined;

  beforeEach(() => {
    directory = new TemporaryDirectory("line-call");
  });

  afterEach(async () => {
    await helper?.stop();
    helper = undefined;
    directory.remove();
  });

  const start = (busyTimes: number): BusyHelper => {
    helper = new BusyHelper(join(directory.path, "helper.sock"), busyTimes);
    return helper;
  };
  const call = (busyMsMax?: number): Promise<string> =>
    callLine({
      ...{ socketPath: join(directory.path, "helper.sock"), line: "{}", clock: new SystemClock() },
      ...{ answerMsMax: 10_000, bytesMax: 100, name: "helper", hint: "start it" },
      ...(busyMsMax === undefined ? {} : { busyMsMax }),
    });

  it("is sent again while it serves somebody else", async () => {
    const { connections } = await afterCall(start(2), call(10_000));
    expect(connections).toBe(3);
  });

  it("is refused when it does so for too long", async () => {
    start(1000);
    await expect(call(600)).rejects.toThrow(/the helper does not answer at .*: .*it may be busy/);
  });

  it("is sent once where nothing else was asked for", async () => {
    const busy = start(1000);
    await expect(call()).rejects.toThrow(/it may be busy/);
    expect(busy.connections).toBe(1);
  });

  it("is refused at once where no helper is", async () => {
    const beganMs = performance.now();
    await expect(call(60_000)).rejects.toThrow(/ENOENT/);
    expect(performance.now() - beganMs).toBeLessThan(5000);
  });
});

async function afterCall(helper: BusyHelper, call: Promise<string>): Promise<BusyHelper> {
  expect(await call).toBe("done\n");
  return helper;
}
