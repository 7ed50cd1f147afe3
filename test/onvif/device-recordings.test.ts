import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArchivedFrame } from "../../src/archive/index.js";
import { Codec, type MediaFormat } from "../../src/live/codec/codec.js";
import { SEARCHES_PER_USER_MAX } from "../../src/onvif/recording/search-sessions.js";
import { ALICE, MemoryDevice } from "../support/onvif/memory-device.js";

const BEGIN = Date.UTC(2020, 10, 21, 9) * 1000;
const MINUTE_US = 60_000_000;
const KEEP = "<m:KeepAliveTime>PT20S</m:KeepAliveTime>";

let bench: MemoryDevice;

beforeEach(async () => {
  bench = await MemoryDevice.create();
  // Two segments that meet, a gap of ten minutes, another one.
  const minutes = [0, 1, 11].map((minute) => ({
    fromUs: BEGIN + minute * MINUTE_US,
    toUs: BEGIN + (minute + 1) * MINUTE_US,
  }));
  bench.recorded.set(bench.gate.id, minutes);
  bench.recorded.set(bench.hidden.id, minutes);
});
afterEach(() => bench.close());

const search = (operation: string, content: string) =>
  bench.ask("search_service", operation, { login: ALICE, content });

async function begin(operation: string, content: string): Promise<string> {
  const { text } = await search(operation, content + KEEP);
  return `<m:SearchToken>${/SearchToken>([^<]+)</.exec(text)?.[1] ?? text}</m:SearchToken>`;
}

describe("FindEvents", () => {
  const states = async (from: string, to: string, start = "false", topic = "Track") => {
    const filter = `<m:SearchFilter><n:TopicExpression xmlns:n="x">tns1:RecordingHistory/${topic}/State</n:TopicExpression></m:SearchFilter>`;
    const span = `<m:StartPoint>${from}</m:StartPoint><m:EndPoint>${to}</m:EndPoint><m:Scope/>${filter}`;
    const token = await begin("FindEvents", `${span}<m:IncludeStartState>${start}</m:IncludeStartState>`);
    const { text } = await search("GetEventSearchResults", token);
    expect(text).not.toContain(bench.hidden.id);
    return [...text.matchAll(/<tt:Time>2020-11-21T(\d\d:\d\d).*?Value="(true|false)"/g)].map(
      ([, time, value]) => `${time} ${value}`,
    );
  };

  it("tells when recordings begin and end, gaps included", async () => {
    expect(await states("2020-11-21T00:00:00Z", "2020-11-22T00:00:00Z")).toEqual([
      "09:00 true",
      "09:02 false",
      "09:11 true",
      "09:12 false",
    ]);
  });

  it("tells each stretch of recording with the recording's own state, which is of no track", async () => {
    expect(await states("2020-11-21T09:01:00Z", "2020-11-22T00:00:00Z", "true", "Recording")).toEqual([
      "09:01 true",
      "09:02 false",
      "09:11 true",
      "09:12 false",
    ]);
    const span = "<m:StartPoint>2020-11-21T00:00:00Z</m:StartPoint><m:Scope/><m:SearchFilter/>";
    const token = await begin("FindEvents", `${span}<m:IncludeStartState>false</m:IncludeStartState>`);
    const { text } = await search("GetEventSearchResults", token);
    expect(text).toMatch(
      /<tt:TrackToken><\/tt:TrackToken><tt:Time>[^<]+<\/tt:Time><tt:Event><wsnt:Topic [^>]+>tns1:RecordingHistory\/Recording\/State<.*?Name="IsRecording" Value="true"/,
    );
  });

  it("tells the state of the sound's track where it begins and ends within a recording, both ways", async () => {
    const from = BEGIN + 30_000_000;
    bench.hasSoundAt = (timeUs) => timeUs >= from;
    const sound = async (start: string, end: string) => {
      const span = `<m:StartPoint>${start}</m:StartPoint><m:EndPoint>${end}</m:EndPoint><m:Scope/><m:SearchFilter/>`;
      const token = await begin("FindEvents", `${span}<m:IncludeStartState>true</m:IncludeStartState>`);
      const { text } = await search("GetEventSearchResults", token);
      const results = text.split("<tt:Result>").filter((one) => one.includes("<tt:TrackToken>audio<"));
      return results.map((one) => {
        const [, time = "", value] =
          /<tt:Time>2020-11-21T([\d:]+).*?Name="Track" Value="audio".*?Name="IsDataPresent" Value="(\w+)"/.exec(
            one,
          ) ?? [];
        return `${time} ${value}`;
      });
    };
    const forwards = await sound("2020-11-21T09:00:00Z", "2020-11-22T00:00:00Z");
    expect(forwards[0]).toBe("09:00:00 false");
    expect(forwards[1]).toMatch(/^09:00:(29|30|31) true$/);
    expect(forwards.slice(2)).toEqual(["09:02:00 false", "09:11:00 true", "09:12:00 false"]);
    const backwards = await sound("2020-11-21T09:11:30Z", "2020-11-21T09:01:30Z");
    expect(backwards).toEqual(["09:11:30 true", "09:11:00 true", "09:02:00 false"]);
    bench.hasSoundAt = () => false;
    expect(await sound("2020-11-21T09:00:00Z", "2020-11-22T00:00:00Z")).toEqual([]);
  });

  it("reads no more of years with many gaps than it answers, in both directions", async () => {
    const hours = 100_000;
    const hourUs = 60 * MINUTE_US;
    const from = BEGIN - hours * hourUs;
    let read = 0;
    bench.archiveFragments = (_, fromUs, toUs) => {
      const found = [];
      const first = Math.max(0, Math.floor((fromUs - from) / hourUs));
      for (let at = first; at < hours && from + at * hourUs < toUs; at += 1)
        found.push({ fromUs: from + at * hourUs, toUs: from + at * hourUs + MINUTE_US });
      read += found.length;
      return found;
    };
    bench.recorded.set(bench.gate.id, [{ fromUs: from, toUs: BEGIN }]);
    for (const [start, end] of [
      ["2000-01-01T00:00:00Z", "2021-01-01T00:00:00Z"],
      ["2021-01-01T00:00:00Z", "2000-01-01T00:00:00Z"],
    ] as const) {
      read = 0;
      await states(start, end, "false", "Track");
      expect(read).toBeLessThan(1000);
    }
  });

  it("goes backwards where the end is before the start, and says how it was at the start", async () => {
    expect(await states("2020-11-21T09:11:30Z", "2020-11-21T09:01:30Z", "true")).toEqual([
      "09:11 true",
      "09:11 true",
      "09:02 false",
    ]);
  });
});

