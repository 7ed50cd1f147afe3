import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import type { MotionSearch } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Choice, Field } from "../../control/field.js";
import { sayError } from "../../control/notice.js";
import { addressOf } from "../../state/address.js";
import { at } from "../../state/place.js";
import { recorderNow } from "../../state/recorder-time.js";
import { playbackWords } from "../../words/playback.js";
import { lengthWords, spanWords } from "../time/format.js";
import { active, chosen, nameOf } from "../watch/model.js";
import { Panel } from "../watch/panel.js";
import { playing } from "../watch/playing.js";
import { type Box, settled } from "./box.js";
import { type RegionShape, region, regionOverlay } from "./region.js";
import { RegionOverlay } from "./region-overlay.js";
import { isSearching, motionSearch, searchedSpan, startSearch, stopSearch } from "./search.js";
import { findThings, THINGS, thingSearch } from "./things.js";

/** How small a change counts, as the service has it: 1 to 100. */
const SENSITIVITIES = { low: 30, usual: 50, high: 80 } as const;
type Sensitivity = keyof typeof SENSITIVITIES;

/** What is gone to begins so much earlier, so that the beginning of the motion is seen. */
const BEFORE_MS = 2000;

/** Pictures that are no farther apart show everybody who comes by. */
const CLOSE_MS = 1500;
const PICTURE_PX = 160;

const SOUGHT = ["motion", ...THINGS] as const;
/** What is searched for; it stays while another panel is open. */
const sought = signal<(typeof SOUGHT)[number]>("motion");

/** When did something move in this part of the picture, or what did an analyser see there? `things`: what was found of the latter. */
export function MotionPanel({ things }: { readonly things: ComponentChildren }) {
  const words = playbackWords();
  const sensitivity = useSignal<Sensitivity>("usual");
  useEffect(() => {
    regionOverlay.value = Overlay;
    return () => (regionOverlay.value = undefined);
  }, []);
  const text = useSignal("");
  const channel = active.value;
  const search = motionSearch.value;
  const runs = isSearching(search);
  const { from, to } = searchedSpan();
  const thing = sought.value;
  const isMotion = thing === "motion";
  const start = (): void => {
    if (channel === undefined) return;
    const begun = isMotion
      ? startSearch(channel, region.peek(), SENSITIVITIES[sensitivity.peek()])
      : findThings(channel, region.peek(), thing, text.peek());
    begun.catch(sayError);
  };
  return (
    <Panel title={words.motionSearch}>
      <p class="hint">{words.motionIntro}</p>
      {chosen.value.length > 1 && (
        <Choice
          label={words.motionOf}
          value={channel ?? ""}
          options={chosen.value.map((id) => [id, nameOf(id)])}
          onValue={(id) => (active.value = id)}
        />
      )}
      <Choice
        label={words.sought}
        value={thing}
        options={SOUGHT.map((name) => [name, words.things[name]])}
        onValue={(chosenOne) => (sought.value = chosenOne)}
      />
      <RegionFields />
      {isMotion && (
        <Choice
          label={words.sensitivity}
          value={sensitivity.value}
          options={[
            ["low", words.sensitivities.low],
            ["usual", words.sensitivities.usual],
            ["high", words.sensitivities.high],
          ]}
          onValue={(chosenOne) => (sensitivity.value = chosenOne)}
        />
      )}
      {(thing === "plate" || thing === "face") && (
        <Field
          label={words.thingText[thing]}
          value={text.value}
          maxLength={64}
          onValue={(typed) => (text.value = typed)}
        />
      )}
      <p class="hint">{words.searched(spanWords(from, to, recorderNow()))}</p>
      {isMotion && runs ? (
        <Button onClick={() => void stopSearch().catch(sayError)}>{words.stop}</Button>
      ) : (
        <Button
          kind="main"
          disabled={channel === undefined || (!isMotion && thingSearch.value?.runs === true)}
          onClick={start}
        >
          {words.start}
        </Button>
      )}
      {!isMotion ? things : search !== undefined && <Result search={search} />}
    </Panel>
  );
}

/** The region by a pointer or by arrows, over the picture. */
function Overlay({ ratio }: RegionShape) {
  const words = playbackWords();
  return (
    <RegionOverlay
      ratio={ratio}
      region={region.value}
      onRegion={(next) => (region.value = next)}
      label={words.regionBox}
      keys={words.regionKeys}
    />
  );
}

const SIDES = ["left", "top", "width", "height"] as const;

/** The region by numbers, for who draws nothing. */
function RegionFields() {
  const words = playbackWords();
  const id = useId();
  const write = (side: keyof Box, text: string): void => {
    const percent = Number(text);
    if (text !== "" && Number.isFinite(percent))
      region.value = settled({ ...region.peek(), [side]: percent / 100 });
  };
  return (
    <fieldset class="region-fields">
      <legend>{words.region}</legend>
      <p class="hint" id={id}>
        {words.regionHint}
      </p>
      {SIDES.map((side) => (
        <label key={side}>
          <span>{words.sides[side]}</span>
          <input
            type="number"
            min="0"
            max="100"
            step="1"
            aria-describedby={id}
            value={Math.round(region.value[side] * 100)}
            onChange={(event) => write(side, event.currentTarget.value)}
          />
        </label>
      ))}
    </fieldset>
  );
}

function Result({ search }: { readonly search: MotionSearch }) {
  const words = playbackWords();
  const percent = Math.floor(search.Progress * 100);
  const count = search.Spans.length;
  const runs = isSearching(search);
  return (
    <section class="search-result">
      {runs && (
        <progress max={100} value={percent} aria-label={words.motionSearch}>
          {percent} %
        </progress>
      )}
      <p role="status">
        {stateWords(search, percent)} {count > 0 && `${words.foundCount(count)}.`}
        {count === 0 && search.State === "done" && nothingWords(search)}
        {search.IsCut && ` ${words.foundCut}`}
      </p>
      <ul>
        {search.Spans.map(({ From, To, At }) => (
          <li key={From}>
            <button type="button" class="link" onClick={() => playing.seek(From - BEFORE_MS)}>
              <img src={pictureAt(search.ChannelId, At)} alt="" loading="lazy" />
              {spanWords(From, To, recorderNow())}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where pictures were far apart, nothing was found, which is not that there was nothing. */
function nothingWords({ Apart }: MotionSearch): string {
  const words = playbackWords();
  return Apart !== null && Apart > CLOSE_MS
    ? words.foundNothingBetween(lengthWords(Apart))
    : words.foundNothing;
}

function pictureAt(channelid: string, moment: number): string {
  return at(
    addressOf("/site", {
      ...{ channelid, mode: "archive", resolutionx: PICTURE_PX, optional: true },
      starttime: new Date(moment).toISOString(),
    }),
  );
}

function stateWords(search: MotionSearch, percent: number): string {
  const words = playbackWords();
  switch (search.State) {
    case "waiting":
      return words.searchWaits;
    case "running":
      return words.searching(percent);
    case "cancelled":
      return words.searchStopped;
    case "failed":
      return search.Error ?? words.searchStopped;
    default:
      return words.searchDone;
  }
}
