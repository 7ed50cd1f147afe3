import { type BootTime, bootTimesText, parseBootTimes } from "../archive/index.js";
import { errorText, type Guid, type Log } from "../base/index.js";
import { BOOTS_BYTES_MAX, BOOTS_FOLDER, bootsKey } from "./plan/boot-keys.js";
import { revisionOf } from "./plan/manifest.js";
import type { Sender } from "./send/sender.js";

type Table = ReadonlyMap<Guid, BootTime>;

export interface BootTableOptions {
  readonly sender: Pick<Sender, "run">;
  /** What the recorder knows. */
  readonly bootTimes: () => Table;
  readonly log: Log;
}

/**
 * The times of boots whose clock was set later, in the bucket: without them recordings of such a boot would come back with the
 * times that their headers say. Only added to, because the bucket may have recordings of disks that are lost.
 */
export class BootTable {
  readonly #options: BootTableOptions;
  /** What the bucket has; undefined: it was not asked yet. */
  #there: Table | undefined;
  #revision = 0;
  #keys: readonly string[] = [];

  constructor(options: BootTableOptions) {
    this.#options = options;
  }

  /** The bucket has all that is known here when this resolves. Rejects with SendError. */
  async send(): Promise<void> {
    const { sender, bootTimes } = this.#options;
    const known = bootTimes();
    if (known.size === 0) return;
    this.#there ??= await this.#compare();
    const there = this.#there;
    if ([...known.keys()].every((id) => there.has(id))) return;
    const all = new Map([...there, ...known]);
    // It may be there though its answer is lost: the number is used up.
    this.#revision += 1;
    const key = bootsKey(this.#revision);
    this.#keys = [...this.#keys, key];
    await sender.run({ op: "put", key, content: Buffer.from(bootTimesText(all)) });
    this.#there = all;
    for (const older of this.#keys.slice(0, -1)) await sender.run({ op: "remove", key: older });
    this.#keys = [key];
  }

  /** The newest table that can be read. */
  async #compare(): Promise<Table> {
    const { sender, log } = this.#options;
    const listed = (await sender.run({ op: "list", start: BOOTS_FOLDER })).map(({ key }) => key);
    this.#keys = listed.filter((key) => revisionOf(key) !== undefined).sort();
    this.#revision = revisionOf(this.#keys.at(-1) ?? "") ?? 0;
    for (const key of [...this.#keys].reverse()) {
      const content = await sender.run({ op: "get", key, bytesMax: BOOTS_BYTES_MAX });
      if (content === undefined) continue;
      try {
        return parseBootTimes(Buffer.from(content).toString("utf8"));
      } catch (error) {
        log.warn({ key, error: errorText(error) }, "a table of boots in the bucket cannot be read");
      }
    }
    return new Map();
  }
}