it("a search finds what is in its scope, in parts, for its owner", async () => {
  const scope = (token: string) =>
    `<m:Scope><tt:IncludedRecordings>${token}</tt:IncludedRecordings></m:Scope>`;
  const token = await begin("FindRecordings", scope(bench.gate.id));
  const found = await search("GetRecordingSearchResults", token);
  expect(found.text).toContain(bench.gate.id);
  expect(found.text).toContain("Completed");
  const none = await search(
    "GetRecordingSearchResults",
    await begin("FindRecordings", scope(bench.hidden.id)),
  );
  expect(none.text).not.toContain("RecordingInformation");
  expect((await search("EndSearch", token)).status).toBe(200);
  expect((await search("GetRecordingSearchResults", token)).fault).toBe("InvalidArgVal/InvalidToken");
});

it("searches are bounded, and end by themselves", async () => {
  for (let count = 0; count < SEARCHES_PER_USER_MAX; count += 1) await begin("FindRecordings", "<m:Scope/>");
  expect((await search("FindRecordings", `<m:Scope/>${KEEP}`)).fault).toBe("Action/ResourceProblem");
  bench.clock.advance(21_000_000);
  expect((await search("FindRecordings", `<m:Scope/>${KEEP}`)).status).toBe(200);
});

it("the recording of a hidden camera is the same as none", async () => {
  const content = (token: string) => `<m:RecordingToken>${token}</m:RecordingToken>`;
  for (const [service, operation] of [
    ["search_service", "GetRecordingInformation"],
    ["replay_service", "GetReplayUri"],
  ] as const) {
    const [hidden, none, own] = await Promise.all(
      [bench.hidden.id, "nothing", bench.gate.id].map((token) =>
        bench.ask(service, operation, { login: ALICE, content: content(token) }),
      ),
    );
    expect(hidden?.fault).toBe("InvalidArgVal/NoRecording");
    expect(hidden?.text).toBe(none?.text);
    expect(own?.status).toBe(200);
  }
  bench.rtspPort = 0;
  const off = await bench.ask("replay_service", "GetReplayUri", {
    login: ALICE,
    content: content(bench.gate.id),
  });
  expect(off.fault).toBe("Action");
});

