import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { Button } from "../control/button.js";
import { Fault } from "../control/fault.js";
import { FormFaults, FormFaultsContext } from "../control/form-faults.js";
import { errorWords, say } from "../control/notice.js";
import { RequestError } from "../state/request.js";
import { leave, markSaved } from "../state/unsaved.js";
import { commonWords } from "../words/common.js";
import { isOutdated } from "./outdated.js";

interface SaveFormProps {
  /** What is wrong with what was set; undefined where nothing is. */
  readonly fault?: () => string | undefined;
  /** Rejects with RequestError. */
  readonly onSave: () => Promise<void>;
  /** For a form in a dialog, which closes when it has saved. */
  readonly onClose?: () => void;
  /** What the form calls the members that the recorder names when it refuses. */
  readonly names?: Readonly<Record<string, string>>;
  /** What is said when it is saved. */
  readonly saved?: string;
  /** What is said where somebody else has changed the same meanwhile. */
  readonly outdated?: string;
  /** Fills the form in with what the recorder has: after it is saved, and where somebody else has changed it. */
  readonly onShow?: () => void;
  readonly children: ComponentChildren;
}

/** A form that is saved by itself; it stays open and says why where the recorder refuses, at the fields too. */
export function SaveForm(props: SaveFormProps) {
  const { fault, onSave, onClose, names = {}, saved, outdated, onShow, children } = props;
  const words = commonWords();
  const problem = useSignal("");
  const isSaving = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const faults = useMemo(() => new FormFaults(), []);
  function refuse(error: unknown): void {
    const isOld = outdated !== undefined && isOutdated(error);
    const refused = isLoggedOut(error) ? [] : refusedMembers(errorWords(error), names);
    problem.value = isOld ? outdated : [...new Set(refused.map(({ text }) => text))].join("; ");
    if (isOld) onShow?.();
    else faults.show(new Map(refused.map(({ label, reason }) => [label, reason])));
    focusFirstFault(form.current);
  }
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    faults.show(new Map());
    problem.value = fault?.() ?? "";
    if (problem.value !== "" || isSaving.value) return;
    const focused = document.activeElement;
    isSaving.value = true;
    try {
      await onSave();
      markSaved(form.current);
      onShow?.();
      if (saved !== undefined) say(saved);
      onClose?.();
    } catch (error) {
      refuse(error);
    } finally {
      isSaving.value = false;
      giveFocusBack(focused);
    }
  }
  const close = (): void => leave(() => onClose?.(), form.current ?? undefined);
  return (
    <form
      ref={form}
      class={onClose === undefined ? "card edit-form" : "edit-form"}
      data-guarded=""
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      {/* What is changed while it is saved would be lost when the form shows what was saved. */}
      <div class="saved-part" inert={isSaving.value}>
        <FormFaultsContext.Provider value={faults}>{children}</FormFaultsContext.Provider>
      </div>
      <Fault text={problem.value} />
      <div class="edit-buttons">
        <Button type="submit" kind="main" disabled={isSaving.value}>
          {words.save}
        </Button>
        {onClose !== undefined && <Button onClick={close}>{words.cancel}</Button>}
      </div>
    </form>
  );
}

/** What had the focus lost it when nothing could be changed any more. */
function giveFocusBack(focused: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
  });
}

/** That nobody is logged in any more is said by the login, which comes over the form. */
function isLoggedOut(error: unknown): boolean {
  return error instanceof RequestError && error.status === 401;
}

/** Whoever listens or sees little is brought to what is wrong. */
function focusFirstFault(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}

interface Refused {
  /** Of the field; empty where the sentence names none. */
  readonly label: string;
  readonly reason: string;
  /** Both in one sentence. */
  readonly text: string;
}

/** Each part of a refusal such as `[0].Mail.Recipients[0]: …; [0].Name: …`, with the form's name for the member: `To: …`. */
function refusedMembers(refusal: string, names: Readonly<Record<string, string>>): readonly Refused[] {
  return refusal.split("; ").map((part) => {
    const text = part.replace(MEMBER_PATH, (_, member: string) => names[member] ?? member);
    const [, member] = new RegExp(`^${MEMBER_PATH.source}`).exec(part) ?? [];
    const label = member === undefined ? "" : (names[member] ?? member);
    return { label, text, reason: label === "" ? text : text.slice(label.length + 2) };
  });
}

const MEMBER_PATH = /(?:\[\d+\]\.)?\b(?:[A-Z]\w*(?:\[\d+\])?\.)*([A-Z]\w*)(?:\[\d+\])?(?=: )/g;
