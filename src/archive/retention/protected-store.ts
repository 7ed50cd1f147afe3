import { errorText, type Guid, type Log, newGuid } from "../../base/index.js";
import { NOTE_BYTES_MAX } from "../disk/volume-note.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import { ProtectedFile } from "./protected-file.js";
import {
  joinedRanges,
  LACK_KEPT,
  PROTECTED_KIND,
  type ProtectedList,
  type ProtectedRange,
  protectedContent,
  spelledOut,
} from "./protected-list.js";
import { type NotedVolume, type NoteState, ProtectedNotes } from "./protected-notes.js";

export interface ProtectedStoreOptions {
  readonly dataDir: string;
  /** The volumes that are there. */
  readonly volumes: () => readonly NotedVolume[];
  /** Ids of all volumes of this recorder, those that are away included. */
  readonly knownVolumeIds: () => readonly Guid[];
  /** Why it is not known whose recordings the times hold for; undefined: it is known. */
  readonly ownersLack: () => string | undefined;
  /** The other channels that times of a channel hold for: one camera has the recordings of all of them. */
  readonly alsoOf: (channelId: Guid) => readonly Guid[];
  readonly notice: ArchiveNoticeListener;
  readonly log: Log;
}

/**
 * The protected times as they are kept: in the data directory, twice, and on each volume. The lists complete one another: a volume
 * of another recorder brings what is protected on it, and one of them that can be read is enough where the others are damaged.
 * Where none can, it is not known what is protected, and nothing is removed.
 */
