import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "../support/base/repository.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { type DeviceNode, deviceTree } from "../support/image/device-tree.js";
import { script } from "../support/image/image-parts.js";

const { readList } = await script<{ readList(file: string): string[] }>("image/lists.mjs");
const { modulesWith } = await script<{ modulesWith(text: string, prefixes: string[]): string[] }>(
  "image/first-root.mjs",
);
const { readKernel, modulesOfBoard } = await script<{
  readKernel(folder: string, version: string): unknown;
  modulesOfBoard(kernel: unknown, tree: unknown): Map<string, string>;
}>("image/board-modules.mjs");
const { readDeviceTree } = await script<{ readDeviceTree(bytes: Buffer): unknown }>("image/device-tree.mjs");

const directory = new TemporaryDirectory("board-modules");
afterAll(() => directory.remove());

const prefixes = readList(join(REPOSITORY_ROOT, "image/modules-first.txt"));
/** Of Debian's kernel; scripts/image/board-modules.mjs has made it, and says how. */
const table = JSON.parse(readFileSync(join(REPOSITORY_ROOT, "test/image/board-modules.json"), "utf8")) as {
  readonly boards: number;
  readonly modules: readonly (readonly [module: string, boards: number, board: string])[];
};
/** What the hooks of initramfs-tools 0.148 take for any board (hook-functions: base, mmc), as far as a root is on its way. */
const OF_INITRAMFS_TOOLS = [
  ...[
    "bus",
    "clk",
    "devfreq",
    "dma",
    "extcon",
    "gpio",
    "hwspinlock",
    "interconnect",
    "i2c/busses",
    "i2c/muxes",
  ],
  ...[
    "mailbox",
    "memory",
    "mfd",
    "mmc",
    "nvmem",
    "pci/controller",
    "phy",
    "platform/chrome",
    "power",
    "pinctrl",
  ],
  ...["regulator", "reset", "rpmsg", "rtc", "soc", "spi", "spmi", "ufs", "watchdog"],
  ...["usb/cdns3", "usb/chipidea", "usb/dwc2", "usb/dwc3", "usb/host", "usb/isp1760", "usb/mtu3", "usb/musb"],
  ...["usb/phy", "usb/renesas_usbhs", "usb/storage", "usb/typec"],
];

