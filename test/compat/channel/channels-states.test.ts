import { beforeEach, describe, expect, it } from "vitest";
import { GATE_ID, sampleSite, YARD_ID } from "../../support/api/api-fakes.js";
import { startApi } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";

/** What getchannelsstates says of a camera's streams. */

const api = forAllTests(() => startApi());

beforeEach(async () => {
  await api.site.change((site) => ({ ...site, cameras: sampleSite().cameras }));
  for (const id of [GATE_ID, YARD_ID])
    for (const type of ["Main", "Alternative"] as const)
      api.streams.live(id, type).setState({ state: "idle" });
});

async function states(id: string): Promise<string> {
  const response = await api.get("/command?type=getchannelsstates&accept=application/json");
  const list = JSON.parse(await response.text()) as {
    Id: string;
    StreamsStates: { Type: string; State: string }[];
  }[];
  const found = list.find((item) => item.Id === id);
  return (found?.StreamsStates ?? []).map(({ Type, State }) => `${Type} ${State}`).join(", ");
}

const lost = { state: "lost", reason: "no route" } as const;

it("names each stream as programs count it: MainVideo and its like", async () => {
  const streams = sampleSite().cameras[0]?.connection.streams;
  if (streams === undefined) throw new Error("the sample has no camera");
  const enabled = Object.fromEntries(
    Object.entries(streams).map(([type, stream]) => [type, { ...stream, enabled: true }]),
  ) as typeof streams;
  await api.site.change((site) => ({
    ...site,
    cameras: site.cameras.map((camera) =>
      camera.id === GATE_ID ? { ...camera, connection: { ...camera.connection, streams: enabled } } : camera,
    ),
  }));
  expect(await states(GATE_ID)).toBe(
    "MainVideo Idle, AlternativeVideo Idle, SecondAlternativeVideo Idle, ThirdAlternativeVideo Idle",
  );
});

describe("a stream is", () => {
  it("Active while frames arrive, NoConnection when the camera does not answer", async () => {
    api.streams.live(GATE_ID).setState(lost);
    api.streams.live(YARD_ID).setState({ state: "active" });
    expect(await states(GATE_ID)).toMatch(/^MainVideo NoConnection,/);
    expect(await states(YARD_ID)).toBe("MainVideo Active, AlternativeVideo Idle");
  });

  it("NoConnection too where nobody asks for it and the camera does not answer for the recorded one", async () => {
    api.streams.live(GATE_ID, "Alternative").setState(lost);
    expect(await states(GATE_ID)).toBe("MainVideo NoConnection, AlternativeVideo NoConnection");
  });

  it("not NoConnection because another stream of a camera that answers is lost", async () => {
    api.streams.live(GATE_ID).setState({ state: "active" });
    api.streams.live(GATE_ID, "Alternative").setState(lost);
    expect(await states(GATE_ID)).toBe("MainVideo Active, AlternativeVideo NoConnection");
  });

  it("Connecting during the first attempt", async () => {
    api.streams.live(GATE_ID).setState({ state: "connecting" });
    expect(await states(GATE_ID)).toBe("MainVideo Connecting, AlternativeVideo Idle");
  });
});

describe("a monitoring template reads the text with its expressions:", () => {
  const STATES = "/command?type=getchannelsstates&responsetype=json";
  const text = async (path: string): Promise<string> => await (await api.get(path)).text();

  it("cameras by MainVideo, lost ones by MainVideo and NoConnection", async () => {
    api.streams.live(GATE_ID).setState(lost);
    api.streams.live(YARD_ID).setState({ state: "active" });
    const found = await text(STATES);
    expect(found.match(/MainVideo/g)).toHaveLength(2);
    expect(found.match(/"Type":\s*"MainVideo",\s*"State":\s*"NoConnection"/g)).toHaveLength(1);
  });

  it("the version of /configex behind exactly one blank", async () => {
    const found = await text("/configex?responsetype=json");
    expect(/(?<=ServerVersion["]:\s["])[\d|.]*/.exec(found)?.[0]).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(["/configex?responsetype=json", STATES])("%s has one blank after each colon", async (path) => {
    const body = (await text(path)).replace(/^.*\r\n\r\n/s, "");
    const outsideOfTexts = body.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    expect(outsideOfTexts).not.toMatch(/:(?! \S)/);
    expect(outsideOfTexts.replaceAll(": ", "")).not.toMatch(/\s/);
  });

  it("texts stay as they are, whatever stands in them", async () => {
    const name = 'a:b ": "c" :[\\\u2028] , {"d":1}';
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((camera) => (camera.id === GATE_ID ? { ...camera, name } : camera)),
    }));
    const value = JSON.parse(await text("/configex?responsetype=json")) as { Channels: { Name: string }[] };
    expect(value.Channels[0]?.Name).toBe(name);
  });

  it("the length that is announced is the body's, in bytes", async () => {
    const response = await api.get("/configex?responsetype=json");
    const bytes = (await response.arrayBuffer()).byteLength;
    expect(Number(response.headers.get("content-length"))).toBe(bytes);
    const [head = "", body = ""] = (await text(STATES)).split("\r\n\r\n");
    expect(Number(/Body-length: (\d+)/.exec(head)?.[1])).toBe(Buffer.byteLength(body));
  });
});