export class ProtectedStore {
  readonly #options: ProtectedStoreOptions;
  readonly #file: ProtectedFile;
  readonly #notes: ProtectedNotes;
  #list: ProtectedList = { listId: undefined, revision: 0, ranges: [], volumes: [], lack: undefined };
  /** Whether there is anything that volumes are to carry. */
  #isInUse = false;
  /** What volumes lack that are there, by id. */
  readonly #lacks = new Map<Guid, string>();
  #reportedLack: string | undefined;
  #noteText = "";
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: ProtectedStoreOptions) {
    this.#options = options;
    this.#file = new ProtectedFile(options);
    this.#notes = new ProtectedNotes(options.log);
  }

  /** Reads the data directory's list. Throws NvrdError FORMAT_NEWER. */
  start(): void {
    this.#take(this.#file.load());
    this.#isInUse = this.#list.listId !== undefined || this.#list.ranges.length > 0;
  }

  get ranges(): readonly ProtectedRange[] {
    return this.#list.ranges;
  }

  /** Why it is not known what is protected, in words; undefined: it is known. */
  get lack(): string | undefined {
    const own = [this.#list.lack, this.#options.ownersLack()].filter((lack) => lack !== undefined);
    const lacks = [...own, ...this.#lacks.values()];
    return lacks.length === 0 ? undefined : lacks.join("; ");
  }

  /** The problem with the stored list, for users; undefined if there is none. */
  fault(): string | undefined {
    return this.#file.fault();
  }

  /**
   * Whether it is known what is protected on the volume; `onJoined` is called when times have come from a volume. Rejects where the
   * disk does not answer.
   */
  async isKnownOn(
    volume: NotedVolume,
    onJoined: (ranges: readonly ProtectedRange[]) => void,
  ): Promise<boolean> {
    // Each list completes the others: of those that are there, none may be missed.
    const asked = this.#list.lack === undefined ? [] : this.#options.volumes();
    await Promise.allSettled(asked.map((other) => this.#join(other, onJoined)));
    const state = await this.#join(volume, onJoined);
    await this.#carry(volume, state);
    return state.lack === undefined && this.#options.ownersLack() === undefined;
  }

  /** Recordings belong to another camera now: volumes get that soon. */
  regroup(): void {
    this.#take(this.#list);
    for (const volume of this.#options.volumes()) void this.#carrySoon(volume);
  }

  /** Resolves when the changed times are in the data directory; volumes get them soon. */
  async change(changed: (ranges: readonly ProtectedRange[]) => readonly ProtectedRange[]): Promise<void> {
    await this.#inTurn(() => this.#save({ ...this.#list, ranges: changed(this.#list.ranges) }));
    for (const volume of this.#options.volumes()) void this.#carrySoon(volume);
  }

  /** What is known is all that is protected from now on. */
  async accept(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#save({ ...this.#list, lack: undefined });
      const states = await Promise.allSettled(
        this.#options.volumes().map((volume) => this.#notes.of(volume)),
      );
      for (const state of states) if (state.status === "fulfilled") state.value.lack = undefined;
      this.#lacks.clear();
      this.#reportLack();
    });
    for (const volume of this.#options.volumes()) void this.#carrySoon(volume);
  }

  async #join(
    volume: NotedVolume,
    onJoined: (ranges: readonly ProtectedRange[]) => void,
  ): Promise<NoteState> {
    const state = await this.#notes.of(volume);
    if (state.isJoined) return state;
    await this.#inTurn(async () => {
      if (state.isJoined) return;
      const added = this.#missing(state);
      if (added.length > 0) {
        const list = "list" in state.note ? state.note.list : undefined;
        const revision = Math.max(this.#list.revision, list?.revision ?? 0);
        await this.#save({ ...this.#list, revision, ranges: [...this.#list.ranges, ...added] });
        this.#options.log.warn(
          { directory: volume.directory, times: added.length },
          "protected times of a volume",
        );
        onJoined(added);
      }
      this.#judge(volume, state);
      state.isJoined = true;
      if (this.#list.lack !== undefined) await this.#complete();
      this.#reportLack();
    });
    return state;
  }

  /** What a volume's list has that the recorder's own has not, and did not lift since. */
  #missing({ note }: NoteState): ProtectedRange[] {
    const list = "list" in note ? note.list : undefined;
    if (list === undefined) return [];
    const { listId, revision, lack } = this.#list;
    const isOwn = listId !== undefined && list.listId === listId;
    if (isOwn && lack === undefined && list.revision <= revision) return [];
    const all = joinedRanges([this.#list, list]);
    return all.slice(this.#list.ranges.length).filter((range) => !this.#isSaidBy(all, range));
  }

  /** Whether another entry says it of all recordings that its camera has. */
  #isSaidBy(ranges: readonly ProtectedRange[], { ofId, channelId }: ProtectedRange): boolean {
    const whole = ofId === undefined ? undefined : ranges.find(({ id }) => id === ofId);
    return whole !== undefined && this.#options.alsoOf(whole.channelId).includes(channelId);
  }

  #judge({ id, directory }: NotedVolume, state: NoteState): void {
    const { note } = state;
    const { lack, volumes } = this.#list;
    if (note.kind === "none" && lack !== undefined) state.lack = `${directory} has no list of its own`;
    if (note.kind === "damaged" && (lack !== undefined || !volumes.includes(id)))
      state.lack = `${directory}: ${note.fault}`;
    if (state.lack === undefined) this.#lacks.delete(id);
    else this.#lacks.set(id, state.lack);
  }

  /** The data directory's list is whole again when each volume has said what is protected on it. */
  async #complete(): Promise<void> {
    const there = new Map(this.#options.volumes().map((volume) => [volume.id, volume]));
    const ids = this.#options.knownVolumeIds();
    for (const id of ids) {
      const volume = there.get(id);
      const state = volume === undefined ? undefined : await this.#notes.of(volume);
      if (state?.isJoined !== true || state.lack !== undefined) return;
    }
    if (ids.length > 0) await this.#save({ ...this.#list, lack: undefined });
  }

  async #carrySoon(volume: NotedVolume): Promise<void> {
    try {
      const state = await this.#notes.of(volume);
      if (state.isJoined) await this.#carry(volume, state);
    } catch (error) {
      const { directory } = volume;
      this.#options.log.warn({ directory }, `protected times are noted on it later: ${errorText(error)}`);
    }
  }

  /** Gives the volume the list, unless it holds one that may say more. */
  async #carry(volume: NotedVolume, state: NoteState): Promise<void> {
    if (!this.#isInUse || state.lack !== undefined || this.#list.lack !== undefined) return;
    if (!(await this.#notes.write(volume, state, this.#noteText))) return;
    if (this.#list.volumes.includes(volume.id)) return;
    await this.#inTurn(async () => {
      const volumes = [...new Set([...this.#list.volumes, volume.id])];
      await this.#save({ ...this.#list, volumes });
    });
  }

  async #save(list: ProtectedList): Promise<void> {
    const isSame = list.ranges === this.#list.ranges && list.lack === this.#list.lack;
    const revision = isSame ? list.revision : list.revision + 1;
    const saved = { ...list, revision, listId: list.listId ?? newGuid() };
    await this.#file.save(saved);
    this.#isInUse = true;
    this.#take(saved);
  }

  #take(list: ProtectedList): void {
    this.#list = list;
    const all = spelledOut(list.ranges, this.#options.alsoOf);
    // The comments are what is long; that the times are protected matters more.
    const withoutComments = (ranges: readonly ProtectedRange[]) =>
      ranges.map((range) => ({ ...range, comment: "" }));
    const text = (ranges: readonly ProtectedRange[], lack?: string): string =>
      PROTECTED_KIND.text(protectedContent({ ...list, ranges, volumes: [], lack: lack ?? list.lack }));
    const isShort = (one: string): boolean => Buffer.byteLength(one) <= NOTE_BYTES_MAX;
    const texts = [text(all), text(withoutComments(all))];
    this.#noteText = texts.find(isShort) ?? text(withoutComments(list.ranges), LACK_KEPT);
  }

  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(change);
    this.#changing = turn.catch(() => undefined); // reported by `turn` itself
    return await turn;
  }

  /** Says once what is not known, and once that all is. */
  #reportLack(): void {
    const { lack } = this;
    if (lack === this.#reportedLack) return;
    const wasKnown = this.#reportedLack === undefined;
    this.#reportedLack = lack;
    if (lack === undefined) this.#options.notice({ kind: "protection-known" });
    else if (wasKnown) this.#options.notice({ kind: "protection-unknown", reason: lack });
  }
}
