import { expect, it } from "vitest";
import { shortStyleNames } from "../../scripts/page-style-names.mjs";

const SHEET = ".edit-buttons{color:var(--text-soft)}.edit-form,.card{--text-soft:red}";

function shortened(screen: string): readonly string[] {
  const { sheet, code } = shortStyleNames(SHEET, [["screen.tsx", screen]]);
  return [code(screen, "screen.tsx"), sheet];
}

it("shortens classes of several words, and properties, in sheets and modules", () => {
  const [code, sheet] = shortened('<p class="card edit-form" /> || find(".edit-buttons > p");');
  expect(code).toBe('<p class="card b" /> || find(".a > p");');
  expect(sheet).toBe(".a{color:var(--a)}.b,.card{--a:red}");
});

it("shortens a class that is chosen within the attribute", () => {
  const [code] = shortened('<p class={isOn ? "edit-form" : `card edit-buttons $' + "{kind}`} />;");
  expect(code).toBe('<p class={isOn ? "b" : `card a $' + "{kind}`} />;");
});

it.each([
  ["a string has it that is no class", '<p class="edit-form" id="edit-form" />;'],
  ["it is compared", '<p class={name === "edit-form" ? "card" : ""} />;'],
  ["it is handed on", '<p class={made("edit-form")} />;'],
  ["a module puts it together", "<p class={`edit-$" + "{name}`} />;"],
])("leaves a class where %s", (_, screen) => {
  const [code, sheet] = shortened(screen);
  expect(code).toBe(screen);
  expect(sheet).toContain(".edit-form");
});

it("leaves a property that a module sets", () => {
  const [, sheet] = shortened('<p style={{ "--text-soft": "red" }} />;');
  expect(sheet).toContain("var(--text-soft)");
});

it("gives no name that a sheet has", () => {
  const { sheet } = shortStyleNames(".a{}.edit-form{}", []);
  expect(sheet).toBe(".a{}.b{}");
});
