import { expect, it } from "vitest";
import { ARCHIVE_STATUS_UNKNOWN, type ArchiveErrors } from "../../../src/health/index.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const NO_ERRORS: ArchiveErrors = {
  database: false,
  frameSaving: false,
  drives: false,
  thinning: false,
  smart: null,
};

const api = forEachTest(() => startApi());

async function status(): Promise<{ IsArchiveOverload: unknown; ArchiveErrors: Record<string, unknown> }> {
  const response = await api.get("/hddstatus?responsetype=json");
  return (await response.json()) as { IsArchiveOverload: unknown; ArchiveErrors: Record<string, unknown> };
}

it("what is not known is null in JSON, in the order of the reference", async () => {
  const text = await (await api.get("/hddstatus?responsetype=json")).text();
  expect(text).toBe(
    '{"ServerState":"Active","ArchiveSizeMb":null,"ArchiveWriteSpeedMBps":null,"ArchiveDepthDays":null,' +
      '"IsArchiveOverload":null,"ArchiveErrors":{"ErrorDb":null,"ErrorFrameSaving":null,"ErrorAllDrives":null,' +
      '"ErrorFramesShrinked":null,"BadSmartStatus":null}}',
  );
});

it("what is not known is left out in XML", async () => {
  const text = await (await api.get("/hddstatus")).text();
  expect(text.split("\r\n").slice(1)).toEqual([
    "<HddStatus>",
    "  <ServerState>Active</ServerState>",
    "  <ArchiveErrors/>",
    "</HddStatus>",
  ]);
});

it.each([
  ["ErrorDb", { database: true }],
  ["ErrorFrameSaving", { frameSaving: true }],
  ["ErrorAllDrives", { drives: true }],
  ["ErrorFramesShrinked", { thinning: true }],
  ["BadSmartStatus", { smart: true }],
] as const)("%s alone is reported, and that there are errors", async (name, change) => {
  api.health.status = { ...ARCHIVE_STATUS_UNKNOWN, errors: { ...NO_ERRORS, ...change } };
  const { IsArchiveOverload, ArchiveErrors } = await status();
  expect(IsArchiveOverload).toBe(true);
  expect(Object.keys(ArchiveErrors).filter((key) => ArchiveErrors[key] === true)).toEqual([name]);
});

it("without errors there is no overload", async () => {
  api.health.status = { ...ARCHIVE_STATUS_UNKNOWN, errors: NO_ERRORS };
  expect((await status()).IsArchiveOverload).toBe(false);
});
