import { expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

it("GET /api/system/log tells lines with the camera that they name", async () => {
  api.serviceLog.page = {
    source: "Journal",
    lines: [
      { timeUs: 1_795_251_600_000_000, level: "Warning", text: `no answer (stream=${GATE_ID}/Main)` },
      { timeUs: 1_795_251_599_000_000, level: "Information", text: "recording" },
    ],
    hasMore: true,
  };
  const response = await api.get("/api/system/log");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    Source: "Journal",
    HasMore: true,
    Lines: [
      {
        Time: "2026-11-21T09:00:00.0000000Z",
        Level: "Warning",
        Text: `no answer (stream=${GATE_ID}/Main)`,
        ChannelId: GATE_ID,
      },
      {
        Time: "2026-11-21T08:59:59.0000000Z",
        Level: "Information",
        Text: "recording",
        ChannelId: null,
      },
    ],
  });
});

it("the filter is what was asked for, and without one the newest lines from information on", async () => {
  await api.get("/api/system/log");
  await api.get(
    `/api/system/log?level=ERROR&channel=${GATE_ID.toUpperCase()}&text=disk&since=2026-11-21T09:00:00Z&limit=7`,
  );
  expect(api.serviceLog.asked).toEqual([
    { level: "Information", channelId: undefined, text: undefined, sinceUs: undefined, limit: 200 },
    { level: "Error", channelId: GATE_ID, text: "disk", sinceUs: 1_795_251_600_000_000, limit: 7 },
  ]);
});

it.each([
  ["level=loud", "use Debug, Information, Warning, Error"],
  ["channel=gate", '"gate" is not a GUID'],
  ["limit=0", "1 to 1000"],
  ["limit=1001", "1 to 1000"],
  [`text=${"a".repeat(201)}`, "takes at most 200 characters"],
  ["since=yesterday", "since"],
])("a filter that cannot be is refused: %.20s", async (filter, reason) => {
  const response = await api.get(`/api/system/log?${filter}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ ErrorMessage: expect.stringContaining(reason) });
});

it("nobody but an administrator reads it", async () => {
  const response = await fetch(api.url("/api/system/log?login=guard"));
  expect(response.status).toBe(403);
});
