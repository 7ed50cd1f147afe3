import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { newGuid } from "../../../src/base/index.js";
import { LateTalk, type TalkControlOptions } from "../../../src/camera/index.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";

/** The modules of a room that are loaded with a file of it. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, kind, names, from = ""] of text.matchAll(
    /^(import|export) (type )?[^;]*?from "(\.{1,2}\/[^"]+)";/gm,
  )) {
    const isRoomOwn = !from.endsWith("/index.js");
    if (kind !== undefined && names === undefined && isRoomOwn)
      loadedWith(join(dirname(file), from.replace(/\.js$/, ".ts")), found);
  }
  return found;
}

it("nothing of what speaks to cameras is loaded before somebody does", () => {
  const room = join(REPOSITORY_ROOT, "src", "camera");
  const loaded = [...loadedWith(join(room, "index.ts"))].map((file) => file.slice(room.length + 1));
  expect(loaded).toContain("talk/late-talk.ts");
  expect(loaded).toContain("ptz/ptz-control.ts");
  for (const late of ["talk-control", "speech", "voice", "spoken-sound", "sound-file", "wav"])
    expect(loaded).not.toContain(`talk/${late}.ts`);
});

it("a recorder that stops speaks no more, and does not load it for that", async () => {
  const talk = new LateTalk({} as TalkControlOptions);
  await talk.stop();
  const request = {
    ...{ channelId: newGuid(), by: { type: 1, id: newGuid(), name: "root" } as const },
    ...{ format: { kind: "g711", law: "mu" } as const, signal: new AbortController().signal },
  };
  await expect(talk.speak(request)).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
});
