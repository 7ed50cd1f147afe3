import { expect, it } from "vitest";
import { referenceParametersOf } from "../../../src/camera/event/device-subscription.js";
import { parseXml } from "../../support/camera/parse-xml.js";

const sentBack = (inner: string, more = ""): string => {
  const text = `<e:Envelope xmlns:e="urn:e" xmlns:a="urn:a"${more}><a:Address>http://x</a:Address>${inner}</e:Envelope>`;
  return referenceParametersOf(parseXml(Buffer.from(text)).at("Envelope", "ReferenceParameters"));
};

it("reference parameters are sent back as they came, with the namespaces they use", () => {
  const own = `<a:ReferenceParameters><dom0:SubscriptionId xmlns:dom0="urn:axis">7</dom0:SubscriptionId></a:ReferenceParameters>`;
  expect(sentBack(own)).toBe('<dom0:SubscriptionId xmlns:dom0="urn:axis">7</dom0:SubscriptionId>');
  const far = '<a:ReferenceParameters a:is="x"><d:Id>7</d:Id></a:ReferenceParameters>';
  expect(sentBack(far, ' xmlns:d="urn:d"')).toBe('<d:Id xmlns:d="urn:d">7</d:Id>');
});

it.each([
  ["none", ""],
  ["empty ones", "<a:ReferenceParameters/>"],
  ["a prefix without a namespace", "<a:ReferenceParameters><q:Id>7</q:Id></a:ReferenceParameters>"],
  ["overlong ones", `<a:ReferenceParameters><a:Id>${"7".repeat(3000)}</a:Id></a:ReferenceParameters>`],
  ["a comment", "<a:ReferenceParameters><!-- --><a:Id>7</a:Id></a:ReferenceParameters>"],
])("%s: nothing is sent back", (_what, inner) => {
  expect(sentBack(inner)).toBe("");
});
