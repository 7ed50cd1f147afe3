import * as v from "valibot";
import type { Clock, Guid, Log } from "../base/index.js";
import { type Kept, KeptFile, keptKind } from "../kept/index.js";

/** Users whose marks are kept; beyond them, those of who marked longest ago are forgotten. */
const USERS_MAX = 256;
/** Findings that a user has marked one by one; beyond them the first of them are forgotten. */
export const SEEN_ONE_BY_ONE_MAX = 1000;
const SAVE_DELAY_MS = 10_000;
const ID_CHARACTERS_MAX = 64;

const fileSchema = v.object({
  users: v.record(
    v.string(),
    v.object({
      upToUs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      ids: v.pipe(
        v.array(v.pipe(v.string(), v.maxLength(ID_CHARACTERS_MAX))),
        v.maxLength(SEEN_ONE_BY_ONE_MAX),
      ),
    }),
  ),
});

export const SEEN_MARKS_KIND = keptKind({
  name: "seen-findings.json",
  says: "what each user has marked as seen of the findings",
  policy: "forget",
  damaged: "damaged: all findings are unseen again",
  severity: "warn",
  schema: fileSchema,
  delayMs: SAVE_DELAY_MS,
});

interface Marks {
  readonly upToUs: number;
  /** Of those that began later. */
  readonly ids: ReadonlySet<string>;
}

const NOTHING: Marks = { upToUs: 0, ids: new Set() };

/** What each user has seen of the findings: all until a moment, and some after it. Kept in a small file. */
export class SeenMarks {
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #users = new Map<Guid, Marks>();

  constructor({ dataDir: directory, clock, log }: { dataDir: string; clock: Clock; log: Log }) {
    this.#file = new KeptFile(SEEN_MARKS_KIND, { directory, clock, log, content: () => this.#content() });
  }

  start(): void {
    for (const [userId, { upToUs, ids }] of Object.entries(this.#file.read()?.users ?? {}))
      this.#users.set(userId as Guid, { upToUs, ids: new Set(ids) });
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  /** All that began until then is seen; 0: nothing was marked so. */
  upToUs(userId: Guid): number {
    return (this.#users.get(userId) ?? NOTHING).upToUs;
  }

  isSeen(userId: Guid, finding: { readonly id: string; readonly beginUs: number }): boolean {
    const { upToUs, ids } = this.#users.get(userId) ?? NOTHING;
    return finding.beginUs <= upToUs || ids.has(finding.id);
  }

  /** Marks all that began until a moment, and some one by one. */
  mark(userId: Guid, { upToUs, ids }: { readonly upToUs?: number; readonly ids?: readonly string[] }): void {
    const before = this.#users.get(userId) ?? NOTHING;
    const all = [...new Set([...before.ids, ...(ids ?? [])])];
    this.#users.delete(userId);
    this.#users.set(userId, {
      upToUs: Math.max(before.upToUs, upToUs ?? 0),
      ids: new Set(all.slice(-SEEN_ONE_BY_ONE_MAX)),
    });
    for (const first of this.#users.keys()) {
      if (this.#users.size <= USERS_MAX) break;
      this.#users.delete(first);
    }
    this.#file.changed();
  }

  #content(): Kept<typeof fileSchema> {
    return {
      users: Object.fromEntries(
        [...this.#users].map(([userId, { upToUs, ids }]) => [userId, { upToUs, ids: [...ids] }]),
      ),
    };
  }
}
