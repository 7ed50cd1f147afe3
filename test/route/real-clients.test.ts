import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../src/live/codec/codec.js";
import type { Frame } from "../../src/live/index.js";
import { GATE_ID, ROOT_MD5 } from "../support/api/api-fakes.js";
import { liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../support/api/api-harness.js";
import { type RawPart, readParts } from "../support/http/raw-http.js";

const run = promisify(execFile);
let api: ApiHarness;
let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  api = await startApi();
  directory = await mkdtemp(join(tmpdir(), "nvrd-clients-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

function pipe(command: string, args: readonly string[]): { output(): Buffer; child: ChildProcess } {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { output: () => Buffer.concat(chunks), child };
}

describe("curl", () => {
  it("reads an answer with Basic, and a stream", async () => {
    const { stdout } = await run("curl", ["-sS", "--fail", "-u", `root:${ROOT_MD5}`, api.url("/configex")]);
    expect(stdout).toContain("<ChannelInfo ");
    const curl = pipe("curl", ["-sSN", api.url(`/video?${ROOT_QUERY}&channelid=${GATE_ID}`)]);
    await until("curl watches", () => api.streams.live(GATE_ID).subscribers === 1);
    api.streams.live(GATE_ID).publish(liveFrame(0, { key: true }));
    await until("the frame and its boundary", () =>
      curl.output().toString("latin1").endsWith("\r\n--myboundary\r\n"),
    );
  });
});

describe("Python's urllib", () => {
  it("reads answers, and each frame as soon as it is sent", async () => {
    const script = `
import urllib.request, sys
print(urllib.request.urlopen(sys.argv[1]).read().decode('utf-8-sig').count('<ChannelInfo '), flush=True)
stream = urllib.request.urlopen(sys.argv[2])
assert stream.readline() == b'--myboundary\\r\\n'
for index in range(3):
    headers = {}
    while True:
        line = stream.readline().strip()
        if not line: break
        name, value = line.decode().split(': ', 1)
        headers[name] = value
    body = stream.read(int(headers['Content-Length']))
    print(list(headers), body[:8].decode(), flush=True)
    if index < 2:
        assert stream.read(2) == b'\\r\\n' and stream.readline() == b'--myboundary\\r\\n'
`;
    const python = pipe("python3", [
      "-c",
      script,
      api.url(`/configex?${ROOT_QUERY}`),
      api.url(`/video?${ROOT_QUERY}&channelid=${GATE_ID}`),
    ]);
    const stream = api.streams.live(GATE_ID);
    await until("python watches", () => stream.subscribers === 1);
    for (let index = 0; index < 3; index++) {
      stream.publish(liveFrame(index, { key: index === 0 }));
      await until("python has printed the frame", () => python.output().includes(`frame ${index};`));
    }
    expect(python.output().toString()).toBe(
      `3\n${[0, 1, 2].map((index) => `['Content-Type', 'Timestamp', 'Content-Length'] frame ${index};\n`).join("")}`,
    );
  });
});

describe("Node's fetch", () => {
  it("reads a stream and its end", async () => {
    const pending = api.get(`/video?channelid=${GATE_ID}`);
    await until("it subscribes", () => api.streams.live(GATE_ID).subscribers === 1);
    api.streams.live(GATE_ID).publish(liveFrame(0, { key: true }));
    const response = await pending;
    await api.server.stop();
    expect(await response.text()).toContain("frame 0;");
  });
});

/** The access units of an Annex B file that ffmpeg wrote with access unit delimiters. */
function accessUnits(annexB: Buffer): Buffer[] {
  const delimiter = Buffer.from([0, 0, 0, 1, 9]);
  const starts: number[] = [];
  for (let at = annexB.indexOf(delimiter); at >= 0; at = annexB.indexOf(delimiter, at + 1)) starts.push(at);
  return starts.map((start, index) => annexB.subarray(start, starts[index + 1] ?? annexB.length));
}

describe("ffmpeg", () => {
  it("decodes a live H.264 stream taken out of its parts, without an error and byte for byte", async () => {
    const source = join(directory, "source.h264");
    const encode = "-f lavfi -i testsrc2=size=320x240:rate=25 -t 2 -c:v libx264 -g 25 -bf 0 -aud 1 -f h264";
    await run("ffmpeg", ["-v", "error", ...encode.split(" "), source]);
    const units = accessUnits(await readFile(source));
    expect(units).toHaveLength(50);
    const curl = pipe("curl", ["-sSN", api.url(`/video?${ROOT_QUERY}&channelid=${GATE_ID}`)]);
    const stream = api.streams.live(GATE_ID);
    await until("curl watches", () => stream.subscribers === 1);
    units.forEach((bytes, index) => {
      const frame: Frame = liveFrame(index, { codec: Codec.H264, key: index % 25 === 0, bytes });
      stream.publish(frame);
    });
    const parts = (): RawPart[] => readParts(curl.output()).parts;
    await until("every part", () => parts().length === 50);
    const received = join(directory, "received.h264");
    await writeFile(received, Buffer.concat(parts().map((part) => part.body)));
    expect((await readFile(received)).equals(await readFile(source))).toBe(true);
    const { stderr } = await run("ffmpeg", ["-v", "error", "-f", "h264", "-i", received, "-f", "null", "-"]);
    expect(stderr).toBe("");
    const probe = "-v error -count_frames -show_entries stream=codec_name,nb_read_frames -of csv=p=0";
    const { stdout } = await run("ffprobe", [...probe.split(" "), received]);
    expect(stdout.trim()).toBe("h264,50");
  });
});
