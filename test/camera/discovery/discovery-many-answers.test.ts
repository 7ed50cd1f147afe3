import type { Socket } from "node:dgram";
import { EventEmitter } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { Discovery, type DiscoveryNetwork, SYSTEM_NETWORK } from "../../../src/camera/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const ANSWERS = 5000;
const REAL = "10.9.9.9";

function match(number: number, address: string): Buffer {
  const uuid = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000001`;
  return Buffer.from(
    `<Envelope><Body><ProbeMatches><ProbeMatch><EndpointReference><Address>urn:uuid:${uuid}</Address></EndpointReference>` +
      `<Types>dn:NetworkVideoTransmitter</Types><Scopes>onvif://www.onvif.org/name/Camera</Scopes>` +
      `<XAddrs>http://${address}/onvif/device_service</XAddrs></ProbeMatch></ProbeMatches></Body></Envelope>`,
  );
}

/** To the first probe 5,000 devices answer at once, and the real camera behind them. */
class CrowdedSocket extends EventEmitter {
  readonly #address: (at: number) => string;
  #isAnswered = false;

  constructor(address: (at: number) => string) {
    super();
    this.#address = address;
  }

  bind(...given: readonly unknown[]): void {
    const bound = given.at(-1);
    if (typeof bound === "function") setImmediate(() => bound());
  }

  send(_message: Buffer, _port: number, _to: string, sent: (error: null) => void): void {
    sent(null);
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    for (let at = 0; at < ANSWERS; at += 1) {
      const address = this.#address(at);
      this.emit("message", match(at, address), { address });
    }
    this.emit("message", match(99_999_999, REAL), { address: REAL });
  }

  /** What else is done with a socket changes nothing here. */
  setRecvBufferSize = ignore;
  setMulticastInterface = ignore;
  setMulticastTTL = ignore;
  setMulticastLoopback = ignore;
  close = ignore;
}

function ignore(): undefined {
  return undefined;
}

function network(address: (at: number) => string): DiscoveryNetwork {
  return {
    ...SYSTEM_NETWORK,
    addresses: () => [{ interfaceName: "eth0", address: "10.0.0.1", family: "IPv4", prefixLength: 8 }],
    createSocket: () => new CrowdedSocket(address) as unknown as Socket,
  };
}

test.each([
  ["an address of its own each", (at: number) => `10.1.${at >> 8}.${at & 255}`],
  ["one address", () => "10.1.0.1"],
])("5,000 answers to a probe, from %s, hide no camera and make Node warn of nothing", async (_, address) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.removeListener("warning", note));
  const log = createLog({ level: "silent" });
  const readOpenly = async () => undefined;
  const clock = new ManualClock();
  const discovery = new Discovery({ network: network(address), clock, log, readOpenly });
  const scan = discovery.scan({ timeoutSeconds: 5 });
  const isHeard = (): boolean => discovery.known().some((device) => device.address === REAL);
  for (let turn = 0; !isHeard(); turn += 1) {
    clock.advance(turn === 0 ? 1 : 0);
    for (let part = 0; part < 20; part += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(5000);
  const found = await scan;
  await discovery.stop();
  expect(found.map((device) => device.address)).toContain(REAL);
  expect(warnings).toEqual([]);
});
