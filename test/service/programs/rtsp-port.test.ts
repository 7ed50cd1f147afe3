import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLog } from "../../../src/base/log/log.js";
import { SystemClock } from "../../../src/base/time/clock.js";
import { NvrdError } from "../../../src/base/value/errors.js";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { RtspOutlet } from "../../../src/service/part/rtsp-outlet.js";
import { MemorySiteStore } from "../../support/api/api-fakes.js";
import { until } from "../../support/api/api-harness.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { MemoryStrangers } from "../../support/rtsp/memory-strangers.js";
import { freePorts } from "../../support/service/background-process.js";

/** An RTSP port that another program has: it is told like a shut port of HTTP. */
const { rtspUnreachable, rtspReachable } = EVENT_TYPES;
let port = 0;
let other = 0;
let blocker: Server;
let site: MemorySiteStore;
let events: MemoryEventLog;
let outlet: RtspOutlet;

beforeEach(async () => {
  [port = 0, other = 0] = await freePorts(2);
  blocker = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => blocker.listen(port, "127.0.0.1", resolve));
  const clock = new SystemClock();
  site = new MemorySiteStore();
  events = new MemoryEventLog(clock);
  outlet = new RtspOutlet({
    settings: { listen: "127.0.0.1", rtspPort: port, portFallback: false },
    mounts: { resolve: () => Promise.reject(new NvrdError("NOT_FOUND", "nothing is served here")) },
    site,
    strangers: new MemoryStrangers(),
    events,
    clock,
    log: createLog({ level: "silent" }),
  });
  await outlet.start();
});

afterEach(async () => {
  await outlet.stop();
  blocker.close();
});

const raised = () => events.raised.map(({ typeId, comment }) => [typeId, comment]);
const SHUT = [rtspUnreachable.id, expect.stringContaining("is not available")];
const OPEN = [rtspReachable.id, "RTSP"];

it("is an event with the reason, and one when it is free again", async () => {
  expect([outlet.port, raised()]).toEqual([0, [SHUT]]);
  expect(String(raised()[0]?.[1])).toContain(`RTSP: port ${port}`);
  await new Promise((resolve) => blocker.close(resolve));
  await until("it listens", () => outlet.port === port);
  expect(raised()).toEqual([SHUT, OPEN]);
});

it("is over when another port is chosen", async () => {
  await site.change((now) => ({ ...now, rtsp: { ...now.rtsp, tcpPort: other } }));
  await until("it listens", () => outlet.port === other);
  expect(raised()).toEqual([SHUT, OPEN]);
});

it("is not over when RTSP is switched off", async () => {
  await site.change((now) => ({ ...now, rtsp: { ...now.rtsp, isEnabled: false } }));
  await outlet.start();
  expect(raised()).toEqual([SHUT]);
});
