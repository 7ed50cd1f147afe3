import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMPTY_GUID } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import type { View } from "../../src/site/index.js";
import { EMPTY_MD5, GATE_ID, MemorySiteStore, sampleSite, YARD_ID } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { expectGolden } from "../support/api/golden.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TimeZone } from "../support/base/time-zone.js";

/** One with names to escape; one without a camera, which no answer shows. */
const VIEWS: readonly View[] = [
  {
    id: "88888888-0000-4000-8000-000000000001",
    name: 'Ворота <1> & "2"',
    channelIds: [GATE_ID, YARD_ID],
    gridType: "GridType4",
    groupIds: "all",
  },
  {
    id: "88888888-0000-4000-8000-000000000002",
    name: "Empty",
    channelIds: [],
    gridType: "GridType1",
    groupIds: "all",
  },
];

let api: ApiHarness;
let zone: TimeZone;

beforeAll(async () => {
  zone = new TimeZone("Asia/Kolkata");
  const site = new MemorySiteStore({ ...sampleSite(), views: VIEWS });
  api = await startApi({ clock: new SimulatedClock(NINE_US), site });
  const key = { channelId: YARD_ID, streamType: "Main" } as const;
  api.archive.record(key, archivedFrames(50, NINE_US - 3_600_123_456));
  api.archive.record(key, archivedFrames(50));
  api.streams.live(YARD_ID).setState({ state: "active" });
  api.streams.live(GATE_ID).setState({ state: "lost", reason: "no route" });
  api.recorded.add(YARD_ID);
  api.health.status = {
    sizeMb: 1_204_318.205,
    writeMbitPerSecond: 126.4,
    depthDays: 21.75,
    errors: { database: false, frameSaving: false, drives: false, thinning: true, smart: null },
  };
  const initiator = { type: 8, id: EMPTY_GUID, name: "ExternalEvent" } as const;
  const fields = { plateText: "A123BC77", Speed: "54,5", Left: "0,25", direction: ["Up"] };
  api.events.raise({
    typeId: EVENT_TYPES.motionDetected.id,
    channelId: YARD_ID,
    channelName: "Двор",
    timeUs: NINE_US - 1,
  });
  api.events.raise({
    typeId: EVENT_TYPES.plateRecognized.id,
    channelId: GATE_ID,
    channelName: "Gate",
    initiator,
    fields,
  });
  api.events.raise({ typeId: EVENT_TYPES.serviceStarted.id, comment: '0.1.0 "x"' });
});

afterAll(async () => {
  await api.stop();
  zone.restore();
});

async function bytes(path: string, headers?: Record<string, string>): Promise<Buffer> {
  const response = await api.get(path, headers);
  expect(response.status).toBe(200);
  const body = Buffer.from(await response.arrayBuffer());
  // The port is the kernel's choice: golden files have 8080.
  return Buffer.from(body.toString("utf8").replace(new RegExp(`\\b${api.port}\\b`, "g"), "8080"));
}

const golden = (name: string): URL => new URL(`../support/golden/${name}`, import.meta.url);

const FRAGMENTS = `/archivefragments?channelid=${YARD_ID}&fromtime=21.11.2026+00:00:00&totime=01.01.2222+23:59:59`;
const FIND = `/command?type=findarchive&channelid=${YARD_ID}&searchTime=`;

it.each([
  ["configex.xml", "/configex"],
  ["configex.json.txt", "/configex?responsetype=JSON"],
  ["archivefragments.xml", FRAGMENTS],
  ["archivefragments.json.txt", `${FRAGMENTS}&responseType=json`],
  ["archivefragments-none.xml", FRAGMENTS.replace(YARD_ID, GATE_ID)],
  ["archivefragments-none.json.txt", `${FRAGMENTS.replace(YARD_ID, GATE_ID)}&responsetype=json`],
  ["findarchive.xml", `${FIND}21.11.2026+09:00:00&accept=application/xml`],
  ["findarchive.json.txt", `${FIND}21.11.2026+09:00:00&accept=application/json`],
  ["findarchive-none.xml", `${FIND}21.11.2026+07:00:00&accept=application/xml`],
  ["findarchive-none.json.txt", `${FIND}21.11.2026+07:00:00&accept=application/json`],
  ["findarchive-preamble.xml.txt", `${FIND}21.11.2026+09:00:00`],
  ["findarchive-preamble.json.txt", `${FIND}21.11.2026+09:00:00&responsetype=json`],
  ["gettime.xml", "/command?type=gettime&accept=application/xml"],
  ["gettime.json.txt", "/command?type=gettime&accept=application/json"],
  ["gettime-preamble.xml.txt", "/command?type=gettime"],
  ["gettime-preamble.json.txt", "/command?type=gettime&responsetype=json"],
  ["getchannelsstates.xml", "/command?type=getchannelsstates&accept=application/xml"],
  ["getchannelsstates.json.txt", "/command?type=GetChannelsStates&accept=application/json"],
  ["getchannelsstates-preamble.xml.txt", "/command?type=getchannelsstates"],
  ["getchannelsstates-preamble.json.txt", "/command?type=getchannelsstates&responsetype=json"],
  ["getprofiles.xml", "/command?type=getprofiles&accept=application/xml"],
  ["getprofiles.json.txt", "/command?type=getprofiles&accept=application/json"],
  ["getprofiles-preamble.xml.txt", "/command?type=getprofiles"],
  ["getprofiles-preamble.json.txt", "/command?type=getprofiles&responsetype=json"],
  ["getallregisteredevents.xml", "/command?type=getallregisteredevents&accept=application/xml"],
  ["getallregisteredevents.json.txt", "/command?type=getallregisteredevents&accept=application/json"],
  ["getallregisteredevents-preamble.json.txt", "/command?type=getallregisteredevents&responsetype=json"],
  ["archive-event-types.xml", "/archive_event_types"],
  ["archive-event-types.json.txt", "/archive_event_types?responsetype=json"],
  ["hddstatus.xml", "/hddstatus"],
  ["hddstatus.json.txt", "/hddstatus?responsetype=json"],
  ["api-channel.json.txt", `/api/channels/${GATE_ID}`],
  ["api-channel-status.json.txt", `/api/channels/${YARD_ID}/status`],
  ["configure-channels.json.txt", "/configure/channels"],
  ["configure-channel.json.txt", `/configure/channels/${YARD_ID.toUpperCase()}`],
  ["configure-devicemanufacturers.json.txt", "/configure/devicemanufacturers"],
])("answers %s", async (name, path) => {
  await expectGolden(golden(name), await bytes(path));
});