describe("the first root", () => {
  it("has every driver between the processor and the root of every board that the kernel knows", () => {
    const all = table.modules.map(([module]) => `${module}:`).join("\n");
    const taken = new Set(modulesWith(all, prefixes));
    expect(table.modules.filter(([module]) => !taken.has(module))).toEqual([]);
  });

  it("is checked against boards whose card slot has its power over SPI", () => {
    const boards = new Map(table.modules.map(([module, count]) => [module.replace(/^.*\//, ""), count]));
    expect(table.boards).toBeGreaterThan(1000);
    // 23 of 27 boards with the RK3588, and five with an RK3399.
    expect([boards.get("spi-rockchip.ko.xz"), boards.get("pl330.ko.xz")]).toEqual([28, 28]);
  });

  it.each(OF_INITRAMFS_TOOLS)("takes drivers/%s, as initramfs-tools does", (folder) => {
    const module = `kernel/drivers/${folder}/some.ko.xz`;
    expect(modulesWith(`${module}:`, prefixes)).toEqual([module]);
  });
});

describe("the drivers of a board", () => {
  const kernel = kernelOf({
    "drivers/mmc/host/slot": ["of:N*T*Cacme,slot"],
    "drivers/spi/spi-acme": ["of:N*T*Cacme,spi", "of:N*T*Cacme,spiC*"],
    "drivers/regulator/chip": ["spi:chip9"],
    "drivers/dma/pl330": ["amba:d???41330*"],
    "drivers/pwm/pwm-acme": ["of:N*T*Cacme,pwm"],
    "drivers/clk/clk-acme": ["of:N*T*Cacme,clk"],
    "drivers/bus/bus-acme": ["of:N*T*Cacme,bus"],
    "sound/codec": ["of:N*T*Cacme,codec"],
  });
  const of = (...children: readonly DeviceNode[]): readonly string[] =>
    [...modulesOfBoard(kernel, readDeviceTree(deviceTree({ name: "", children }))).keys()]
      .map((file) => file.replace(/^.*\//, "").replace(/\.ko.*/, ""))
      .sort();
  const slot = (properties: DeviceNode["properties"]): DeviceNode => ({
    name: "mmc@1",
    properties: { compatible: "acme,slot", ...properties },
  });

  it("are those of what gives the slot its power, and of what that hangs on", () => {
    const chip: DeviceNode = {
      name: "pmic@0",
      properties: { compatible: "acme,chip9" },
      children: [{ name: "regulators", children: [{ name: "ldo", properties: { phandle: [7] } }] }],
    };
    const spi = { compatible: "acme,spi", dmas: [9, 1, 2] };
    const dma = { compatible: "arm,pl330\0arm,primecell", phandle: [9], "#dma-cells": [2] };
    const found = of(
      slot({ "vqmmc-supply": [7] }),
      { name: "spi@2", properties: spi, children: [chip] },
      { name: "dma@3", properties: dma },
    );
    expect(found).toEqual(["chip", "pl330", "slot", "spi-acme"]);
  });

  it("are those of its buses, and of each supplier in a list with numbers between", () => {
    const clock = (phandle: number, cells: number, compatible: string): DeviceNode => ({
      name: `clock@${phandle}`,
      properties: { phandle: [phandle], "#clock-cells": [cells], compatible },
    });
    const bus = { compatible: "acme,bus" };
    const found = of(
      { name: "bus@1", properties: bus, children: [slot({ clocks: [3, 4, 4] })] },
      clock(3, 1, "acme,clk"),
      clock(4, 0, "acme,pwm"),
    );
    expect(found).toEqual(["bus-acme", "clk-acme", "pwm-acme", "slot"]);
  });

  it("are those of what keeps a bus's devices within their memory", () => {
    const unit = { phandle: [6], compatible: "acme,pwm" };
    const map = [0, 6, 0, 0x10000, 0x20000, 6, 0, 0x10000];
    const found = of(
      { name: "bus@1", properties: { compatible: "acme,bus", "iommu-map": map }, children: [slot({})] },
      { name: "unit@2", properties: unit },
    );
    expect(found).toEqual(["bus-acme", "pwm-acme", "slot"]);
  });

  it("are those of PCI, whose driver is not known where it is in the kernel", () => {
    const pci = { name: "pcie@1", properties: { compatible: "acme,pcie", device_type: "pci", phys: [5] } };
    const lines = { name: "phy@2", properties: { compatible: "acme,clk", phandle: [5], "#phy-cells": [0] } };
    expect(of(pci, lines)).toEqual(["clk-acme"]);
  });

  it("are none of what is disabled, and none of a screen's or a sound's", () => {
    expect(of(slot({ status: "disabled" }))).toEqual([]);
    const codec = { compatible: "acme,codec", phandle: [5], "#clock-cells": [0] };
    expect(of(slot({ clocks: [5] }), { name: "codec", properties: codec })).toEqual(["slot"]);
  });
});

/** A kernel with these modules and their aliases. */
function kernelOf(modules: Readonly<Record<string, readonly string[]>>): unknown {
  const folder = directory.join("lib/modules/1");
  mkdirSync(folder, { recursive: true });
  const names = Object.entries(modules);
  const base = (file: string): string => file.replace(/^.*\//, "").replaceAll("-", "_");
  const aliases = names.flatMap(([file, all]) => all.map((alias) => `alias ${alias} ${base(file)}\n`));
  writeFileSync(join(folder, "modules.dep"), names.map(([file]) => `kernel/${file}.ko.xz:\n`).join(""));
  writeFileSync(join(folder, "modules.alias"), aliases.join(""));
  writeFileSync(join(folder, "modules.builtin.modinfo"), "");
  return readKernel(directory.path, "1");
}
