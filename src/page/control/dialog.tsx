import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { commonWords } from "../words/common.js";
import { IconButton } from "./button.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page: the browser's own, which keeps the focus, closes by Escape and gives the focus back. */
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
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={commonWords().close} onClick={() => element.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}
