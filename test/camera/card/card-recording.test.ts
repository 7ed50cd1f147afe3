import { expect, it } from "vitest";
import { recordingOf, recordingsOf, sectionsOf } from "../../../src/camera/card/card-recording.js";
import { readDocument, XmlElement } from "../../../src/camera/index.js";

const S = 1_000_000;
const NINE = Date.UTC(2026, 10, 21, 9) * 1000;

const tracks = (...types: string[]) =>
  types.map((type) => `<Track><TrackType>${type}</TrackType></Track>`).join("");
const information = (from: string, to: string, more = tracks("Video")) =>
  `<RecordingInformation><RecordingToken>r1</RecordingToken><Source><SourceId>cam-1</SourceId></Source>` +
  `<EarliestRecording>${from}</EarliestRecording><LatestRecording>${to}</LatestRecording>${more}</RecordingInformation>`;

function parsed(xml: string): XmlElement {
  const root = XmlElement.document(readDocument(Buffer.from(`<r>${xml}</r>`))).child("r");
  if (root === undefined) throw new Error("no root");
  return root;
}

const recording = (xml: string) => {
  const element = parsed(xml).child("RecordingInformation");
  return element === undefined ? undefined : recordingOf(element);
};

it("reads what a recording says of itself", () => {
  const xml = information("2026-11-21T09:00:00Z", "2026-11-21T09:10:00.5Z", tracks("Video", "Audio"));
  expect(recording(xml)).toEqual({
    ...{ token: "r1", fromUs: NINE, toUs: NINE + 600.5 * S, source: ["cam-1"] },
    ...{ hasVideo: true, hasSound: true },
  });
});

it.each([
  ["no times", information("", "")],
  ["times that are none", information("yesterday", "2026-13-45T99:00:00Z")],
  ["an end before its start", information("2026-11-21T09:00:00Z", "2026-11-21T08:00:00Z")],
  ["times of another millennium", information("3026-11-21T09:00:00Z", "3026-11-21T10:00:00Z")],
  ["no token", information("2026-11-21T09:00:00Z", "2026-11-21T10:00:00Z").replace("r1", "")],
])("a recording with %s is left out", (_, xml) => {
  expect(recording(xml)).toBeUndefined();
});

const one = (token: string, source: string) => ({
  ...{ token, fromUs: NINE, toUs: NINE + S, source: [source], hasVideo: true, hasSound: false },
});
const owner = { profileToken: "camera-2_Main", videoSourceToken: "src-2", channelNumber: 2, videoSources: 2 };

it("of a device with several cameras only the own recordings are taken", () => {
  const all = [one("a", "urn:uuid:CAMERA-1"), one("b", "urn:uuid:CAMERA-2")];
  expect(recordingsOf(owner, all)?.map(({ token }) => token)).toEqual(["b"]);
  expect(recordingsOf(owner, [one("a", "x"), one("b", "y")])?.map(({ token }) => token)).toEqual(["b"]);
  expect(recordingsOf(owner, [one("a", "x"), one("b", "y"), one("c", "z")])).toBeUndefined();
});

const state = (seconds: number, isThere: boolean | string) =>
  `<Result><Time>${new Date((NINE + seconds * S) / 1000).toISOString()}</Time><Event><Message><Message><Data>` +
  `<SimpleItem Name="IsDataPresent" Value="${isThere}"/></Data></Message></Message></Event></Result>`;
const within = { fromUs: NINE, toUs: NINE + 100 * S };

it("sections are cut to what was asked for, in any order of the answers", () => {
  const results = parsed(state(50, true) + state(20, false) + state(-10, true) + state(70, "junk"));
  expect(sectionsOf(results.children("Result"), within)).toEqual([
    { fromUs: NINE, toUs: NINE + 20 * S },
    { fromUs: NINE + 50 * S, toUs: NINE + 100 * S },
  ]);
});

it("sound that ends earlier than the pictures ends no section", () => {
  const named = ["Video", "Audio"].map(
    (type) => `<Track><TrackToken>${type}-1</TrackToken><TrackType>${type}</TrackType></Track>`,
  );
  const known = recording(information("2026-11-21T09:00:00Z", "2026-11-21T10:00:00Z", named.join("")));
  const ofTrack = (token: string, seconds: number, isThere: boolean): string =>
    state(seconds, isThere).replace("<Result>", `<Result><TrackToken>${token}</TrackToken>`);
  const results = parsed(
    ofTrack("Video-1", 0, true) +
      ofTrack("Audio-1", 0, true) +
      ofTrack("Audio-1", 20, false) +
      ofTrack("Video-1", 50, false),
  );
  expect(sectionsOf(results.children("Result"), within, known?.otherTracks)).toEqual([
    { fromUs: NINE, toUs: NINE + 50 * S },
  ]);
});
