import { useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../control/button.js";
import { sayError } from "../control/notice.js";
import { useRead } from "../state/reading.js";
import { alarmsWords } from "../words/alarms.js";
import { commonWords } from "../words/common.js";

const LOOK_MS = 5000;

/** What is read: the items, and what their cards need besides. */
interface Items {
  readonly list: readonly { readonly Id?: string }[];
}
type ItemOf<Known extends Items> = Known["list"][number];

/** Of the component that shows one item. */
export interface CardProps<Known extends Items> {
  readonly item: ItemOf<Known>;
  readonly known: Known;
  readonly onEdit: () => void;
  readonly readAgain: () => void;
}

/** Of the component that changes one item, or adds one. */
export interface FormProps<Known extends Items> {
  /** Undefined: a new one. */
  readonly item: ItemOf<Known> | undefined;
  /** Undefined: it is not read yet. */
  readonly known: Known | undefined;
  readonly onClose: () => void;
}

interface ItemsSectionProps<Known extends Items> {
  /** Title, what it is for, what adds an item, and what is said while there is none. */
  readonly words: readonly [title: string, why: string, add: string, none: string];
  readonly read: () => Promise<Known>;
  /** The items have states that change by themselves: they are read again every few seconds. */
  readonly isFollowed?: boolean;
  readonly card: FunctionComponent<CardProps<Known>>;
  readonly form: FunctionComponent<FormProps<Known>>;
  /** Below the cards. */
  readonly foot?: (known: Known) => ComponentChildren;
}

/** A section with things that are added, changed and removed one by one: a card for each, and a form for the one that is changed. */
export function ItemsSection<Known extends Items>({
  words: [title, why, add, none],
  read,
  isFollowed,
  card: Card,
  form: Form,
  foot,
}: ItemsSectionProps<Known>) {
  const known = useSignal<Known | undefined>(undefined);
  /** Undefined inside: a new one. */
  const edited = useSignal<{ readonly item: ItemOf<Known> | undefined } | undefined>(undefined);
  const look = async (): Promise<void> => {
    known.value = await read();
  };
  const readAgain = () => void look().catch(sayError);
  useRead(look, sayError);
  useEffect(() => {
    if (isFollowed !== true) return undefined;
    // What fails in between is said by the frame, or by the next one who acts.
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const close = (): void => {
    edited.value = undefined;
    readAgain();
  };
  const [now, one] = [known.value, edited.value];
  return (
    <section class="settings-part">
      <h2>{title}</h2>
      <p>{why}</p>
      <div class="edit-buttons">
        <Button kind="main" onClick={() => (edited.value = { item: undefined })}>
          {add}
        </Button>
      </div>
      {now === undefined && <p class="quiet">{commonWords().loading}</p>}
      {now?.list.length === 0 && <p class="hint">{none}</p>}
      {now?.list.map((item) => (
        <Card
          key={item.Id}
          item={item}
          known={now}
          onEdit={() => (edited.value = { item })}
          readAgain={readAgain}
        />
      ))}
      {now !== undefined && foot?.(now)}
      {one !== undefined && <Form item={one.item} known={now} onClose={close} />}
    </section>
  );
}

interface ItemCardProps {
  readonly name: string;
  readonly onEdit: () => void;
  readonly children: ComponentChildren;
}

/** A card with the item's name and a button for its form. */
export function ItemCard({ name, onEdit, children }: ItemCardProps) {
  const words = alarmsWords();
  return (
    <article class="card item-card">
      <header>
        <h3>{name}</h3>
        <Button label={words.changeNamed(name)} onClick={onEdit}>
          {words.change}
        </Button>
      </header>
      {children}
    </article>
  );
}
