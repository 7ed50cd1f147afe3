import type { XmlElement } from "../../camera/index.js";
import { SoapFault } from "../soap/soap-message.js";

const EXPRESSIONS_MAX = 32;

/** Which topics a filter lets through: paths, and whole trees by `//.`, with `|` between them. Throws SoapFault. */
export function topicFilter(filter: XmlElement | undefined): (topic: string) => boolean {
  if (filter?.child("MessageContent") !== undefined)
    throw invalidFilter("messages are not filtered by their content");
  const expressions = filter?.children("TopicExpression") ?? [];
  if (expressions.length === 0) return () => true;
  const paths = expressions
    .flatMap((expression) => expression.rawText.split("|", EXPRESSIONS_MAX))
    .map((text) => text.trim().replaceAll(/[\w.-]{1,64}:/g, ""));
  if (
    paths.length > EXPRESSIONS_MAX ||
    paths.some((path) => !/^[\w.-]+(?:\/[\w.-]+)*(?:\/\/\.)?$/.test(path))
  )
    throw invalidFilter(
      "a topic expression is a path, or a path with //. for all below it, with | between several",
    );
  return (topic) =>
    paths.some((path) => {
      if (!path.endsWith("//.")) return topic === path;
      const tree = path.slice(0, -"//.".length);
      return topic === tree || topic.startsWith(`${tree}/`);
    });
}

function invalidFilter(reason: string): SoapFault {
  return new SoapFault("Sender", ["InvalidArgVal", "InvalidFilterFault"], reason);
}
