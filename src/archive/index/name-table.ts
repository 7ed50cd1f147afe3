import { NvrdError } from "../../base/index.js";
import { numberKey } from "./index-keys.js";
import type { IndexTable } from "./index-table.js";

/**
 * Numbers for names that repeat in many records (streams, volumes, boots), counted from 1 and never used again.
 * Held in memory whole, so each table has a bound.
 */
export class NameTable {
  readonly #table: IndexTable;
  readonly #namesMax: number;
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  #newest = 0;

  /** Reads the table. `namesMax`: most names it takes. */
  constructor(table: IndexTable, namesMax: number) {
    this.#table = table;
    this.#namesMax = namesMax;
    for (const { key, value } of table.all()) this.#remember(key.readUInt32BE(0), value.toString("latin1"));
  }

  number(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  name(number: number): string | undefined {
    return this.#names.get(number);
  }

  /** The name's number, a new one where it has none; undefined when the table is full. */
  assignIfRoom(name: string, generation: number): number | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#numbers.size >= this.#namesMax) return undefined;
    const number = this.#newest + 1;
    this.#remember(number, name);
    this.#table.put(numberKey(number), Buffer.from(name, "latin1"), generation);
    return number;
  }

  /** As `assignIfRoom`; throws NvrdError INTERNAL when the table is full. */
  assign(name: string, generation: number): number {
    const number = this.assignIfRoom(name, generation);
    if (number === undefined) {
      throw new NvrdError("INTERNAL", `the index's ${this.#table.name} are full at ${this.#namesMax}`);
    }
    return number;
  }

  names(): IterableIterator<string> {
    return this.#numbers.keys();
  }

  #remember(number: number, name: string): void {
    this.#numbers.set(name, number);
    this.#names.set(number, name);
    this.#newest = Math.max(this.#newest, number);
  }
}
