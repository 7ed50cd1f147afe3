import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { CameraMasks } from "../../../../contract/answer/index.js";
import { Button } from "../../../control/button.js";
import { Check } from "../../../control/check.js";
import { Icon } from "../../../control/icon.js";
import { errorWords } from "../../../control/notice.js";
import type { Box } from "../../../playback/motion/box.js";
import { useRead } from "../../../state/reading.js";
import { RequestError, requestJson } from "../../../state/request.js";
import { markChanged } from "../../../state/unsaved.js";
import { commonWords } from "../../../words/common.js";
import { masksWords } from "../../../words/settings/masks.js";
import { SaveForm } from "../../save-form.js";
import { type Camera, RTSP_MODEL } from "../model.js";
import { ZonePicture } from "./zone-picture.js";
import { SENSITIVITIES, type Shape, SIZES, shapeOfBox } from "./zones.js";

const NOT_SUPPORTED = 501;

/** A mask as it is drawn; without a name of the camera's it is new. */
interface Mask {
  readonly mask: string | undefined;
  readonly isEnabled: boolean;
  readonly shape: Extract<Shape, { kind: "polygon" }>;
}

/** What the camera hides in its own pictures. */
export function MasksView({ camera }: { readonly camera: Camera }) {
  const words = masksWords();
  const isOnvif = camera.ConnectionSettings.ModelId !== RTSP_MODEL;
  const known = useSignal<CameraMasks | "not offered" | undefined>(isOnvif ? undefined : "not offered");
  const fault = useSignal("");
  const read = async (): Promise<void> => {
    if (isOnvif) known.value = await requestJson<CameraMasks>(addressOfMasks(camera));
  };
  const refuse = (error: unknown): void => {
    if (error instanceof RequestError && error.status === NOT_SUPPORTED) known.value = "not offered";
    else fault.value = errorWords(error);
  };
  useRead(read, refuse);
  const again = (): void => {
    fault.value = "";
    read().catch(refuse);
  };
  const now = known.value;
  if (now === undefined && fault.value === "") return <p class="quiet">{commonWords().loading}</p>;
  if (now === undefined)
    return (
      <div role="alert">
        <p class="fault">{fault.value}</p>
        <Button onClick={again}>{commonWords().retry}</Button>
      </div>
    );
  if (now !== "not offered") return <MasksForm camera={camera} first={now} />;
  return (
    <section class="card">
      <h3>{words.title}</h3>
      <p>{words.notOffered}</p>
    </section>
  );
}

function MasksForm({ camera, first }: { readonly camera: Camera; readonly first: CameraMasks }) {
  const words = masksWords();
  const masks = useSignal(masksIn(first));
  const chosen = useSignal(0);
  const title = useRef<HTMLHeadingElement>(null);
  const change = (index: number, part: Partial<Mask>): void => {
    masks.value = masks.value.map((mask, at) => (at === index ? { ...mask, ...part } : mask));
  };
  const draw = (box: Box): void => {
    if (masks.value[chosen.value] === undefined) return;
    markChanged(title.current);
    change(chosen.value, { shape: rectangle(box) });
  };
  const save = async (): Promise<void> => {
    const body = { Masks: masks.peek().map(sent) };
    const after = await requestJson<CameraMasks>(addressOfMasks(camera), { method: "PUT", body });
    masks.value = masksIn(after);
    chosen.value = Math.max(0, Math.min(chosen.value, masks.value.length - 1));
  };
  const drawn = masks.value.map(({ shape }, index) => ({
    ...{ name: words.named(index + 1), shape, rest: {} },
    ...{ sensitivity: SENSITIVITIES.usual, minSize: SIZES.usual },
  }));
  const isFull = masks.value.length >= first.MasksMax;
  return (
    <SaveForm saved={words.saved} onSave={save}>
      <h3 ref={title}>{words.title}</h3>
      <p class="hint">{words.why}</p>
      <ZonePicture camera={camera} zones={drawn} chosen={chosen.value} onBox={draw} motion={undefined} />
      <p class="hint">{masks.value.length === 0 ? words.none : words.hint}</p>
      <ul class="zone-list" aria-label={words.masks}>
        {masks.value.map((mask, index) => (
          <MaskRow
            key={index}
            name={words.named(index + 1)}
            mask={mask}
            isChosen={index === chosen.value}
            onChoose={() => (chosen.value = index)}
            onEnabled={(isEnabled) => change(index, { isEnabled })}
            onRemove={() => {
              masks.value = masks.value.filter((_, at) => at !== index);
              chosen.value = 0;
            }}
          />
        ))}
      </ul>
      {isFull && <p class="hint">{words.most(first.MasksMax)}</p>}
      <div class="edit-buttons">
        <Button
          changes
          disabled={isFull}
          onClick={() => {
            masks.value = [...masks.value, newMask()];
            chosen.value = masks.value.length - 1;
          }}
        >
          <Icon name="add" /> {words.add}
        </Button>
      </div>
    </SaveForm>
  );
}

interface MaskRowProps {
  readonly name: string;
  readonly mask: Mask;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onEnabled: (isEnabled: boolean) => void;
  readonly onRemove: () => void;
}

function MaskRow({ name, mask, isChosen, onChoose, onEnabled, onRemove }: MaskRowProps) {
  const words = masksWords();
  return (
    <li class={isChosen ? "zone-item chosen" : "zone-item"}>
      <Button
        label={isChosen ? words.isDrawnNamed(name) : words.drawNamed(name)}
        disabled={isChosen}
        onClick={onChoose}
      >
        {isChosen ? words.isDrawn : words.draw}
      </Button>
      <Check label={words.hidesNamed(name)} checked={mask.isEnabled} onChecked={onEnabled} />
      <Button changes kind="danger" label={words.removeNamed(name)} onClick={onRemove}>
        {words.remove}
      </Button>
    </li>
  );
}

const addressOfMasks = ({ Id }: Camera): string => `/api/channels/${Id}/masks`;

function masksIn({ Masks }: CameraMasks): readonly Mask[] {
  return Masks.map(({ Mask: mask, IsEnabled, Points }) => ({
    ...{ mask, isEnabled: IsEnabled },
    shape: { kind: "polygon", points: Points.map(({ X, Y }) => [X, Y] as const) },
  }));
}

function sent({ mask, isEnabled, shape }: Mask): object {
  const Points = shape.points.map(([X, Y]) => ({ X, Y }));
  return { ...(mask === undefined ? {} : { Mask: mask }), Points, IsEnabled: isEnabled };
}

function newMask(): Mask {
  const shape = rectangle({ left: 0.35, top: 0.35, width: 0.3, height: 0.3 });
  return { mask: undefined, isEnabled: true, shape };
}

function rectangle(box: Box): Mask["shape"] {
  const shape = shapeOfBox(box);
  if (shape.kind !== "polygon") throw new Error("a rectangle has corners");
  return shape;
}
