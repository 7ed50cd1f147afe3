import { describe, expect, it } from "vitest";
import { NotifySocket } from "../../../src/host/systemd/index.js";
import { type ReportingService, startManaged } from "../../../src/service/process/managed-service.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { silentLog } from "../../support/site/site-samples.js";

const WATCHDOG_MS = 60_000;

/** A service under a service manager that writes down what it is sent. */
function bench(options: { readonly isManaged?: boolean } = {}) {
  const clock = new ManualClock();
  const notified: string[] = [];
  const send = (_address: string, data: Uint8Array) => {
    notified.push(Buffer.from(data).toString());
    return 0;
  };
  const address = options.isManaged === false ? undefined : "/run/notify";
  const notify = new NotifySocket({ address, watchdogMs: WATCHDOG_MS, send });
  const state = { line: "2 of 2 recording", stuck: undefined as string | undefined, stopped: 0 };
  const service: ReportingService = {
    get healthSummary() {
      return state.line;
    },
    stuckReason: () => state.stuck,
    stop: async () => {
      state.stopped += 1;
    },
  };
  const run = (start: () => Promise<ReportingService> = async () => service) =>
    startManaged({ start, notify, clock, log: silentLog });
  const count = (word: string) => notified.filter((text) => text.startsWith(word)).length;
  return { clock, notified, state, service, run, count };
}

describe("a service under a service manager", () => {
  it("is ready when it has started, with its status", async () => {
    const { notified, run } = bench();
    await run();
    expect(notified).toEqual(["STATUS=starting", "READY=1\nSTATUS=2 of 2 recording"]);
  });

  it("asks for more time while it starts, and not without end", async () => {
    const { clock, run, count, service } = bench();
    let finish: (service: ReportingService) => void = () => undefined;
    const started = run(() => new Promise((resolve) => (finish = resolve)));
    clock.advance(30_000);
    expect(count("EXTEND_TIMEOUT_USEC=60000000")).toBe(3);
    clock.advance(3_600_000);
    expect(count("EXTEND_TIMEOUT_USEC")).toBeLessThanOrEqual(90);
    finish(service);
    await started;
    const before = count("EXTEND_TIMEOUT_USEC");
    clock.advance(60_000);
    expect(count("EXTEND_TIMEOUT_USEC")).toBe(before);
  });

  it("pings three times a period of the watchdog", async () => {
    const { clock, run, count } = bench();
    await run();
    clock.advance(WATCHDOG_MS);
    expect(count("WATCHDOG=1")).toBe(3);
  });

  it("does not ping while recording is stuck, and does when it goes on", async () => {
    const { clock, state, run, count } = bench();
    await run();
    state.stuck = "nothing reaches the volume /srv/a";
    clock.advance(2 * WATCHDOG_MS);
    expect(count("WATCHDOG=1")).toBe(0);
    state.stuck = undefined;
    clock.advance(WATCHDOG_MS);
    expect(count("WATCHDOG=1")).toBe(3);
  });

  it("tells its status when it changes, and only then", async () => {
    const { clock, state, notified, run } = bench();
    await run();
    clock.advance(60_000);
    state.line = "1 of 2 recording";
    clock.advance(60_000);
    expect(notified.filter((text) => text.startsWith("STATUS="))).toEqual([
      "STATUS=starting",
      "STATUS=1 of 2 recording",
    ]);
  });

  it("says that it stops before it does, and pings no more", async () => {
    const { clock, notified, state, run, count } = bench();
    const running = await run();
    await running.stop();
    expect(notified.at(-1)).toBe("STOPPING=1\nSTATUS=stopping");
    expect(state.stopped).toBe(1);
    clock.advance(10 * WATCHDOG_MS);
    expect(count("WATCHDOG=1")).toBe(0);
  });

  it("whose start fails is told nothing more of", async () => {
    const { clock, notified, run } = bench();
    await expect(run(() => Promise.reject(new Error("no port")))).rejects.toThrow("no port");
    clock.advance(60_000);
    expect(notified).toEqual(["STATUS=starting"]);
  });

  it("is only started where there is no service manager", async () => {
    const { notified, run, service } = bench({ isManaged: false });
    expect(await run()).toBe(service);
    expect(notified).toEqual([]);
  });
});
