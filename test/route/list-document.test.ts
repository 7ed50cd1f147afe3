import { expect, it } from "vitest";
import { element, list, object } from "../../src/route/answer/description.js";
import { LIST_BATCH_ITEMS, listDocumentTexts } from "../../src/route/answer/list-document.js";

it("a long list is described in batches, and other work runs between them", async () => {
  const described: number[] = [];
  const texts = listDocumentTexts(
    {
      items: Array.from({ length: 3 * LIST_BATCH_ITEMS }, (_, index) => index),
      itemName: "Item",
      describe: (item) => {
        described.push(item);
        return object(element("Id", item));
      },
      make: (items) => ({ root: "Items", content: list("Item", items) }),
    },
    "json",
  );
  const batches: number[] = [];
  const turns: number[] = [];
  let turn = 0;
  const next = (): void => {
    turn += 1;
    if (batches.length < 4) setImmediate(next);
  };
  setImmediate(next);
  for await (const text of texts) {
    expect(text.length).toBeGreaterThan(0);
    batches.push(described.length);
    turns.push(turn);
  }
  expect(batches).toEqual([1, 2, 3, 3].map((number) => number * LIST_BATCH_ITEMS));
  expect(new Set(turns).size).toBe(4);
});
