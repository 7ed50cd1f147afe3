import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesBody, S3Client } from "../../../src/away/index.js";
import { SystemClock } from "../../../src/base/index.js";
import { type PageCommand, pageCommands } from "../../support/api/curl-lines.js";
import { s3Target } from "../../support/away/away-samples.js";
import { GATEWAY_KEY, GATEWAY_SECRET, noGateway, RadosGateway } from "../../support/away/rados-gateway.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { ROOT_PASSWORD, Service } from "../../support/service/service.js";

/** The page adds its example target where it is needed. */
const ADDING = /^CELLAR=\$\((.*) \| member CreatedObjectsIds\)$/s;

const run = promisify(execFile);
const page = await readFile(new URL("../../../docs/ref/api.md", import.meta.url), "utf8");
const commands = pageCommands(page).filter(
  ({ text }) => /\/configure\/away|\/api\/away(?!\/locks)/.test(text) && /\bcurl\b/.test(text),
);
const isAdding = ({ text }: PageCommand): boolean => ADDING.test(text);
const isRemoving = ({ text }: PageCommand): boolean => text.includes("-X DELETE");

const directory = new TemporaryDirectory("docs-curl-away");
let gateway: RadosGateway;
let service: Service;
let targetId = "";

/** As it is printed, but for the address of the storage and its keys. */
async function answerOf({ text }: PageCommand): Promise<unknown> {
  const real = text
    .replace(ADDING, "$1")
    .replace("https://s3.example", gateway.endpoint)
    .replace("AKIDEXAMPLE", GATEWAY_KEY)
    .replace(/("SecretAccessKey": )"(?:secret|another)"/, `$1"${GATEWAY_SECRET}"`);
  const env = {
    ...process.env,
    NVRD: `http://127.0.0.1:${service.httpPort}`,
    AUTH: `root:${ROOT_PASSWORD}`,
    CELLAR: targetId,
  };
  const { stdout } = await run("bash", ["--norc", "-c", real], { env, cwd: directory.path });
  return stdout === "" ? undefined : JSON.parse(stdout);
}

describe.skipIf(noGateway !== undefined)(
  `curl commands of docs/ref/api.md about storage off the box${notHere(noGateway)}`,
  () => {
    beforeAll(async () => {
      gateway = await RadosGateway.start();
      const keys = { accessKeyId: GATEWAY_KEY, secretAccessKey: GATEWAY_SECRET };
      const target = s3Target({ endpoint: gateway.endpoint, prefix: "", bucket: "recordings", ...keys });
      const bucket = new S3Client({ target, clock: new SystemClock() });
      await bucket.put("", bytesBody(new Uint8Array()));
      bucket.close();
      service = await Service.start({ dataDir: directory.join("data"), startTimeoutMs: PATIENCE_MS });
    }, 2 * PATIENCE_MS);

    afterAll(async () => {
      await service?.stop();
      await gateway?.stop();
      directory.remove();
    });

    it("add a target, which a real storage takes", async () => {
      const [adding, ...others] = commands.filter(isAdding);
      for (const other of others) expect(other.text).toBe(adding?.text);
      const answer = (await answerOf(adding as PageCommand)) as { CreatedObjectsIds: string[] };
      [targetId = ""] = answer.CreatedObjectsIds;
      expect(targetId).toMatch(/^[0-9a-f-]{36}$/);
    });

    const using = commands.filter((command) => !isAdding(command) && !isRemoving(command));

    it.each(using.map((command) => [command.text, command] as const))("%s", async (_text, command) => {
      expect(JSON.stringify(await answerOf(command))).not.toMatch(/"Problem":"|"Fault":"/);
    });

    it("remove it again", async () => {
      const [removing, ...others] = commands.filter(isRemoving);
      for (const other of others) expect(other.text).toBe(removing?.text);
      await answerOf(removing as PageCommand);
      expect(await service.json("/configure/away")).toEqual([]);
    });

    it("are all of these", () => {
      expect(commands.length).toBeGreaterThanOrEqual(9);
    });
  },
);
