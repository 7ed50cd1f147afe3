import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoxFolder } from "../support/image/image-scripts.js";

let box: BoxFolder;
beforeEach(() => {
  box = new BoxFolder();
  box.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
});
afterEach(() => box.remove());

function nameOf(): string | undefined {
  expect(box.run("identity", [], { BOX_CARD_SECONDS: "0" }).status).toBe(0);
  return box.read("proc/sys/kernel/hostname")?.trim();
}

function addCard(name: string, address: string): void {
  box.write(`sys/class/net/${name}/address`, `${address}\n`);
  box.write(`sys/class/net/${name}/type`, "1\n");
  box.write(`sys/class/net/${name}/device/vendor`, "");
}

describe("the name of a box", () => {
  it("is the serial number of its device tree", () => {
    box.write("proc/device-tree/serial-number", "10000000A1B2C3D4\0");
    expect(nameOf()).toBe("nvrd-10000000a1b2c3d4");
  });

  it("is the serial number of its firmware", () => {
    box.write("sys/class/dmi/id/product_serial", "RB-2204 x17\n");
    expect(nameOf()).toBe("nvrd-rb2204x17");
  });

  it.each([
    "To be filled by O.E.M.",
    "Default string",
    "0000000000",
    "Not Specified",
    "None",
    "",
    "123456789",
  ])("is the network card's address where the firmware says %j", (text) => {
    box.write("sys/class/dmi/id/product_serial", `${text}\n`);
    addCard("eth0", "52:54:00:12:34:56");
    expect(nameOf()).toBe("nvrd-525400123456");
  });

  it("is not that of a network card that is none", () => {
    box.write("sys/class/net/lo/address", "02:00:00:00:00:01\n");
    box.write("sys/class/net/lo/type", "1\n");
    expect(nameOf()).toBe("nvrd-0123456789ab");
  });

  it("is the owner's where one was chosen", () => {
    addCard("eth0", "52:54:00:12:34:56");
    box.write("data/image/name", "depot\n");
    expect(nameOf()).toBe("depot");
  });

  it("stays when the network card is another one", () => {
    addCard("eth0", "52:54:00:12:34:56");
    nameOf();
    addCard("eth0", "52:54:00:99:99:99");
    expect(nameOf()).toBe("nvrd-525400123456");
  });
});

describe("root's first password", () => {
  it("is another one on each box", () => {
    nameOf();
    const first = box.read("run/credstore/nvrd.root-password");
    const other = new BoxFolder();
    other.write("etc/machine-id", "00\n");
    other.write("data/image/serial", "1\n");
    other.run("identity");
    expect(first).toMatch(/^[a-km-z2-9]{20}$/);
    expect(other.read("run/credstore/nvrd.root-password")).not.toBe(first);
    other.remove();
  });

  it("is the same one after a cut of power before the owner was told", () => {
    nameOf();
    const first = box.read("run/credstore/nvrd.root-password");
    nameOf();
    expect(box.read("run/credstore/nvrd.root-password")).toBe(first);
  });

  it("is kept no more once the owner was told", () => {
    nameOf();
    const password = box.read("run/credstore/nvrd.root-password") ?? "";
    box.write("data/nvrd/tls/certificate.pem", "no certificate");
    expect(box.run("tell").status).toBe(0);
    expect(box.read("boot/efi/NVRD-PASSWORD.txt")).toContain(password);
    expect(box.read("console")).toContain(password);
    expect([box.read("data/image/root-password"), box.read("run/credstore/nvrd.root-password")]).toEqual([
      undefined,
      undefined,
    ]);
    box.run("tell");
    expect(box.read("console")?.split(password)).toHaveLength(2);
  });

  it("does not go to the journal", () => {
    nameOf();
    const password = box.read("run/credstore/nvrd.root-password") ?? "";
    box.write("data/nvrd/tls/certificate.pem", "no certificate");
    expect(box.run("tell").text).not.toContain(password);
  });
});

describe("a lost password of root", () => {
  const REQUEST = "boot/efi/nvrd-password-reset.txt";
  /** What `nvrd password reset` leaves, or why it cannot. */
  const recorder = (password: string | undefined) => {
    const file = box.path("data/nvrd/root-password");
    const work =
      password === undefined
        ? "echo 'there is no configuration' >&2; exit 2"
        : `echo '${password}' >'${file}'`;
    box.write("data/nvrd/calls", "");
    box.write(
      "usr/bin/nvrd",
      `#!/bin/sh\n[ "$1" = password ] || exit 0\necho "$@" >>'${box.path("data/nvrd/calls")}'\n${work}\n`,
    );
  };
  const calls = () => box.read("data/nvrd/calls")?.split("\n").filter(Boolean);

  beforeEach(() => {
    nameOf();
    box.write("data/nvrd/tls/certificate.pem", "no certificate");
    box.run("tell");
    box.write("boot/efi/NVRD-PASSWORD.txt", "");
  });

  it("is another one by a file on the boot partition, told as at the first start, once", () => {
    recorder("k7w3mzq2c9xh4tpe8vbn");
    box.write(REQUEST, "");
    expect(box.run("take-in").text).not.toContain("k7w3mzq2c9xh4tpe8vbn");
    box.run("tell");
    expect(box.read("boot/efi/NVRD-PASSWORD.txt")).toContain("Password:      k7w3mzq2c9xh4tpe8vbn");
    expect(box.read("console")).toContain("k7w3mzq2c9xh4tpe8vbn");
    expect(calls()).toEqual([
      `password reset --quiet --by a file on the boot partition --data ${box.path("data/nvrd")}`,
    ]);
    box.run("take-in");
    expect([box.read(REQUEST), calls()?.length]).toEqual([undefined, 1]);
  });

  it("stays where nvrd cannot change it, and the console says why", () => {
    recorder(undefined);
    box.write(REQUEST, "");
    expect(box.run("take-in").status).toBe(0);
    expect(box.read("console")).toContain("root's password stays: there is no configuration");
    box.run("tell");
    expect(box.read("boot/efi/NVRD-PASSWORD.txt")).toBe("");
  });
});
