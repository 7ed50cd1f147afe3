import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { NvrdError, replaceSmallFile } from "../../base/index.js";
import type { SystemFiles } from "../../health/index.js";
import type { NetworkTools } from "./network-tools.js";

const ZONES = "/usr/share/zoneinfo";
/** On the image `/etc` is read-only; its scripts read these files at each start. */
const IMAGE_FILE = "/usr/lib/nvrd-image/image.json";
const IMAGE_STATE = "/data/image";
const FILE_MODE = 0o644;

export interface BoxChange {
  readonly name: string | null;
  readonly timeZone: string | null;
}

/** The name and the time zone of the machine; both last. */
export class BoxIdentity {
  readonly #files: SystemFiles;
  readonly #tools: Pick<NetworkTools, "setName" | "setTimeZone">;

  constructor(files: SystemFiles, tools: Pick<NetworkTools, "setName" | "setTimeZone">) {
    this.#files = files;
    this.#tools = tools;
  }

  /** Null leaves it. Rejects with NvrdError. */
  async set({ name, timeZone }: BoxChange): Promise<void> {
    if (timeZone !== null && (await this.#files.bytes(path.join(ZONES, timeZone))) === undefined)
      throw new NvrdError("BAD_REQUEST", `TimeZone: this box knows no time zone ${timeZone}`, {
        hint: "use a name such as Europe/Berlin",
      });
    const isImage = (await this.#files.text(IMAGE_FILE)) !== undefined;
    if (name !== null) await (isImage ? setImageName(name) : this.#tools.setName(name));
    if (timeZone !== null)
      await (isImage
        ? replaceSmallFile(`${IMAGE_STATE}/timezone.chosen`, `${timeZone}\n`, FILE_MODE)
        : this.#tools.setTimeZone(timeZone));
  }
}

async function setImageName(name: string): Promise<void> {
  await replaceSmallFile(`${IMAGE_STATE}/name`, `${name}\n`, FILE_MODE);
  await writeFile("/proc/sys/kernel/hostname", name);
}

/** The machine's name, which mDNS announces. */
export function boxName(): string {
  return hostname().split(".")[0] ?? "";
}
