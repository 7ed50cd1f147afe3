import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { countPeers, peersOf } from "../../src/http/connection-rows.js";
import { HttpServer } from "../../src/http/http-server.js";
import { until } from "../support/api/api-harness.js";

it("established connections of a port are counted by peer, mapped IPv6 as IPv4", () => {
  const tables = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0
   1: 0100007F:1F90 0201A8C0:D431 01 00000000:00000000 00:00000000 00000000     0
   2: 0100007F:1F90 0201A8C0:D432 01 00000000:00000000 00:00000000 00000000     0
   3: 0100007F:1F90 0201A8C0:D433 06 00000000:00000000 00:00000000 00000000     0
   4: 0100007F:0050 0201A8C0:D434 01 00000000:00000000 00:00000000 00000000     0
   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000201A8C0:D435 01 00000000:00000000
   1: B80D0120000000000000000001000000:1F90 B80D0120000000000000000002000000:D436 01 00000000:00000000
`;
  expect([...countPeers(peersOf(tables, 8080))]).toEqual([
    ["192.168.1.2", 3],
    ["2001:db8::2", 1],
  ]);
});

it("what stands as the state's number elsewhere in a row, or behind the last line's end, is no state", () => {
  const row = (state: string, rest: string) =>
    `   9: 0100007F:1F90 0201A8C0:D431 ${state} 00000000:00000000 00:00000000 00000000 ${rest}`;
  const tables = [
    row("06", "    0        0 01 3 "),
    row("01", " 01 01 17 "),
    row("01", "    0        0 18 1"),
  ];
  expect(peersOf(tables.join("\n"), 8080)).toEqual([
    { address: "192.168.1.2", inode: "17" },
    { address: "192.168.1.2", inode: "18" },
  ]);
});

it("on a crowded port an address that has its share is closed, another one is let in", async () => {
  const server = new HttpServer({
    handler: (_request, response) => response.send({ status: 200, headers: [], body: Buffer.from("ok") }),
    clock: new SystemClock(),
    log: createLog({ level: "silent" }),
    connectionsMax: 10,
    connectionsPerAddressMax: 4,
  });
  const port = server.listen("127.0.0.1", 0);
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  });
  const open = (localAddress: string) => {
    const state = { closed: false };
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("close", () => {
      state.closed = true;
    });
    socket.on("error", () => undefined);
    socket.resume();
    sockets.push(socket);
    return state;
  };
  const first = Array.from({ length: 5 }, () => open("127.0.0.1"));
  await until("five are open", () => server.connections === 5);
  const sixth = open("127.0.0.1");
  await until("the sixth is closed", () => sixth.closed);
  const other = open("127.0.0.2");
  await until("the other address is in", () => server.connections === 6);
  expect([...first, other].some(({ closed }) => closed)).toBe(false);
});
