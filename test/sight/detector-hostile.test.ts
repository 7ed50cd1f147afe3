import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DETECTOR_BYTES_MAX } from "../../src/service/part/memory-shares.js";
import { Detector } from "../../src/sight/detector/detector.js";
import { detectorProcess, type StartDetector } from "../../src/sight/detector/detector-process.js";
import { detectorModelFile } from "../../src/sight/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { until } from "../support/base/until.js";
import { noWeights } from "../support/sight/no-weights.js";
import { streetPicture } from "../support/sight/street-picture.js";
import { silentLog } from "../support/site/site-samples.js";

const CHILD = join(REPOSITORY_ROOT, "dist/sight/detector/detector-child.js");
const LIBRARY = join(REPOSITORY_ROOT, "node_modules/onnxruntime-node");
const GROUP = `/sys/fs/cgroup/cpu/nvrd-test-${process.pid}`;
const READY = "Buffer.from([0, 0, 0, 0, 100, 0, 0, 0, 0, 0])";

const directory = forEachTest(() => new TemporaryDirectory("detector-hostile"));
/** Stands still: nothing ends because time passes. */
let clock: SimulatedClock;
let pid: number;
let detector: Detector | undefined;

beforeEach(() => {
  clock = new SimulatedClock();
});

afterEach(() => detector?.stop());

/** A detector whose process runs this script, of an ES module. */
function started(script: string): Detector {
  const file = directory.join("detector.mjs");
  writeFileSync(file, script);
  return run(detectorProcess(detectorModelFile() ?? "", file));
}

function run(start: StartDetector): Detector {
  const startProcess: StartDetector = (ears) => {
    const child = start(ears);
    ({ pid } = child);
    return child;
  };
  detector = new Detector({ startProcess, bytesMax: DETECTOR_BYTES_MAX, clock, log: silentLog });
  detector.start();
  return detector;
}

/** The real detector, before which a shell does something in a file system of its own. */
function startedAfter(words: string): Detector {
  const shell = `${words} && exec "$0" "$1" "$2"`;
  const args = ["-m", "sh", "-c", shell, process.execPath, CHILD, detectorModelFile() ?? ""];
  return started(
    `import { spawnSync } from "node:child_process";
     const { status, signal } = spawnSync("unshare", ${JSON.stringify(args)}, { stdio: "inherit" });
     if (signal === null) process.exit(status);
     process.kill(process.pid, signal);`,
  );
}

async function failed(running: Detector): Promise<string> {
  await until("it has failed", () => running.state.problem !== undefined, { seen: () => running.state });
  return running.state.problem ?? "";
}

async function ready(running: Detector): Promise<void> {
  await until("it is ready", () => running.state.isReady, { seen: () => running.state });
}

const noMounts = spawnSync("unshare", ["-m", "true"]).status === 0 ? undefined : "no mounts are allowed";
const noGroups = existsSync("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") ? undefined : "no groups of processes";

describe("a detector's process that floods", () => {
  it("with answers is ended at the first that nobody asked for", async () => {
    const running = started(
      `process.stdout.write(${READY});
       const many = Buffer.alloc(1 << 20);
       const flood = () => { while (process.stdout.write(many)); process.stdout.once("drain", flood); };
       flood();`,
    );
    expect(await failed(running)).toContain("nobody asked");
    await until("it has ended", () => !existsSync(`/proc/${pid}`), { seen: () => pid });
  });

  it("with words has few of them kept", async () => {
    const running = started(
      `process.stdin.resume();
       const words = "no such thing\\n".repeat(1 << 12);
       let written = 0;
       const flood = () => {
         while (written < 64 && process.stderr.write(words)) written += 1;
         if (written >= 64) process.exit(3);
         written += 1;
         process.stderr.once("drain", flood);
       };
       process.stdout.write(${READY}, flood);`,
    );
    const problem = await failed(running);
    expect(problem).toContain("status 3");
    expect(problem.length).toBeLessThan(400);
  });
});

describe.skipIf(noWeights !== undefined)(`a detector's process${notHere(noWeights)}`, () => {
  it.skipIf(noMounts !== undefined)(
    `without its library says so, and is started again later${notHere(noMounts)}`,
    async () => {
      const running = startedAfter(`mount -t tmpfs none ${LIBRARY}`);
      expect(await failed(running)).toMatch(
        /a library of the detector is missing: install nvrd again .*onnxruntime-node/s,
      );
      await expect(running.look(await streetPicture())).resolves.toBeUndefined();
      expect(clock.timers).toBeGreaterThan(0);
    },
  );

  it.skipIf(noMounts !== undefined)(
    `from which the system hides what processor there is says so${notHere(noMounts)}`,
    async () => {
      const none = directory.join("none");
      mkdirSync(none);
      const running = startedAfter(
        `mount --bind ${none} /sys/devices/system/cpu && mount --bind /dev/null /proc/cpuinfo`,
      );
      expect(await failed(running)).toContain("/proc/cpuinfo");
    },
  );

  it.skipIf(noGroups !== undefined)(
    `that gets a fiftieth of a processor answers late, and is not ended for it${notHere(noGroups)}`,
    async () => {
      const running = run(detectorProcess(detectorModelFile() ?? ""));
      await ready(running);
      const picture = await streetPicture();
      mkdirSync(GROUP);
      try {
        writeFileSync(`${GROUP}/cpu.cfs_quota_us`, "2000");
        writeFileSync(`${GROUP}/cgroup.procs`, `${pid}`);
        for (let look = 0; look < 3; look++) await expect(running.look(picture)).resolves.toBeDefined();
        expect(running.state).toMatchObject({ looks: 3, restarts: 0, problem: undefined });
      } finally {
        running.stop();
        await until("it has ended", () => !existsSync(`/proc/${pid}`), { seen: () => pid });
        rmdirSync(GROUP);
      }
    },
  );
});
