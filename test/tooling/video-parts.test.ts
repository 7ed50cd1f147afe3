import { spawnSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PartBodies } from "../../scripts/video-parts.mjs";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const SCRIPT = join(REPOSITORY_ROOT, "scripts", "video-parts.mjs");

function partOf(type: string, body: Uint8Array): Buffer {
  const head = `Content-Type: ${type}\r\nTimestamp: 02.01.2024 03:04:05.678\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from("\r\n--myboundary\r\n")]);
}

function answerOf(parts: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from("--myboundary\r\n"), ...parts]);
}

const TWO_KINDS = answerOf([
  partOf("video, h264, I-frame", Buffer.from("picture ")),
  partOf("audio, PCMU", Buffer.from("sound")),
  partOf("video, h264, P-frame", Buffer.from("another")),
]);

describe("video-parts", () => {
  it("gives the video of an answer", () => {
    expect(spawnSync(process.execPath, [SCRIPT], { input: TWO_KINDS }).stdout.toString()).toBe(
      "picture another",
    );
  });

  it("gives the sound where it is asked for", () => {
    expect(spawnSync(process.execPath, [SCRIPT, "--sound"], { input: TWO_KINDS }).stdout.toString()).toBe(
      "sound",
    );
  });

  it.each(["Error code: 401\r\nMessage: wrong login\r\n", `${"x".repeat(10_000)}`])(
    "shows an answer that is no video",
    (input) => {
      const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { input });
      expect(status).toBe(1);
      expect(stderr.toString()).toContain(input.slice(0, 20).trim());
    },
  );

  it("gives the same bytes however the answer is cut", async () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: 1, max: 60 }), async (list, size) => {
        const answer = answerOf(list.map((body) => partOf("video, h264, P-frame", body)));
        const parts = new PartBodies(() => true);
        for (let at = 0; at < answer.length; at += size) parts.write(answer.subarray(at, at + size));
        parts.end();
        const out: Buffer[] = [];
        for await (const chunk of parts) out.push(chunk as Buffer);
        expect(Buffer.concat(out)).toEqual(Buffer.concat(list));
      }),
      { numRuns: 50 },
    );
  });
});
