import { Check } from "../../control/check.js";
import { camerasWords } from "../../words/settings/cameras.js";
import type { Draft } from "./draft.js";

interface SeenFieldsProps {
  readonly draft: Draft;
  readonly onDraft: (change: Partial<Draft>) => void;
}

/** What analysers may look for in the camera's pictures. */
export function SeenFields({ draft, onDraft }: SeenFieldsProps) {
  const words = camerasWords();
  return (
    <>
      <Check
        label={words.things}
        hint={words.thingsHint}
        checked={draft.things}
        onChecked={(things) => onDraft({ things })}
      />
      <Check
        label={words.faces}
        hint={words.facesHint}
        checked={draft.faces}
        onChecked={(faces) => onDraft({ faces })}
      />
    </>
  );
}
