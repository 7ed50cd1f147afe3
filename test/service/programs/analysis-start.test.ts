import { afterEach, beforeEach, expect, it } from "vitest";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { AnalysisService } from "../../../src/service/part/analysis-service.js";
import { visionAnalyser } from "../../support/analysis/analyser-samples.js";
import { MemorySiteStore } from "../../support/api/api-fakes.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { silentLog } from "../../support/site/site-samples.js";

/** The analysers' part of the service, where starting them fails or is called from two sides. No picture is made here. */

let clock: SimulatedClock;
let site: MemorySiteStore;
let motion: MotionStates;
let listeners: number;
let faults: number;
let service: AnalysisService;

beforeEach(() => {
  clock = new SimulatedClock();
  site = new MemorySiteStore();
  motion = new MotionStates(clock);
  [listeners, faults] = [0, 0];
  const none = new Proxy({} as never, { get: () => () => Promise.reject(new Error("no picture")) });
  service = new AnalysisService({
    settings: { webhookPrivateTargets: "allow", eventBytesMax: 1e9 },
    motion: {
      report: (...given) => motion.report(...given),
      seen: (id) => motion.seen(id),
      onMotion: (listener) => {
        if (faults > 0) {
          faults -= 1;
          throw new Error("no motion now");
        }
        listeners += 1;
        const subscription = motion.onMotion(listener);
        return {
          close: () => {
            listeners -= 1;
            subscription.close();
          },
        };
      },
    },
    ...{ site, events: new MemoryEventLog(clock), clock, log: silentLog },
    ...{ streams: none, snapshots: none, stills: none },
  });
});

afterEach(() => service.stop());

const use = (change: Parameters<typeof visionAnalyser>[1]) =>
  site.change((before) => ({ ...before, analysers: [visionAnalyser({}, change)] }));
const started = (count: number) =>
  expect.poll(() => service.states().length, { timeout: PATIENCE_MS }).toBe(count);

it("analysers that could not be started once are started by the next change", async () => {
  faults = 1;
  await use({});
  service.start();
  await expect.poll(() => faults, { timeout: PATIENCE_MS }).toBe(0);
  expect(service.states()).toEqual([]);
  await use({ name: "Changed" });
  await started(1);
  expect(listeners).toBe(1);
});

it("a stop succeeds after a start that failed, and while the room is being loaded", async () => {
  faults = 1;
  await use({});
  service.start();
  await expect.poll(() => faults, { timeout: PATIENCE_MS }).toBe(0);
  await service.stop();
  service.start();
  await service.stop();
  expect([listeners, clock.timers]).toEqual([0, 0]);
});

it("two tests at a time load the room once", async () => {
  await use({ isEnabled: false });
  service.start();
  const { id = "" } = site.current.analysers[0] ?? {};
  await Promise.allSettled([service.test(id, undefined), service.test(id, undefined)]);
  expect(listeners).toBe(1);
});
