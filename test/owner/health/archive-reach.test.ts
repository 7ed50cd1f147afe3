import { expect, it } from "vitest";
import { parseGuid } from "../../../src/base/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { healthFigures, volumeHealth, volumeStatus } from "../../support/health/health-figures.js";

const DAY_US = 86_400_000_000;

const api = forEachTest(() => startApi());

interface Answer {
  readonly BytesPerDay: number | null;
  readonly DaysHeld: number | null;
  readonly Channels: readonly {
    readonly ChannelId: string;
    readonly Reason: string;
    readonly Days: unknown[];
  }[];
}

const read = async (): Promise<Answer> => (await (await api.get("/api/archive")).json()) as Answer;

it("GET /api/archive tells how far back each channel reaches, why, and the forecast", async () => {
  const nowUs = Date.now() * 1000;
  const gate = parseGuid(GATE_ID);
  if (gate === undefined) throw new Error("no id");
  const status = volumeStatus({
    ...{ usedBytes: 2e11, allowedBytes: 2.5e11, protectedBytes: 0 },
    channels: [{ channelId: gate, oldestUs: nowUs - 4 * DAY_US }],
  });
  api.monitoring.current = healthFigures({ volumes: [volumeHealth({ status })] });
  const today = Math.floor(nowUs / DAY_US);
  const days = [today - 1, today].map((day) => ({ day, bytes: 1e10, durationUs: DAY_US / 2 }));
  api.channelBytes.bytes.set(gate, { recordedBytes: 4e11, days });
  api.removedTimes.note(gate, { fromUs: 0, toUs: nowUs - 4 * DAY_US, cause: "space" });
  const answer = await read();
  expect(answer.BytesPerDay).toBeGreaterThan(0);
  expect(answer.DaysHeld).toBeGreaterThan(0);
  const channel = answer.Channels.find(({ ChannelId }) => ChannelId === GATE_ID);
  expect(channel).toMatchObject({
    Name: "Gate",
    DepthDays: expect.closeTo(4, 2),
    Reason: "Space",
    RecordedBytes: 4e11,
    MaxDays: 30,
  });
  expect(channel?.Days).toHaveLength(2);
  expect(channel?.Days[0]).toMatchObject({ Bytes: 1e10, Hours: 12 });
});

it("channels that the user may not watch in the archive are not listed", async () => {
  const answer = (await (await fetch(api.url("/api/archive?login=guard"))).json()) as Answer;
  expect(answer.Channels.map(({ ChannelId }) => ChannelId)).toEqual([YARD_ID]);
});

it("is told to ask again while the index is opening: nothing known is not nothing recorded", async () => {
  api.archive.fault = "the index of recordings is being opened";
  const response = await api.get("/api/archive");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await response.json()).toMatchObject({ ErrorMessage: expect.stringContaining("being opened") });
});
