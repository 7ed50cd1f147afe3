import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Firmware, type Quality, SimulatedBox } from "../../support/update/simulated-box.js";

/** What must hold after an update, whatever was cut off in between. */
function check(box: SimulatedBox): void {
  const { update } = box.journalContents;
  const entry = box.entries[box.running];
  expect(entry, "the slot that runs has an entry").toBeDefined();
  expect(entry?.left, "the slot that runs is a good one").toBeUndefined();
  const { version } = box.slots[box.running] ?? { version: "" };
  expect(["1", "2"]).toContain(version);
  if (version === "2") expect(update).toMatchObject({ phase: "kept", message: "" });
  else if (update !== null) expect(["rolledBack", "failed"]).toContain(update.phase);
  if (update !== null) {
    expect(box.request).toBeUndefined();
    expect(box.bundle).toBeUndefined();
  }
}

describe.each<Firmware>(["systemd-boot", "tryboot"])("with %s", (firmware) => {
  const boxOf = (qualities: Readonly<Record<string, Quality>>, cuts: readonly number[] = []): SimulatedBox =>
    new SimulatedBox(qualities, cuts, firmware);

  describe("an update without a cut", () => {
    it("of a good version is kept", async () => {
      const box = boxOf({ 2: "good" });
      expect(await box.update("2")).toMatchObject({ phase: "kept", fromVersion: "1", toVersion: "2" });
      expect(box.boots).toEqual(["b:2"]);
      check(box);
    });

    it("of a version that does not record goes back to the previous one, and reports why", async () => {
      const box = boxOf({ 2: "bad" });
      expect(await box.update("2")).toMatchObject({ phase: "rolledBack", message: "no camera records" });
      expect(box.boots).toEqual(["b:2", "a:1"]);
      check(box);
    });

    it("of a version that hangs goes back to the previous one", async () => {
      const box = boxOf({ 2: "hangs" });
      expect(await box.update("2")).toMatchObject({ phase: "rolledBack" });
      expect(box.boots).toEqual(["b:2", "a:1"]);
      check(box);
    });

    it("of a bad version does not block the next one", async () => {
      const box = boxOf({ 2: "bad", 3: "good" });
      await box.update("2");
      expect(await box.update("3")).toMatchObject({ phase: "kept", toVersion: "3" });
      expect(box.running).toBe("b");
    });
  });

  describe("power that goes before any one change", () => {
    for (const quality of ["good", "bad", "hangs"] as const) {
      it(`leaves a box that boots a complete and proven system, when the new version is ${quality}`, async () => {
        const whole = boxOf({ 2: quality });
        await whole.update("2");
        for (let cut = 0; cut <= whole.steps; cut += 1) {
          const box = boxOf({ 2: quality }, [cut]);
          await box.update("2");
          check(box);
          if (quality !== "good") expect(box.running, `cut before change ${cut}`).toBe("a");
        }
      });
    }

    it("does not lose an update whose installation was under way", async () => {
      const whole = boxOf({ 2: "good" });
      await whole.update("2");
      let kept = 0;
      for (let cut = 2; cut <= whole.steps; cut += 1) {
        const box = boxOf({ 2: "good" }, [cut]);
        if ((await box.update("2"))?.phase === "kept") kept += 1;
      }
      // All but those that hit the trial itself, which has one try: on a Raspberry Pi from the restart on.
      expect(kept).toBeGreaterThanOrEqual(whole.steps - 1 - (firmware === "tryboot" ? 4 : 3));
    });
  });

  it("repeated power cuts leave a box that boots a complete and proven system", async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 8 });
    const quality = fc.constantFrom<Quality>("good", "bad", "hangs");
    await fc.assert(
      fc.asyncProperty(cuts, quality, fc.boolean(), async (list, of, installerFirst) => {
        const box = boxOf({ 2: of }, list);
        box.installerFirst = installerFirst;
        await box.update("2");
        check(box);
        if (of !== "good") expect(box.running).toBe("a");
      }),
      { numRuns: 400 },
    );
  });

  it("an installation that is interrupted each time is given up", async () => {
    const box = boxOf({ 2: "good" }, [6, 4, 4, 4, 4]);
    expect(await box.update("2")).toMatchObject({ phase: "failed", attempts: 4 });
    check(box);
    expect(box.running).toBe("a");
  });
});
