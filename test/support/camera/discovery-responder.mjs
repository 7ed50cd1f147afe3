/**
 * Devices that answer WS-Discovery, as a process of its own, so that it can stand in a network namespace:
 * `node discovery-responder.mjs JSON`, where JSON is a `ResponderScript` of discovery-lan.ts. Says `ready` when it
 * listens; on a line `hello`, `bye` or `quit` on standard input it does so.
 */
import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline";

const GROUP = "239.255.255.250";
const GROUP_IPV6 = "ff02::c";
const PORT = 3702;

const script = JSON.parse(process.argv[2] ?? "{}");
const { devices = [], manner = "plain", answers = 1, ipv6 = false } = script;
const socket = createSocket({ type: ipv6 ? "udp6" : "udp4", reuseAddr: true });

const ENVELOPES = {
  plain: { s: "s", head: '<?xml version="1.0" encoding="UTF-8"?>', tail: "" },
  gsoap: { s: "SOAP-ENV", head: '\ufeff<?xml version="1.0" encoding="UTF-8"?>\n', tail: "\n\u0000\u0000" },
  env: { s: "env", head: "\r\n  ", tail: "\r\n" },
};

function deviceXml({ identity, types = "dn:NetworkVideoTransmitter", scopes = [], xaddrs = [] }) {
  return (
    `<a:EndpointReference><a:Address>${identity}</a:Address></a:EndpointReference>` +
    (types === "" ? "" : `<d:Types>${types}</d:Types>`) +
    (scopes.length === 0 ? "" : `<d:Scopes>${scopes.join(" ")}</d:Scopes>`) +
    (xaddrs.length === 0 ? "" : `<d:XAddrs>${xaddrs.join(" ")}</d:XAddrs>`) +
    "<d:MetadataVersion>1</d:MetadataVersion>"
  );
}

function envelope(action, content, relatesTo = "") {
  const { s, head, tail } = ENVELOPES[manner] ?? ENVELOPES.plain;
  const related = relatesTo === "" ? "" : `<a:RelatesTo>${relatesTo}</a:RelatesTo>`;
  return (
    `${head}<${s}:Envelope xmlns:${s}="http://www.w3.org/2003/05/soap-envelope" ` +
    'xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" ' +
    'xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery" ' +
    'xmlns:dn="http://www.onvif.org/ver10/network/wsdl" xmlns:tds="http://www.onvif.org/ver10/device/wsdl">' +
    `<${s}:Header><a:Action>http://schemas.xmlsoap.org/ws/2005/04/discovery/${action}</a:Action>${related}</${s}:Header>` +
    `<${s}:Body>${content}</${s}:Body></${s}:Envelope>${tail}`
  );
}

/** What is sent for a probe: a list of datagrams. */
function replies(relatesTo) {
  switch (manner) {
    case "garbage":
      return ["", "<", "\u0000\u00ff", "<a><b></a>", "{}", envelope("ProbeMatches", "<d:ProbeMatches/>")];
    case "entity-bomb": {
      const head = '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
      const match = `<d:ProbeMatches><d:ProbeMatch>${deviceXml({ ...devices[0], scopes: ["onvif://&b;"] })}</d:ProbeMatch></d:ProbeMatches>`;
      return [envelope("ProbeMatches", match).replace(/^<\?xml[^>]*>/, head)];
    }
    case "huge":
      return [envelope("ProbeMatches", `<d:ProbeMatches>${"<x/>".repeat(15_000)}</d:ProbeMatches>`)];
    case "deep":
      return [envelope("ProbeMatches", `${"<x>".repeat(2_000)}${"</x>".repeat(2_000)}`)];
    case "flood":
      return Array.from({ length: answers }, (_, index) =>
        matches(
          [
            {
              ...devices[0],
              identity: `urn:uuid:${index.toString(16).padStart(8, "0")}-0000-4000-8000-00000000f100`,
            },
          ],
          relatesTo,
        ),
      );
    case "together":
      return [matches(devices, relatesTo)];
    default:
      return devices.map((device) => matches([device], relatesTo));
  }
}

function matches(list, relatesTo) {
  const inner = list.map((device) => `<d:ProbeMatch>${deviceXml(device)}</d:ProbeMatch>`).join("");
  return envelope("ProbeMatches", `<d:ProbeMatches>${inner}</d:ProbeMatches>`, relatesTo);
}

function isAskedFor(probe) {
  const type = /<d:Types>([^<]*)<\/d:Types>/.exec(probe)?.[1] ?? /Types[^>]*>([^<]*)</.exec(probe)?.[1] ?? "";
  return script.onlyTypes === undefined || script.onlyTypes.includes(type);
}

/** It said goodbye: it answers no more until it says Hello. */
let hasLeft = false;

socket.on("message", (datagram, from) => {
  const text = datagram.toString("utf8");
  if (hasLeft || !/[:<]Probe[\s>]/.test(text) || !isAskedFor(text)) return;
  const id = /MessageID[^>]*>([^<]*)</.exec(text)?.[1] ?? "";
  for (const [index, reply] of replies(id).entries()) {
    const sender = senders.get(devices[index]?.from) ?? socket;
    sender.send(Buffer.from(reply), from.port, from.address);
  }
});

function join(address) {
  try {
    socket.addMembership(GROUP, address);
  } catch (error) {
    // A further address of an interface that is joined.
    if (error.code !== "EADDRINUSE") throw error;
  }
}

function announce(kind) {
  hasLeft = kind === "Bye";
  for (const device of devices) {
    const text = envelope(kind, `<d:${kind}>${deviceXml(device)}</d:${kind}>`);
    socket.send(Buffer.from(text), PORT, ipv6 ? GROUP_IPV6 : GROUP);
  }
}

/** Devices that answer from an address of their own. */
const senders = new Map();
for (const { from } of devices) {
  if (from === undefined || senders.has(from)) continue;
  const sender = createSocket("udp4");
  sender.bind(0, from);
  senders.set(from, sender);
}

if (script.httpPort !== undefined) {
  const time = "<GetSystemDateAndTimeResponse xmlns='http://www.onvif.org/ver10/device/wsdl'/>";
  createServer((request, response) => {
    request.resume();
    response.setHeader("Content-Type", "application/soap+xml");
    response.end(envelope("x", time));
  }).listen(script.httpPort);
}

if (script.silent !== true)
  socket.bind(PORT, () => {
    for (const [name, infos = []] of Object.entries(networkInterfaces())) {
      for (const { family, address } of infos) {
        if (ipv6 && family === "IPv6" && address.startsWith("fe80:")) {
          socket.addMembership(GROUP_IPV6, `::%${name}`);
          socket.setMulticastInterface(`::%${name}`);
        } else if (!ipv6 && family === "IPv4") {
          join(address);
          if (address !== "127.0.0.1" || script.loopback === true) socket.setMulticastInterface(address);
        }
      }
    }
    process.stdout.write("ready\n");
  });
else process.stdout.write("ready\n");

createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "hello") announce("Hello");
  else if (line === "bye") announce("Bye");
  else process.exit(0);
});
process.stdin.on("end", () => process.exit(0));
