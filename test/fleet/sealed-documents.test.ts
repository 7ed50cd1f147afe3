import { describe, expect, it } from "vitest";
import { SealedDocuments } from "../../src/fleet/index.js";
import { createHubAuthority } from "../../src/fleet/join/certificates.js";
import { MemoryDocuments } from "../support/fleet/memory-documents.js";

const NAME = "hub/sessions/a.json";
const TEXT = '{"userName":"alice"}';

async function sealed(store: MemoryDocuments, purpose = "sessions"): Promise<SealedDocuments> {
  const { key } = await createHubAuthority(Date.now());
  return new SealedDocuments(store, { authorityKey: key, purpose });
}

describe("a document that hubs seal for each other", () => {
  it("is read by those that have the same authority, and tells nobody else what it says", async () => {
    const store = new MemoryDocuments();
    const { key: authorityKey } = await createHubAuthority(Date.now());
    await new SealedDocuments(store, { authorityKey, purpose: "sessions" }).write(NAME, TEXT);

    expect(await new SealedDocuments(store, { authorityKey, purpose: "sessions" }).read(NAME)).toBe(TEXT);
    expect(await new SealedDocuments(store, { authorityKey, purpose: "other" }).read(NAME)).toBeUndefined();
    expect(await (await sealed(store)).read(NAME)).toBeUndefined();
    expect(Buffer.from(store.texts.get(NAME) ?? "", "base64url").toString("latin1")).not.toContain("alice");
  });

  it("counts under no other name, and not when it was altered or made by somebody else", async () => {
    const store = new MemoryDocuments();
    const documents = await sealed(store);
    await documents.write(NAME, TEXT);
    const text = store.texts.get(NAME) ?? "";
    store.texts.set("hub/sessions/b.json", text);
    store.texts.set("hub/sessions/c.json", `${text.slice(0, -8)}AAAAAAAA`);
    store.texts.set("hub/sessions/d.json", Buffer.from(TEXT).toString("base64url"));

    for (const name of ["b", "c", "d"])
      expect(await documents.read(`hub/sessions/${name}.json`)).toBeUndefined();
  });
});
