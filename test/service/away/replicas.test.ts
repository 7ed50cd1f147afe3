import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import type { RestoreReport } from "../../../src/away/restore.js";
import type { AwayState, AwayTests } from "../../../src/contract/answer/away.js";
import type { FleetReplicas } from "../../../src/contract/answer/replica.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { BackgroundProcess } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { PROGRAM } from "../../support/service/program.js";
import { apiTime } from "../../support/service/service.js";
import { makePartners, PartnerRecorder } from "../../support/service/two-recorders.js";

const WAIT_MS = 120_000;
const patient = { timeout: WAIT_MS };

let directory: TemporaryDirectory;
let source: PacedSource;
let owner: PartnerRecorder;
let keeper: PartnerRecorder;
let ownerId = "";
let keeperId = "";
let channelId = "";
/** What the owner answered of a time before its disk was lost. */
let before: readonly string[];
let span: { readonly fromUs: number; readonly toUs: number };

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-replicas");
  source = await PacedSource.start(1, SMALL_CLIP);
  const settings = (name: string) => ({
    segmentSeconds: 5,
    volumes: [{ path: directory.join(`${name}-volume`) }],
  });
  [owner, keeper] = (await Promise.all(
    ["owner", "keeper"].map((name) =>
      PartnerRecorder.start({ name, dataDir: directory.join(name), settings: settings(name) }),
    ),
  )) as [PartnerRecorder, PartnerRecorder];
  [ownerId, keeperId] = [await owner.id(), await keeper.id()];
});

afterAll(async () => {
  for (const recorder of [owner, keeper]) await recorder?.service.stop();
  await source?.stop();
  directory?.remove();
});

const objects = () => join(directory.join("keeper-volume"), "replicas", ownerId, "objects");
const filesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
const keptSegments = () => filesIn(objects()).filter((name) => name.endsWith(".seg"));
const state = async () => (await owner.service.json<readonly AwayState[]>("/api/away"))[0];
const sent = async () => (await state())?.SentSegments ?? 0;
const keeping = () => keeper.service.json<FleetReplicas>("/api/fleet/replicas");
const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

function named() {
  const manifests = filesIn(objects()).filter((name) => /^manifests.*\.json$/.test(name));
  return manifests.flatMap((name) => readManifest(readFileSync(join(objects(), name))).segments);
}

/** Each that is kept is, bit for bit, what the owner has. */
function compare(): void {
  const own = filesIn(directory.join("owner-volume"));
  for (const kept of keptSegments()) {
    const file = own.find((name) => name.endsWith(kept.slice(-"00000000000000.seg".length)));
    const content = readFileSync(join(directory.join("owner-volume"), file ?? "missing"));
    expect(readFileSync(join(objects(), kept)).equals(content), kept).toBe(true);
  }
}

/** What a recorder gives of the time. */
async function doors({ service }: PartnerRecorder): Promise<readonly string[]> {
  const query = `channelid=${channelId}&fromtime=${apiTime(span.fromUs)}&totime=${apiTime(span.toUs)}`;
  const exported = await service.get(`/exportarchive?${query}`);
  const site = await service.get(
    `/site?channelid=${channelId}&mode=archive&starttime=${apiTime(span.fromUs)}`,
  );
  return [`${exported.status} ${sha256(exported.body)}`, `${site.status} ${sha256(site.body)}`];
}

it("says why nothing goes while the other recorder is no partner, or gives no share", {
  timeout: 2 * WAIT_MS,
}, async () => {
  [channelId = ""] = await owner.service.addCameras([{ name: "Gate", url: source.url(0) }]);
  const [camera] = await owner.service.json<readonly object[]>("/configure/channels");
  const body = [{ ...camera, ServerBindingsSettings: { ReplicationServerId: keeperId } }];
  await owner.service.json("/configure/channels", { method: "PUT", body });
  await expect.poll(async () => (await state())?.Problem, patient).toMatch(/is no partner of this one/);
  await makePartners(owner, keeper);
  await expect.poll(async () => (await state())?.Problem, patient).toMatch(/gives this recorder no share/);
  expect(existsSync(join(directory.join("keeper-volume"), "replicas"))).toBe(false);
});

