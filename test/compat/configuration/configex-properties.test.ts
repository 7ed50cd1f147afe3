import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { describeConfiguration } from "../../../src/compat/configuration/configuration-description.js";
import { toJson } from "../../../src/route/answer/description.js";
import { documentText } from "../../../src/route/answer/document-text.js";
import type { Site, UserGroup } from "../../../src/site/index.js";
import { configurationView, principalOf } from "../../support/api/configuration-view.js";
import { arbitrarySite } from "../../support/site/arbitrary-site.js";

const LISTS = new Set([
  "ServerInfo",
  "ChannelInfo",
  "StreamInfo",
  "UserScenario",
  "SecObjectInfo",
  "ChannelId",
  "GridTypes",
  "ResolutionInfo",
  "Location",
  "Folder",
]);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  isArray: (name) => LISTS.has(name),
});

type Tree = Readonly<Record<string, unknown>>;

/** JSON values as XML spells them: in text, without what is null, lists under their items' names. */
function asXml(value: unknown, itemName: string | undefined): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? "" : { [itemName ?? ""]: value.map((item) => asXml(item, undefined)) };
  if (typeof value !== "object" || value === null) return String(value);
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null && !JSON_ONLY.has(name))
    .map(([name, member]) => [XML_NAMES.get(name) ?? name, asXml(member, ITEM_NAMES.get(name))]);
  return Object.fromEntries(members);
}

const JSON_ONLY = new Set(["ConnectionUrl", "GisConfig", "Comment"]);
const XML_NAMES: ReadonlyMap<string, string> = new Map([
  ["RevNum", "Revision"],
  ["XmlProtocolVersion", "XMLProtocolVersion"],
  ["RootSecObject", "RootSecurityObject"],
  ["ChildSecObjects", "ChildSecurityObjects"],
  ["IsFaceRecOn", "IsFaceAnalystEnabled"],
]);
const ITEM_NAMES: ReadonlyMap<string, string> = new Map([
  ["Servers", "ServerInfo"],
  ["Channels", "ChannelInfo"],
  ["Streams", "StreamInfo"],
  ["UserScenarios", "UserScenario"],
  ["ChildSecObjects", "SecObjectInfo"],
  ["ChildChannels", "ChannelId"],
  ["GridTypesAllowed", "GridTypes"],
  ["Resolutions", "ResolutionInfo"],
  ["ChildLocations", "Location"],
  ["ChildFolders", "Folder"],
]);

/** Indentation stands between elements where a parser keeps blanks. */
function withoutIndentation(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIndentation);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== "#text");
  return Object.fromEntries(members.map(([name, member]) => [name, withoutIndentation(member)]));
}

/** The site as each of its groups sees it. */
function* views(
  site: Site,
): Generator<{ group: UserGroup; document: ReturnType<typeof describeConfiguration> }> {
  for (const group of site.groups) {
    const view = configurationView({
      site,
      principal: principalOf(site, group.id),
      timeZoneOffsetHours: -3.5,
    });
    yield { group, document: describeConfiguration(view) };
  }
}

describe("/configex of any configuration", () => {
  it("is well-formed XML that says what the JSON says", () => {
    const property = fc.property(arbitrarySite, (site) => {
      for (const { document } of views(site)) {
        const xml = documentText(document, "xml");
        expect(XMLValidator.validate(xml)).toBe(true);
        const read = withoutIndentation((parser.parse(xml) as { Configuration: Tree }).Configuration) as Tree;
        const expected = asXml(toJson(document), undefined) as Tree;
        expect(read).toEqual(expected);
        // Of sections of elements alone, the parser keeps the order.
        expect(JSON.stringify(read.UserGroup)).toBe(JSON.stringify(expected.UserGroup));
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  it("keeps each channel on a line of its own, whatever its name", () => {
    const property = fc.property(arbitrarySite, (site) => {
      for (const { document } of views(site)) {
        const xml = documentText(document, "xml");
        const channels = (toJson(document) as { Channels: { Id: string }[] }).Channels;
        const lines = xml.split("\r\n").filter((line) => /^ +<ChannelInfo Id="/.test(line));
        expect(lines.map((line) => line.split('"')[1])).toEqual(channels.map((channel) => channel.Id));
        expect(xml.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  it("shows a group no id of a camera it may neither watch live nor from the archive, and no secret", () => {
    const property = fc.property(arbitrarySite, (site) => {
      for (const { group, document } of views(site)) {
        const text = documentText(document, "xml") + JSON.stringify(toJson(document));
        const seen = (list: UserGroup["realtimeChannels"], id: string): boolean =>
          list === "all" || list.includes(id);
        for (const { id } of site.cameras) {
          const may =
            !group.rights.IsAllForbidden &&
            (seen(group.realtimeChannels, id) || seen(group.archiveChannels, id));
          expect(text.includes(id)).toBe(may);
        }
        expect(text).not.toContain("scrypt$");
        expect(text).not.toContain("viewer");
      }
    });
    fc.assert(property, { numRuns: 40 });
  });
});
