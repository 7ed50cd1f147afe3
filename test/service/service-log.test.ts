import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog, LogRing } from "../../src/base/index.js";
import type { LogQuery } from "../../src/owner/health/states.js";
import { ServiceLog } from "../../src/service/part/service-log.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const GATE = "22222222-0000-4000-8000-000000000001";
const ALL: LogQuery = {
  level: "Debug",
  ...{ channelId: undefined, text: undefined, sinceUs: undefined, limit: 100 },
};

/** A log that wrote some lines into memory. */
function written(write: (log: ReturnType<typeof createLog>) => void): LogRing {
  const ring = new LogRing();
  write(
    createLog({ level: "debug", destination: { write: () => undefined }, copy: (line) => ring.add(line) }),
  );
  return ring;
}

const ring = written((log) => {
  log.debug("a detail");
  log.info({ port: 8080 }, "API is listening");
  log.warn({ stream: `${GATE}/Main`, reason: "no answer" }, "no picture");
  log.error("the Disk is full");
});
const inMemory = new ServiceLog({ ring, isJournalled: false, secrets: () => [] });

/** A program that stands in for journalctl. */
async function journalctl(script: string): Promise<string> {
  const file = join(await temporaryDirectory(), "journalctl");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const entry = (timeUs: number, priority: number, message: unknown) =>
  JSON.stringify({ __REALTIME_TIMESTAMP: `${timeUs}`, PRIORITY: `${priority}`, MESSAGE: message });

describe("the service's own log", () => {
  it("is told from memory, the newest first, with what goes with a message", async () => {
    const { source, lines, hasMore } = await inMemory.read(ALL);
    expect({ source, hasMore }).toEqual({ source: "Memory", hasMore: false });
    expect(lines.map(({ level, text }) => [level, text])).toEqual([
      ["Error", "the Disk is full"],
      ["Warning", `no picture (stream=${GATE}/Main reason=no answer)`],
      ["Information", "API is listening (port=8080)"],
      ["Debug", "a detail"],
    ]);
    expect(Math.abs((lines[0]?.timeUs ?? 0) / 1000 - Date.now())).toBeLessThan(600_000);
  });

  it.each([
    ["level", { level: "Warning" }, 2],
    ["camera", { channelId: GATE }, 1],
    ["text, in any case", { text: "disk" }, 1],
    ["time", { sinceUs: (Date.now() + 3_600_000) * 1000 }, 0],
  ] as const)("is filtered by %s", async (_, change, count) => {
    expect((await inMemory.read({ ...ALL, ...change })).lines).toHaveLength(count);
  });

  it("says that there is more than was asked for", async () => {
    const { lines, hasMore } = await inMemory.read({ ...ALL, limit: 3 });
    expect([lines.length, hasMore]).toEqual([3, true]);
    expect((await inMemory.read({ ...ALL, limit: 4 })).hasMore).toBe(false);
  });

  it("has no secret, whatever was written", async () => {
    const careless = written((log) => log.info("the camera wants hunter2-and-more"));
    const log = new ServiceLog({
      ring: careless,
      isJournalled: false,
      secrets: () => [{ value: "hunter2-and-more" }],
    });
    expect((await log.read(ALL)).lines[0]?.text).toBe("the camera wants [secret]");
  });

  it("has no part of a secret that stands where a long line is cut", async () => {
    const secret = "hunter2-and-more";
    const lines = written((log) => log.info(`${"x".repeat(2000 - 8)}${secret}${"y".repeat(100)}`));
    const log = new ServiceLog({ ring: lines, isJournalled: false, secrets: () => [{ value: secret }] });
    const text = (await log.read(ALL)).lines[0]?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text).not.toContain("hunter2");
  });

  it("is told from the journal where it goes there, over restarts", async () => {
    const lines = [
      entry(3_000_000, 4, "no picture"),
      "no JSON",
      entry(2_000_000, 6, [0x68, 0x69]),
      entry(1_000_000, 3, "an older run failed"),
    ];
    const program = await journalctl(`echo "$@" >&2; cat <<'END'\n${lines.join("\n")}\nEND`);
    const log = new ServiceLog({ ring, isJournalled: true, secrets: () => [], program });
    expect(await log.read({ ...ALL, level: "Information" })).toEqual({
      source: "Journal",
      lines: [
        { timeUs: 3_000_000, level: "Warning", text: "no picture" },
        { timeUs: 2_000_000, level: "Information", text: "hi" },
        { timeUs: 1_000_000, level: "Error", text: "an older run failed" },
      ],
      hasMore: false,
    });
  });

  it("reads no more of an endless journal than it is asked for", async () => {
    const program = await journalctl(`while echo '${entry(5_000_000, 6, "again")}'; do :; done`);
    const log = new ServiceLog({ ring, isJournalled: true, secrets: () => [], program });
    const { lines, hasMore } = await log.read({ ...ALL, limit: 20 });
    expect([lines.length, hasMore]).toEqual([20, true]);
    const { lines: none, hasMore: isCut } = await log.read({ ...ALL, text: "never there" });
    expect([none.length, isCut]).toEqual([0, true]);
  });

  it.each([
    ["there is none", "/nonexistent/journalctl"],
    [
      "it may not be read",
      "echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1",
    ],
  ])("is told from memory where the journal cannot be read: %s", async (_, script) => {
    const program = script.startsWith("/") ? script : await journalctl(script);
    const log = new ServiceLog({ ring, isJournalled: true, secrets: () => [], program });
    expect((await log.read(ALL)).source).toBe("Memory");
  });
});
