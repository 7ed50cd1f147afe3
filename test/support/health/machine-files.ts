import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A disk as the kernel shows it. */
export interface ShownDisk {
  readonly name: string;
  readonly number?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly serial?: string;
  readonly gigabytes?: number;
  readonly isRotational?: boolean;
  readonly isSuspended?: boolean;
  /** The number that the kernel gives each disk; older kernels give none. */
  readonly sequence?: number;
  /** By name: their device numbers. */
  readonly partitions?: Readonly<Record<string, string>>;
}

const DEVICES = "sys/devices/pci0000:00";

/** A /sys and a /proc of a machine that there is not, as far as disks are concerned. */
export class MachineFiles {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
    for (const name of ["sys/block", "sys/class/block", "sys/dev/block", "proc/self"])
      mkdirSync(path.join(root, name), { recursive: true });
    this.mounts([]);
  }

  add(disk: ShownDisk): void {
    const { name, number = "8:0", model = "WDC WD40PURX-64G", serial = `SERIAL-${name}` } = disk;
    const directory = `${DEVICES}/${name}-host/block/${name}`;
    const sectors = ((disk.gigabytes ?? 4000) * 1e9) / 512;
    this.#write(`${directory}/size`, `${sectors}\n`);
    if (disk.sequence !== undefined) this.#write(`${directory}/diskseq`, `${disk.sequence}\n`);
    this.#write(`${directory}/queue/rotational`, disk.isRotational === false ? "0\n" : "1\n");
    const device = `${DEVICES}/${name}-host`;
    this.#write(`${device}/model`, `${model}\n`);
    if (name.startsWith("nvme")) this.#write(`${device}/serial`, `${serial}    \n`);
    else {
      this.#write(`${device}/vendor`, `${(disk.vendor ?? "ATA").padEnd(8)}\n`);
      const page = Buffer.from(`\0\x80\0\x14${serial.padStart(20)}`, "latin1");
      writeFileSync(path.join(this.root, `${device}/vpd_pg80`), page);
    }
    this.#write(`${device}/power/runtime_status`, disk.isSuspended === true ? "suspended\n" : "active\n");
    this.#link(`${directory}/device`, device);
    this.#show(name, number, directory);
    this.#link(`sys/block/${name}`, directory);
    for (const [partition, itsNumber] of Object.entries(disk.partitions ?? {})) {
      this.#write(`${directory}/${partition}/partition`, `${partition.replace(/\D+/g, "")}\n`);
      this.#show(partition, itsNumber, `${directory}/${partition}`);
    }
  }

  /** A device made of others: RAID, encryption, a logical volume. */
  addVirtual(name: string, number: string, from: { slaves?: readonly string[]; files?: object }): void {
    const directory = `sys/devices/virtual/block/${name}`;
    this.#write(`${directory}/size`, "1000000\n");
    for (const slave of from.slaves ?? [])
      this.#link(`${directory}/slaves/${slave}`, `sys/class/block/${slave}`);
    for (const [file, text] of Object.entries(from.files ?? {}))
      this.#write(`${directory}/${file}`, `${text}\n`);
    this.#show(name, number, directory);
    this.#link(`sys/block/${name}`, directory);
  }

  addBtrfs(id: string, devices: readonly string[]): void {
    for (const device of devices)
      this.#link(`sys/fs/btrfs/${id}/devices/${device}`, `sys/class/block/${device}`);
  }

  remove(name: string): void {
    for (const link of [`sys/block/${name}`, `sys/class/block/${name}`])
      rmSync(path.join(this.root, link), { force: true });
  }

  /** Each mount as `number directory type source`. */
  mounts(lines: readonly string[]): void {
    const text = lines.map((line, index) => {
      const [number, directory, type, source] = line.split(" ");
      return `${30 + index} 1 ${number} / ${directory} rw,noatime shared:${index} - ${type} ${source} rw\n`;
    });
    this.#write("proc/self/mountinfo", text.join(""));
  }

  #show(name: string, number: string, directory: string): void {
    this.#link(`sys/class/block/${name}`, directory);
    this.#link(`sys/dev/block/${number}`, directory);
  }

  #write(file: string, text: string): void {
    const whole = path.join(this.root, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }

  #link(link: string, target: string): void {
    const whole = path.join(this.root, link);
    mkdirSync(path.dirname(whole), { recursive: true });
    rmSync(whole, { force: true });
    symlinkSync(path.join(this.root, target), whole);
  }
}
