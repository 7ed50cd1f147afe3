import { createLog, newGuid } from "../../../src/base/index.js";
import {
  BootAgent,
  type BootState,
  type GateVerdict,
  type Handover,
  Installer,
  type Journal,
  type JournalContents,
  type SlotSystem,
  type UpdateRequest,
} from "../../../src/box/update/index.js";
import { SimulatedClock } from "../base/simulated-clock.js";

/**
 * Who boots: `systemd-boot` takes an entry that is to be tried by itself; a Raspberry Pi's firmware (`tryboot`) takes what is
 * armed, once, after a restart that says so.
 */
export type Firmware = "systemd-boot" | "tryboot";

/** What becomes of a version that is booted. */
export type Quality = "good" | "bad" | "hangs";

interface Slot {
  /** Empty while it is half written. */
  version: string;
  kernel: string;
}

/** `left`: tries of an entry on trial, on a Raspberry Pi 1 while it waits; undefined: the entry is good. */
interface Entry {
  order: number;
  left: number | undefined;
}

const BOOTS_MAX = 60;

/**
 * A box whose power can be cut before any change of what it keeps: slots, boot entries, journal, hand-over. The code under
 * test is nvrd's; RAUC, boot loader and firmware behave as documented (docs/design/update.md).
 */
export class SimulatedBox {
  readonly slots: Record<string, Slot> = {
    a: { version: "1", kernel: "1" },
    b: { version: "0", kernel: "0" },
  };
  readonly entries: Record<string, Entry | undefined> = { a: { order: 1, left: undefined }, b: undefined };
  journalContents: JournalContents = { box: null, update: null };
  request: UpdateRequest | undefined;
  bundle: string | undefined;
  running = "a";
  /** Changes made since the start: where power can be cut. */
  steps = 0;
  /** Whether root's unit looks for a request before the gate has judged the boot. */
  installerFirst = false;
  /** What was booted, in order. */
  readonly boots: string[] = [];
  readonly #firmware: Firmware;
  /** The Raspberry Pi's: read once, by a restart alone. */
  #flag = false;
  readonly #qualities: Readonly<Record<string, Quality>>;
  readonly #cuts: number[];
  #cut: () => void = () => undefined;
  #restarts = false;

  /** @param cuts After how many changes the power goes, each counted from the cut before. */
  constructor(
    qualities: Readonly<Record<string, Quality>>,
    cuts: readonly number[] = [],
    firmware: Firmware = "systemd-boot",
  ) {
    this.#firmware = firmware;
    this.#qualities = qualities;
    this.#cuts = [...cuts];
  }

