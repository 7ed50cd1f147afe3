import { beforeAll, beforeEach, expect, it } from "vitest";
import { attentiveUs, type Guid } from "../../src/base/index.js";
import { createPartnerCertificate } from "../../src/fleet/join/certificates.js";
import { certificateHash } from "../../src/fleet/join/code.js";
import type { Beat } from "../../src/fleet/partner/partner-messages.js";
import { type NoteWay, PartnerNotes } from "../../src/fleet/partner/partner-notes.js";
import type { KeyAndCertificate } from "../../src/http/index.js";
import { ManualClock } from "../support/base/manual-clock.js";

const OWNER = "00000001-0000-4000-8000-0000000000a1";
const RESERVE = "00000001-0000-4000-8000-0000000000a2";
const STRANGER = "00000001-0000-4000-8000-0000000000a3";
const GATE = "00000001-0000-4000-8000-000000000001";
const BEAT: Beat = {
  ...{ Name: "Owner", Version: "1", Hosts: ["192.0.2.1"], Port: 7444, HttpPort: 80, HttpsPort: 0 },
  Recording: [{ Id: GATE, ForMs: 12_000 }],
};

interface Said {
  readonly from: Guid;
  readonly to: Guid;
  readonly text: string;
}

const keys = new Map<Guid, KeyAndCertificate>();
let clock: ManualClock;
let said: Said[];
let listeners: Map<Guid, (from: Guid, text: string) => void>;
let heard: { readonly id: Guid; readonly beat: Beat; readonly askedUs: number }[];
let reserve: PartnerNotes;

beforeAll(async () => {
  for (const id of [OWNER, RESERVE, STRANGER]) keys.set(id, await createPartnerCertificate(id, Date.now()));
});

beforeEach(() => {
  clock = new ManualClock();
  [said, listeners, heard] = [[], new Map(), []];
  end(OWNER);
  reserve = end(RESERVE);
});

/** A recorder's end. The hub in the middle keeps what is said, and passes it on when told. */
function end(id: Guid, keyOf: Guid = id): PartnerNotes {
  const way: NoteWay = {
    say: (to, text) => void said.push({ from: id, to, text }),
    listen: (listener) => void listeners.set(id, listener),
  };
  return new PartnerNotes({
    ...{ way, ownId: () => id, own: () => keys.get(keyOf), said: () => BEAT, clock },
    certificateOf: (other) => (other === STRANGER ? undefined : hashOf(other)),
    onBeat: (from, beat, askedUs) => void heard.push({ id: from, beat, askedUs }),
  });
}

const hashOf = (id: Guid): string => certificateHash(keys.get(id)?.certificate ?? "");

/** The hub passes on all that was said, also what is said thereupon. */
function pass(): void {
  for (let one = said.shift(); one !== undefined; one = said.shift()) deliver(one);
}

function deliver({ from, to, text }: Said): void {
  listeners.get(to)?.(from, text);
}

/** What the owner answers, as the hub has it. */
function answer(): Said {
  reserve.look(OWNER, undefined, undefined);
  const [ask] = said.splice(0);
  if (ask === undefined) throw new Error("nothing was asked");
  deliver(ask);
  const [found] = said.splice(0);
  if (found === undefined) throw new Error("nothing was answered");
  return found;
}

it("a partner that is silent in the LAN is heard through the hub, as of the moment in which it was asked", () => {
  const askedUs = attentiveUs(clock);
  reserve.look(OWNER, askedUs - 1_500_000, undefined);
  clock.advance(400);
  pass();

  expect(heard).toEqual([{ id: OWNER, beat: BEAT, askedUs }]);
});

it("nothing is asked while it is heard in the LAN", () => {
  reserve.look(OWNER, attentiveUs(clock) - 900_000, undefined);

  expect(said).toEqual([]);
});

it("a partner that is silent for long is asked for every five seconds", () => {
  for (let look = 0; look < 60; look += 1) {
    reserve.look(OWNER, attentiveUs(clock) - 61_000_000, undefined);
    clock.advance(500);
  }

  expect(said.length).toBe(6);
});

it("a hub cannot repeat an answer", () => {
  const former = answer();
  deliver(former);
  const count = heard.length;
  clock.advance(6_000);
  reserve.look(OWNER, undefined, undefined);
  deliver(former);

  expect([count, heard.length]).toEqual([1, 1]);
});

it("a hub cannot change what a partner says", () => {
  const { text, ...rest } = answer();
  const told = JSON.parse(text) as { Beat: string };
  deliver({ ...rest, text: JSON.stringify({ ...told, Beat: told.Beat.replace("12000", "99000") }) });

  expect(heard).toEqual([]);
});

it("a hub cannot speak with a key of its own", () => {
  end(OWNER, STRANGER);
  deliver(answer());

  expect(heard).toEqual([]);
});

it("an answer that comes later than three seconds says nothing", () => {
  const late = answer();
  clock.advance(3_100);
  deliver(late);

  expect(heard).toEqual([]);
});

it("who is no partner is not answered", () => {
  deliver({ from: STRANGER, to: OWNER, text: JSON.stringify({ Kind: "Ask", Nonce: "abc" }) });

  expect(said).toEqual([]);
});

it.each(["", "{", "[]", '{"Kind":"Beat"}', '{"Kind":"Ask"}', `{"Kind":"Ask","Nonce":"${"x".repeat(100)}"}`])(
  "what is no note changes nothing: %s",
  (text) => {
    deliver({ from: OWNER, to: RESERVE, text });

    expect([said, heard]).toEqual([[], []]);
  },
);
