import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NINE_US } from "../../support/api/api-frames.js";
import { ROOT_QUERY } from "../../support/api/api-harness.js";
import { ExportedArchive, soundUnits, videoUnits } from "../../support/api/exported-archive.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { packetsOf } from "../../support/media/movie-probe.js";
import { toneAac } from "../../support/media/tone.js";

const run = promisify(execFile);
const VLC = "/usr/bin/cvlc";
const noVlc = existsSync(VLC) ? undefined : "vlc";
const SECONDS = 12;

const directory = new TemporaryDirectory("players");
let recorder: ExportedArchive;
let url: string;

beforeAll(async () => {
  recorder = await ExportedArchive.start(directory);
  url = recorder.api.url(`${recorder.path(0, 60, "&sound=on")}&${ROOT_QUERY}`);
});

let recording: Promise<void> | undefined;

/** Twelve seconds with sound, a gap to 30 s, twelve more; made once. */
const recorded = (): Promise<void> => {
  recording ??= record();
  return recording;
};

async function record(): Promise<void> {
  const { units, format } = await toneAac({ frequency: 1000, level: 0.5, seconds: SECONDS, rate: 16_000 });
  const clip = await videoUnits("h264", { seconds: SECONDS });
  const all = [...clip, ...soundUnits(format, units, (1024 * 1e6) / 16_000)];
  await recorder.record(all);
  await recorder.record(all, { fromUs: NINE_US + 30_000_000 });
}

afterAll(async () => {
  await recorder?.stop();
  directory.remove();
});

/** Runs VLC without a screen; root is refused by it. Answers what it said. */
async function vlc(args: readonly string[]): Promise<string> {
  const home = directory.join("home");
  mkdirSync(home, { recursive: true });
  chmodSync(directory.path, 0o777);
  chmodSync(home, 0o777);
  const player = [VLC, "--no-color", "--intf", "dummy", "--no-video-title-show", "--play-and-exit", ...args];
  const all = process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--", ...player] : player;
  const [command = "", ...rest] = all;
  const { stderr } = await run(command, rest, { env: { ...process.env, HOME: home }, timeout: 50_000 });
  return stderr;
}

/** What is said of the file, and not of a machine without screen and desktop. */
const ofFile = (said: string): string[] =>
  said.split("\n").filter((line) => /mp4|avcodec|faad|packetizer/.test(line));

describe("an export is played", () => {
  it.skipIf(noVlc !== undefined)(`by VLC, which has nothing to say${notHere(noVlc)}`, async () => {
    await recorded();
    const file = await recorder.save("vlc.mp4", recorder.path(0, 60, "&sound=on"));
    const sink = ["--sout", "#std{access=file,mux=ts,dst=/dev/null}", "--sout-all"];
    expect(ofFile(await vlc([...sink, file]))).toEqual([]);
  });

  it.skipIf(noVlc !== undefined)(
    `by VLC over HTTP from the middle on, behind the gap${notHere(noVlc)}`,
    async () => {
      await recorded();
      const out = directory.join("from-35.ts");
      const said = await vlc([
        "--start-time",
        "35",
        "--sout",
        `#std{access=file,mux=ts,dst=${out}}`,
        "--sout-all",
        url,
      ]);
      expect(ofFile(said)).toEqual([]);
      const packets = await packetsOf(out, "v:0");
      // 7 s are left behind 35 s; VLC begins with the key frame before.
      expect(packets.length).toBeGreaterThanOrEqual(7 * 25 - 5);
      expect(packets.length).toBeLessThanOrEqual(8 * 25 + 5);
    },
  );

  it.skipIf(noBrowser !== undefined)(
    `by Chromium, pictures and sound, to where one seeks${notHere(noBrowser)}`,
    async () => {
      await recorded();
      const page = await (await sharedChromium()).newPage();
      try {
        await page.setContent(`<video id="v" src="${url.replaceAll("&", "&amp;")}"></video>`);
        await page.waitForFunction("document.querySelector('#v').readyState >= 2", null, { timeout: 45_000 });
        const about = await page.evaluate(
          "(() => { const v = document.querySelector('#v'); return { duration: v.duration, width: v.videoWidth, to: v.seekable.end(0) }; })()",
        );
        expect(about).toMatchObject({ width: 320 });
        expect((about as { duration: number }).duration).toBeCloseTo(30 + SECONDS, 0);
        expect((about as { to: number }).to).toBeCloseTo(30 + SECONDS, 0);
        await page.evaluate("document.querySelector('#v').currentTime = 35");
        await page.waitForFunction("!document.querySelector('#v').seeking", null, { timeout: 45_000 });
        await page.evaluate("document.querySelector('#v').play()");
        await page.waitForFunction(
          "(() => { const v = document.querySelector('#v'); return v.currentTime > 36 && v.webkitAudioDecodedByteCount > 0 && v.getVideoPlaybackQuality().totalVideoFrames > 0; })()",
          null,
          { timeout: 45_000 },
        );
        expect(await page.evaluate("document.querySelector('#v').error")).toBeNull();
      } finally {
        await page.close();
      }
    },
  );
});

describe("a download", () => {
  it("is resumed by curl -C - to the same file, which has the digest told", async () => {
    await recorded();
    const file = directory.join("curl.mp4");
    await run("curl", ["-sf", "-o", file, url]);
    const whole = readFileSync(file);
    truncateSync(file, Math.floor(whole.length / 3));
    await run("curl", ["-sf", "-C", "-", "-o", file, url]);
    expect(readFileSync(file).equals(whole)).toBe(true);
    const { stdout } = await run("sha256sum", [file]);
    const digest = (await (await fetch(`${url}&digest=true`)).json()) as { Sha256: string };
    expect(stdout.slice(0, 64)).toBe(digest.Sha256);
    expect(createHash("sha256").update(whole).digest("hex")).toBe(digest.Sha256);
  });
});