it("sends what it records to the other recorder, bit for bit", { timeout: 2 * WAIT_MS }, async () => {
  const path = `/api/fleet/replicas/${ownerId}`;
  await keeper.service.json(path, { method: "PUT", body: { GigabytesMax: 1 } });
  await expect.poll(sent, patient).toBeGreaterThanOrEqual(2);
  await expect.poll(() => named().length, patient).toBeGreaterThanOrEqual(2);
  compare();
  await expect
    .poll(async () => (await keeping()).Shares[0]?.UsedBytes ?? 0, patient)
    .toBeGreaterThan(100_000);
  expect((await state())?.Problem).toBeNull();
});

it("goes on after the other recorder was killed, and after it was killed itself", {
  timeout: 3 * WAIT_MS,
}, async () => {
  await keeper.service.kill();
  await expect.poll(async () => (await state())?.Activity, patient).toBe("Failing");
  const count = keptSegments().length;
  await owner.service.kill();
  await owner.again();
  await keeper.again();
  await expect.poll(() => keptSegments().length, patient).toBeGreaterThan(count + 1);
  compare();
});

it("is tested by /api/away/test as any other target", async () => {
  const body = { Id: keeperId };
  const tests = await owner.service.json<AwayTests>("/api/away/test", { method: "POST", body });
  expect(tests.Results).toMatchObject([{ Works: true, Problem: null }]);
});

it("plays what the other recorder has when its own disk is lost, and so does the other one", {
  timeout: 3 * WAIT_MS,
}, async () => {
  await expect.poll(() => named().length, patient).toBeGreaterThanOrEqual(4);
  const all = [...named()].sort((a, b) => a.fromUs - b.fromUs);
  const [second, third] = all.slice(1);
  if (second === undefined || third === undefined) throw new Error("too few");
  span = { fromUs: second.fromUs + 1_000_000, toUs: third.toUs - 1_000_000 };
  before = await doors(owner);
  expect(before.map((text) => text.slice(0, 3))).toEqual(["200", "200"]);
  await expect.poll(async () => await doors(keeper), patient).toEqual(before);
  await expect.poll(async () => (await state())?.KnownSegments ?? 0, patient).toBeGreaterThanOrEqual(3);
  await owner.service.stop();
  rmSync(directory.join("owner-volume"), { recursive: true });
  mkdirSync(directory.join("owner-new"));
  await owner.again({ volumes: [{ path: directory.join("owner-new") }] });
  await expect.poll(async () => await doors(owner), patient).toEqual(before);
});

it("gets its recordings back onto a new disk, byte for byte", { timeout: 2 * WAIT_MS }, async () => {
  await owner.service.stop();
  directory.write({
    "partner.json": JSON.stringify({ Recorder: keeperId, DataDir: directory.join("owner") }),
  });
  const args = ["restore", directory.join("partner.json"), directory.join("restored"), "--json"];
  const child = new BackgroundProcess(PROGRAM, args, { cwd: REPOSITORY_ROOT });
  expect((await child.exited).code, child.output).toBe(0);
  const { volumes, segments, damaged } = JSON.parse(child.stdout) as RestoreReport;
  expect([damaged, segments]).toEqual([[], named().length]);
  for (const volume of volumes)
    for (const name of filesIn(volume).filter((file) => file.endsWith(".seg")))
      expect(readFileSync(join(volume, name)).equals(readFileSync(join(objects(), keptAs(name)))), name).toBe(
        true,
      );
});

const keptAs = (name: string) => keptSegments().find((kept) => kept.endsWith(name.slice(-18))) ?? "missing";
