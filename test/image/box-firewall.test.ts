import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

const RULES = join(REPOSITORY_ROOT, "image/root/etc/nftables.conf");

/** In a network of its own, so that this machine's rules stay. */
function inOwnNetwork(commands: string) {
  return spawnSync("unshare", ["--net", "sh", "-ec", commands], { encoding: "utf8" });
}

function missing(): string | undefined {
  if (process.getuid?.() !== 0) return "only root makes a network";
  const { status, stderr } = inOwnNetwork("nft add table inet probe");
  return status === 0 ? undefined : `no nftables here: ${stderr.trim()}`;
}
const absent = missing();

const LISTEN =
  "python3 -c 'import socket,sys,time\ns=socket.socket(); s.bind((\"\",int(sys.argv[1]))); s.listen(); time.sleep(60)'";
const CONNECT =
  "python3 -c 'import socket,sys\ns=socket.create_connection((sys.argv[1],int(sys.argv[2])),2)'";

describe.skipIf(absent !== undefined)(`the box's firewall${notHere(absent)}`, () => {
  it("is rules that the kernel takes", () => {
    const { status, stderr } = inOwnNetwork(`nft -f '${RULES}'`);
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
      nft -f '${RULES}'; nft add element inet nvrd services '{ 8080 }'
      tries=0
      until nsenter --net=/proc/$other/ns/net ${CONNECT} 10.9.0.1 8080 2>/dev/null; do
        tries=$((tries + 1)); [ $tries -lt 100 ] || exit 8; sleep 0.1
      done
      if nsenter --net=/proc/$other/ns/net ${CONNECT} 10.9.0.1 9999 2>/dev/null; then exit 9; fi
      echo "only 8080"`;
    const { stdout, stderr, status } = inOwnNetwork(script);
    expect([stdout.trim(), status, stderr]).toEqual(["only 8080", 0, ""]);
  });
});
