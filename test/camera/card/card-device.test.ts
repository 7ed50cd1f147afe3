import { expect, it } from "vitest";
import { CardDevice } from "../../../src/camera/card/card-device.js";
import type { DeviceServices } from "../../../src/camera/description/device-description.js";
import { CameraFailure, readDocument, XmlElement } from "../../../src/camera/index.js";
import type { SoapClient } from "../../../src/camera/soap/soap-client.js";

const SERVICES = { search: "http://192.0.2.1/search", replay: "http://192.0.2.1/replay" };

/** A device that answers each operation with a text, or fails; and what it was asked, in order. */
function deviceOf(answers: Readonly<Record<string, string | Error>>) {
  const asked: string[] = [];
  const call = async ({ operation, content }: { operation: string; content: string }) => {
    asked.push(operation === "EndSearch" ? `${operation} ${content}` : operation);
    const answer = answers[operation] ?? "";
    if (answer instanceof Error) throw answer;
    const root = XmlElement.document(readDocument(Buffer.from(`<r>${answer}</r>`))).child("r");
    if (root === undefined) throw new Error("no root");
    return root;
  };
  return { asked, device: new CardDevice({ call } as unknown as SoapClient, SERVICES as DeviceServices) };
}

const FOUND = { FindRecordings: "<SearchToken>s1</SearchToken>" };
const DONE = "<ResultList><SearchState>Completed</SearchState></ResultList>";
const END = "EndSearch <m:SearchToken>s1</m:SearchToken>";
const signal = () => new AbortController().signal;

it("ends each search, because a device has few", async () => {
  const { asked, device } = deviceOf({ ...FOUND, GetRecordingSearchResults: DONE });
  await device.recordings(signal());
  expect(asked).toEqual(["FindRecordings", "GetRecordingSearchResults", END]);
});

it("ends a search whose results it does not get", async () => {
  const failure = new CameraFailure("bad-answer", "no results");
  const { asked, device } = deviceOf({ ...FOUND, GetRecordingSearchResults: failure });
  await expect(device.recordings(signal())).rejects.toBe(failure);
  expect(asked.at(-1)).toBe(END);
});

it("a device that has forgotten the search already is no failure", async () => {
  const forgotten = new CameraFailure("refused", "no such search");
  const { device } = deviceOf({ ...FOUND, GetRecordingSearchResults: DONE, EndSearch: forgotten });
  expect(await device.recordings(signal())).toEqual([]);
});

it("sections are asked for by their topic, and without one of a device that knows no filters", async () => {
  const contents: string[] = [];
  const call = async ({ operation, content }: { operation: string; content: string }) => {
    if (operation === "FindEvents") contents.push(content);
    if (content.includes("TopicExpression")) throw new CameraFailure("refused", "InvalidFilterFault");
    return XmlElement.document(readDocument(Buffer.from(`<r>${DONE}<SearchToken>s1</SearchToken></r>`)));
  };
  const device = new CardDevice({ call } as unknown as SoapClient, SERVICES as DeviceServices);
  await device.sections({ token: "card" }, { fromUs: 1_000_000, toUs: 2_000_000 }, signal());
  expect(contents.map((content) => content.includes(">tns1:RecordingHistory/Track/State<"))).toEqual([
    true,
    false,
  ]);
});

it("a device that searches without end is asked 64 times", async () => {
  const searching = "<ResultList><SearchState>Searching</SearchState></ResultList>";
  const { asked, device } = deviceOf({ ...FOUND, GetRecordingSearchResults: searching });
  await device.recordings(signal());
  expect(asked.filter((operation) => operation === "GetRecordingSearchResults")).toHaveLength(64);
});
