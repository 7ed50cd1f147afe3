// Own process: it starts a system with namespaces of its own.
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { networkdFiles } from "../../../src/box/network/networkd-files.js";
import { notHere } from "../../support/base/not-here.js";
import { HTTP_PORT, ROUTER, ROUTER_6 } from "../../support/network/lan.js";
import { NetworkBox } from "../../support/network/network-box.js";
import { NetworkChanges } from "../../support/network/network-changes.js";
import { BackgroundProcess } from "../../support/service/background-process.js";

const TEST_TIMEOUT_MS = 300_000;
const POLL = { timeout: 90_000, interval: 500 };
const PACE = { shortSeconds: 8, longSeconds: 60, endMs: 90_000 };
const FIXED_6 = "fd77::21";

const missing = NetworkBox.missing();
const noResolved = existsSync("/lib/systemd/systemd-resolved")
  ? undefined
  : "systemd-resolved is not installed";
const TIMESYNCD = "/lib/systemd/systemd-timesyncd";
const noTimesyncd = existsSync(TIMESYNCD) ? undefined : "systemd-timesyncd is not installed";
const noAvahi = existsSync("/usr/sbin/avahi-daemon") ? undefined : "avahi-daemon is not installed";

/** Answers each question for an address with 192.0.2.7. */
const NAME_SERVER = `
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("${ROUTER}", 53))
print("ready", flush=True)
while True:
    q, a = s.recvfrom(2048)
    end = 12
    while q[end]: end += q[end] + 1
    kind = struct.unpack(">H", q[end + 1:end + 3])[0]
    answers = 1 if kind == 1 else 0
    record = b"\\xc0\\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([192, 0, 2, 7]) if answers else b""
    s.sendto(q[:2] + struct.pack(">HHHHH", 0x8180, 1, answers, 0, 0) + q[12:end + 5] + record, a)
`;

/** Says who asks for the time; its answer is the question, which nobody takes for one. */
const TIME_SERVER = `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("${ROUTER}", 123))
print("ready", flush=True)
while True:
    q, a = s.recvfrom(2048)
    print("asked", len(q), flush=True)
    s.sendto(q, a)
`;

/** Asks by multicast for a name's records of a kind, and prints what is answered within some seconds. */
const MDNS_QUESTION = `
import socket, struct, sys, time
name, kind = sys.argv[1], int(sys.argv[2])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", 5353))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + socket.inet_aton("${ROUTER}"))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("${ROUTER}"))
s.settimeout(1)
q = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\\0" + struct.pack(">HH", kind, 1)
end = time.time() + 5
while time.time() < end:
    s.sendto(struct.pack(">HHHHHH", 0, 0, 1, 0, 0, 0) + q, ("224.0.0.251", 5353))
    try:
        while True:
            answer, sender = s.recvfrom(9000)
            if sender[0] != "${ROUTER}" and answer[2] & 0x80: print(sender[0], answer.hex(), flush=True)
    except socket.timeout:
        pass
`;

/** Service, object and interface of timesyncd on the bus. */
const TIMESYNC = "org.freedesktop.timesync1 /org/freedesktop/timesync1 org.freedesktop.timesync1.Manager";
const KIND_PTR = 12;
const KIND_A = 1;

const hexOf = (text: string): string => Buffer.from(text).toString("hex");

