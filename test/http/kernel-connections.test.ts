import { expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import { KernelConnections } from "../../src/http/kernel-connections.js";
import { until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const row = (peer: string): string =>
  `   1: 0100007F:1F90 ${peer}:D431 01 00000000:00000000 00:00000000 00000000     0        0 77 1\n`;

function kernelOf() {
  const clock = new SimulatedClock();
  const state = { text: row("0201A8C0"), atOnce: 0, soon: 0 };
  const kernel = new KernelConnections(
    {
      ...{ clock, log: createLog({ level: "silent" }) },
      readTable: (file) => {
        state.atOnce += 1;
        return file.endsWith("6") ? "" : state.text;
      },
      readTableSoon: async (file) => {
        state.soon += 1;
        return file.endsWith("6") ? "" : state.text;
      },
    },
    () => 8080,
  );
  const addresses = (): string[] => kernel.reading.peers.map(({ address }) => address);
  return { clock, kernel, state, addresses };
}

it("the first reading is waited for, and the next ones are taken when they have come", async () => {
  const { clock, kernel, state, addresses } = kernelOf();
  expect(addresses()).toEqual(["192.168.1.2"]);
  expect([state.atOnce, state.soon, kernel.begun]).toEqual([2, 0, 1]);
  state.text = row("0301A8C0");
  clock.advance(249_000);
  expect([addresses(), kernel.begun]).toEqual([["192.168.1.2"], 1]);
  clock.advance(1000);
  expect([addresses(), kernel.begun]).toEqual([["192.168.1.2"], 2]);
  await until("it has come", () => addresses()[0] === "192.168.1.3");
  expect([state.atOnce, state.soon]).toEqual([2, 2]);
});

it("what was prepared is not waited for: until it has come there is none", async () => {
  const { clock, kernel, state, addresses } = kernelOf();
  kernel.prepare();
  kernel.prepare();
  clock.advance(1_000_000);
  expect(addresses()).toEqual([]);
  await until("it has come", () => addresses().length > 0);
  expect(state.atOnce).toBe(0);
  const { begun } = kernel;
  kernel.prepare();
  expect(kernel.begun).toBe(begun);
});
