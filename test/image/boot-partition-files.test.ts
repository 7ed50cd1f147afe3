import { spawnSync } from "node:child_process";
import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../support/base/for-tests.js";
import { BoxFolder } from "../support/image/image-scripts.js";

const SETTINGS = "data/etc/nvrd/nvrd.json";
const DROPPED = "boot/efi/nvrd.json";
const REFUSED = "boot/efi/nvrd.json.error.txt";

const box = forEachTest(() => new BoxFolder());

/** Of each call of nft, the ports that it opens. */
function openedPorts(): string[][] {
  const calls = [...(box.read("nft.calls") ?? "").matchAll(/services \{ (.*) \}/g)];
  return calls.map(([, list = ""]) => list.split(", ").sort());
}

describe("settings on the boot partition", () => {
  it("are taken in, once", () => {
    box.write(DROPPED, '\uFEFF{\r\n  "httpPort": 8099\r\n}\r\n');
    expect(box.run("take-in").status).toBe(0);
    expect(JSON.parse(box.read(SETTINGS) ?? "")).toEqual({ httpPort: 8099 });
    expect([box.read(DROPPED), box.read(REFUSED)]).toEqual([undefined, undefined]);
    expect(box.read("console")).toContain("are taken");
  });

  it.each([
    ["a setting that there is not", '{ "httpPrt": 8099 }', "httpPort"],
    ["a value that is not accepted", '{ "httpPort": "x" }', "httpPort"],
    ["no JSON", "httpPort=8099", "JSON"],
    ["more than 64 KiB", `{ "httpPort": 8099${" ".repeat(70_000)} }`, "larger"],
  ])("with %s are refused, and the former ones stay", (_, text, reason) => {
    box.write(DROPPED, text);
    expect(box.run("take-in").status).toBe(0);
    expect(box.read(SETTINGS)).toBe("{}\n");
    expect(box.read(DROPPED)).toBe(text);
    expect(box.read(REFUSED)).toContain(reason);
    expect(box.read("console")).toContain("the former settings stay");
  });

  it("that are corrected take their refusal away", () => {
    box.write(DROPPED, "{");
    box.run("take-in");
    box.write(DROPPED, '{ "httpPort": 8099 }');
    box.run("take-in");
    expect([box.read(REFUSED), JSON.parse(box.read(SETTINGS) ?? "")]).toEqual([
      undefined,
      { httpPort: 8099 },
    ]);
  });

  it("say which ports are opened", () => {
    box.fakeProgram("nft");
    box.write(DROPPED, '{ "httpPort": 8099, "httpsPort": 0, "rtspPort": 8554, "cameraEventPort": 18081 }');
    box.run("take-in");
    expect(box.run("ports").status).toBe(0);
    expect(openedPorts()).toEqual([["18081", "8099", "8554"]]);
  });

  it("that were changed by hand open their ports too", () => {
    box.fakeProgram("nft");
    box.write(SETTINGS, '{ "httpPort": 8077, "httpsPort": 0, "rtspPort": 0 }');
    box.run("ports");
    expect(openedPorts()[0]).toContain("8077");
  });
});

it("a box without settings has those of the image", () => {
  spawnSync("rm", [box.path(SETTINGS)]);
  box.write("usr/lib/nvrd-image/nvrd.json", '{ "httpPort": 8066 }');
  box.run("take-in");
  expect(box.read(SETTINGS)).toBe('{ "httpPort": 8066 }');
});

describe("keys on the boot partition", () => {
  function makeKey(): string {
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", box.path("key")]);
    return box.read("key.pub") ?? "";
  }

  it("turn SSH on, and taking them away turns it off", () => {
    box.fakeProgram("nft");
    box.write("boot/efi/authorized_keys", makeKey().replace("\n", "\r\n"));
    box.run("take-in");
    expect(box.read("data/ssh/authorized_keys")).toBe(box.read("key.pub"));
    box.run("ports");
    expect(openedPorts()[0]).toContain("22");
    spawnSync("rm", [box.path("boot/efi/authorized_keys"), box.path("nft.calls")]);
    box.run("take-in");
    box.run("ports");
    expect(box.read("data/ssh/authorized_keys")).toBeUndefined();
    expect(openedPorts()[0]).not.toContain("22");
  });

  it("that are none leave SSH off", () => {
    box.write("boot/efi/authorized_keys", "my password\n");
    box.run("take-in");
    expect(box.read("data/ssh/authorized_keys")).toBeUndefined();
    expect(box.read("console")).toContain("SSH stays off");
  });
});

