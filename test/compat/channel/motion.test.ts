import { describe, expect, it } from "vitest";
import { formatIsoTime } from "../../../src/base/index.js";
import { GATE_ID, ROOT_MD5, STORE_ID } from "../../support/api/api-fakes.js";
import { apiByClock } from "../../support/api/api-harness.js";

const { api, clock } = apiByClock();

async function motion(channel: string, user = `login=root&password=${ROOT_MD5}`) {
  const answer = await fetch(api.url(`/api/channels/${channel}/motion?${user}`));
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

describe("GET /api/channels/{id}/motion", () => {
  it("says what each source sees in each zone, until it ends", async () => {
    const timeUs = clock.nowUs();
    const box = { left: 0.1, top: 0.2, width: 0.3, height: 0.4 };
    const report = { channelId: GATE_ID, source: "recorder", zone: "Door", timeUs } as const;
    api.motion.report({ ...report, active: true, box });
    api.motion.report({ ...report, source: "camera", zone: "", active: true });
    const Time = formatIsoTime(timeUs);
    expect(await motion(GATE_ID)).toMatchObject({
      status: 200,
      json: {
        ...{ ChannelId: GATE_ID, Detector: "None", IsMotion: true, Time },
        Seen: [
          { Source: "recorder", Zone: "Door", Time, Box: { Left: 0.1, Top: 0.2, Width: 0.3, Height: 0.4 } },
          { Source: "camera", Zone: "", Time, Box: null },
        ],
      },
    });
    api.motion.report({ ...report, active: false });
    api.motion.report({ ...report, source: "camera", zone: "", active: false });
    expect((await motion(GATE_ID)).json).toMatchObject({ IsMotion: false, Seen: [] });
  });

  it("has the newest place of what moves", async () => {
    const report = { channelId: GATE_ID, source: "recorder", zone: "", active: true } as const;
    for (const left of [0.1, 0.5]) {
      const box = { left, top: 0, width: 0.1, height: 0.1 };
      api.motion.report({ ...report, timeUs: clock.nowUs(), box });
    }
    expect((await motion(GATE_ID)).json).toMatchObject({ Seen: [{ Box: { Left: 0.5 } }] });
  });

  it("is 404 for a channel that is not there, and nothing for who may not see the channel live", async () => {
    expect((await motion("22222222-0000-4000-8000-0000000000ff")).status).toBe(404);
    expect([403, 404]).toContain((await motion(STORE_ID, "login=guard")).status);
  });
});
