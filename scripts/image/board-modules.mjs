/**
 * The kernel modules that a board needs between its processor and the root on its flash or disk, by its device tree: from each
 * device that may hold the root to its buses and, as the kernel itself follows them, to all that supplies these. As a program it
 * writes the table of all boards of a kernel package that test/image/board-modules.test.ts checks:
 *
 *     apt-get download linux-image-VERSION-arm64; dpkg-deb -x linux-image-….deb DIR; depmod -b DIR/usr VERSION
 *     node scripts/image/board-modules.mjs DIR/usr VERSION >test/image/board-modules.json; npx biome format --write test/image
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { cellsOf, isEnabled, nodesOf, readDeviceTree, textsOf } from "./device-tree.mjs";
import { outputOf } from "./run.mjs";

/** Drivers of what may hold the root, below drivers/. */
const ROOT_DRIVERS = [
  "ata/",
  "mmc/host/",
  "nvme/host/",
  "pci/controller/",
  "ufs/host/",
  "usb/cdns3/",
  "usb/chipidea/",
  "usb/dwc2/",
  "usb/dwc3/",
  "usb/host/",
  "usb/mtu3/",
  "usb/musb/",
  "usb/renesas_usbhs/",
];
/** Properties that name suppliers, with that of a supplier that says how many numbers follow (drivers/of/property.c). */
const SUPPLIERS = new Map([
  ["clocks", "#clock-cells"],
  ["interconnects", "#interconnect-cells"],
  ["iommus", "#iommu-cells"],
  ["mboxes", "#mbox-cells"],
  ["io-channels", "#io-channel-cells"],
  ["dmas", "#dma-cells"],
  ["power-domains", "#power-domain-cells"],
  ["hwlocks", "#hwlock-cells"],
  ["extcon", ""],
  ["nvmem-cells", "#nvmem-cell-cells"],
  ["phys", "#phy-cells"],
  ["pwms", "#pwm-cells"],
  ["resets", "#reset-cells"],
  ["interrupts-extended", "#interrupt-cells"],
  ["msi-parent", "#msi-cells"],
  ["mmc-pwrseq", ""],
  ["phy-handle", ""],
  ["usb-phy", ""],
]);

const MAP_CELLS = 4;
const MAP_NODE_CELL = 1;

/**
 * Drivers that are no suppliers of a root device, though device trees connect them: what runs the processor faster, screens,
 * sensors, keys and sound (they share a power chip, or take a clock and give one).
 */
const NO_SUPPLIERS = ["drivers/cpufreq/", "drivers/gpu/", "drivers/iio/", "drivers/input/", "sound/"];

/** What a kernel has: `folder` as in /usr. */
export function readKernel(folder, version) {
  const modules = join(folder, "lib/modules", version);
  const files = new Map();
  for (const line of lines(join(modules, "modules.dep"))) {
    const file = line.split(":", 1)[0];
    files.set(moduleName(file), file);
  }
  const kernel = {
    folder: modules,
    files,
    byCompatible: new Map(),
    byPlatformName: new Map(),
    builtIn: new Map(),
  };
  for (const line of lines(join(modules, "modules.alias"))) {
    const [, alias, module] = line.split(" ");
    addAlias(kernel, alias, module);
  }
  readBuiltIn(kernel, join(modules, "modules.builtin.modinfo"));
  return kernel;
}

function addAlias({ byCompatible, byPlatformName }, alias, module) {
  const compatible = /^of:N\*T\*C([^*]+)(?:C\*)?$/.exec(alias)?.[1];
  const [bus, name] = alias.split(":");
  if (compatible !== undefined) addTo(byCompatible, compatible, module);
  // A cell of ARM asks by a number that it tells itself: designer 0x41, then the number of its name.
  else if (bus === "amba") addTo(byCompatible, `arm,pl${/41([0-9a-f]{3})\*?$/.exec(alias)?.[1]}`, module);
  // A device on SPI asks by its name without the maker's.
  else if (bus === "spi" || bus === "i2c") addTo(byCompatible, `*,${name}`, module);
  else if (bus === "platform") addTo(byPlatformName, name, module);
}

/** Drivers in the kernel itself: known by their aliases, and by the file they would be. */
function readBuiltIn(kernel, file) {
  for (const entry of readFileSync(file, "latin1").split("\0")) {
    const [, module, key, value] = /^([^.]+)\.([a-z_]+)=(.*)$/s.exec(entry) ?? [];
    if (key === "file") kernel.builtIn.set(moduleName(value), `kernel/${value}.ko`);
    else if (key === "alias") addAlias(kernel, value, module);
  }
}

/** Modules, as in modules.dep, that a board needs before its root, each with its way from the root device. */
export function modulesOfBoard(kernel, tree) {
  const phandles = new Map();
  for (const node of nodesOf(tree)) for (const number of cellsOf(node, "phandle")) phandles.set(number, node);
  const found = new Map();
  const seen = new Set();
  const visit = (node, way) => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const module of driversOf(kernel, node)) {
      const file = kernel.files.get(module);
      if (file !== undefined && isSupplier(file) && !found.has(file))
        found.set(file, [...way, node.path].join(" > "));
    }
    for (const next of suppliersOf(node, phandles)) visit(next, [...way, node.path]);
    if (node.parent !== undefined) visit(node.parent, way);
  };
  for (const node of nodesOf(tree)) if (isEnabled(node) && isRootDevice(kernel, node)) visit(node, []);
  return found;
}

