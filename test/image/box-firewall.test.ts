import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

/** Debian's: a package of npm has a program of that name too, which npm puts first. */
const NFT = "/usr/sbin/nft";
const RULES = join(REPOSITORY_ROOT, "image/root/etc/nftables.conf");

/** In a network of its own, so that this machine's rules stay. */
function inOwnNetwork(commands: string) {
  return spawnSync("unshare", ["--net", "sh", "-ec", commands], { encoding: "utf8" });
}

function missing(): string | undefined {
  if (process.getuid?.() !== 0) return "only root makes a network";
  const { status, stderr } = inOwnNetwork(`${NFT} add table inet probe`);
  return status === 0 ? undefined : `no nftables here: ${stderr.trim()}`;
}
const absent = missing();

const LISTEN =
  "python3 -c 'import socket,sys,time\ns=socket.socket(); s.bind((\"\",int(sys.argv[1]))); s.listen(); time.sleep(60)'";
const CONNECT =
  "python3 -c 'import socket,sys\ns=socket.create_connection((sys.argv[1],int(sys.argv[2])),2)'";

/** Stays a member of the groups of WS-Discovery on the interface `box`. */
const MEMBER = `python3 -c '
import socket,struct,time
a=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)
a.setsockopt(socket.IPPROTO_IP,socket.IP_ADD_MEMBERSHIP,socket.inet_aton("239.255.255.250")+socket.inet_aton("10.9.0.1"))
b=socket.socket(socket.AF_INET6,socket.SOCK_DGRAM)
zone=struct.pack("=I",socket.if_nametoindex("box"))
b.setsockopt(socket.IPPROTO_IPV6,socket.IPV6_JOIN_GROUP,socket.inet_pton(socket.AF_INET6,"ff02::c")+zone)
time.sleep(600)'`;
/**
 * Reads `bridge mdb` until a group's time left has risen so often: the kernel reports a new membership twice by itself, and
 * after that only when it is asked. Exits with 9 when the switch forgets the group instead.
 */
const RENEWALS = 5;
const KEPT = ["still a member", 0, ""];
const IGMP_GROUP = "239.255.255.250";
const MLD_GROUP = "ff02::c";
const SNOOP = "at_switch ip link set lan type bridge";

describe.skipIf(absent !== undefined)(`the box's firewall${notHere(absent)}`, () => {
  it("is rules that the kernel takes", () => {
    const { status, stderr } = inOwnNetwork(`${NFT} -f '${RULES}'`);
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("lets in the service's ports and no other", () => {
    // A namespace within for the client: packets of the machine itself come over lo, which is open.
    const script = `
      ip link set lo up
      ip link add box type veth peer name client
      unshare --net sleep 60 & other=$!
      trap 'kill $other $first $second' EXIT
      until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.1; done
      ip link set client netns $other
      ip addr add 10.9.0.1/24 dev box; ip link set box up
      nsenter --net=/proc/$other/ns/net sh -c 'ip addr add 10.9.0.2/24 dev client; ip link set client up'
      ${LISTEN} 8080 & first=$!
      ${LISTEN} 9999 & second=$!
      ${NFT} -f '${RULES}'; ${NFT} add element inet nvrd services '{ 8080 }'
      tries=0
      until nsenter --net=/proc/$other/ns/net ${CONNECT} 10.9.0.1 8080 2>/dev/null; do
        tries=$((tries + 1)); [ $tries -lt 100 ] || exit 8; sleep 0.1
      done
      if nsenter --net=/proc/$other/ns/net ${CONNECT} 10.9.0.1 9999 2>/dev/null; then exit 9; fi
      echo "only 8080"`;
    const { stdout, stderr, status } = inOwnNetwork(script);
    expect([stdout.trim(), status, stderr]).toEqual(["only 8080", 0, ""]);
  });

  it.each([
    ["IGMPv2", { version: "mcast_igmp_version 2" }],
    ["IGMPv3", { version: "mcast_igmp_version 3" }],
    ["MLDv1", { group: MLD_GROUP, version: "mcast_mld_version 1" }],
    ["MLDv2", { group: MLD_GROUP, version: "mcast_mld_version 2" }],
  ])("lets a switch that snoops %s keep the box in the group of discovery", (_what, options) => {
    expect(snooped(options)).toEqual(KEPT);
  });

  it.each([
    [
      "the box's address changes",
      { event: "ip addr del 10.9.0.1/24 dev box; ip addr add 10.9.0.7/24 dev box" },
    ],
    ["its link goes and comes", { event: "ip link set box down; ip link set box up" }],
    ["the switch restarts", { event: "at_switch ip link set lan down; at_switch ip link set lan up" }],
    ["the switch begins to ask late", { querier: "mcast_querier 0", event: `${SNOOP} mcast_querier 1` }],
  ])("lets it stay there when %s", (_what, options) => {
    expect(snooped(options)).toEqual(KEPT);
  });
});

interface Snooping {
  readonly group?: string;
  readonly version?: string;
  readonly querier?: string;
  /** What happens before the renewals that are counted. */
  readonly event?: string;
}

/** The switch is a bridge that asks each second and forgets after three; a real one does so in minutes. */
function snooped({ group = IGMP_GROUP, version = "", querier = "mcast_querier 1", event = ":" }: Snooping) {
  const { stdout, stderr, status } = inOwnNetwork(`
    ip link set lo up
    unshare --net sleep 600 & other=$!
    trap 'kill $other $member' EXIT
    until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.1; done
    at_switch() { nsenter --net=/proc/$other/ns/net "$@"; }
    left() { at_switch bridge -d -s mdb show | awk '/ grp ${group} / { print int($NF * 100) }'; }
    at_switch ip link add name lan type bridge mcast_snooping 1 ${querier} mcast_query_use_ifaddr 1 ${version} \
      mcast_startup_query_interval 100 mcast_query_interval 100 mcast_query_response_interval 50 mcast_membership_interval 300
    ip link add box type veth peer name port netns $other
    at_switch sh -ec 'ip link set port master lan up; ip addr add 10.9.0.2/24 dev lan; ip link set dev lan up'
    ${NFT} -f '${RULES}'
    ip addr add 10.9.0.1/24 dev box; ip link set box up
    ${MEMBER} & member=$!
    until [ -n "$(left)" ]; do sleep 0.1; done
    ${event}
    until last=$(left) && [ -n "$last" ]; do sleep 0.1; done
    rises=0
    while [ $rises -lt ${RENEWALS} ]; do
      sleep 0.1
      now=$(left)
      [ -n "$now" ] || { echo "forgotten after $rises renewals"; exit 9; }
      [ "$now" -le "$last" ] || rises=$((rises + 1))
      last=$now
    done
    echo "still a member"`);
  return [stdout.trim(), status, stderr];
}
