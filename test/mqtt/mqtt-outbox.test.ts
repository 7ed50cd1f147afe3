import { expect, it } from "vitest";
import { MqttOutbox, PICTURE_BYTES_MAX } from "../../src/mqtt/mqtt-outbox.js";

function all(outbox: MqttOutbox): string[] {
  const texts: string[] = [];
  for (let next = outbox.take(); next !== undefined; next = outbox.take())
    texts.push(`${next.topic}=${Buffer.from(next.payload).toString()}`);
  return texts;
}

it("of a state that changes again and again only the newest value is sent", () => {
  const outbox = new MqttOutbox();
  for (let index = 0; index < 1000; index++) outbox.set("a", `${index}`);
  outbox.set("b", "x");
  expect(all(outbox)).toEqual(["a=999", "b=x"]);
  expect(outbox.set("a", "999")).toBe(false);
  expect(outbox.isEmpty).toBe(true);
});

it("a message that was not confirmed is sent again, unless a newer state has come", () => {
  const outbox = new MqttOutbox();
  outbox.set("a", "old");
  outbox.add({ topic: "e", payload: Buffer.from("1"), retain: false });
  const taken = [outbox.take(), outbox.take()].filter((message) => message !== undefined);
  outbox.set("a", "new");
  outbox.add({ topic: "e", payload: Buffer.from("2"), retain: false });
  outbox.giveBack(taken);
  expect(all(outbox)).toEqual(["a=new", "e=1", "e=2"]);
});

it("a topic that is removed is emptied at the broker, also when that was not confirmed", () => {
  const outbox = new MqttOutbox();
  outbox.set("a", "1");
  all(outbox);
  outbox.remove("a");
  expect(outbox.topics()).toEqual([]);
  const taken = [outbox.take()].filter((message) => message !== undefined);
  outbox.giveBack(taken);
  expect(all(outbox)).toEqual(["a="]);
  outbox.sendAllAgain();
  expect(all(outbox)).toEqual([]);
});

it("pictures have bounded memory: the oldest are left to the broker", () => {
  const outbox = new MqttOutbox();
  const bytes = PICTURE_BYTES_MAX / 4;
  for (let index = 0; index < 6; index++) outbox.set(`picture ${index}`, Buffer.alloc(bytes, index));
  expect(outbox.topics()).toEqual(["picture 2", "picture 3", "picture 4", "picture 5"]);
});

it("a picture that was left to the broker can still be removed there", () => {
  const outbox = new MqttOutbox();
  const bytes = PICTURE_BYTES_MAX / 2;
  for (let index = 0; index < 3; index++) outbox.set(`picture ${index}`, Buffer.alloc(bytes, index));
  all(outbox);
  expect(outbox.keptTopics()).toContain("picture 0");
  expect(outbox.leftAtBroker()).toEqual(["picture 0"]);
  outbox.remove("picture 0");
  expect(all(outbox)).toEqual(["picture 0="]);
  expect(outbox.leftAtBroker()).toEqual([]);
});