describe.skipIf(missing !== undefined)(`names and numbers of a box${notHere(missing)}`, () => {
  let box: NetworkBox;
  let home = "";
  const own: BackgroundProcess[] = [];

  beforeAll(async () => {
    box = await NetworkBox.start();
    home = await box.leased();
    await box.reached(home);
  }, TEST_TIMEOUT_MS);

  afterAll(async () => {
    for (const process of own) await process.stop("SIGKILL");
    await box?.stop();
  });

  async function tried(body: Record<string, unknown>, over: string): Promise<void> {
    const changes = new NetworkChanges(box, home, PACE);
    await changes.confirm(over, await changes.begun(body));
  }

  /** Runs a server in the network of the box. */
  async function served(program: string): Promise<BackgroundProcess> {
    const server = new BackgroundProcess("ip", [
      ...["netns", "exec", box.lan.namespace, "/usr/bin/python3", "-c", program],
    ]);
    own.push(server);
    await expect.poll(() => server.output, POLL).toContain("ready");
    return server;
  }

  async function mdns(name: string, kind: number): Promise<string> {
    return await box.lan.run(`/usr/bin/python3 -c '${MDNS_QUESTION}' ${name} ${kind}`);
  }

  it.skipIf(noResolved !== undefined)(
    `asks the name servers that are set, by the real systemd-resolved${notHere(noResolved)}`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      await served(NAME_SERVER);
      await box.shell("systemctl start systemd-resolved");
      await tried({ IPv4: { Method: "Dhcp" }, Dns: [ROUTER] }, home);
      const answer = () => box.shell("resolvectl query -4 camera.example.org 2>&1");
      await expect.poll(answer, POLL).toContain("192.0.2.7");
      expect(await box.shell("resolvectl dns eth0")).toContain(ROUTER);
    },
  );

  it.skipIf(noResolved !== undefined)(
    `is found by its name and as a page, by the real systemd-resolved${notHere(noResolved)}`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      await box.shell("systemctl start systemd-resolved; systemctl restart nvrd");
      await box.reached(home);
      const name = (await box.shell("hostname")).trim().toLowerCase();
      await expect.poll(() => mdns(`${name}.local`, KIND_A), POLL).toContain(addressHex(home));
      const service = hexOf("_http").concat("04", hexOf("_tcp"));
      await expect.poll(() => mdns("_http._tcp.local", KIND_PTR), POLL).toContain(service);
      expect(await box.shell("cat /run/systemd/dnssd/nvrd.dnssd")).toContain(`Port=${HTTP_PORT}`);
      await box.shell("systemctl stop systemd-resolved; rm -r /run/systemd/resolve");
    },
  );

  it.skipIf(noAvahi !== undefined)(
    `is found by its name and as a page, by the real avahi-daemon${notHere(noAvahi)}`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      await box.shell("systemctl start avahi-daemon; systemctl restart nvrd");
      await box.reached(home);
      const name = (await box.shell("hostname")).trim().toLowerCase();
      await expect.poll(() => mdns(`${name}.local`, KIND_A), POLL).toContain(addressHex(home));
      const service = hexOf("_http").concat("04", hexOf("_tcp"));
      await expect.poll(() => mdns("_http._tcp.local", KIND_PTR), POLL).toContain(service);
      await box.shell("systemctl stop avahi-daemon avahi-daemon.socket");
    },
  );

  it("shares no control group with another box that runs", () => {
    expect(box.controlGroups).toMatch(/^0::\S*\/nvbox\d+\/payload\//m);
  });

  it("names the time servers that are set to whoever keeps the clock", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    await tried({ IPv4: { Method: "Dhcp" }, Dns: [], Ntp: ["192.0.2.9", "time.example.org"] }, home);
    // systemd-timesyncd reads it there (sd-network).
    const link = async () => await box.shell("cat /run/systemd/netif/links/*");
    await expect.poll(link, POLL).toContain("NTP=192.0.2.9 time.example.org");
    expect((await box.lan.ask(home, "GET", "/api/network")).json).toMatchObject({
      Interfaces: [{ Settings: { Ntp: ["192.0.2.9", "time.example.org"] } }],
    });
  });

  it.skipIf(noTimesyncd !== undefined)(
    `has its time servers asked by the real systemd-timesyncd${notHere(noTimesyncd)}`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const server = await served(TIME_SERVER);
      await tried({ IPv4: { Method: "Dhcp" }, Dns: [], Ntp: [ROUTER] }, home);
      // By itself it does not start in a container, whose clock is this machine's: it may ask, and not set.
      const options = "--unit=time -p User=systemd-timesync -p RuntimeDirectory=systemd/timesync";
      await box.shell(`systemd-run ${options} ${TIMESYNCD}`);
      const named = () => box.shell(`busctl get-property ${TIMESYNC} LinkNTPServers`);
      await expect.poll(named, POLL).toContain(`as 1 "${ROUTER}"`);
      // SNTP, 48 bytes (RFC 4330, section 4).
      await server.waitFor(/^asked 48$/m);
      await box.shell("systemctl stop time");
    },
  );

  it("has a fixed IPv6 address that was confirmed over it, also after a restart", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const taken = { Method: "Fixed", Address: `${ROUTER_6}/64` };
    const refused = await box.lan.ask(home, "PUT", "/api/network", {
      body: { Interface: "eth0", IPv6: taken },
    });
    expect(refused.status).toBe(409);
    expect(refused.json.ErrorMessage).toMatch(/another machine on this network has the address fd77::1/);
    const fixed = { Method: "Fixed", Address: `${FIXED_6}/64`, Gateway: ROUTER_6 };
    await tried({ IPv4: { Method: "Off" }, IPv6: fixed }, FIXED_6);
    await box.powerOff();
    await box.powerOn();
    await box.reached(FIXED_6);
    const route = await box.shell("ip -6 route show default dev eth0");
    expect(route).toContain(`via ${ROUTER_6}`);
    expect(await box.addresses()).toEqual([]);
    const back = await box.lan.ask(FIXED_6, "PUT", "/api/network", {
      body: { Interface: "eth0", IPv4: { Method: "Dhcp" }, IPv6: { Method: "Automatic" } },
    });
    expect(back.status).toBe(202);
    home = await box.leased();
    await new NetworkChanges(box, home, PACE).confirm(home, String(back.json.Token));
  });

  it("says in an installer's words that the kernel has no VLANs, where it has none", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const hasVlans = (
      await box.shell("ip link add link lo name v9 type vlan id 9 && ip link del v9 && echo yes")
    )
      .trim()
      .endsWith("yes");
    const vlans = [
      { Id: 20, IPv4: { Method: "Fixed", Address: "10.79.0.5/24" }, IPv6: { Method: "LinkLocal" } },
    ];
    const { status, json } = await box.lan.ask(home, "PUT", "/api/network", {
      body: { Interface: "eth0", Vlans: vlans },
    });
    if (hasVlans) {
      expect([status, json]).toEqual([202, expect.objectContaining({ Token: expect.any(String) })]);
      await box.lan.ask(home, "DELETE", "/api/network/trial");
    } else {
      expect(status).toBe(501);
      expect(json.ErrorMessage).toMatch(/no VLAN can be made on eth0: the kernel has none \(8021q\)/);
    }
    expect((await box.lan.ask(home, "GET", "/api/network")).json.Trial).toBeNull();
  });

  it("writes files that networkd reads without a complaint: VLANs, fixed IPv6, name and time servers", {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const address = { method: "fixed", address: "10.79.0.5/24", gateway: "10.79.0.1" } as const;
    const files = networkdFiles(
      {
        interface: "eth7",
        ...{ ipv4: { method: "dhcp" }, ipv6: { method: "fixed", address: "fd79::5/64", gateway: "fe80::1" } },
        ...{ dns: ["192.0.2.53", "2001:db8::53"], ntp: ["192.0.2.9", "time.example.org"] },
        vlans: [
          { id: 20, ipv4: address, ipv6: { method: "linkLocal" } },
          { id: 4094, ipv4: { method: "off" }, ipv6: { method: "automatic" } },
        ],
      },
      "00-test-",
    );
    expect(files.map(({ name }) => name)).toHaveLength(5);
    for (const { name, text } of files)
      await box.shell(`cat >/run/systemd/network/${name} <<'END'\n${text}END`);
    // A line that it cannot know shows that complaints are seen.
    await box.shell(
      "printf '[Match]\\nName=eth8\\n[Network]\\nNonsense=1\\n' >/run/systemd/network/00-wrong.network",
    );
    await box.shell("networkctl reload; sleep 2");
    const said = await box.shell("journalctl -b --no-pager -u systemd-networkd");
    expect(said).toMatch(/00-wrong\.network:4: .*(Unknown key|Nonsense)/);
    expect(said.split("\n").filter((line) => /00-test-.*:\d+:/.test(line))).toEqual([]);
    await box.shell(
      "rm /run/systemd/network/00-test-* /run/systemd/network/00-wrong.network; networkctl reload",
    );
  });
});

/** `10.77.0.101` as an answer has it. */
function addressHex(address: string): string {
  return Buffer.from(address.split(".").map(Number)).toString("hex");
}