function isSupplier(file) {
  return !NO_SUPPLIERS.some((prefix) => file.startsWith(`kernel/${prefix}`));
}

/** A driver in the kernel itself may not say which devices are its: PCI is known by what it is (IEEE 1275). */
function isRootDevice(kernel, node) {
  if (textsOf(node, "device_type").includes("pci")) return true;
  return driversOf(kernel, node).some((module) => {
    const file = kernel.files.get(module) ?? kernel.builtIn.get(module) ?? "";
    return ROOT_DRIVERS.some((prefix) => file.startsWith(`kernel/drivers/${prefix}`));
  });
}

function driversOf(kernel, node) {
  const names = textsOf(node, "compatible");
  const direct = names.flatMap((name) => [
    ...(kernel.byCompatible.get(name) ?? []),
    ...(kernel.byCompatible.get(name.replace(/^[^,]*,/, "*,")) ?? []),
  ]);
  return [...new Set(direct.flatMap((module) => [module, ...partsOf(kernel, module)]))];
}

/** A driver of drivers/mfd makes devices of its own, by names: those of modules that its file has as texts. */
function partsOf(kernel, module) {
  const file = kernel.files.get(module);
  if (!file?.startsWith("kernel/drivers/mfd/")) return [];
  kernel.parts ??= new Map();
  const known = kernel.parts.get(module);
  if (known !== undefined) return known;
  const withNeeds = [file, ...(dependenciesOf(kernel).get(file) ?? [])].filter((one) =>
    one.startsWith("kernel/drivers/mfd/"),
  );
  const texts = withNeeds.flatMap((one) => textOfModule(join(kernel.folder, one)).split("\0"));
  const parts = [...new Set(texts.flatMap((text) => [...(kernel.byPlatformName.get(text) ?? [])]))];
  kernel.parts.set(module, parts);
  return parts;
}

function dependenciesOf(kernel) {
  kernel.dependencies ??= new Map(
    lines(join(kernel.folder, "modules.dep")).map((line) => {
      const [file, rest = ""] = line.split(":");
      return [file, rest.trim().split(" ").filter(Boolean)];
    }),
  );
  return kernel.dependencies;
}

function textOfModule(file) {
  return outputOf("xz", ["-dc", file], { encoding: "buffer" }).toString("latin1");
}

function suppliersOf(node, phandles) {
  const found = [];
  for (const name of node.properties.keys()) {
    const own = SUPPLIERS.get(name);
    if (own !== undefined) found.push(...named(node, name, own, phandles));
    else if (name === "iommu-map") found.push(...mapped(node, name, phandles));
    else if (/-supply$|^pinctrl-\d+$/.test(name)) found.push(...named(node, name, "", phandles));
    else if (/(^|-)gpios?$/.test(name) && name !== "gpio")
      found.push(...named(node, name, "#gpio-cells", phandles));
    else if (/(^|[-,])(grf|syscon|pmu|pmugrf)$/.test(name)) found.push(...named(node, name, "?", phandles));
  }
  return found;
}

/** The nodes that a property names; "": it has their numbers alone; "?": the first number alone is one. */
function named(node, name, cellsName, phandles) {
  const cells = cellsOf(node, name);
  const found = [];
  for (let at = 0; at < cells.length; ) {
    const supplier = phandles.get(cells[at]);
    at += 1;
    if (supplier === undefined) continue;
    found.push(supplier);
    if (cellsName === "?") break;
    if (cellsName !== "") at += cellsOf(supplier, cellsName)[0] ?? 0;
  }
  return found;
}

/** The nodes of a map of a bus's ids: first id, node, its first id, how many. */
function mapped(node, name, phandles) {
  return cellsOf(node, name).flatMap((number, at) =>
    at % MAP_CELLS === MAP_NODE_CELL ? (phandles.get(number) ?? []) : [],
  );
}

function moduleName(file) {
  return file
    .replace(/^.*\//, "")
    .replace(/\.ko(\..*)?$/, "")
    .replaceAll("-", "_");
}

function addTo(map, key, value) {
  const values = map.get(key) ?? new Set();
  values.add(value.replaceAll("-", "_"));
  map.set(key, values);
}

function lines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** All boards of a kernel package: {kernel, boards: their number, modules: [[module, number of boards, one of them]]}. */
export function boardTable(folder, version) {
  const kernel = readKernel(folder, version);
  const trees = join(folder, "lib", `linux-image-${version}`);
  const table = new Map();
  const names = readdirSync(trees, { recursive: true }).filter((name) => name.endsWith(".dtb"));
  for (const name of names.sort())
    for (const module of modulesOfBoard(kernel, readDeviceTree(readFileSync(join(trees, name)))).keys()) {
      const [, boards, first] = table.get(module) ?? [module, 0, name];
      table.set(module, [module, boards + 1, first]);
    }
  const modules = [...table.values()].sort(([a], [b]) => (a < b ? -1 : 1));
  return { kernel: version, boards: names.length, modules };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, version] = process.argv.slice(2);
  console.log(JSON.stringify(boardTable(folder, version)));
}
