import { describe, expect, it } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

interface CameraObject {
  readonly ArchiveSettings: { readonly Schedule: unknown };
}

async function put(Schedule: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(api.url(`/configure/channels/${GATE_ID}?${ROOT_QUERY}`), {
    method: "PUT",
    body: JSON.stringify({ ConnectionSettings: { ModelId: RTSP_MODEL.id }, ArchiveSettings: { Schedule } }),
  });
  return { status: response.status, text: await response.text() };
}

async function shown(): Promise<unknown> {
  const camera = (await (await api.get(`/configure/channels/${GATE_ID}`)).json()) as CameraObject;
  return camera.ArchiveSettings.Schedule;
}

const range = (From: unknown, To: unknown) => ({ From, To });

describe("a camera's schedule", () => {
  it("is null until there is one, is read back as it was given, and null takes it away", async () => {
    expect(await shown()).toBeNull();
    const schedule = {
      Sunday: [range("00:00", "24:00")],
      Monday: [range("08:00", "12:00"), range("12:00", "18:30")],
      Saturday: [range("23:59", "24:00")],
    };
    expect((await put(schedule)).status).toBe(200);
    expect(await shown()).toEqual(schedule);
    expect((await put(undefined)).status).toBe(200);
    expect(await shown()).toEqual(schedule);
    expect((await put(null)).status).toBe(200);
    expect(await shown()).toBeNull();
    expect((await put({})).status).toBe(200);
    expect(await shown()).toEqual({});
  });

  it("takes names in any case, ranges in any order and empty days", async () => {
    const schedule = {
      monday: [range("14:00", "15:00"), range("08:00", "09:00")],
      tuesday: [],
      Friday: null,
    };
    expect((await put(schedule)).status).toBe(200);
    expect(await shown()).toEqual({ Monday: [range("08:00", "09:00"), range("14:00", "15:00")] });
  });

  it.each([
    [{ Montag: [] }, "ArchiveSettings.Schedule.Montag: is not a day"],
    [{ Monday: [range("08:00", "07:00")] }, "ArchiveSettings.Schedule.Monday[0].To: must be later than From"],
    [{ Monday: [range("08:00", "08:00")] }, "ArchiveSettings.Schedule.Monday[0].To: must be later"],
    [{ Monday: [range("24:00", "24:00")] }, "ArchiveSettings.Schedule.Monday[0].To: must be later"],
    [{ Monday: [range("08:00", undefined)] }, "ArchiveSettings.Schedule.Monday[0].To: is required"],
    [{ Monday: [range("8:00", "24:01")] }, "ArchiveSettings.Schedule.Monday[0].From: is not a time of day"],
    [{ Monday: [range("08:60", "09:00")] }, "ArchiveSettings.Schedule.Monday[0].From: is not a time of day"],
    [{ Monday: [range(8, "09:00")] }, "ArchiveSettings.Schedule.Monday[0].From: must be a text"],
    [{ Monday: ["08:00-09:00"] }, "ArchiveSettings.Schedule.Monday[0]: must be an object"],
    [{ Monday: "always" }, "ArchiveSettings.Schedule.Monday: a list of at most 48 objects"],
    [
      { Monday: Array(49).fill(range("08:00", "09:00")) },
      "ArchiveSettings.Schedule.Monday: a list of at most 48",
    ],
    [
      { Monday: [range("08:00", "10:00"), range("09:59", "11:00")] },
      "ArchiveSettings.Schedule.Monday: the range from 09:59 begins before the one before it ends",
    ],
    [[], "ArchiveSettings.Schedule: must be an object"],
    ["always", "ArchiveSettings.Schedule: must be an object"],
  ])("of %j is refused by its path, and changes nothing", async (schedule, text) => {
    const { status, text: answer } = await put(schedule);
    expect([status, answer]).toEqual([400, expect.stringContaining(text)]);
    expect(await shown()).toBeNull();
  });
});
