import { describe, expect, it } from "vitest";
import type { PageVisit } from "../../support/page/page-visit.js";
import { momentOf, type RecordingsWorld } from "../../support/page/recordings-world.js";

/** Bytes of sound that the browser has decoded of the first camera since it opened the stream. */
function decoded({ page }: PageVisit): Promise<number> {
  return page.evaluate<number>("document.querySelector('video').webkitAudioDecodedByteCount");
}

/** Sound goes on being decoded, and the pictures with it. */
async function expectSound(opened: PageVisit): Promise<void> {
  const moment = await momentOf(opened);
  await expect.poll(() => decoded(opened)).toBeGreaterThan(0);
  const before = await decoded(opened);
  await expect.poll(() => decoded(opened)).not.toBe(before);
  await expect.poll(() => momentOf(opened)).toBeGreaterThan(moment);
}

/** Sound of recordings, in step with the pictures. */
export function soundFlows(world: RecordingsWorld): void {
  describe("recorded sound", () => {
    it("is heard by one press, after a jump, and again after a speed that has none", () =>
      world.visit(
        {},
        async (opened) => {
          const { page } = opened;
          const isMuted = () => page.evaluate<boolean>("document.querySelector('video').muted");
          const hasEnd = () =>
            page.evaluate<boolean>("Number.isFinite(document.querySelector('video').duration)");
          expect(await isMuted()).toBe(true);
          await expect.poll(hasEnd).toBe(true);
          await opened.press("Space");
          await opened.button("Sound of Door").click();
          expect(await isMuted()).toBe(false);
          await expectSound(opened);
          await opened.button("Sound of Door").blur();
          await opened.press("ArrowLeft");
          await expectSound(opened);
          await opened.field("Speed").selectOption("2");
          await opened.field("Speed").selectOption("1");
          await opened.field("Speed").blur();
          await opened.press("ArrowLeft");
          await expectSound(opened);
          await opened.press("m");
          expect(await isMuted()).toBe(true);
          // Right after a jump a new source is being opened.
          await expect.poll(hasEnd).toBe(true);
        },
        [world.doorId],
      ));
  });
}
