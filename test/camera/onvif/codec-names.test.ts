import { expect, it } from "vitest";
import { isUsable } from "../../../src/camera/description/device-description.js";
import { audioCodec, profilesOf, videoCodec } from "../../../src/camera/onvif/media-profiles.js";
import { parseXml } from "../../support/camera/parse-xml.js";

it.each([
  ...[
    "H264",
    "h264",
    "H.264",
    "H264H",
    "H264B",
    "H.264+",
    "Smart H.264",
    "AVC",
    "video/H264",
    "MPEG-4 AVC",
  ].map((name) => [name, "H264"] as const),
  ...["H265", "H.265", "HEVC", "H265+", "Smart H.265+", "video/hevc", "H265 Main"].map(
    (name) => [name, "Hevc"] as const,
  ),
  ...["JPEG", "MJPEG", "M-JPEG", "Motion JPEG", "MJPG", "video/jpeg"].map((name) => [name, "MJPEG"] as const),
  ...["MPEG4", "MPEG-4", "MPV4-ES", "MP4V-ES", "mpeg4 part 2"].map((name) => [name, "MPEG4_Part2"] as const),
  ...["AV1", "VP8", "SVAC", "JPEG2000", "JPEG XS", "MPEG2", "H263", ""].map(
    (name) => [name, undefined] as const,
  ),
])("the codec that a device calls %s is %s", (name, codec) => {
  expect(videoCodec(name)).toBe(codec);
});

it.each([
  ...["G711", "G.711", "G711A", "G711U", "G711Mu", "G.711 A-law", "PCMU", "PCMA", "audio/PCMA", "ulaw"].map(
    (name) => [name, "G711"] as const,
  ),
  ...["G726", "G.726", "G726-32"].map((name) => [name, "G726"] as const),
  ...["AAC", "AAC-LC", "MP4A-LATM", "mpeg4-generic", "audio/aac"].map((name) => [name, "AAC"] as const),
  ...["G722", "G729", "MP3", "Opus", "G7221", ""].map((name) => [name, undefined] as const),
])("the sound that a device calls %s is %s", (name, codec) => {
  expect(audioCodec(name)).toBe(codec);
});

function profile(encoding: string) {
  const xml = `<r><Profiles token="p"><Name>p</Name><VideoEncoderConfiguration token="e"><Encoding>${encoding}</Encoding></VideoEncoderConfiguration></Profiles></r>`;
  const [found] = profilesOf(parseXml(Buffer.from(xml)).child("r") ?? parseXml(Buffer.from(xml)), []);
  if (found === undefined) throw new Error("no profile");
  return { ...found, streamUri: "rtsp://192.0.2.1/p" };
}

it.each(["", " ", "Unknown", "N/A", "None", "-", "other"])(
  "a profile whose codec is called %j is tried: the stream says what it is",
  (name) => {
    expect(isUsable(profile(name))).toBe(true);
  },
);

it("a profile with a codec that is not recorded is not", () => {
  expect([isUsable(profile("AV1")), isUsable(profile("H264H"))]).toEqual([false, true]);
});
