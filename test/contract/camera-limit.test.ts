// Own process: it puts a contract with another limit in the place of the contract.
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { apiPage } from "../../scripts/docs/make-api-doc.mjs";
import { CAMERA } from "../../src/compat/camera/camera-schema.js";
import { readChangedCamera } from "../../src/compat/index.js";
import { openApiDocument } from "../../src/owner/system/openapi.js";
import { fetchWords } from "../../src/page/words/dictionary.js";
import { Faults } from "../../src/route/index.js";
import { ROUTES } from "../../src/service/api/routes.js";
import { cameraOptions } from "../../src/site/index.js";
import { shapeProblems } from "../../src/site/schema/site-schema.js";
import { GATE_ID, sampleSite } from "../support/api/api-fakes.js";
import { REPOSITORY_ROOT } from "../support/base/repository.js";

/** One range of the contract is another one, and nothing else: what is made of it follows. */

const { MAX } = vi.hoisted(() => ({ MAX: 3 }));

vi.mock("../../src/contract/resource/camera.js", async (original) => {
  const contract: typeof import("../../src/contract/resource/camera.js") = await original();
  Object.assign(contract.cameraArchive.PreMotionDetectionRecSecs, { max: MAX });
  return contract;
});

const SETTINGS = join(REPOSITORY_ROOT, "src", "page", "settings", "cameras");

/** What a component shows, with all that is in it. */
interface Shown {
  readonly props: { readonly label?: string; readonly options?: unknown; readonly children?: unknown };
}

function shownIn(node: unknown): readonly Shown[] {
  if (Array.isArray(node)) return node.flatMap(shownIn);
  if (typeof node !== "object" || node === null || !("props" in node)) return [];
  const shown = node as Shown;
  return [shown, ...shownIn(shown.props.children)];
}

function faultsOf(seconds: number): string {
  const faults = new Faults();
  const site = sampleSite();
  const [camera] = site.cameras;
  const body = {
    ConnectionSettings: { ModelId: camera?.connection.modelId },
    ArchiveSettings: { PreMotionDetectionRecSecs: seconds },
  };
  readChangedCamera(body, { path: "", site, reach: { rtspPort: 554 }, faults }, GATE_ID);
  try {
    faults.throwIfAny();
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("seconds before motion, with another limit in the contract", () => {
  it("are refused above it in a body", () => {
    expect(faultsOf(MAX)).toBe("");
    expect(faultsOf(MAX + 1)).toContain("ArchiveSettings.PreMotionDetectionRecSecs: 1 to 3");
  });

  it("are refused above it in what is kept", () => {
    const kept = (preMotionSeconds: number) => {
      const site = sampleSite();
      const cameras = site.cameras.map((camera) => {
        const options = cameraOptions(camera);
        return { ...camera, kept: { ...options, archive: { ...options.archive, preMotionSeconds } } };
      });
      return { ...site, users: site.users.map((user) => ({ ...user, secret: null })), cameras };
    };
    expect(shapeProblems(kept(MAX))).toEqual([]);
    expect(shapeProblems(kept(MAX + 1))[0]).toBe(
      "cameras[0].kept.archive.preMotionSeconds: accepted: a whole number 1 to 3",
    );
  });

  it("are described with it, and so they are in the reference", () => {
    const { ArchiveSettings } = CAMERA.properties ?? {};
    expect(ArchiveSettings?.properties?.PreMotionDetectionRecSecs).toMatchObject({
      ...{ type: "integer", minimum: 1, maximum: MAX, default: 1 },
    });
    const document: unknown = JSON.parse(JSON.stringify(openApiDocument(ROUTES, { version: "" })));
    const reference = apiPage(document, "");
    expect(reference).toContain("| `PreMotionDetectionRecSecs` | whole number (1 to 3) | `1` |");
    expect(reference).not.toContain("PreMotionDetectionRecSecs: 1 to 6");
  });

  it("are offered up to it by the form", async () => {
    const { RecordingFields } = await import(join(SETTINGS, "recording-fields.tsx"));
    const { camerasWords } = await import(join(SETTINGS, "..", "..", "words", "settings", "cameras.ts"));
    await fetchWords("en");
    const draft = { mode: "motion", detector: "recorder", stream: "Main", sound: "off" };
    const form: unknown = RecordingFields({
      camera: { ConnectionSettings: { StreamSettings: {} } },
      ...{ draft, onDraft: () => undefined },
    });
    const words = camerasWords();
    const choice = shownIn(form).find(({ props }) => props.label === words.before);
    const offered = [1, 2, MAX].map((count) => [`${count}`, words.seconds(count)]);
    expect(choice?.props.options).toEqual(offered);
  });
});
