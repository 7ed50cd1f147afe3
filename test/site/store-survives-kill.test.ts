import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { startStore } from "../support/site/site-samples.js";

/** Three are the least that need both copies; `npm run torture -- writer-kills` asks for more. */
const KILLS = Number(process.env.NVRD_TEST_WRITER_KILLS ?? 3);
const program = fileURLToPath(new URL("../support/site/crashing-store.mjs", import.meta.url));

interface Acknowledged {
  readonly revision: number;
  readonly marker: string;
}

/** Lets the program run, kills it `afterMs` after its first change, and answers the last change it acknowledged. */
async function runAndKill(directory: string, afterMs: number): Promise<Acknowledged> {
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child.stdout, "data");
  setTimeout(() => child.kill("SIGKILL"), afterMs);
  await once(child, "close");
  const [revision = "", marker = ""] =
    output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1)?.split(" ") ?? [];
  return { revision: Number(revision), marker };
}

it(
  "has the last acknowledged revision after each SIGKILL, from either copy",
  async () => {
    const directory = await temporaryDirectory();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const last = await runAndKill(directory, 3 + ((kill * 37) % 60));
      // Every third time LMDB is lost as well, so that the JSON copy has to hold it.
      if (kill % 3 === 2) await rm(path.join(directory, "configuration"), { recursive: true });
      const store = await startStore(directory);
      const { revision, rootSecurityObject } = store.current;
      expect(revision).toBeGreaterThanOrEqual(last.revision);
      expect(revision).toBeLessThanOrEqual(last.revision + 1);
      if (revision === last.revision) expect(rootSecurityObject.id).toBe(last.marker);
      await store.stop();
    }
  },
  120_000 + KILLS * 10_000,
);
