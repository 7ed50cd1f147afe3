import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "../../control/button.js";
import { commonWords } from "../../words/common.js";
import { panel } from "./model.js";

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What is open beside the pictures, on a phone below them. It takes the focus and gives it back, and Escape closes it. */
export function Panel({ title, children }: PanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    heading.current?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const close = (): void => {
    panel.value = undefined;
  };
  return (
    <aside
      class="panel"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <header>
        <h2 ref={heading} id={id} tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon="close" label={commonWords().close} onClick={close} />
      </header>
      {children}
    </aside>
  );
}
