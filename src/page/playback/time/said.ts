const NUMBERS: Readonly<Record<string, number>> = {
  ...{ one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ eleven: 11, twelve: 12, fifteen: 15, twenty: 20, thirty: 30, forty: 40, fifty: 50 },
  ...{ один: 1, одну: 1, два: 2, две: 2, пару: 2, три: 3, четыре: 4, пять: 5, шесть: 6, семь: 7, восемь: 8 },
  ...{ девять: 9, десять: 10, одиннадцать: 11, двенадцать: 12, пятнадцать: 15, двадцать: 20, тридцать: 30 },
  ...{ сорок: 40, пятьдесят: 50 },
};

/** Whole words, and what stands for them in figures. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/(?<!\p{L})(?:half an hour|полчаса)(?!\p{L})/gu, "30 min"],
  [/(?<!\p{L})полтор[аы](?!\p{L})/gu, "1.5"],
  [/(?<!\p{L})(?:a )?couple of(?!\p{L})/gu, "2"],
  [/(?<!\p{L})(?:last|this|past|of|прошл\p{L}+|эт(?:от|а|у|ой|о)) /gu, ""],
  [/(?<=^| )час (?=дня|ночи)/gu, "1 "],
  [/(\d{1,2}) ?o['’]?clock(?!\p{L})/gu, "at $1"],
  // Not the comma of `1,5`.
  [/,(?!\d)/g, " "],
];

/** A time as it was typed, in one way of writing: lower case, numbers in figures, without words that say nothing. */
export function inFigures(text: string): string {
  const clean = text.toLowerCase().replaceAll("ё", "е").slice(0, 100);
  const said = SAID.reduce((rest, [words, figures]) => rest.replace(words, figures), clean);
  return said
    .replace(/\p{L}+/gu, (word) => (Object.hasOwn(NUMBERS, word) ? `${NUMBERS[word]}` : word))
    .replace(/\s+/g, " ")
    .trim();
}
