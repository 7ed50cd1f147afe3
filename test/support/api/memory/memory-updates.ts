import { readFileSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../../../src/base/log/log.js";
import type { Clock } from "../../../../src/base/time/clock.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import type { Handover, UpdateRequest } from "../../../../src/box/update/handover.js";
import { Inbox, type InboxOptions } from "../../../../src/box/update/inbox.js";
import type { JournalContents, UpdateRecord } from "../../../../src/box/update/journal.js";
import { Updater } from "../../../../src/box/update/updater.js";

export const MEMORY_BOX = { slot: "a", compatible: "nvrd-test", version: "0.1.0" };

/** A box to update without slots: bundles are texts, `compatible version`, that begin with "bundle". */
export class MemoryUpdates {
  readonly updater: Updater;
  readonly inbox: Inbox;
  /** What root's unit would find. */
  readonly offered: UpdateRequest[] = [];
  journal: JournalContents = { box: MEMORY_BOX, update: null };

  constructor(options: {
    readonly dataDir: string;
    readonly clock: Clock;
    readonly log: Log;
    readonly bounds?: Pick<InboxOptions, "bytesMax" | "freeBytes">;
    readonly supported?: boolean;
  }) {
    const { dataDir, clock, log, bounds = {} } = options;
    this.inbox = new Inbox({ directory: path.join(dataDir, "update"), clock, ...bounds });
    const handover: Handover = {
      bundleFile: "",
      request: async () => undefined,
      offer: async (_file, request) => {
        this.offered.push(request);
      },
      clear: async () => undefined,
    };
    const box = {
      inbox: this.inbox,
      handover,
      journal: { read: () => this.journal },
      slots: { bundleInfo: async (file: string) => bundleInfo(file) },
    };
    const before = () => ({ channels: [], volumes: [] });
    this.updater = new Updater({ ...(options.supported === false ? {} : { box }), before, clock, log });
  }

  /** What root's unit writes of the last request. */
  progress(phase: UpdateRecord["phase"], message = ""): void {
    const request = this.offered.at(-1);
    if (request === undefined) throw new Error("nothing was handed over");
    this.journal = {
      box: MEMORY_BOX,
      update: {
        id: request.id,
        phase,
        fromVersion: MEMORY_BOX.version,
        toVersion: request.version,
        fromSlot: "a",
        toSlot: "b",
        message,
        percent: phase === "installing" ? 40 : null,
        sinceUs: 1_704_067_200_000_000,
        attempts: 1,
        before: request.before,
      },
    };
  }
}

function bundleInfo(file: string): { compatible: string; version: string } {
  const [head = "", compatible = "nvrd-test", version = "0.2.0"] = readFileSync(file, "utf8")
    .slice(0, 100)
    .split(" ");
  if (!head.startsWith("bundle"))
    throw new NvrdError("BAD_REQUEST", "the bundle is refused: signature verification failed");
  return { compatible, version };
}
