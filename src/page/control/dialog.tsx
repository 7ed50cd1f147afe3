import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { isUnsaved, leave } from "../state/unsaved.js";
import { commonWords } from "../words/common.js";
import { IconButton } from "./button.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A dialog over the page: the browser's own, which keeps the focus, closes by Escape and gives the focus back. Where a form in it has
 * something unsaved, it asks before it closes.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => {
      // A dialog that is taken away while it is open gives the focus to nobody.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = (): void => {
    const dialog = element.current;
    if (dialog !== null) leave(() => dialog.close(), dialog);
  };
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onClose={onClose}
      // A second Escape would close it without asking.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !isUnsaved(event.currentTarget)) return;
        event.preventDefault();
        close();
      }}
      onCancel={(event) => {
        // A file that is chosen within says "cancel" too, when none is.
        if (event.target !== element.current || !isUnsaved(event.currentTarget)) return;
        event.preventDefault();
        close();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={commonWords().close} onClick={close} />
      </header>
      {children}
    </dialog>
  );
}