  /** Hands an update over and lives on until nothing more happens. Answers the journal's update. */
  async update(version: string): Promise<JournalContents["update"]> {
    const request = { id: newGuid(), version, before: { channels: [], volumes: [] } };
    await this.#live(async () => {
      await this.#change(() => {
        this.bundle = version;
      });
      await this.#change(() => {
        this.request = request;
      });
      await new Installer(this.#parts()).run();
    });
    for (let boots = 0; this.#restarts; boots += 1) {
      if (boots > BOOTS_MAX) throw new Error(`restarts for ever: ${this.boots.join(" ")}`);
      await this.#boot();
    }
    return this.journalContents.update;
  }

  async #boot(): Promise<void> {
    this.#restarts = false;
    const slot = this.#choose();
    const { version, kernel } = this.slots[slot] ?? { version: "", kernel: "" };
    this.boots.push(`${slot}:${version}`);
    const entry = this.entries[slot];
    if (entry?.left !== undefined) entry.left = 0; // the firmware renames the entry before it starts the kernel
    if (version === "" || kernel !== version) throw new Error(`booted half a system from slot ${slot}`);
    this.running = slot;
    if (this.#qualities[version] === "hangs") {
      this.#restarts = true; // the watchdog
      return;
    }
    await this.#live(async () => {
      const verdict: GateVerdict =
        this.#qualities[version] === "bad" ? { good: false, reason: "no camera records" } : { good: true };
      // nvrd-update.path does not wait for the gate where systemd starts it first.
      if (this.installerFirst && this.request !== undefined) await new Installer(this.#parts()).run();
      await new BootAgent({ ...this.#parts(), gate: { judge: async () => verdict } }).run();
      if (this.request !== undefined) await new Installer(this.#parts()).run();
    });
  }

  /** As systemd-boot sorts: tries used up come last, then the newest entry. A Raspberry Pi: what is armed, or the good one. */
  #choose(): string {
    const flag = this.#flag;
    this.#flag = false;
    if (this.#firmware === "tryboot") return this.#entryWith(flag ? 0 : undefined);
    const known = Object.entries(this.entries).flatMap(([slot, entry]) =>
      entry === undefined ? [] : [{ slot, order: entry.order, isLast: entry.left === 0 }],
    );
    const [first] = known.sort((x, y) => Number(x.isLast) - Number(y.isLast) || y.order - x.order);
    if (first === undefined) throw new Error("no boot entry is left");
    return first.slot;
  }

  #entryWith(left: number | undefined): string {
    const [slot] =
      Object.entries(this.entries).find(([, entry]) => entry !== undefined && entry.left === left) ?? [];
    if (slot === undefined) throw new Error("no configuration is left");
    return slot;
  }

  /** Runs until it is done or the power goes; then the box starts again. */
  async #live(run: () => Promise<void>): Promise<void> {
    const cut = new Promise<"cut">((resolve) => {
      this.#cut = () => resolve("cut");
    });
    const ended = await Promise.race([run().then(() => "done" as const), cut]);
    if (ended === "cut") this.#restarts = true;
  }

  /** One change of what is kept; where the power goes before it, nothing of that life goes on. */
  async #change(apply: () => void): Promise<void> {
    const [left] = this.#cuts;
    if (left !== undefined && left <= 0) {
      this.#cuts.shift();
      this.#cut();
      return await new Promise<never>(() => undefined);
    }
    if (left !== undefined) this.#cuts[0] = left - 1;
    this.steps += 1;
    apply();
  }

  #parts() {
    const log = createLog({ level: "silent" });
    return {
      journal: this.#journal(),
      handover: this.#handover(),
      slots: this.#slotSystem(),
      clock: new SimulatedClock(),
      log,
    };
  }

  #journal(): Journal {
    return {
      read: () => this.journalContents,
      write: (contents) =>
        this.#change(() => {
          this.journalContents = structuredClone(contents);
        }),
    };
  }

  #handover(): Handover {
    return {
      bundleFile: "bundle",
      offer: () => Promise.reject(new Error("not of root")),
      request: async () => (this.bundle === undefined ? undefined : this.request),
      clear: async () => {
        if (this.bundle !== undefined)
          await this.#change(() => {
            this.bundle = undefined;
          });
        if (this.request !== undefined)
          await this.#change(() => {
            this.request = undefined;
          });
      },
    };
  }

  /** What only an armed restart leads to. */
  #waiting(): Entry | undefined {
    if (this.#firmware !== "tryboot") return undefined;
    return Object.values(this.entries).find((entry) => entry?.left === 1);
  }

  #slotSystem(): SlotSystem {
    const setEntry = (slot: string, entry: Entry | undefined): Promise<void> =>
      this.#change(() => {
        this.entries[slot] = entry;
      });
    const bootState = async (): Promise<BootState> => ({
      slot: this.running,
      onTrial: this.entries[this.running]?.left !== undefined,
      awaitsTry: this.#waiting() !== undefined,
      compatible: "nvrd-test",
      version: this.slots[this.running]?.version ?? "",
    });
    return {
      bootState,
      bundleInfo: async () => ({ compatible: "nvrd-test", version: this.bundle ?? "" }),
      install: async () => {
        const version = this.bundle ?? "";
        const target = this.running === "a" ? "b" : "a";
        const slot = this.slots[target];
        if (slot === undefined) throw new Error("no such slot");
        await setEntry(target, undefined);
        for (const half of ["", version]) {
          await this.#change(() => {
            slot.version = half;
          });
        }
        for (const half of ["", version]) {
          await this.#change(() => {
            slot.kernel = half;
          });
        }
        const order = Math.max(...Object.values(this.entries).map((entry) => entry?.order ?? 0)) + 1;
        await setEntry(target, { order, left: 1 });
      },
      markGood: () =>
        this.#change(() => {
          const good = { order: this.entries[this.running]?.order ?? 1, left: undefined };
          // tryboot.txt is renamed over config.txt: there is one good slot.
          if (this.#firmware === "tryboot") for (const slot of ["a", "b"]) this.entries[slot] = undefined;
          this.entries[this.running] = good;
        }),
      markBad: () => setEntry(this.running, undefined),
      restart: async () => {
        const waiting = this.#waiting();
        if (waiting !== undefined) {
          await this.#change(() => {
            waiting.left = 0;
          });
          // The power may go before the firmware reads it.
          await this.#change(() => {
            this.#flag = true;
          });
        }
        this.#restarts = true;
        this.#cut();
        await new Promise<never>(() => undefined);
      },
    };
  }
}
