import type { Finding } from "../../../contract/answer/index.js";
import { reviewWords } from "../../words/review.js";

/** What a finding is in words: `Person`, `Car`, `Number plate B-AB 123`. */
export function titleOf({
  Kind,
  Label,
  Number: plate,
  Name,
}: Pick<Finding, "Kind" | "Label" | "Number" | "Name">): string {
  const words = reviewWords();
  const kind = words.kinds[Kind];
  if (plate !== null) return `${kind} ${plate}`;
  if (Name !== null) return `${kind}: ${Name}`;
  const label = words.labels[Label as keyof typeof words.labels] ?? Label;
  return label === "" || Label === Kind ? kind : capital(label);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