describe("PTZ", () => {
  const profile = () => `<m:ProfileToken>${bench.gate.id}_Main</m:ProfileToken>`;
  const move = (content: string) =>
    bench.ask("ptz_service", "ContinuousMove", { login: ALICE, content: profile() + content });

  it("moves and stops by axis, within what a camera may", async () => {
    await move(
      '<m:Velocity><tt:PanTilt x="0.5" y="-9"/><tt:Zoom x="0"/></m:Velocity><m:Timeout>PT1H</m:Timeout>',
    );
    expect(bench.commands).toEqual([
      { kind: "move", pan: 0.5, tilt: -1, forMs: 30_000 },
      { kind: "stop", axes: ["zoom"] },
    ]);
    expect((await move('<m:Velocity><tt:PanTilt x="fast" y="0"/></m:Velocity>')).fault).toBe(
      "InvalidArgVal/SpaceNotSupported",
    );
  });

  it("goes to a preset that there is", async () => {
    const go = (token: string) =>
      bench.ask("ptz_service", "GotoPreset", {
        login: ALICE,
        content: `${profile()}<m:PresetToken>${token}</m:PresetToken>`,
      });
    expect((await go("4")).fault).toBe("InvalidArgVal/NoToken");
    expect((await go("3")).status).toBe(200);
    expect(bench.commands).toEqual([{ kind: "preset", index: 3 }]);
  });

  it("needs the right to move cameras, and without it nothing is offered", async () => {
    bench.mayMove = false;
    expect((await move('<m:Velocity><tt:Zoom x="1"/></m:Velocity>')).fault).toBe(
      "NotAuthorized/OperationProhibited",
    );
    expect((await bench.ask("ptz_service", "GetNodes", { login: ALICE })).text).not.toContain("PTZNode");
    expect(bench.commands).toEqual([]);
  });
});

describe("GetMediaAttributes", () => {
  const ask = (time: string, ...tokens: readonly string[]) =>
    search(
      "GetMediaAttributes",
      tokens.map((token) => `<m:RecordingTokens>${token}</m:RecordingTokens>`).join("") +
        `<m:Time>${time}</m:Time>`,
    );
  const video = { codec: Codec.H265, width: 640, height: 360, initialization: new Uint8Array(0) };
  const audio = { codec: Codec.PCMA, sampleRate: 8000, channels: 1, initialization: new Uint8Array(0) };

  beforeEach(() => {
    const rest = {
      presentationOffsetUs: 0,
      key: true,
      damaged: false,
      undecodable: false,
      startsFragment: false,
    };
    const frame = (format: MediaFormat, decodeTimeUs: number): ArchivedFrame => ({
      ...{ ...rest, codec: format.codec, format, decodeTimeUs, streamType: "Main", bytes: new Uint8Array(1) },
    });
    bench.framesAt = (fromUs) => [
      ...[0, 40_000, 80_000].map((at) => frame(video, fromUs + at)),
      frame(audio, fromUs + 20_000),
      // Behind a gap, and not of this moment.
      {
        ...frame({ ...audio, codec: Codec.AAC, sampleRate: 48_000 }, fromUs + 60_000_000),
        startsFragment: true,
      },
    ];
  });

  it("tells size, codec and rate of the pictures, and the sound, at a moment", async () => {
    const { text } = await ask("2020-11-21T09:00:30Z", bench.gate.id);
    expect(text).toContain(`<tt:RecordingToken>${bench.gate.id}<`);
    expect(text).toMatch(/<tt:Width>640<.*<tt:Height>360<.*<tt:Encoding>H265<.*<tt:Framerate>25</);
    expect(text).toContain("<tt:Encoding>G711</tt:Encoding><tt:Samplerate>8<");
    expect(text).not.toContain("AAC");
    expect(bench.closedReaders).toBe(1);
  });

  it("tells nothing of what was not recorded then, and of a hidden camera as of none", async () => {
    expect((await ask("2020-11-21T09:05:00Z")).text).not.toContain("MediaAttributes><tt:");
    const [hidden, none] = await Promise.all(
      [bench.hidden.id, "nothing"].map((token) => ask("2020-11-21T09:00:30Z", token)),
    );
    expect(hidden?.fault).toBe("InvalidArgVal/NoRecording");
    expect(hidden?.text).toBe(none?.text);
    expect((await ask("")).fault).toBe("InvalidArgVal/InvalidTime");
    expect(bench.closedReaders).toBe(0);
  });
});
