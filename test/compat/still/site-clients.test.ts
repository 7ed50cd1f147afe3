import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GATE_ID, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { archivedFrames, liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const run = promisify(execFile);
let api: ApiHarness;
let directory: string;

beforeAll(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US + 3_600_000_000) });
  directory = await mkdtemp(join(tmpdir(), "nvrd-site-"));
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(50));
  const stream = api.streams.live(GATE_ID, "Alternative");
  stream.setState({ state: "active" });
  stream.publish(liveFrame(0, { key: true }));
});

afterAll(async () => {
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

async function sizeOf(file: string): Promise<string> {
  const { format, width, height } = await sharp(await readFile(file)).metadata();
  return `${format} ${width}x${height}`;
}

it("curl stores a picture, with Basic and in the archive", async () => {
  const now = join(directory, "now.jpg");
  const basic = ["-sS", "--fail", "-u", `root:${ROOT_MD5.toUpperCase()}`, "-o", now, "-w", "%{content_type}"];
  const { stdout } = await run("curl", [...basic, api.url(`/site?channelid=${GATE_ID}&resolutionX=320`)]);
  expect([stdout, await sizeOf(now)]).toEqual(["image/jpeg", "jpeg 320x180"]);
  const then = "mode=archive&startTime=21.11.2026%209:00:01&is_ajax=true";
  await run("curl", [...basic, api.url(`//site?&${then}&channelid=${GATE_ID}&withcontenttype=true`)]);
  expect(await sizeOf(now)).toBe("jpeg 64x36");
});

it("PHP looks at the type in the headers and at the picture's size", async () => {
  const script = `
$jpeg = file_get_contents($argv[1]);
foreach ($http_response_header as $line) if (stripos($line, 'content-type:') === 0) echo trim(substr($line, 13)), ' ';
$size = getimagesizefromstring($jpeg);
echo $size[0], 'x', $size[1], ' ', $size['mime'], ' ', bin2hex(substr($jpeg, 0, 4)), ' ', bin2hex(substr($jpeg, -2));
`;
  const url = api.url(`/site?${ROOT_QUERY}&channelid=${GATE_ID}&resolutionx=100&resolutiony=100`);
  const { stdout } = await run("php", ["-r", script, url]);
  expect(stdout).toBe("image/jpeg 100x100 image/jpeg ffd8ffe0 ffd9");
});

it("Python reads as many bytes as were announced, and the text of an error", async () => {
  const script = `
import sys, urllib.request, urllib.error
answer = urllib.request.urlopen(sys.argv[1])
body = answer.read()
print(answer.headers['Content-Type'], len(body) == int(answer.headers['Content-Length']), body[:3].hex(), answer.headers['Timestamp'])
try:
    urllib.request.urlopen(sys.argv[1] + '&resolutionx=none')
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode().split('\\r\\n')[1])
`;
  const url = api.url(
    `/site?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&starttime=01.01.2222+23:59:59&streamtype=MainVideo`,
  );
  const { stdout } = await run("python3", ["-c", script, url]);
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "image/jpeg True ffd8ff 21.11.2026 09:00:01.960",
    '400 Message: parameter "resolutionx" is "none": use a whole number from 1 up: correct the named parameter',
  ]);
});
