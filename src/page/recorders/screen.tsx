import "./recorders.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { HubBoxes } from "../../contract/answer/index.js";
import { Button } from "../control/button.js";
import { Field } from "../control/field.js";
import { Loaded } from "../control/loaded.js";
import { sayError } from "../control/notice.js";
import { useRead } from "../state/reading.js";
import { addressOf, note, route } from "../state/route.js";
import { session } from "../state/session.js";
import { commonWords } from "../words/common.js";
import { language } from "../words/language.js";
import { recordersWords } from "../words/recorders.js";
import { RecorderCard } from "./recorder-card.js";
import { listedRecorders, needsHand, readRecorders } from "./recorders.js";

/** How often the hub is asked anew; it asks its recorders every 20 s. */
const READ_MS = 10_000;
const VIEWS = ["list", "map", "updates", "templates"] as const;
/** For administrators alone. */
const THEIRS: ReadonlySet<string> = new Set(["updates", "templates"]);
/** A list that is shorter is seen as a whole. */
const SEARCHED_FROM = 8;

/** All recorders of this hub: how each does, what needs a hand, and the way into each. */
export function RecordersScreen() {
  const words = recordersWords();
  const list = useSignal<HubBoxes | null | undefined>(undefined);
  const turn = useSignal(0);
  const sought = useSignal("");
  const view = useSignal(VIEWS.find((name) => name === route.value.parameters.get("view")) ?? "list");
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") turn.value += 1;
    }, READ_MS);
    return () => clearInterval(timer);
  }, []);
  useRead(
    async () => {
      list.value = await readRecorders();
    },
    sayError,
    [turn.value, language.value],
  );
  const readAgain = (): void => {
    turn.value += 1;
  };
  const known = list.value;
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const boxes = known?.Boxes ?? [];
  const shown = listedRecorders(boxes, sought.value);
  const isAdministrator = session.value?.IsAdministrator === true;
  return (
    <div class="recorders">
      <header class="recorders-header">
        <h1>{words.title}</h1>
        {boxes.length > 0 && <State boxes={boxes} />}
        {boxes.length > 0 &&
          VIEWS.filter((name) => name !== view.value && (isAdministrator || !THEIRS.has(name))).map(
            (name) => (
              <Button
                key={name}
                onClick={() => {
                  view.value = name;
                  note(name === "list" ? {} : { view: name });
                }}
              >
                {words.views[name]}
              </Button>
            ),
          )}
        {isAdministrator && <a href={addressOf("settings", { part: "fleet" })}>{words.add}</a>}
      </header>
      {known != null && known.Problem !== null && <p class="fault">{words.hubProblem(known.Problem)}</p>}
      {boxes.length >= SEARCHED_FROM && !THEIRS.has(view.value) && (
        <Field label={words.search} text={sought} autocomplete="off" />
      )}
      {view.value === "updates" && isAdministrator && <Loaded load={loadRollout} props={{ boxes }} />}
      {view.value === "templates" && isAdministrator && <Loaded load={loadTemplates} props={{ boxes }} />}
      {view.value === "map" && boxes.length > 0 && (
        <Loaded load={loadMap} props={{ boxes: shown, onChanged: readAgain }} />
      )}
      {view.value === "list" && (
        <ul class="recorder-list">
          {shown.map((box) => (
            <li key={box.Id}>
              <RecorderCard box={box} />
            </li>
          ))}
        </ul>
      )}
      {boxes.length > 0 && shown.length === 0 && !THEIRS.has(view.value) && (
        <p class="quiet">{words.nothingFound}</p>
      )}
      {boxes.length === 0 && (
        <div class="quiet">
          <p>{words.none}</p>
          <p>{words.noneHint}</p>
        </div>
      )}
    </div>
  );
}

const loadRollout = () => import("./rollout/rollout-panel.js").then(({ RolloutPanel }) => RolloutPanel);
const loadTemplates = () => import("./template/template-panel.js").then(({ TemplatePanel }) => TemplatePanel);
const loadMap = () => import("./map/recorder-map.js").then(({ RecorderMap }) => RecorderMap);

function State({ boxes }: { readonly boxes: HubBoxes["Boxes"] }) {
  const words = recordersWords();
  const count = boxes.filter(needsHand).length;
  const versions = new Set(boxes.flatMap(({ Version }) => (Version === null ? [] : [Version])));
  return (
    <p role="status">
      {count === 0 ? words.allWell : words.attention(count, boxes.length)}
      {versions.size > 1 && ` ${words.versions}`}
    </p>
  );
}
