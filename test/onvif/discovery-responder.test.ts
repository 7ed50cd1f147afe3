import { createSocket, type Socket } from "node:dgram";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { readQuestion } from "../../src/onvif/discovery/discovery-request.js";
import { DiscoveryResponder } from "../../src/onvif/index.js";
import { PATIENCE_MS } from "../support/base/patience.js";

const IDENTITY = "urn:uuid:0f0f0f0f-0000-4000-8000-00000000000f";
const SCOPE = "onvif://www.onvif.org/name/Recorder";

function envelope(body: string): Buffer {
  return Buffer.from(
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" ' +
      'xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"><s:Header><a:MessageID>urn:uuid:1</a:MessageID></s:Header>' +
      `<s:Body>${body}</s:Body></s:Envelope>`,
  );
}
const resolve = (identity: string) =>
  `<d:Resolve><a:EndpointReference><a:Address>${identity}</a:Address></a:EndpointReference></d:Resolve>`;

describe("a datagram", () => {
  it.each([
    ["a probe for all", "<d:Probe/>", "probe"],
    ["a probe for cameras", "<d:Probe><d:Types>x:NetworkVideoTransmitter</d:Types></d:Probe>", "probe"],
    ["a probe for printers", "<d:Probe><d:Types>x:Printer</d:Types></d:Probe>", undefined],
    ["a resolve", resolve(IDENTITY), "resolve"],
    ["a hello of others", "<d:Hello/>", undefined],
  ])("that is %s is read as what it is", (_what, body, kind) => {
    expect(readQuestion(envelope(body)).question?.kind).toBe(kind);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["noise", Buffer.alloc(2000, 0xff)],
    ["too large", Buffer.alloc(40_000, 0x3c)],
    ["too many elements", envelope(`<d:Probe>${"<a/>".repeat(500)}</d:Probe>`)],
    ["an entity bomb", Buffer.concat([Buffer.from("<!DOCTYPE a []>"), envelope("<d:Probe/>")])],
  ])("of %s is no question", (_what, datagram) => {
    expect(readQuestion(datagram).question).toBeUndefined();
  });
});

describe("on the loopback network", () => {
  let responder: DiscoveryResponder;
  let client: Socket;
  let heard: string[];

  beforeEach(async () => {
    heard = [];
    responder = new DiscoveryResponder({
      addresses: () => [{ address: "127.0.0.1", prefixLength: 8 }],
      devices: () => [
        {
          identity: IDENTITY,
          scopes: [SCOPE],
          serviceUrl: (own) => `http://${own}:8080/onvif/device_service`,
        },
      ],
      clock: new SystemClock(),
      random: () => 0,
      log: createLog({ level: "silent" }),
    });
    await responder.start();
    client = createSocket("udp4");
    client.on("message", (datagram) => heard.push(datagram.toString()));
    await new Promise<void>((done) => client.bind(0, "127.0.0.1", done));
    client.setMulticastInterface("127.0.0.1");
  });
  afterEach(async () => {
    client.close();
    await responder.stop();
  });

  const until = async (body: string, found: RegExp) =>
    await expect
      .poll(
        () => {
          client.send(envelope(body), 3702, "239.255.255.250");
          return heard.join("\n");
        },
        { timeout: PATIENCE_MS },
      )
      .toMatch(found);

  it("probes and resolves are answered with the address that the client reaches", async () => {
    await until("<d:Probe/>", /ProbeMatches.*urn:uuid:1<.*http:\/\/127\.0\.0\.1:8080\/onvif\/device_service/);
    await until(resolve(IDENTITY.toUpperCase().replace("URN:UUID", "urn:uuid")), /ResolveMatches.*8080/);
  });

  it("those for others are not", async () => {
    const others = "<d:Probe><d:Scopes>onvif://www.onvif.org/name/Other</d:Scopes></d:Probe>";
    for (const body of [others, resolve("urn:uuid:other")])
      client.send(envelope(body), 3702, "239.255.255.250");
    await until(resolve(IDENTITY), /ResolveMatches/);
    expect(heard.join()).not.toContain("ProbeMatches");
  });
});
