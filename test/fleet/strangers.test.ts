import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { STRANGERS_MAX, STRANGERS_PER_ADDRESS_MAX } from "../../src/fleet/hub/hub.js";
import { until } from "../support/base/until.js";
import { FleetBench } from "../support/fleet/fleet-bench.js";
import { Siege } from "../support/http/siege.js";

let bench: FleetBench;
const strangers: Socket[] = [];

beforeEach(async () => {
  bench = await FleetBench.start();
});

afterEach(async () => {
  for (const socket of strangers.splice(0)) socket.destroy();
  await bench.stop();
});

/** Connections that say nothing, from an address of loopback. */
async function open(count: number, localAddress: string): Promise<readonly Socket[]> {
  const opened = Array.from({ length: count }, () =>
    connect({ host: "127.0.0.1", port: bench.hub.port, localAddress }).on("error", () => undefined),
  );
  strangers.push(...opened);
  await until("all were opened", () => opened.every(({ connecting }) => !connecting), {
    seen: () => opened.length,
  });
  return opened;
}

const closed = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => destroyed).length;

it("has no room for more strangers of one address than its share, and recorders of others join meanwhile", async () => {
  const sockets = await open(STRANGERS_PER_ADDRESS_MAX + 8, "127.0.0.2");

  await until("those beyond the share are closed", () => closed(sockets) === 8, {
    seen: () => closed(sockets),
  });
  const box = await bench.joined();
  expect((await bench.ask(box)).status).toBe(200);
  expect(closed(sockets)).toBe(8);
});

it("has no room for more strangers than their share, whatever addresses they have", async () => {
  const box = await bench.joined();
  const sockets: Socket[] = [];
  for (let at = 2; at < 8; at += 1) sockets.push(...(await open(STRANGERS_PER_ADDRESS_MAX, `127.0.0.${at}`)));

  await until("those beyond the share are closed", () => sockets.length - closed(sockets) <= STRANGERS_MAX, {
    seen: () => closed(sockets),
  });
  expect((await bench.ask(box)).status).toBe(200);
});

it("gives the room of a stranger back when it goes", async () => {
  const sockets = await open(STRANGERS_PER_ADDRESS_MAX, "127.0.0.1");
  for (const socket of sockets) socket.destroy();

  const box = await bench.joined();

  expect((await bench.ask(box)).status).toBe(200);
});

it("lets a recorder come back while strangers hold as many connections as they can", async () => {
  const box = await bench.joined();
  const addresses = Array.from({ length: 12 }, (_, at) => at + 2);
  const siege = new Siege({ port: bench.hub.port, addresses, each: STRANGERS_PER_ADDRESS_MAX });
  try {
    await until("the strangers are there", () => siege.closed > 100, { seen: () => siege.open });
    await box.membership.stop();
    await until("it is gone", () => bench.hub.box(box.id)?.silence !== undefined, {
      seen: () => bench.hub.boxes(),
    });
    await box.membership.start();
    await bench.connected(box);
    expect((await bench.ask(box)).status).toBe(200);
  } finally {
    siege.end();
  }
});
