import { signal } from "@preact/signals";
import { RequestError } from "../state/request.js";
import { commonWords } from "../words/common.js";

/** How long a notice stays. */
const SHOWN_MS = 6000;
/** One that offers something stays until it could be reached by keys. */
const OFFERED_MS = 15_000;

/** What a notice offers, for example to undo what it says. */
interface NoticeAction {
  readonly words: string;
  readonly act: () => void;
  /** Whether it can be done now; the notice shows the button while it can. */
  readonly isOffered: () => boolean;
}

interface NoticeOptions {
  readonly isError?: boolean;
  readonly action?: NoticeAction;
}

interface Notice extends NoticeOptions {
  readonly id: number;
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);
let lastId = 0;

/** Says something for a few seconds, aloud too; what is said again takes the place of the same words. `true`: it is an error. */
export function say(text: string, how: boolean | NoticeOptions = {}): void {
  lastId += 1;
  const id = lastId;
  const options = typeof how === "boolean" ? { isError: how } : how;
  const others = notices.value.filter((notice) => notice.text !== text);
  notices.value = [...others.slice(-3), { id, text, ...options }];
  setTimeout(() => forget(id), options.action === undefined ? SHOWN_MS : OFFERED_MS);
}

function forget(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Says why something failed: the service's own sentence, or that it does not answer. That the session has ended is said by the login. */
export function sayError(error: unknown): void {
  if (!(error instanceof RequestError) || error.status !== 401) say(errorWords(error), true);
}

export function errorWords(error: unknown): string {
  if (!(error instanceof RequestError)) return commonWords().unknownError;
  if (error.status === 0) return commonWords().offline;
  return error.message === "" ? commonWords().unknownError : error.message;
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, isError, action }) => (
        <div key={id} class={isError === true ? "notice error" : "notice"}>
          <p>{text}</p>
          {action?.isOffered() === true && (
            <button
              type="button"
              class="notice-action"
              onClick={() => {
                forget(id);
                action.act();
              }}
            >
              {action.words}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
