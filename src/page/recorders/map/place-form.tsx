import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HubBox } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Field } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { requestJson } from "../../state/request.js";
import { markSaved } from "../../state/unsaved.js";
import { commonWords } from "../../words/common.js";
import { recordersWords } from "../../words/recorders.js";
import type { Degrees } from "./plane.js";

/** About a decimetre. */
const DIGITS = 6;

interface PlaceFormProps {
  readonly box: HubBox;
  /** Where the map was clicked on last. */
  readonly picked: Signal<Degrees | undefined>;
  /** Null: where its cameras are. */
  readonly onChanged: (place: Degrees | null) => void;
}

/** Where a recorder is: typed, or clicked on the map. */
export function PlaceForm({ box: { Id, Position }, picked, onChanged }: PlaceFormProps) {
  const words = recordersWords().map;
  const latitude = useSignal(text(Position?.Latitude));
  const longitude = useSignal(text(Position?.Longitude));
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(
    () =>
      picked.subscribe((place) => {
        if (place === undefined) return;
        latitude.value = text(place.Latitude);
        longitude.value = text(place.Longitude);
      }),
    [],
  );
  // A click for the recorder that was chosen before is none for this one.
  useEffect(
    () => () => {
      picked.value = undefined;
    },
    [],
  );
  const send = async (place: Degrees | null): Promise<void> => {
    isBusy.value = true;
    try {
      await requestJson(`/api/boxes/${Id}`, { method: "PUT", body: { Position: place } });
      picked.value = undefined;
      markSaved(form.current);
      onChanged(place);
    } catch (error) {
      sayError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      ref={form}
      class="map-place"
      data-guarded=""
      onSubmit={(event) => {
        event.preventDefault();
        void send({ Latitude: numberOf(latitude.value), Longitude: numberOf(longitude.value) });
      }}
    >
      <Field label={words.latitude} text={latitude} autocomplete="off" required />
      <Field label={words.longitude} text={longitude} autocomplete="off" required hint={words.clickHint} />
      <Button type="submit" kind="main" disabled={isBusy.value}>
        {commonWords().save}
      </Button>
      {Position?.IsSet === true && (
        <Button disabled={isBusy.value} onClick={() => void send(null)}>
          {words.toCameras}
        </Button>
      )}
    </form>
  );
}

function text(degrees: number | undefined): string {
  return degrees === undefined ? "" : String(Number(degrees.toFixed(DIGITS)));
}

function numberOf(typed: string): number {
  return Number(typed.trim().replace(",", "."));
}