describe("the time zone on the boot partition", () => {
  it("is nvrd's", () => {
    box.write("usr/share/zoneinfo/Europe/Berlin", "TZif");
    box.write("boot/efi/timezone.txt", "Europe/Berlin\r\n");
    box.run("take-in");
    expect(box.read("run/nvrd-image/environment")).toContain("TZ=Europe/Berlin\n");
  });

  it.each(["Europe/Nowhere", "../../etc/passwd", "/etc/passwd", "$(reboot)"])("is not %s", (zone) => {
    box.write("boot/efi/timezone.txt", `${zone}\n`);
    box.run("take-in");
    expect(box.read("run/nvrd-image/environment")).not.toContain("TZ=");
    expect(box.read("console")).toContain("time zone");
  });
});

describe("the settings on the boot partition", () => {
  const environment = () => box.read("run/nvrd-image/environment");

  it("that say nothing of disks and cameras' events have those of the box", () => {
    box.fakeProgram("nft");
    box.write("data/etc/nvrd/nvrd.json", '{ "httpPort": 80 }');
    box.run("take-in");
    expect(environment()).toBe("NVRD_VOLUMES_DIRECTORY=/srv\nNVRD_LISTEN=::\nNVRD_CAMERA_EVENT_PORT=18081\n");
    box.run("ports");
    expect(openedPorts()[0]).toContain("18081");
  });

  it.each(['{ "volumes": [{ "path": "/srv/a" }] }', '{ "volumesDirectory": "/mnt" }'])(
    "that say %s have their way",
    (settings) => {
      box.write("data/etc/nvrd/nvrd.json", settings);
      box.run("take-in");
      expect(environment()).not.toContain("NVRD_VOLUMES_DIRECTORY");
    },
  );
});

describe("disks that were recorded onto before", () => {
  const point = "/srv/nvrd-0a1b2c3d";
  const waits = () => (box.read("sleep.calls") ?? "").split("\n").filter(Boolean).length;

  beforeEach(() => {
    box.fakeProgram("sleep");
    const known = { id: "99999999-0000-4000-8000-000000000001", mounted: true };
    box.write("data/nvrd/volumes.json", JSON.stringify({ volumes: { [point]: known } }));
    box.write("proc/self/mountinfo", "");
  });

  it("are waited for, so that recording begins on them", () => {
    expect([box.run("disks", [], { BOX_DISK_SECONDS: "3" }).status, waits()]).toEqual([0, 3]);
  });

  it("are not waited for once they are mounted", () => {
    box.write("proc/self/mountinfo", `36 25 8:16 / ${point} rw,noatime shared:1 - ext4 /dev/sdb rw\n`);
    expect([box.run("disks").status, waits()]).toEqual([0, 0]);
  });
});

it("a box without disks of its own waits for none", () => {
  box.fakeProgram("sleep");
  expect([box.run("disks").status, box.read("sleep.calls")]).toEqual([0, undefined]);
});

describe("nvrd-network-reset.txt on the boot partition", () => {
  it("brings back DHCP on every network card, once", () => {
    box.write("etc/systemd/network/00-nvrd-used-eth0.network", "[Match]\n");
    box.write("boot/efi/nvrd-network-reset.txt", "");
    expect(box.run("take-in").status).toBe(0);
    expect(box.read("etc/systemd/network/00-nvrd-used-eth0.network")).toBeUndefined();
    expect(box.read("boot/efi/nvrd-network-reset.txt")).toBeUndefined();
    expect(box.read("console")).toContain("DHCP");
  });
});

describe("a time zone chosen on the page", () => {
  it("holds until timezone.txt names another one", () => {
    box.write("usr/share/zoneinfo/Europe/Berlin", "");
    box.write("usr/share/zoneinfo/Asia/Tokyo", "");
    box.write("data/image/timezone.chosen", "Europe/Berlin\n");
    box.run("take-in");
    expect(box.read("run/nvrd-image/environment")).toContain("TZ=Europe/Berlin");
    box.write("boot/efi/timezone.txt", "Asia/Tokyo\n");
    box.run("take-in");
    expect(box.read("run/nvrd-image/environment")).toContain("TZ=Asia/Tokyo");
  });
});
