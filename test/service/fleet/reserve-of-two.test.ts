// Own network: it drops packets.

import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FleetPartners } from "../../../src/contract/answer/index.js";
import { PacedClip, readPacedFrames } from "../../support/archive/paced-recording.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { eventsOf, nowUs, recordedBeyond, until } from "../../support/event/service-events.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, pause, Service } from "../../support/service/service.js";
import { NFT, ThinLink } from "../../support/service/thin-link.js";

/** One reserve of two owners, all three at one hub; key frames come every four seconds. */

const missing = ThinLink.missing();
const GOP_SECONDS = 4;
const CLIP = { ...SMALL_CLIP, gopFrames: GOP_SECONDS * SMALL_CLIP.fps, seconds: 2 * GOP_SECONDS };
const OWNERS = ["north", "south"] as const;
type Owner = (typeof OWNERS)[number];
/** From the death of an owner to the connection to its cameras, which comes before the three seconds are over. */
const CONNECTED_WITHIN_US = 3_000_000;
const SILENCE_MS = 9000;
const TIMEOUT_MS = 300_000;

const directory = new TemporaryDirectory("reserve-of-two");
const services = new Map<string, Service>();
const ports = new Map<string, number>();
const cameras = new Map<Owner, string>();
let source: PacedSource;

