import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { ROOT_MD5 } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { STORED_VOLUME_ID, STORED_VOLUME_PATH } from "../../support/api/memory/memory-storage.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { healthFigures, volumeHealth, volumeStatus } from "../../support/health/health-figures.js";

const api = forEachTest(() => startApi());

async function post(path: string, body: unknown): Promise<{ status: number; json: unknown }> {
  const response = await fetch(api.url(`/api/disks/${path}?login=root&password=${ROOT_MD5}`), {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

const ORDER = { Device: "/dev/sdb", Serial: "WD-2", Confirm: "WD-2" };

it("GET /api/disks lists the disks with what lies on them", async () => {
  const status = volumeStatus({ usedBytes: 2.9e12, allowedBytes: 3.8e12 });
  const filling = volumeHealth({ directory: STORED_VOLUME_PATH, bytesPerDay: 7e10, status });
  api.monitoring.current = healthFigures({ volumes: [filling] });
  const answer = (await (await api.get("/api/disks")).json()) as { Disks: unknown[]; Work: unknown };
  expect(answer.Work).toBeNull();
  expect(answer.Disks[0]).toEqual({
    Device: "/dev/sda",
    Model: "WDC WD40PURX",
    Serial: "WD-1",
    SizeBytes: 4e12,
    IsRotational: true,
    IsSystemDisk: false,
    Verdict: "unknown",
    Summary: null,
    IsAsleep: false,
    TemperatureCelsius: null,
    HotFromCelsius: null,
    PowerOnHours: null,
    Smart: null,
    Contents: [{ Name: "sda", Type: "ext4", Label: "nvrd-0a1b2c3d", MountPoint: STORED_VOLUME_PATH }],
    Volumes: [
      {
        Path: STORED_VOLUME_PATH,
        VolumeId: STORED_VOLUME_ID,
        State: "InUse",
        Reason: null,
        SizeBytes: 4e12,
        FreeBytes: 1e12,
        RecordedBytes: 2.9e12,
        AllowedBytes: 3.8e12,
        DaysLeft: 12,
        EmptyTime: null,
        ProjectedYearBytes: 24e12,
        WorkloadTbPerYear: 180,
      },
    ],
  });
});

it("formatting is begun with 202, and see GET /api/disks for its progress", async () => {
  const { status, json } = await post("format", { ...ORDER, EraseFound: true });
  expect(status).toBe(202);
  expect(json).toMatchObject({ Work: { Action: "format", State: "Running", EndTime: null } });
  expect(api.storage.asked).toMatchObject([
    {
      request: { device: "/dev/sdb", serial: "WD-2", confirm: "WD-2", eraseFound: true },
      by: { name: "root" },
    },
  ]);
  const list = (await (await api.get("/api/disks")).json()) as { Work: unknown };
  expect(list.Work).toMatchObject({ Device: "/dev/sdb", State: "Running" });
});

it("what is on a disk may go only where that is said", async () => {
  await post("replace", { Path: STORED_VOLUME_PATH, ...ORDER });
  expect(api.storage.asked).toMatchObject([
    { directory: STORED_VOLUME_PATH, request: { eraseFound: false } },
  ]);
});

it("adopt, retire and forget are done under the user's name", async () => {
  expect((await post("adopt", { Path: "/srv/nvrd-a" })).json).toEqual({ VolumeId: STORED_VOLUME_ID });
  expect((await post("retire", { Path: "/srv/nvrd-a", Retired: true })).json).toEqual({ IsRetired: true });
  expect((await post("forget", { Path: "/srv/nvrd-a", Confirm: "x" })).json).toEqual({ IsForgotten: true });
  const by = { name: "root" };
  expect(api.storage.asked).toMatchObject([
    { adopt: "/srv/nvrd-a", confirm: undefined, by },
    { retire: "/srv/nvrd-a", retired: true, by },
    { forget: "/srv/nvrd-a", confirm: "x", by },
  ]);
});

it("a refusal keeps its code and its hint", async () => {
  api.storage.refusal = new NvrdError("CONFLICT", "a disk is being worked on", { hint: "wait" });
  const { status, json } = await post("format", ORDER);
  expect(status).toBe(409);
  expect(JSON.stringify(json)).toContain("wait");
});

describe("a body is refused with 400 that", () => {
  it.each([
    ["format", { Device: "/dev/sdb", Serial: "WD-2" }],
    ["format", { ...ORDER, Device: 7 }],
    ["format", { ...ORDER, Serial: "x".repeat(300) }],
    ["format", { ...ORDER, EraseFound: "yes" }],
    ["replace", ORDER],
    ["replace", { ...ORDER, Path: "srv/a" }],
    ["adopt", { Path: "/srv/\0" }],
    ["retire", { Path: "/srv/a" }],
    ["forget", { Path: "/srv/a" }],
    ["forget", []],
  ])("POST /api/disks/%s has %j", async (path, body) => {
    expect((await post(path, body)).status).toBe(400);
    expect(api.storage.asked).toEqual([]);
  });
});

it("GET /api/disks/history gives a disk's samples, the oldest first", async () => {
  const answer = (await (await api.get("/api/disks/history?device=/dev/sda")).json()) as {
    Samples: unknown[];
  };
  expect(answer.Samples).toEqual([
    expect.objectContaining({ Date: "2024-10-04", TemperatureCelsius: 41, PercentageUsed: null }),
  ]);
});

it.each([
  ["is not there", "?device=/dev/sdz", 404],
  ["is not named", "", 400],
])("GET /api/disks/history of a disk that %s is refused", async (_, query, status) => {
  expect((await api.get(`/api/disks/history${query}`)).status).toBe(status);
});
