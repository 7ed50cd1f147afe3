import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess, type Exit } from "../../support/service/background-process.js";
import { commandInProcess } from "../../support/service/command-in-process.js";
import { PROGRAM, PROGRAM_NODE } from "../../support/service/program.js";
import { Service } from "../../support/service/service.js";

interface Entry {
  readonly directory: string;
  readonly volumeId: string | null;
  readonly state: string;
  readonly reason: string;
}

let directory: TemporaryDirectory;
let dataDir: string;
let volumes: { path: string; reserveBytes: number }[];

beforeAll(() => {
  directory = new TemporaryDirectory("volumes-command");
  dataDir = directory.join("data");
  volumes = ["first", "second"].map((name) => ({ path: directory.join(name), reserveBytes: 0 }));
});

afterAll(() => directory.remove());

const start = () => Service.start({ dataDir, settings: { volumes } });

const flags = (): string[] => ["--data", dataDir, "--config", `${dataDir}-settings.json`];

/** `nvrd volume …` on the data directory. */
async function volume(...args: string[]): Promise<{ exit: Exit; output: string }> {
  const child = new BackgroundProcess(PROGRAM_NODE, [PROGRAM, "volume", ...args, ...flags()]);
  const exit = await child.exited;
  return { exit, output: child.output };
}

/** Of the command in the test's own process: its start costs more than what it does. */
const list = async (): Promise<Entry[]> =>
  JSON.parse((await commandInProcess(["volume", "list", "--json", ...flags()])).stdout) as Entry[];

describe("nvrd volume", () => {
  it("lists what a running service uses and what it leaves out, and adopts through it", async () => {
    const [first, second] = volumes.map(({ path }) => path);
    let service = await start();
    const before = await list();
    expect(before.map(({ directory: path, state }) => [path, state])).toEqual([
      [first, "in use"],
      [second, "in use"],
    ]);
    await service.stop();
    rmSync(second ?? "", { recursive: true });
    mkdirSync(second ?? "");
    service = await start();
    expect((await list())[1]).toMatchObject({
      state: "left out",
      reason: expect.stringContaining("belongs there"),
    });
    const adopted = await volume("adopt", second ?? "");
    expect([adopted.exit.code, adopted.output]).toEqual([0, expect.stringContaining("is in use")]);
    const [, entry] = await list();
    expect(entry?.state).toBe("in use");
    expect(entry?.volumeId).not.toBe(before[1]?.volumeId);
    expect((await volume("adopt", "/nowhere")).output).toContain("not among the volumes of the settings");
    await service.stop();
  });

  it("says what is known while no service runs, and has the next start adopt", async () => {
    const [first, second] = volumes.map(({ path }) => path);
    const [known] = await list();
    expect(known).toMatchObject({ directory: first, state: "not running" });
    // The second disk is taken away, and a copy of another recorder's comes in its place.
    const other = directory.join("other");
    const foreign = await Service.start({ dataDir: other });
    await foreign.stop();
    rmSync(second ?? "", { recursive: true });
    cpSync(join(other, "volume"), second ?? "", { recursive: true });
    const adopted = await volume("adopt", second ?? "");
    expect([adopted.exit.code, adopted.output]).toEqual([0, expect.stringContaining("at the next start")]);
    const service = await start();
    expect((await list()).map(({ state }) => state)).toEqual(["in use", "in use"]);
    await service.stop();
  });

  it.each([
    [["frobnicate"], "list, adopt, retire, move or forget"],
    [["adopt"], "requires a path"],
    [["adopt", "/a", "--json"], "no --json"],
  ])("refuses %j", async (args, reason) => {
    const child = new BackgroundProcess(PROGRAM_NODE, [PROGRAM, "volume", ...args]);
    const exit = await child.exited;
    expect([exit.code, child.output]).toEqual([2, expect.stringContaining(reason)]);
  });
});
