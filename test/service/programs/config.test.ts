import { execFile, execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { commandInProcess } from "../../support/service/command-in-process.js";
import { PROGRAM, PROGRAM_NODE } from "../../support/service/program.js";
import { ROOT_PASSWORD, Service } from "../../support/service/service.js";

let directory: TemporaryDirectory;
let service: Service | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("config");
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  directory.remove();
});

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `nvrd config …` on a data directory, by default the one of the test's service. */
function config(args: readonly string[], data = directory.join("data")): Promise<Run> {
  return commandInProcess(["config", ...args, "--data", data]);
}

/** The same by the program. */
function configByProgram(args: readonly string[], data = directory.join("data")): Promise<Run> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("NVRD_")),
  );
  return new Promise((resolve) => {
    const words = [PROGRAM, "config", ...args, "--data", data];
    execFile(PROGRAM_NODE, words, { env: environment }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

const camera = (name: string, password: string) => ({
  name,
  url: "rtsp://127.0.0.1:9/main",
  login: "viewer",
  password,
});
const json = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const modeOf = (file: string) => statSync(file).mode & 0o777;

interface History {
  readonly revision: number;
  readonly by: string | null;
  readonly summary: string;
}

describe("nvrd config", () => {
  it("exports, imports, tells the history and reverts, through the service and then offline", async () => {
    const [file, secrets] = [directory.join("site.json"), directory.join("secrets.json")];
    service = await Service.start({ dataDir: directory.join("data") });
    await service.addCameras([camera("Gate", "hunter2")]);
    await service.json("/configure/groups", { method: "POST", body: [{ Name: "Guards" }] });
    expect(await configByProgram(["export", file, "--secrets", secrets])).toEqual({
      status: 0,
      stdout: `exported to ${file}, passwords to ${secrets}\n`,
      stderr: "",
    });
    expect(modeOf(secrets)).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toMatch(/hunter2|scrypt/);
    expect(readFileSync(secrets, "utf8")).toContain("hunter2");
    expect((await config(["import", file])).stdout).toBe("nothing changed\n");

    const exported = json(file) as { site: { cameras: { name: string }[] } };
    for (const each of exported.site.cameras) each.name = "Ramp";
    writeFileSync(file, JSON.stringify(exported));
    const imported = await config(["import", file, "--json"]);
    expect(JSON.parse(imported.stdout)).toMatchObject({
      changed: true,
      summary: "imported: camera Ramp (name) changed",
      notes: [],
    });
    const { revision } = JSON.parse(imported.stdout) as { revision: number };
    const shown = await service.json<{ RevNum: number; Channels: { Name: string }[] }>(
      "/configex?responsetype=json",
    );
    expect(shown).toMatchObject({ RevNum: revision, Channels: [{ Name: "Ramp" }] });
    await service.stop();
    service = undefined;

    const reverted = await configByProgram(["revert", String(revision - 1)]);
    expect(reverted.stdout).toBe(
      `revision ${revision + 1}: reverted to revision ${revision - 1}: camera Gate (name) changed\n`,
    );
    const history = JSON.parse((await config(["history", "--json"])).stdout) as History[];
    expect(history.map((line) => line.revision)).toEqual(history.map((_line, index) => revision + 1 - index));
    expect(history[0]).toMatchObject({ by: expect.stringMatching(/^command line \(.+\)$/) });
    expect(history[2]).toMatchObject({ by: "root", summary: "group Guards added" });
    expect((await config(["history"])).stdout.split("\n")[0]).toMatch(
      /^\d+ {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}command line \(.+\): reverted to revision/,
    );
    expect(
      readFileSync(join(directory.join("data"), "configuration-revisions", "00000004.json"), "utf8"),
    ).toContain("hunter2");
  });

  it("takes a configuration with its secrets to a new recorder, where its users log in", async () => {
    const [file, secrets] = [directory.join("site.json"), directory.join("secrets.json")];
    service = await Service.start({ dataDir: directory.join("data") });
    await service.addCameras([camera("Gate", "hunter2")]);
    const place = { Endpoint: "https://s3.example", Bucket: "recordings", IsEnabled: false };
    const key = { AccessKeyId: "AKIDEXAMPLE", SecretAccessKey: "cellars-own-key" };
    await service.json("/configure/away", { method: "POST", body: [{ Name: "Cellar", ...place, ...key }] });
    const Webhook = { Url: "https://hooks.example/services/T0K3N" };
    await service.json("/configure/alarms", {
      method: "POST",
      body: [{ Name: "Chat", Kind: "Webhook", Webhook }],
    });
    await config(["export", file, "--secrets", secrets]);
    for (const secret of ["cellars-own-key", "T0K3N"])
      expect(readFileSync(secrets, "utf8")).toContain(secret);
    await service.stop();

    const other = directory.join("other");
    const imported = await config(["import", file, "--secrets", secrets], other);
    expect(imported).toMatchObject({ status: 0, stdout: expect.stringContaining("camera Gate added") });
    service = await Service.start({ dataDir: other, env: { NVRD_ROOT_PASSWORD: undefined } });
    const shown = await service.json<{ Channels: unknown[] }>("/configex?responsetype=json");
    expect(shown.Channels).toMatchObject([{ Name: "Gate" }]);
    expect(readFileSync(secrets, "utf8")).not.toContain(ROOT_PASSWORD);
  });

  it("refuses a faulty import as a whole, and says what is wrong", async () => {
    service = await Service.start({ dataDir: directory.join("data") });
    const file = directory.join("site.json");
    await config(["export", file]);
    const exported = json(file) as { site: Record<string, unknown> };
    writeFileSync(
      file,
      JSON.stringify({ ...exported, site: { ...exported.site, groups: [], useTimeZones: 1 } }),
    );
    const { status, stdout, stderr } = await configByProgram(["import", file]);
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("useTimeZones: accepted: true or false");
    writeFileSync(file, JSON.stringify({ ...exported, site: { ...exported.site, users: [] } }));
    expect((await config(["import", file])).stderr).toContain("at least one senior administrator");
    expect((await config(["revert", "99"])).stderr).toContain(
      "revision 99 of the configuration is not stored",
    );
    const shown = await service.json<{ RevNum: number }>("/configex?responsetype=json");
    expect(shown.RevNum).toBe(2);
  });

  const faulty = '{"nvrdConfiguration":1}';
  it.each([
    ["UTF-8 with a mark", Buffer.from(`\ufeff${faulty}`)],
    ["UTF-16, as Windows writes it", Buffer.from(`\ufeff${faulty}`, "utf16le")],
    ["UTF-16 in the other order", Buffer.from(`\ufeff${faulty}`, "utf16le").swap16()],
  ])("reads a file in %s", async (_what, bytes) => {
    const file = directory.join("site.json");
    writeFileSync(file, bytes);
    const { status, stderr } = await config(["import", file]);
    expect([status, stderr]).toEqual([3, expect.stringContaining("configuration not imported")]);
  });

  it("reads no more of a file than a configuration has, whatever its length is said to be", async () => {
    const { status, stderr } = await config(["import", "/dev/zero"]);
    expect([status, stderr]).toEqual([3, expect.stringContaining("/dev/zero is longer than")]);
  });

  it("reads what another program gives it", async () => {
    const pipe = directory.join("pipe");
    execFileSync("mkfifo", [pipe]);
    const written = writeFile(pipe, faulty);
    const { stderr } = await config(["import", pipe]);
    expect(stderr).toContain("configuration not imported");
    await written;
  });

  it.each<[string, string[], number, string]>([
    ["no action", [], 2, "config: export FILE"],
    ["no file", ["export"], 2, "the file is missing"],
    ["no number", ["revert", "x"], 2, "a revision number is missing"],
    ["words too many", ["history", "now"], 2, "takes no argument"],
    ["secrets of a history", ["history", "--secrets", "x"], 2, "no flag --secrets"],
    ["a directory without a configuration", ["history"], 2, "there is no configuration"],
    ["a file that is not there", ["import", "/nonexistent/site.json"], 3, "cannot be read"],
  ])("answers %s with a word and a status", async (_name, args, status, message) => {
    const run = await config(args);
    expect([run.status, run.stdout]).toEqual([status, ""]);
    expect(run.stderr).toContain(message);
  });
});
