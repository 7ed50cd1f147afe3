import { describe, expect, it } from "vitest";
import { PART_DOORS, PARTS } from "../../scripts/arrows.mjs";
import { checkArrows, importsOf } from "../../scripts/check-arrows.mjs";
import { forEachTest } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

const DOOR = "/** x: a room.\n *\n * Belongs here: a.\n * Does not belong here: b.\n */\n";

const root = forEachTest(() => new TemporaryDirectory("arrows"));

/** Breaches of a source tree with doors for all the rooms named in it, and for their parts that have one. */
function breachesOf(files: Record<string, string>): string[] {
  for (const file of Object.keys(files)) {
    const [room, part] = file.split("/").slice(0, -1);
    if (room !== undefined) root.write({ [`src/${room}/index.ts`]: doorOf(room) });
    if (part !== undefined && PART_DOORS.has(`${room}/${part}`))
      root.write({ [`src/${room}/${part}/index.ts`]: doorOf("") });
  }
  for (const [file, text] of Object.entries(files)) root.write({ [`src/${file}`]: text });
  return checkArrows(root.path);
}

function doorOf(room: string): string {
  const parts = (PARTS as Record<string, readonly string[]>)[room] ?? [];
  return DOOR.replace(" */", ` * ${parts.map((part) => `\`${part}/\``).join(" ")}\n */`);
}

describe("arrows between rooms", () => {
  it("hold for this repository", () => {
    expect(checkArrows(new URL("../..", import.meta.url).pathname)).toEqual([]);
  });

  it("let a room import one below it through its door", () => {
    const files = {
      "owner/get.ts": 'import { A } from "../live/index.js";',
      "live/a.ts": 'import "../base/index.js";',
      "base/b.ts": "",
    };
    expect(breachesOf(files)).toEqual([]);
  });

  it.each([
    ["base/a.ts", "live"],
    ["live/a.ts", "rtsp"],
    ["live/a.ts", "site"],
    ["rtsp/a.ts", "archive"],
    ["archive/a.ts", "recording"],
    ["camera/a.ts", "recording"],
    ["camera/a.ts", "owner"],
    ["site/a.ts", "access"],
    ["host/a.ts", "site"],
    ["demo/a.ts", "archive"],
    ["recording/a.ts", "host"],
  ])("stop %s from importing %s", (file, room) => {
    const found = breachesOf({ [file]: `import { A } from "../${room}/index.js";`, [`${room}/z.ts`]: "" });
    expect(found).toEqual([expect.stringContaining(`may not import ${room}`)]);
  });

  it.each([
    'import type { A } from "../owner/index.js";',
    'export * from "../owner/index.js";',
    'export type { A } from "../owner/index.js";',
    'const a = await import("../owner/index.js");',
    'type A = import("../owner/index.js").A;',
    'new Worker(new URL("../owner/index.js", import.meta.url));',
    'import {\n  type A,\n  b as c,\n} from "../owner/index.js";',
  ])("see an import written as %j", (text) => {
    expect(breachesOf({ "base/a.ts": text, "owner/z.ts": "" })).toHaveLength(1);
  });

  it("do not see an import in a comment", () => {
    expect(
      importsOf(
        '/* import "../owner/index.js"; */\n// export * from "../owner/index.js";\nconst path = "/*";',
      ),
    ).toEqual([]);
  });

  it("stop an import past a room's door", () => {
    const found = breachesOf({ "rtsp/a.ts": 'import { A } from "../live/slab.js";', "live/slab.ts": "" });
    expect(found).toEqual([expect.stringContaining("past the room's door")]);
  });

  it("let the RTSP server's own door be used", () => {
    const files = { "demo/a.ts": 'import { A } from "../rtsp/server/index.js";', "rtsp/server/b.ts": "" };
    expect(breachesOf(files)).toEqual([]);
  });

  it("stop a room from importing what stands above the rooms", () => {
    const found = breachesOf({ "owner/a.ts": 'import { A } from "../main.js";', "main.ts": "" });
    expect(found).toEqual([expect.stringContaining("stands above it")]);
  });

  it("stop a file from standing beside the rooms", () => {
    expect(breachesOf({ "helper.ts": "" })).toEqual([
      expect.stringContaining("only cli.ts and main.ts stand beside the rooms"),
    ]);
  });

  it("hold the files beside the rooms to arrows of their own", () => {
    const found = breachesOf({ "cli.ts": 'import "./archive/index.js";', "archive/a.ts": "" });
    expect(found).toEqual([expect.stringContaining("cli.ts may not import archive")]);
  });

  it("let a part import those before it in its room's order", () => {
    const files = {
      "archive/index/a.ts": 'import "../segment/b.js";',
      "archive/segment/b.ts": "",
      "archive/archive.ts": 'import "./index/a.js";',
    };
    expect(breachesOf(files)).toEqual([]);
  });

  it("stop a part from importing one after it, or what stands beside the parts", () => {
    const later = { "archive/segment/b.ts": 'import "../index/a.js";', "archive/index/a.ts": "" };
    expect(breachesOf(later)).toEqual([expect.stringContaining("the part segment may not import index")]);
  });

  it("stop a part from importing a file beside the parts", () => {
    const found = breachesOf({ "archive/index/a.ts": 'import "../archive.js";', "archive/archive.ts": "" });
    expect(found).toEqual([expect.stringContaining("the part index may not import archive/archive.ts")]);
  });

  it("stop a topic of the API from importing another past its door", () => {
    const found = breachesOf({ "compat/still/a.ts": 'import "../video/b.js";', "compat/video/b.ts": "" });
    expect(found).toEqual([expect.stringContaining("past the part's door")]);
  });

  it("stop a part without a place in the order", () => {
    expect(breachesOf({ "archive/misc/a.ts": "" })).toEqual([
      expect.stringContaining("a part without a place in the order"),
    ]);
  });

  it("stop a cycle between files of one room", () => {
    const found = breachesOf({
      "live/a.ts": 'import "./b.js";',
      "live/b.ts": 'import type { A } from "./a.js";',
    });
    expect(found).toEqual(["import cycle: live/a.ts -> live/b.ts -> live/a.ts"]);
  });

  it("stop uWebSockets.js outside its adapter, and allow it there", () => {
    const text = 'import { App } from "uWebSockets.js";';
    const found = breachesOf({ "compat/video/get-video.ts": text, "http/http-server.ts": text });
    expect(found).toEqual([expect.stringContaining("src/compat/video/get-video.ts: imports uWebSockets.js")]);
  });

  it("stop lmdb outside its wrappers, and allow it there", () => {
    const text = 'import { open } from "lmdb";';
    const found = breachesOf({ "archive/retention/retention.ts": text, "kept/lmdb/environment.ts": text });
    expect(found).toEqual([expect.stringContaining("src/archive/retention/retention.ts: imports lmdb")]);
  });

  it("stop a room without a door", () => {
    root.write({ "src/live/a.ts": "" });
    expect(checkArrows(root.path)).toEqual(["src/live: no index.ts"]);
  });

  it("stop a door that does not say what does not belong there", () => {
    root.write({ "src/task/index.ts": "/** live.\n * Belongs here: frames. */\n" });
    expect(checkArrows(root.path)).toEqual([expect.stringContaining("Does not belong here:")]);
  });

  it("stop a door that sends to a room that is gone", () => {
    root.write({
      "src/task/index.ts": DOOR.replace(/Does not belong here:[^*]*/, "Does not belong here: HTTP (`api`). "),
    });
    expect(checkArrows(root.path)).toEqual([expect.stringContaining("names `api`, which is no room")]);
  });

  it("stop a door that names nothing that leaves it", () => {
    const found = breachesOf({ "task/a.ts": "" });
    root.write({ "src/task/index.ts": `${DOOR}export * from "./a.js";\n` });
    expect(found).toEqual([]);
    expect(checkArrows(root.path)).toEqual([expect.stringContaining('"export *"')]);
  });

  it("stop a room nobody has drawn arrows for", () => {
    expect(breachesOf({ "misc/a.ts": "" })).toEqual([expect.stringContaining("a room without arrows")]);
  });
});
