import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiHarness } from "../../support/api/api-harness.js";
import { BASIC_ROOT, startDescribedApi } from "../../support/api/described-api.js";
import { unexplained } from "../../support/api/openapi-exceptions.js";
import { type FailedCase, readReport } from "../../support/api/schemathesis-report.js";
import { notHere } from "../../support/base/not-here.js";

/** Schemathesis tries each operation with what the description allows and with what it forbids. Own process. */

/** Its program; `npm run torture -- openapi` installs it. */
const PROGRAM = process.env.NVRD_TEST_SCHEMATHESIS;
/** Generated requests of each operation, besides those at the bounds of each schema. */
const EXAMPLES = process.env.NVRD_TEST_SCHEMATHESIS_EXAMPLES ?? "50";
const HOOKS = fileURLToPath(new URL("../../support/api", import.meta.url));
const RUN_MS_MAX = 3_600_000;
const CASES_SHOWN = 20;

const missing = PROGRAM === undefined ? "it takes minutes: npm run torture -- openapi" : undefined;

describe.skipIf(missing !== undefined)(`the description, as schemathesis reads it${notHere(missing)}`, () => {
  let api: ApiHarness;
  let directory: string;
  let count = 0;
  let failed: FailedCase[] = [];

  beforeAll(async () => {
    api = await startDescribedApi();
    directory = await mkdtemp(join(tmpdir(), "nvrd-schemathesis-"));
    const report = join(directory, "report.ndjson");
    await run(PROGRAM ?? "", api.url(""), report, directory);
    ({ count, failed } = await readReport(report));
  }, RUN_MS_MAX);

  afterAll(async () => {
    await api.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("was tried with thousands of requests", () => {
    expect(count).toBeGreaterThan(5000);
  });

  it("allows nothing that is refused, save what it says in words", () => {
    const refused = failed.filter(({ check }) => check === "positive_data_acceptance");
    const rest = refused.flatMap((one) =>
      unexplained(one.operation, one.answer).map((fault) => [one.operation, fault]),
    );
    const different = new Map(rest.map((fault) => [fault.join(), fault]));
    expect([...different.values()].slice(0, CASES_SHOWN)).toEqual([]);
  });

  it("forbids nothing that is accepted, save what it says in words", () => {
    // A body that is too large is refused with 413, which the tool does not take for a refusal.
    const accepted = failed.filter(
      ({ check, status }) => check === "negative_data_rejection" && (status ?? 0) < 400,
    );
    const rest = accepted.filter((one) => !isLenience(one));
    expect(rest.slice(0, CASES_SHOWN).map(({ operation, sent }) => [operation, sent])).toEqual([]);
  });

  it("has no fault of the service behind it", () => {
    const faults = failed.filter(({ check, status }) => check === "not_a_server_error" && status === 500);
    expect(faults.slice(0, CASES_SHOWN)).toEqual([]);
  });
});

/**
 * An empty parameter counts as left out, and a member that is null too. What the type of a query does not use is not read.
 */
function isLenience({ operation, sent, forbidden }: FailedCase): boolean {
  const isSelective = /\/(?:command|ptz)$/.test(operation);
  const inQuery = isSelective || Object.values(sent.query ?? {}).some(isLeftOut);
  const inBody = JSON.stringify(sent.body ?? null).includes("null");
  if (forbidden.length === 0) return false;
  return forbidden.every((part) => (part === "query" && inQuery) || (part === "body" && inBody));
}

/** A blank value, and an object, whose members are sent as parameters of their own names. */
function isLeftOut(value: unknown): boolean {
  return typeof value === "string" ? value.trim() === "" : typeof value === "object";
}

function run(program: string, url: string, report: string, directory: string): Promise<void> {
  const args = [
    ...["run", `${url}/openapi.json`, "--url", url, "--header", `Authorization: ${BASIC_ROOT}`],
    ...["--checks", "positive_data_acceptance,negative_data_rejection,not_a_server_error"],
    ...["--phases", "coverage,fuzzing", "--max-examples", EXAMPLES, "--continue-on-failure", "--no-shrink"],
    ...["--generation-with-security-parameters", "false", "--generation-database", "none"],
    ...["--request-timeout", "10", "--warnings", "off", "--no-color"],
    ...["--report", "ndjson", "--report-ndjson-path", report],
  ];
  const env = { ...process.env, PYTHONPATH: HOOKS, SCHEMATHESIS_HOOKS: "schemathesis_hooks" };
  const child = spawn(program, args, { cwd: directory, env, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // Its status says whether a check failed, which the report tells better.
    child.once("exit", (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`ended with ${code}`)),
    );
  });
}
