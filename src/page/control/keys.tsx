import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { commonWords } from "../words/common.js";
import { Dialog } from "./dialog.js";

/** A key of a screen: `key` as KeyboardEvent has it, with `Shift+` before it where that is needed. */
export interface KeyBinding {
  readonly key: string;
  /** What it does, in the user's words. */
  readonly words: string;
  readonly act: (event: KeyboardEvent) => void;
}

/** Bindings of the parts of the page that are shown now, each part's own list. */
const shown = signal<readonly (readonly KeyBinding[])[]>([]);
const listOpen = signal(false);

/** The keys work, and are listed by `?`, for as long as the component is shown. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  useEffect(() => {
    shown.value = [...shown.peek(), bindings];
    return () => {
      shown.value = shown.peek().filter((list) => list !== bindings);
    };
  }, [bindings]);
}

export function openKeyList(): void {
  listOpen.value = true;
}

export function followKeys(document: Document): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (event.key === "?") return openKeyList();
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    // The last one shown is nearest to the user.
    const found = shown.value.toReversed().flatMap((list) => list.filter(({ key }) => key === name))[0];
    if (found === undefined) return;
    event.preventDefault();
    found.act(event);
  });
}

/** Keys belong to a field that takes text, to an open dialog, and to a button that Space or Enter would press. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input, select, textarea, [contenteditable], dialog[open]") !== null) return true;
  return (key === " " || key === "Enter") && target.closest("button, a, summary, [role=button]") !== null;
}

/** The list that `?` shows. */
export function KeyList() {
  if (!listOpen.value) return null;
  const bindings = shown.value.flat();
  return (
    <Dialog title={commonWords().keysHint} onClose={() => (listOpen.value = false)}>
      <dl class="key-list">
        {bindings.map(({ key, words }) => (
          <div key={`${key} ${words}`}>
            <dt>
              <kbd>{KEY_SIGNS[key] ?? key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const KEY_SIGNS: Readonly<Record<string, string>> = {
  " ": "␣",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  "Shift+ArrowLeft": "⇧ ←",
  "Shift+ArrowRight": "⇧ →",
  "Shift+ArrowUp": "⇧ ↑",
  "Shift+ArrowDown": "⇧ ↓",
  Escape: "Esc",
  PageUp: "PgUp",
  PageDown: "PgDn",
};
