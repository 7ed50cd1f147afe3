import { useSignal } from "@preact/signals";
import { Button } from "../../../control/button.js";
import { Choice, Field } from "../../../control/field.js";
import { camerasWords } from "../../../words/settings/cameras.js";
import { OBJECT_LABELS, type ObjectLabel } from "./labels.js";
import { type KindDraft, newKind, type ObjectsDraft, scoresOf } from "./objects.js";

interface KindListProps {
  readonly draft: ObjectsDraft;
  readonly onKinds: (kinds: readonly KindDraft[]) => void;
}

/** What differs for single kinds: how certain, how small, how large. */
export function KindList({ draft, onKinds }: KindListProps) {
  const words = camerasWords();
  const { objects } = words;
  const { kinds } = draft;
  const others = OBJECT_LABELS.filter((label) => !kinds.some((kind) => kind.label === label));
  const added = useSignal<ObjectLabel | undefined>(undefined);
  const next = others.find((label) => label === added.value) ?? others[0];
  const change = (label: ObjectLabel, part: Partial<KindDraft>): void =>
    onKinds(kinds.map((kind) => (kind.label === label ? { ...kind, ...part } : kind)));
  return (
    <fieldset>
      <legend>{objects.singleKinds}</legend>
      {kinds.map((kind) => (
        <fieldset key={kind.label} class="kind-item">
          <legend>{objects.labels[kind.label]}</legend>
          <Choice
            label={objects.certainty}
            value={`${kind.minScore}`}
            options={scoresOf(kind.minScore).map((score) => [`${score}`, objects.score(score)])}
            onValue={(value) => change(kind.label, { minScore: Number(value) })}
          />
          <Sizes {...kind} onSizes={(sizes) => change(kind.label, sizes)} />
          <Button
            changes
            label={words.removeZone(objects.labels[kind.label])}
            onClick={() => onKinds(kinds.filter(({ label }) => label !== kind.label))}
          >
            {words.removeIt}
          </Button>
        </fieldset>
      ))}
      {next !== undefined && (
        <div class="kind-item">
          <Choice
            label={objects.kindToAdd}
            value={next}
            options={others.map((label) => [label, objects.labels[label]])}
            onValue={(label) => (added.value = label)}
          />
          <Button changes onClick={() => onKinds([...kinds, newKind(next, draft)])}>
            {objects.addKind}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface SizesProps {
  readonly minSize: string;
  readonly maxSize: string;
  readonly onSizes: (sizes: Partial<Pick<KindDraft, "minSize" | "maxSize">>) => void;
}

/** Percents of the picture. */
export function Sizes({ minSize, maxSize, onSizes }: SizesProps) {
  const { objects } = camerasWords();
  return (
    <>
      <Field label={objects.minSize} value={minSize} onValue={(text) => onSizes({ minSize: text.trim() })} />
      <Field label={objects.maxSize} value={maxSize} onValue={(text) => onSizes({ maxSize: text.trim() })} />
    </>
  );
}
