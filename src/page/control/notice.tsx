import { signal } from "@preact/signals";
import { RequestError } from "../state/request.js";
import { commonWords } from "../words/common.js";

/** How long a notice stays. */
const SHOWN_MS = 6000;

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const notices = signal<readonly Notice[]>([]);
let lastId = 0;

/** Says something for a few seconds, aloud too; what is said again takes the place of the same words. */
export function say(text: string, isError = false): void {
  lastId += 1;
  const id = lastId;
  const others = notices.value.filter((notice) => notice.text !== text);
  notices.value = [...others.slice(-3), { id, text, isError }];
  setTimeout(() => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }, SHOWN_MS);
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
      {notices.value.map(({ id, text, isError }) => (
        <p key={id} class={isError ? "notice error" : "notice"}>
          {text}
        </p>
      ))}
    </div>
  );
}