it("shows a user with fewer rights its channels and its group only", async () => {
  for (const format of ["xml", "json"]) {
    const response = await fetch(
      api.url(`/configex?login=guard&password=${EMPTY_MD5}&responsetype=${format}`),
    );
    const body = await response.text();
    const shownPort = body.replace(new RegExp(`\\b${api.port}\\b`, "g"), "8080");
    await expectGolden(golden(`configex-guard.${format}.txt`), Buffer.from(shownPort));
    expect(body).not.toContain("Store");
    expect(body).not.toContain("camera-password");
  }
});

it.each([
  ["archive-events.json.txt", ""],
  ["archive-events-short.json.txt", "&shortevent=True"],
])("answers %s", async (name, parameter) => {
  const response = await fetch(api.url(`/archive_events?${ROOT_QUERY}${parameter}`), { method: "POST" });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  await expectGolden(golden(name), Buffer.from(await response.arrayBuffer()));
});

describe("programs that read /configex by position", () => {
  it("find the declaration first, lines that end with CRLF, no namespace", async () => {
    const text = (await bytes("/configex")).toString("utf8");
    expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>\r\n<Configuration Id="')).toBe(true);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(text.replace(/<!--.*-->/, "")).not.toContain("xmlns");
  });

  it("find each channel at the start of a line's text, its attributes by index", async () => {
    const lines = (await bytes("/configex")).toString("utf8").split("\r\n");
    const channels = lines.filter((line) => line.trimStart().startsWith("<ChannelInfo "));
    expect(channels).toHaveLength(3);
    const names =
      "Id Name Description DeviceInfo AttachedToServer IsDisabled IsSoundOn IsArchivingEnabled IsSoundArchivingEnabled " +
      "AllowedRealtime AllowedArchive IsPtzOn IsTransmitSoundOn ArchiveMode ArchiveStreamType ArchiveVideoFormat " +
      "ArchiveRotationMode IsFaceAnalystEnabled IsPeopleCountingOn IsObjectCountingOn TimeZoneOffset";
    for (const line of channels) {
      expect([...line.matchAll(/ (\w+)="/g)].map((match) => match[1]).join(" ")).toBe(names);
    }
  });

  it("find each ChannelId byte-equal to a ChannelInfo Id", async () => {
    const text = (await bytes("/configex")).toString("utf8");
    const ids = [...text.matchAll(/<ChannelInfo Id="([^"]+)"/g)].map((match) => match[1]);
    const inTree = [...text.matchAll(/<ChannelId>([^<]+)<\/ChannelId>/g)].map((match) => match[1]);
    expect(inTree.sort()).toEqual([...ids].sort());
    expect(text.match(/<ChildChannels/g)?.length).toBe(2);
  });

  it("find the JSON members in order, ports as strings, nothing null that must not be", async () => {
    const response = await api.get("/configex?responsetype=json");
    expect(response.headers.get("content-type")).toBe("application/json");
    const text = await response.text();
    const value = JSON.parse(text) as {
      SenderId: string;
      Servers: Record<string, unknown>[];
      Channels: Record<string, unknown>[];
    };
    expect(Object.keys(value).join(" ")).toBe(
      "Id SenderId RevNum Timestamp XmlProtocolVersion ServerVersion ProductType Servers Channels RootSecObject UserGroup " +
        "MobileServerInfo RtspServerInfo MobileDevicesCapabilities GisConfig WorldMapConfig UseTimeZones",
    );
    expect(value.Servers[0]).toMatchObject({ Id: value.SenderId, SecondaryIp: "", ConnectionUrl: null });
    expect(typeof value.Servers[0]?.PrimaryPort).toBe("string");
    for (const channel of value.Channels)
      expect(channel).toMatchObject({ UserScenarios: [], Streams: expect.any(Array) });
  });
});
