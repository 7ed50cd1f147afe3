import type { Answer } from "../../http/index.js";
import { type AnswerFormat, answerDocument } from "../../route/index.js";
import type { UserGroup } from "../../site/index.js";
import { type ConfigurationView, describeConfiguration } from "./configuration-description.js";

/** Maximum size of the cache: 256 cameras need 0.25 MB per group and format. */
export const REMEMBERED_ANSWER_BYTES_MAX = 16 * 1024 * 1024;

interface RememberedAnswer {
  readonly group: UserGroup;
  readonly answer: Answer;
}

/**
 * Caches the answers of GET /configex per revision: they depend only on the user's group, and clients repeat the request often.
 * 64 cameras take 8 ms to describe in XML.
 */
export class ConfigurationAnswers {
  readonly #answers = new Map<string, RememberedAnswer>();
  #bytes = 0;
  /** Of which configuration and addresses the remembered answers are. */
  #of:
    | (Pick<ConfigurationView, "site" | "reach" | "partners" | "others"> & { readonly formats: number })
    | undefined;

  readonly #bytesMax: number;

  constructor(bytesMax: number = REMEMBERED_ANSWER_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Number of cached answers. */
  get size(): number {
    return this.#answers.size;
  }

  answer(view: ConfigurationView, format: AnswerFormat): Answer {
    this.#forgetOthers(view);
    const { group } = view.principal;
    const key = `${group.id} ${format} ${view.timeZoneOffsetHours}`;
    const known = this.#answers.get(key);
    // A user whose login was checked under another revision has that revision's group, with the same id.
    if (known?.group === group) return known.answer;
    const answer = answerDocument(describeConfiguration(view), format);
    this.#remember(key, { group, answer });
    return answer;
  }

  #forgetOthers({ site, reach, partners, others, formats: known }: ConfigurationView): void {
    const formats = known?.formatsRevision ?? 0;
    const before = this.#of;
    if (
      before?.site === site &&
      before.reach === reach &&
      before.formats === formats &&
      before.partners === partners &&
      before.others === others
    )
      return;
    this.#answers.clear();
    this.#bytes = 0;
    this.#of = { site, reach, partners, others, formats };
  }

  #remember(key: string, remembered: RememberedAnswer): void {
    this.#forget(key);
    this.#answers.set(key, remembered);
    this.#bytes += remembered.answer.body.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#answers.get(key);
    if (known === undefined) return;
    this.#bytes -= known.answer.body.length;
    this.#answers.delete(key);
  }
}
