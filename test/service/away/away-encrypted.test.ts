import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RestoreReport } from "../../../src/away/restore.js";
import { until } from "../../support/api/api-harness.js";
import { MINUTE_US, START_US } from "../../support/archive/segment-fixtures.js";
import { IDENTITY, OTHER_IDENTITY, RECIPIENT } from "../../support/away/age-keys.js";
import { AwayBox } from "../../support/away/away-box.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess } from "../../support/service/background-process.js";
import { PROGRAM } from "../../support/service/program.js";

const SECRET = "restore-Secret-1";

let box: AwayBox;
let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-encrypted");
  box = await AwayBox.start();
  for (let number = 0; number < 2; number++)
    box.record({ fromUs: START_US + number * MINUTE_US, bytes: 100_000 });
  box.run({ recipients: [RECIPIENT] });
  await until("both to be named", () => box.named().size === 2);
  await box.halt();
  const where = { Endpoint: `http://127.0.0.1:${box.store.port}`, Bucket: "nvrd", Prefix: "box/" };
  directory.write({
    "target.json": JSON.stringify({ ...where, AccessKeyId: "AKID", SecretAccessKey: SECRET }),
    "key.txt": `# created: today\n# public key: ${RECIPIENT}\n${IDENTITY}\n`,
    "other.txt": `${OTHER_IDENTITY}\n`,
    "none.txt": `${RECIPIENT}\n`,
  });
});

afterAll(async () => {
  await box?.stop();
  directory?.remove();
});

/** `nvrd restore` as its user runs it. */
async function restore(into: string, ...flags: string[]) {
  const args = ["restore", directory.join("target.json"), directory.join(into), ...flags];
  const child = new BackgroundProcess(PROGRAM, args, { cwd: REPOSITORY_ROOT });
  const { code } = await child.exited;
  const { stdout, output } = child;
  // Neither the storage's secret nor a private key is reported.
  expect(output).not.toMatch(new RegExp(`${SECRET}|AGE-SECRET-KEY-1[A-Z0-9]`));
  return { code, stdout, output };
}

describe("nvrd restore of encrypted recordings", () => {
  it("brings them back byte for byte with the private key", async () => {
    const { code, stdout } = await restore("right", "--json", "--identity", directory.join("key.txt"));
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as RestoreReport;
    expect(report).toMatchObject({ segments: 2, damaged: [] });
    for (const [key, content] of box.recorded)
      expect(readFileSync(path.join(report.volumes[0] ?? "", key)).equals(content)).toBe(true);
  });

  it.each([
    ["without a key", [], 3, /is encrypted, and no key was given[\s\S]*--identity FILE/],
    ["with another key", ["--identity", "other.txt"], 3, /encrypted for another key[\s\S]*private key/],
    ["with a public key", ["--identity", "none.txt"], 2, /no private key of age[\s\S]*AGE-SECRET-KEY-1…/],
    ["with a file that is not there", ["--identity", "gone.txt"], 2, /gone\.txt: [\s\S]*age-keygen/],
  ] as const)("ends %s, and says what to do", async (name, flags, status, words) => {
    const named = flags.map((flag) => (flag.endsWith(".txt") ? directory.join(flag) : flag));
    const { code, output } = await restore(name.replaceAll(" ", "-"), ...named);
    expect(output).toMatch(words);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(status);
  });
});
