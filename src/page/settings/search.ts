import { fetchWords } from "../words/dictionary.js";
import type { SectionName } from "./sections.js";

/** Where a setting is: its part of the settings, and the words that stand there. */
export interface Place {
  readonly section: SectionName;
  readonly text: string;
}

type Word = string | ((...of: never[]) => string) | { readonly [name: string]: Word };

/** The words of each part, which are what is looked through: what is set is called the same here and there. */
const WORDS: Readonly<Record<SectionName, () => Promise<readonly (() => object)[]>>> = {
  cameras: async () => [
    (await import("../words/settings/cameras.js")).camerasWords,
    (await import("../words/finding.js")).findingWords,
  ],
  disks: async () => [
    (await import("../words/disks.js")).disksWords,
    (await import("../words/settings/archive.js")).archiveWords,
    (await import("../words/settings/check.js")).checkWords,
    (await import("../words/settings/retire.js")).retireWords,
    (await import("../words/former.js")).formerWords,
  ],
  alarms: async () => [(await import("../words/alarms.js")).alarmsWords],
  scenarios: async () => [(await import("../words/settings/scenarios.js")).scenariosWords],
  analysers: async () => [(await import("../words/settings/analysers.js")).analysersWords],
  away: async () => [(await import("../words/settings/away.js")).awayWords],
  users: async () => [
    (await import("../words/settings/users.js")).usersWords,
    (await import("../words/settings/directory.js")).directoryWords,
  ],
  network: async () => [(await import("../words/settings/network.js")).networkWords],
  programs: async () => [(await import("../words/settings/programs.js")).programsWords],
  fleet: async () => [(await import("../words/settings/fleet.js")).fleetWords],
  system: async () => [
    (await import("../words/settings/system.js")).systemWords,
    (await import("../words/settings/history.js")).historyWords,
  ],
  maintenance: async () => [
    (await import("../words/settings/maintenance.js")).maintenanceWords,
    (await import("../words/settings/certificate.js")).certificateWords,
    (await import("../words/settings/acme.js")).acmeWords,
  ],
  log: async () => [(await import("../words/settings/log.js")).logWords],
};

/** A name of something that is set: what is longer, or ends as a sentence does, describes it. */
const NAME_LENGTH_MAX = 60;
const SENTENCE = /[.…:!?]$/;
const PER_SECTION_MAX = 6;

export interface SettingsIndex {
  /** Names with all words of `typed` in them, those that begin with it first; a part at most six times. */
  find(typed: string): readonly Place[];
}

/** Reads the words of the parts in the chosen language. */
export async function settingsIndex(sections: readonly SectionName[]): Promise<SettingsIndex> {
  const read = await Promise.all(sections.map(async (name) => [name, await WORDS[name]()] as const));
  await fetchWords();
  const places = read.flatMap(([section, dictionaries]) => {
    const texts = new Set(dictionaries.flatMap((words) => namesIn(words() as Word)));
    return [...texts].map((text) => ({ section, text, folded: folded(text) }));
  });
  return {
    find(typed) {
      const parts = folded(typed).split(/\s+/).filter(Boolean);
      if (parts.length === 0) return [];
      const whole = parts.join(" ");
      const found = places.filter((place) => parts.every((part) => place.folded.includes(part)));
      const begins = (place: (typeof places)[number]): number => (place.folded.startsWith(whole) ? 0 : 1);
      return sections.flatMap((section) =>
        found
          .filter((place) => place.section === section)
          .toSorted((one, other) => begins(one) - begins(other))
          .slice(0, PER_SECTION_MAX),
      );
    },
  };
}

function namesIn(word: Word): readonly string[] {
  if (typeof word === "object") return Object.values(word).flatMap(namesIn);
  const isName = typeof word === "string" && word.length <= NAME_LENGTH_MAX && !SENTENCE.test(word);
  return isName ? [word] : [];
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll("ё", "е").trim();
}
