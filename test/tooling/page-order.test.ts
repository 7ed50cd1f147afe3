import { expect, it } from "vitest";
import { likeBesideLike } from "../../scripts/page-order.mjs";

const MODULE = [
  'import { h } from "./h.js"',
  "const first = make()",
  "function told({ name, onClose }) { return h('p', { class: 'hint', onClick: onClose }, name); }",
  "function area(width, height) { return width * height; }",
  "const second = first + 1;",
  "async function said({ text, onClose }) { return h('p', { class: 'hint', onClick: onClose }, text); }",
  "export { told, area, said, second }",
].join("\n");

it("puts a function beside the one that is most like it", () => {
  const text = likeBesideLike(MODULE);
  expect(text.indexOf("async function said")).toBeLessThan(text.indexOf("function area"));
});

it("leaves everything else in its order", () => {
  const text = likeBesideLike(MODULE);
  const others = ["import { h }", "const first", "const second", "export {"].map((part) =>
    text.indexOf(part),
  );
  expect(others).toEqual(others.toSorted((one, other) => one - other));
  expect(others).not.toContain(-1);
});

it("makes a module that does the same", async () => {
  const code =
    "export const all = [two(), one()]\nfunction one() { return 1; }\nfunction two() { return one() + 1; }";
  const { all } = (await import(`data:text/javascript,${encodeURIComponent(likeBesideLike(code))}`)) as {
    all: unknown;
  };
  expect(all).toEqual([2, 1]);
});
