import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../src/base/log/log.js";
import { readBootId } from "../../../src/base/time/boot-id.js";
import { SystemClock } from "../../../src/base/time/clock.js";
import { readBlockDisks } from "../../../src/health/disk/block-disks.js";
import { readDiskReport, writeDiskReport } from "../../../src/health/disk/disk-report.js";
import { askDisks } from "../../../src/health/disk/disk-report-maker.js";
import { identityOf, readingOf } from "../../../src/health/disk/smart-reading.js";
import { parseSmartctl } from "../../../src/health/disk/smartctl-output.js";
import { SystemFiles } from "../../../src/health/disk/system-files.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { newEvents } from "../../support/event/service-events.js";
import { ScriptedSmartctl, smartctlText } from "../../support/health/smartctl-output.js";
import { PROGRAM, PROGRAM_PATH } from "../../support/service/program.js";
import { Service } from "../../support/service/service.js";

const clock = new SystemClock();
const bootId = readBootId(createLog({ level: "silent" }));
const files = new SystemFiles();
const disks = await readBlockDisks(files);
const noDisk = disks.length === 0 ? "this machine shows no disk" : undefined;

let directory: TemporaryDirectory;
let service: Service | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("disk-report");
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  directory.remove();
});

/** Hands over that each disk of this machine says what the named output says. */
async function handOver(name: string): Promise<void> {
  const output = parseSmartctl(smartctlText(name));
  if (output === undefined) throw new Error(`${name} is not understood`);
  const reading = readingOf(output, Date.now());
  const nobody = { ask: async () => ({ kind: "busy" }) as const, forget: () => undefined };
  const report = await askDisks({ files, smartctl: nobody, clock, bootId }, undefined);
  const said = report.disks.map((reported) => ({
    ...reported,
    identity: identityOf(output),
    readMonotonicMs: report.writtenMonotonicMs,
    smart: reading ?? null,
  }));
  await writeDiskReport(directory.join("disks.json"), { ...report, disks: said });
}

async function start(): Promise<Service> {
  const settings = { diskReport: directory.join("disks.json") };
  service = await Service.start({ dataDir: directory.join("data"), settings });
  return service;
}

async function errors(running: Service): Promise<Record<string, boolean | null>> {
  const answer = await running.get("/hddstatus?responsetype=json");
  const status = JSON.parse(answer.body.toString("utf8")) as {
    ArchiveErrors: Record<string, boolean | null>;
  };
  return status.ArchiveErrors;
}

test.skipIf(noDisk !== undefined)(
  `a failing disk in the report is reported by /hddstatus and by an event${notHere(noDisk)}`,
  {
    timeout: 3 * PATIENCE_MS,
  },
  async () => {
    await handOver("wd-purple-unreadable");
    const running = await start();
    await expect
      .poll(async () => (await errors(running)).BadSmartStatus, { timeout: PATIENCE_MS, interval: 500 })
      .toBe(true);
    const [event] = await newEvents(running, "diskFailing");
    expect(event?.EventComment).toContain("24 sectors cannot be read; replace it soon");
  },
);

function command(...args: readonly string[]) {
  const script = new ScriptedSmartctl(directory.join("bin"));
  script.prints("wd-purple-good");
  const PATH = `${script.directory}:${PROGRAM_PATH}`;
  return spawnSync(PROGRAM, ["disk-report", ...args], {
    encoding: "utf8",
    env: { ...process.env, PATH },
    timeout: PATIENCE_MS,
  });
}

test("nvrd disk-report names each disk of the machine", () => {
  const { status, stdout } = command();
  expect(status).toBe(0);
  for (const { name } of disks) expect(stdout).toContain(`Disk ${name}`);
});

test("nvrd disk-report --json prints what --out writes", async () => {
  const printed = command("--json");
  const written = command("--out", directory.join("out.json"));
  expect([printed.status, written.status, written.stdout]).toEqual([0, 0, ""]);
  const report = await readDiskReport(directory.join("out.json"));
  expect(report?.disks.map(({ disk }) => disk)).toEqual(disks);
  expect(report?.disks.map(({ disk }) => disk)).toEqual(
    (JSON.parse(printed.stdout) as typeof report)?.disks.map(({ disk }) => disk),
  );
});

test("a report that cannot be written is reported", () => {
  const { status, stderr } = command("--out", directory.join("nowhere", "out.json"));
  expect([status, stderr]).toEqual([3, expect.stringContaining("cannot be written")]);
});
