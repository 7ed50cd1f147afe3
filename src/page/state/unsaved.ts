import { signal } from "@preact/signals";
import { holdsUnsaved } from "./session.js";

/**
 * What somebody has typed and not saved. A form with `data-guarded` is watched: it has something unsaved from the first change
 * until it is saved (`markSaved`) or gone. A press of a button with `data-changes` is a change too.
 */

const changed = new Set<HTMLFormElement>();

/** Goes on with what would lose what was typed; undefined: nothing waits for an answer. */
export const leaving = signal<(() => void) | undefined>(undefined);

export function followUnsaved(window: Window): void {
  const note = ({ target }: Event): void => markChanged(target instanceof Element ? target : null);
  const press = ({ target }: Event): void =>
    markChanged(target instanceof Element ? target.closest("[data-changes]:not([aria-disabled])") : null);
  holdsUnsaved.call = () => isUnsaved();
  window.document.addEventListener("input", note);
  window.document.addEventListener("change", note);
  // Before the press takes the button itself away.
  window.document.addEventListener("click", press, true);
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}

/** Whether a form within an element, by default the page, has something unsaved. */
export function isUnsaved(within: Element = document.body): boolean {
  for (const form of changed) if (!form.isConnected) changed.delete(form);
  return [...changed].some((form) => within.contains(form));
}

/** A change that is no input of the browser's own, such as painted hours or a drawn zone. */
export function markChanged(within: Element | null): void {
  const form = within?.closest<HTMLFormElement>("form[data-guarded]");
  if (form != null) changed.add(form);
}

export function markSaved(form: Element | null): void {
  for (const one of changed) if (one === form) changed.delete(one);
}

/** Does what takes forms within an element away; asks before where one has something unsaved. */
export function leave(act: () => void, within: Element = document.body): void {
  if (!isUnsaved(within)) {
    act();
    return;
  }
  leaving.value = () => {
    for (const form of changed) if (within.contains(form)) changed.delete(form);
    act();
  };
}
