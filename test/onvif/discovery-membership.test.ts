// Own network: it makes interfaces.
import { createSocket, type Socket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { DiscoveryResponder } from "../../src/onvif/index.js";
import { until } from "../support/api/api-harness.js";
import { notHere } from "../support/base/not-here.js";
import { NetworkLan } from "../support/camera/network-lan.js";

const missing = NetworkLan.missing();
const PROBE =
  '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" ' +
  'xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"><s:Header><a:MessageID>urn:uuid:1</a:MessageID></s:Header>' +
  "<s:Body><d:Probe/></s:Body></s:Envelope>";

let lan: NetworkLan | undefined;
let responder: DiscoveryResponder | undefined;
let client: Socket | undefined;

afterEach(async () => {
  client?.close();
  await responder?.stop();
  await lan?.close();
});

/** A client of this machine in the network that there is now. */
async function clientIn(network: NetworkLan, onAnswer: () => void): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.on("message", onAnswer);
  await new Promise<void>((done) => socket.bind(0, network.plain(1), done));
  socket.setMulticastInterface(network.plain(1));
  return socket;
}

describe.skipIf(missing !== undefined)(`the recorder's announcements${notHere(missing)}`, () => {
  it("answer after an interface was replaced under its name, however often", async () => {
    const network = new NetworkLan();
    lan = network;
    const clock = new SystemClock();
    let look = (): void => undefined;
    const byHand = Object.assign(Object.create(clock) as SystemClock, {
      setInterval: (run: () => void) => {
        look = run;
        return clock.setInterval(() => undefined, 60_000);
      },
    });
    responder = new DiscoveryResponder({
      addresses: () => [{ address: network.plain(1), prefixLength: 24 }],
      devices: () => [{ identity: "urn:uuid:1", scopes: [], serviceUrl: () => "http://box" }],
      clock: byHand,
      random: () => 0,
      log: createLog({ level: "silent" }),
    });
    await responder.start();
    let answers = 0;
    // A socket of Linux has at most 20 memberships (igmp_max_memberships), the lost ones among them.
    for (let time = 1; time <= 22; time += 1) {
      network.replaceOwn();
      look();
      const before = answers;
      const asking = await clientIn(network, () => {
        answers += 1;
      });
      client = asking;
      const probe = (): void => asking.send(PROBE, 3702, "239.255.255.250");
      const timer = setInterval(probe, 100);
      await until(`answer ${time}`, () => answers > before).finally(() => clearInterval(timer));
      asking.close();
      client = undefined;
    }
    expect(answers).toBeGreaterThanOrEqual(22);
  });
});
