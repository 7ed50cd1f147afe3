import { signal } from "@preact/signals";
import { type ComponentChildren, render } from "preact";
import { Button, IconButton } from "./control/button.js";
import { Check } from "./control/check.js";
import { Fault } from "./control/fault.js";
import { Choice, Field, PasswordField } from "./control/field.js";
import { Notices, say } from "./control/notice.js";
import { commonWords } from "./words/common.js";
import { fetchWords } from "./words/dictionary.js";
import { loadingWords } from "./words/loading.js";
import { wallWords } from "./words/wall.js";

/**
 * The measures and colours of the page, and each control in each of its states, on one sheet: for people to look at after a change
 * of a style. No screen leads here; a test makes pictures of it.
 */
export async function showGallery(document: Document): Promise<void> {
  await fetchWords();
  say(commonWords().save);
  say(wallWords().takenAway("A"), {
    action: { words: commonWords().undo, act: () => undefined, isOffered: () => true },
  });
  say(commonWords().offline, true);
  render(<Gallery />, document.body);
}

const GROUNDS = ["ground", "raised", "sunken", "accent", "danger", "picture"];
const INKS = [
  "text",
  "text-soft",
  "accent",
  "danger",
  "warning",
  "good",
  "recorded",
  "motion",
  "protected",
  "line",
  "line-strong",
];
const SPACES = [1, 2, 3, 4, 6, 8];
/** What a pointer and the keyboard do to a control; the test forces it. */
const STATES = ["", "hover", "focus-visible", "active"];

function Gallery() {
  return (
    <main class="gallery">
      <h1>{document.title}</h1>
      <Sheet name="colours">
        {GROUNDS.map((name) => (
          <Swatch key={name} name={name} kind="ground" />
        ))}
        {INKS.map((name) => (
          <Swatch key={name} name={name} kind="ink" />
        ))}
      </Sheet>
      <Sheet name="type">
        <h1>{commonWords().wall}</h1>
        <h2>{commonWords().wall}</h2>
        <h3>{commonWords().wall}</h3>
        <p>{commonWords().offline}</p>
        <p class="hint">{commonWords().offline}</p>
        <kbd>{wallWords().asFitsSign}</kbd>
      </Sheet>
      <Sheet name="spaces">
        {SPACES.map((step) => (
          <span
            key={step}
            title={`--space-${step}`}
            style={{ width: `var(--space-${step})`, height: "2rem", background: "var(--accent)" }}
          />
        ))}
      </Sheet>
      <Buttons />
      <Fields />
      <Lists />
      <Sheet name="notices">
        {/* What is fixed to the window is here fixed to its place on the sheet. */}
        <div style={{ position: "relative", width: "100%", height: "16rem", transform: "translate(0)" }}>
          <Notices />
        </div>
      </Sheet>
    </main>
  );
}

function Sheet({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="card" data-sheet={name} style={{ margin: "var(--space-4)" }}>
      <h2>{name}</h2>
      <div style={{ display: "flex", flexWrap: "wrap", gap: "var(--space-4)", alignItems: "flex-start" }}>
        {children}
      </div>
    </section>
  );
}

function Swatch({ name, kind }: { readonly name: string; readonly kind: "ground" | "ink" }) {
  const colour = `var(--${name})`;
  const ground = { background: colour, border: "1px solid var(--line-strong)" };
  return (
    <div>
      <div
        style={{ width: "5rem", height: "2rem", ...(kind === "ground" ? ground : { background: colour }) }}
      />
      <p class="hint">{name}</p>
    </div>
  );
}

function Buttons() {
  const words = commonWords();
  return (
    <Sheet name="buttons">
      {STATES.map((state) => (
        <div key={state} data-force={state}>
          <p class="hint">{state === "" ? "rest" : state}</p>
          <Button>{words.cancel}</Button> <Button kind="main">{words.save}</Button>{" "}
          <Button kind="danger">{words.remove}</Button> <IconButton icon="search" label={words.show} />{" "}
          <IconButton icon="eye" label={words.show} pressed />
        </div>
      ))}
      <div>
        <p class="hint">{"disabled"}</p>
        <Button disabled>{words.cancel}</Button>{" "}
        <Button kind="main" disabled>
          {words.save}
        </Button>{" "}
        <Button kind="danger" disabled>
          {words.remove}
        </Button>{" "}
        <IconButton icon="search" label={words.show} disabled />
      </div>
    </Sheet>
  );
}

const FIELDS = { display: "grid", gap: "var(--space-4)", width: "15rem" };

function Fields() {
  const words = wallWords();
  const hint = words.saveHint;
  return (
    <Sheet name="fields">
      {STATES.map((state) => (
        <div key={state} data-force={state} style={FIELDS}>
          <p class="hint">{state === "" ? "rest" : state}</p>
          <Field label={`${words.saveName} ${state}`} hint={hint} text={signal(words.title)} />
          <Choice
            label={`${words.rotation} ${state}`}
            value="0"
            options={[["0", words.rotationOf(0)]]}
            onValue={() => undefined}
          />
          <Check label={`${words.fill} ${state}`} checked={state !== ""} onChecked={() => undefined} />
        </div>
      ))}
      <div style={FIELDS}>
        <p class="hint">{"invalid, empty, disabled"}</p>
        <Field label={words.saveName} text={signal(words.title)} invalid />
        <Fault text={commonWords().unknownError} />
        <PasswordField label={words.saveTitle} text={signal("12345678")} />
        <Check
          label={words.fill}
          checked={false}
          disabled
          hint={words.fillHint}
          onChecked={() => undefined}
        />
      </div>
    </Sheet>
  );
}

/** What stands in place of a list. */
function Lists() {
  const words = wallWords();
  return (
    <Sheet name="lists: loading, empty, failed">
      <p class="quiet">{commonWords().loading}</p>
      <div class="quiet">
        <p>{words.noCameras}</p>
        <p>{words.noCamerasText}</p>
      </div>
      <div class="quiet" role="alert">
        <p>{loadingWords().screenFailed}</p>
        <Button>{loadingWords().retry}</Button>
      </div>
    </Sheet>
  );
}
