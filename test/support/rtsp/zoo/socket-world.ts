import { SystemClock } from "../../../../src/base/index.js";
import { SLAB_BYTES_DEFAULT, SlabPool } from "../../../../src/live/index.js";
import { ReadTicker } from "../../../../src/rtsp/index.js";
import { startArchive } from "../../archive/archive-fixture.js";
import { SocketCamera } from "./socket-camera.js";
import { type Outcome, type Visit, Visitor, type VisitorParts } from "./visitor.js";
import { ZooCamera } from "./zoo-camera.js";

const POOL_BYTES = 512 * 1024 * 1024;
/** From the last picture to the end of the session. */
const LAST_MS = 3000;

/** As `visitZoo`, over sockets on loopback and in true time. */
export async function visitZooOverSockets(directory: string, visits: readonly Visit[]): Promise<Outcome[]> {
  const clock = new SystemClock();
  const archive = await startArchive(directory, { clock, tickMs: 400, syncIntervalMs: 1000 });
  const pool = new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: POOL_BYTES });
  const ticker = new ReadTicker({ clock });
  const parts = { archive: archive.archive, clock, pool, ticker };
  try {
    return await Promise.all(visits.map((visit) => visited(parts, visit)));
  } finally {
    await archive.archive.stop();
  }
}

async function visited(parts: VisitorParts, visit: Visit): Promise<Outcome> {
  const { clock } = parts;
  const camera = await ZooCamera.make({ habits: visit.habits, clock, seed: visit.seed });
  const server = await new SocketCamera(camera).start();
  const visitor = new Visitor({ parts, visit, camera, url: server.url });
  visitor.start();
  await new Promise((resolve) => setTimeout(resolve, visit.seconds * 1000));
  camera.isDone = true;
  await new Promise((resolve) => setTimeout(resolve, LAST_MS));
  await visitor.stop();
  await server.stop();
  return visitor.outcome();
}
