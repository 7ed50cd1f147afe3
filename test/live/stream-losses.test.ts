import { describe, expect, it } from "vitest";
import { LOSS_IDS } from "../../src/contract/answer/index.js";
import {
  LOSS_DETAIL_CHARACTERS_MAX,
  LOSS_REPORTED_US,
  LOSS_RULES,
  lossWords,
  StreamLosses,
} from "../../src/live/index.js";

describe("losses of a stream", () => {
  it("are told from the next look on, with their number, and no longer a minute after the last", () => {
    const losses = new StreamLosses();
    losses.count("too-large");
    losses.count("too-large", 2);
    expect(losses.reported).toEqual([]);
    losses.look(0);
    expect(losses.reported).toEqual([{ id: "too-large", detail: "", count: 3 }]);
    losses.look(LOSS_REPORTED_US - 1);
    expect(losses.reported).toHaveLength(1);
    losses.look(LOSS_REPORTED_US);
    expect(losses.reported).toEqual([]);
    expect(losses.total("too-large")).toBe(3);
  });

  it("that are named hold until the next session", () => {
    const losses = new StreamLosses();
    losses.name("sound-unsupported", "G722");
    losses.look(10 * LOSS_REPORTED_US);
    expect(losses.reported).toEqual([{ id: "sound-unsupported", detail: "G722", count: 0 }]);
    losses.beginSession();
    losses.look(10 * LOSS_REPORTED_US);
    expect(losses.reported).toEqual([]);
  });

  it("of an earlier session are not told in the next", () => {
    const losses = new StreamLosses();
    losses.count("malformed-packets");
    losses.look(0);
    losses.beginSession();
    losses.look(1);
    expect(losses.reported).toEqual([]);
  });

  it("tell their listeners once for each change of what holds", () => {
    const losses = new StreamLosses();
    let calls = 0;
    const listening = losses.onChange(() => {
      calls += 1;
    });
    losses.count("no-memory");
    losses.look(0);
    losses.count("no-memory");
    losses.look(1);
    expect(calls).toBe(1);
    losses.look(1 + LOSS_REPORTED_US);
    expect(calls).toBe(2);
    listening.close();
    losses.count("no-memory");
    losses.look(2 + LOSS_REPORTED_US);
    expect(calls).toBe(2);
  });

  it("bound and clean what a camera says of them", () => {
    const losses = new StreamLosses();
    losses.name("sound-refused", `404 \u001b[31m<b>${"x".repeat(500)}`);
    losses.look(0);
    const detail = losses.reported[0]?.detail;
    expect(detail).toHaveLength(LOSS_DETAIL_CHARACTERS_MAX);
    expect(detail).toMatch(/^404 \?\?31m\?b\?x+$/);
  });

  it.each(LOSS_IDS)("%s has words and a remedy in both languages", (id) => {
    const english = lossWords({ id, detail: "H.264" }, "en");
    const russian = lossWords({ id, detail: "" }, "ru");
    expect(english[0]).toMatch(/^[A-Z][^.]+ \(H\.264\)$/);
    expect(english[1]).toMatch(/\.$/);
    expect(russian.join(" ")).toMatch(/^[А-Я].*\.$/);
    expect(LOSS_RULES[id].ru[0]).not.toBe(LOSS_RULES[id].en[0]);
  });
});
