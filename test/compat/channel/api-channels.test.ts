import { describe, expect, it } from "vitest";
import type { StreamState } from "../../../src/live/index.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

async function json(path: string, credentials = "login=guard"): Promise<unknown> {
  const response = await fetch(api.url(`${path}?${credentials}`));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  return await response.json();
}

describe("/api/channels", () => {
  it("are the channels of /configex that the user may see, all or one", async () => {
    const response = await fetch(api.url("/configex?login=guard&responsetype=json"));
    const { Channels } = (await response.json()) as { Channels: { Id: string }[] };
    expect(Channels.map((channel) => channel.Id)).toEqual([GATE_ID, YARD_ID]);
    expect(await json("/api/channels")).toEqual(Channels);
    expect(await json(`/api/channels/${YARD_ID.toUpperCase()}`)).toEqual(Channels[1]);
  });

  it.each(["", "/status"])(
    "answers 404%s for a hidden channel as for one that is not there",
    async (rest) => {
      for (const id of [STORE_ID, "22222222-0000-4000-8000-0000000000ff", "gate"]) {
        const response = await fetch(api.url(`/api/channels/${id}${rest}?login=guard`));
        const body = { ErrorMessage: expect.stringContaining(`there is no channel ${id}`) };
        expect([response.status, await response.json()]).toEqual([404, body]);
      }
    },
  );
});

describe("/api/channels/{id}/status", () => {
  it.each<[string, StreamState["state"], StreamState["state"]]>([
    ["Ok", "active", "active"],
    ["Ok", "active", "idle"],
    ["Lost", "active", "lost"],
    ["Lost", "lost", "connecting"],
    ["Connecting", "connecting", "active"],
    ["Waiting", "waiting", "active"],
    ["Connecting", "connecting", "waiting"],
    ["Idle", "idle", "idle"],
  ])("is %s where the streams are %s and %s", async (status, main, alternative) => {
    const state = (name: StreamState["state"]): StreamState => {
      if (name === "lost") return { state: name, reason: "no route", cause: "unreachable" };
      return name === "waiting" ? { state: name, keyIntervalUs: 60_000_000 } : { state: name };
    };
    api.streams.live(GATE_ID, "Main").setState(state(main));
    api.streams.live(GATE_ID, "Alternative").setState(state(alternative));
    expect(await json(`/api/channels/${GATE_ID}/status`)).toMatchObject({ Status: status });
  });

  it("names what cannot be recorded of a stream whose key frame is waited for", async () => {
    const stream = api.streams.live(GATE_ID, "Main");
    stream.losses.count("unknown-structure");
    stream.losses.look(0);
    stream.setState({ state: "waiting", keyIntervalUs: undefined });
    const { Reason } = (await json(`/api/channels/${GATE_ID}/status`)) as { Reason: string };
    expect(Reason).toMatch(/form that the recorder does not know .*waiting for a key frame/);
  });

  it("is Disabled where the channel is switched off", async () => {
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => ({ ...camera, disabled: true })),
    }));
    expect(await json(`/api/channels/${GATE_ID}/status`)).toMatchObject({ Status: "Disabled", Streams: [] });
  });

  it("has Status as its first member, and tells cause and reason of the stream that is lost", async () => {
    api.streams.live(GATE_ID, "Main").setState({ state: "active" });
    const reason = "the camera refuses user name or password: correct them";
    api.streams.live(GATE_ID, "Alternative").setState({ state: "lost", reason, cause: "unauthorized" });
    const response = await api.get(`/api/channels/${GATE_ID}/status`);
    const text = await response.text();
    expect(text.startsWith('{"Status":"Lost"')).toBe(true);
    const lost = { StreamType: "Alternative", Status: "Lost", Cause: "unauthorized", Reason: reason };
    expect(JSON.parse(text)).toEqual({
      Status: "Lost",
      Cause: "unauthorized",
      Reason: `Alternative: ${reason}`,
      IsRecording: false,
      RecordingReason: null,
      Streams: [
        expect.objectContaining({ StreamType: "Main", Status: "Ok", Cause: null, Reason: null }),
        { ...lost, Codec: null, Width: null, Height: null, Losses: [] },
      ],
    });
  });
});
