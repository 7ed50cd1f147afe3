import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { GATE_MAIN, timeText } from "../../support/api/exported-archive.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const run = promisify(execFile);
const PATH = `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(0)}&totime=${timeText(60)}&${ROOT_QUERY}`;

const directory = new TemporaryDirectory("export-slow");
let api: ApiHarness;

/** 24 MB: more than the sockets of both sides hold. */
beforeAll(async () => {
  api = await startApi({ settings: { httpsPort: "any" } });
  api.archive.recordings.add(GATE_MAIN, archivedFrames(600, NINE_US, { size: 40_000 }));
});
afterAll(async () => {
  await api?.stop();
  directory.remove();
});

describe("a client that takes less than is sent", () => {
  it.each(["http", "https"] as const)("gets every byte once over %s", async (scheme) => {
    const port = scheme === "http" ? api.port : api.httpsPort;
    const digest = await api.get(`${PATH.replace(`&${ROOT_QUERY}`, "")}&digest=true`);
    const { Sha256 } = (await digest.json()) as { Sha256: string };
    const files = [1, 2, 3].map((number) => directory.join(`${scheme}-${number}.mp4`));
    const url = `${scheme}://127.0.0.1:${port}${PATH}`;
    await Promise.all(
      files.map((file, at) => run("curl", ["-skf", "--limit-rate", `${(at + 1) * 9}M`, "-o", file, url])),
    );
    for (const file of files)
      expect(
        createHash("sha256")
          .update(await readFile(file))
          .digest("hex"),
      ).toBe(Sha256);
  });
});