const service = (name: string): Service => {
  const found = services.get(name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
};

async function started(name: string, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const partnerPort = ports.get(name) ?? (await freePorts(1))[0] ?? 0;
  ports.set(name, partnerPort);
  const dataDir = directory.join(name);
  services.set(name, await Service.start({ dataDir, settings: { partnerPort, ...settings } }));
}

async function killed(name: string): Promise<void> {
  const running = service(name);
  services.delete(name);
  await running.kill();
}

beforeAll(async () => {
  if (missing !== undefined) return;
  source = await PacedSource.start(OWNERS.length, CLIP);
  const [hubPort = 0] = await freePorts(1);
  await started("hub", { hubPort, hubAddress: `127.0.0.1:${hubPort}` });
  await started("reserve");
  await atHub("reserve");
  const reserveId = await idOf("reserve");
  for (const [at, name] of OWNERS.entries()) {
    await started(name);
    await atHub(name);
    const { Code } = await service(name).json<{ Code: string }>("/api/fleet/partners/code", {
      method: "POST",
    });
    await service("reserve").json("/api/fleet/partners", { method: "POST", body: { Code } });
    const [id = ""] = await service(name).addCameras([{ name: `Gate ${name}`, url: source.url(at) }]);
    cameras.set(name, id);
    const { ConnectionSettings } = await service(name).json<{ ConnectionSettings: { ModelId: string } }>(
      `/configure/channels/${id}`,
    );
    await service(name).json(`/configure/channels/${id}`, {
      method: "PUT",
      body: {
        ConnectionSettings: { ModelId: ConnectionSettings.ModelId },
        ServerBindingsSettings: { ReservedServerId: reserveId },
      },
    });
  }
  for (const name of OWNERS)
    await until(service("reserve"), `the camera of ${name} at the reserve`, async () => {
      const { Channels } = await service("reserve").json<{ Channels: { Id: string }[] }>(
        "/configex?responsetype=json",
      );
      return Channels.some(({ Id }) => Id === cameras.get(name));
    });
}, TIMEOUT_MS);

afterAll(async () => {
  for (const running of services.values()) await running.stop();
  await source?.stop();
  directory.remove();
}, TIMEOUT_MS);

async function atHub(name: string): Promise<void> {
  const { Code } = await service("hub").json<{ Code: string }>("/api/boxes/code", { method: "POST" });
  await service(name).json("/api/hub", { method: "POST", body: { Code } });
}

async function idOf(name: string): Promise<string> {
  return (await service(name).json<{ ServerId: string }>("/api/session")).ServerId;
}

const cameraOf = (owner: Owner): string => cameras.get(owner) ?? "";

async function isRecordedAt(name: string, id: string): Promise<boolean> {
  const { status, body } = await service(name).get(`/api/channels/${id}/status`);
  return status === 200 && (JSON.parse(body.toString()) as { IsRecording: boolean }).IsRecording;
}

async function framesOf(name: string, id: string, fromUs: number, untilUs: number) {
  const query = `channelid=${id}&mode=archive&starttime=${apiTime(fromUs)}&speed=20`;
  return await readPacedFrames(await service(name).video(query), ({ clock }) => clock.sentUs > untilUs);
}

/** Nothing passes between partners; what goes to the hub and to cameras does. */
function cutLan(): void {
  nft("add", "table", "ip", "lan");
  nft("add", "chain", "ip", "lan", "in", "{ type filter hook input priority 0; }");
  const list = `{ ${[...ports.values()].join(", ")} }`;
  for (const side of ["dport", "sport"]) nft("add", "rule", "ip", "lan", "in", "tcp", side, list, "drop");
}

function mendLan(): void {
  nft("delete", "table", "ip", "lan");
}

function nft(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(NFT, [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`nft ${args.join(" ")}: ${stderr}`);
}

describe.skipIf(missing !== undefined)(`one reserve of two owners${notHere(missing)}`, () => {
  it(
    "takes nothing over from owners that it hears through the hub alone, however long",
    async () => {
      for (const name of OWNERS) await recordedBeyond(service(name), [cameraOf(name)], nowUs());
      cutLan();
      try {
        const throughHub = async (): Promise<boolean[]> =>
          (await service("reserve").json<FleetPartners>("/api/fleet/partners")).Partners.map(
            ({ IsThroughHub }) => IsThroughHub,
          );
        await expect.poll(throughHub).toEqual([true, true]);
        await pause(SILENCE_MS);
        expect(await throughHub()).toEqual([true, true]);
        expect(await eventsOf(service("reserve"), "reserveBegan")).toEqual([]);
      } finally {
        mendLan();
      }
      const isHeard = async (): Promise<boolean[]> =>
        (await service("reserve").json<FleetPartners>("/api/fleet/partners")).Partners.map(
          ({ IsConnected }) => IsConnected,
        );
      await expect.poll(isHeard).toEqual([true, true]);
      expect(await eventsOf(service("reserve"), "reserveBegan")).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "records the cameras of both from the first key frame on, gives them back, and each owner has every picture of them but those until then",
    async () => {
      for (const name of OWNERS) await recordedBeyond(service(name), [cameraOf(name)], nowUs() + 2_000_000);
      const diedUs = nowUs();
      await Promise.all(OWNERS.map(killed));
      for (const name of OWNERS) await expect.poll(() => isRecordedAt("reserve", cameraOf(name))).toBe(true);
      await recordedBeyond(service("reserve"), [...cameras.values()], nowUs() + 2_000_000);
      for (const name of OWNERS) {
        const [first] = await framesOf("reserve", cameraOf(name), diedUs, nowUs() - 1_000_000);
        const afterUs = (first?.clock.sentUs ?? Number.POSITIVE_INFINITY) - diedUs;
        console.info(`the first picture of ${name} is of ${afterUs / 1e6} s after its death`);
        expect(afterUs).toBeLessThan(CONNECTED_WITHIN_US + GOP_SECONDS * 1_000_000);
      }
      for (const name of OWNERS) await started(name);
      for (const name of OWNERS) await expect.poll(() => isRecordedAt("reserve", cameraOf(name))).toBe(false);
      for (const name of OWNERS) {
        await until(service(name), "the gap to be filled", async () => {
          return (await eventsOf(service(name), "gapFilled")).length > 0;
        });
        const all = await framesOf(name, cameraOf(name), diedUs - 2_000_000, nowUs() - 1_000_000);
        const [gap, ...others] = new PacedClip(source.clipFile).differencesOf(all);
        console.info(`the recording of ${name}: ${gap}; ${all.length} pictures`);
        expect(others).toEqual([]);
        expect(gap).toMatch(/^frame \d+ follows \d+$/);
      }
    },
    TIMEOUT_MS,
  );
});
