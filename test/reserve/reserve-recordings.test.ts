import { afterEach, beforeEach, expect, it } from "vitest";
import type { Guid } from "../../src/base/index.js";
import type { Cards } from "../../src/camera/index.js";
import { SlabPool } from "../../src/live/index.js";
import { RecordingsGiver } from "../../src/reserve/recordings-giver.js";
import { ReserveCards } from "../../src/reserve/reserve-cards.js";
import { type Camera, cameraOptions } from "../../src/site/index.js";
import { MemoryArchive } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { PartnerBench } from "../support/fleet/partner-bench.js";
import { MemorySite } from "../support/site/memory-site.js";
import { sampleCamera } from "../support/site/site-samples.js";

const NO_CARDS: Cards = {
  isSupported: () => false,
  contents: async () => ({ offsetUs: 0, recordings: [] }),
  play: () => Promise.reject(new Error("there is no card")),
};
const WITHIN = { fromUs: NINE_US, toUs: NINE_US + 60_000_000 };

let bench: PartnerBench;
let archive: MemoryArchive;
let cards: ReserveCards;
let channelId: Guid;
let stopReserve: () => Promise<void>;

/** A reserve that recorded a second in the owner's place. */
beforeEach(async () => {
  bench = await PartnerBench.start();
  const [owner, reserve] = await bench.pair();
  const { clock } = bench;
  stopReserve = () => reserve.partners.stop();
  const camera = sampleCamera(new MemorySite().current);
  channelId = camera.id;
  archive = new MemoryArchive();
  archive.record({ channelId, streamType: "Main" }, archivedFrames(30));
  const kept = new MemorySite().current;
  const reserveSite = { current: { ...kept, cameras: [{ ...camera, ownerServerId: owner.id }] } };
  const own = new MemorySite().current;
  const ownSite = { ...own, cameras: [reservedBy(reserve.id, { ...camera, ownerServerId: own.server.id })] };
  new RecordingsGiver({ site: reserveSite, partners: reserve.partners, archive, clock }).start();
  cards = new ReserveCards({
    ...{ site: { current: ownSite }, partners: owner.partners, cards: NO_CARDS, clock },
    pool: new SlabPool({ slabBytes: 65_536, totalBytesMax: 1_000_000 }),
  });
});

afterEach(() => bench.stop());

function reservedBy(reservedServerId: Guid, camera: Camera): Camera {
  const options = cameraOptions(camera);
  return { ...camera, kept: { ...options, servers: { ...options.servers, reservedServerId } } };
}

const contents = () => cards.contents(channelId, WITHIN, new AbortController().signal);
/** As long as it is so, a gap is not given up (`gap-fills.test.ts`). */
const AWAY = { name: "CameraFailure", lostCause: "unreachable" };

it("an owner hears what its reserve recorded in its place", async () => {
  expect((await contents()).recordings).toHaveLength(1);
});

it("a reserve that does not know yet what it recorded has not recorded nothing", async () => {
  archive.fault = "recordings are being read into the index";
  await expect(contents()).rejects.toMatchObject(AWAY);
  archive.fault = undefined;
  expect((await contents()).recordings).toHaveLength(1);
});

it("a reserve that gives no frames yet is asked for them again", async () => {
  const [recording] = (await contents()).recordings;
  archive.fault = "recordings are being read into the index";
  const asked = { ...WITHIN, channelId, recording: recording?.token ?? "", offsetUs: 0 };
  const limits = { bytesPerSecondMax: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  await expect(cards.play({ ...asked, ...limits })).rejects.toMatchObject(AWAY);
});

it("a reserve that is switched off is asked again", async () => {
  await stopReserve();
  await expect(contents()).rejects.toMatchObject(AWAY);
});
