import type { ComponentType } from "preact";
import { isBucket } from "../state/session.js";

/** What is set on this screen, by its name in the address: `#/settings?part=users`. */
export const SECTIONS = {
  cameras: async (): Promise<ComponentType> => (await import("./cameras/screen.js")).CamerasSection,
  users: async (): Promise<ComponentType> => (await import("./users/screen.js")).UsersSection,
  disks: async (): Promise<ComponentType> => (await import("./disks/screen.js")).DisksSection,
  alarms: async (): Promise<ComponentType> => (await import("./alarms/screen.js")).AlarmsSection,
  scenarios: async (): Promise<ComponentType> => (await import("./scenarios/screen.js")).ScenariosSection,
  analysers: async (): Promise<ComponentType> => (await import("./analysers/screen.js")).AnalysersSection,
  away: async (): Promise<ComponentType> => (await import("./away/screen.js")).AwaySection,
  network: async (): Promise<ComponentType> => (await import("./network/screen.js")).NetworkSection,
  programs: async (): Promise<ComponentType> => (await import("./programs/screen.js")).ProgramsSection,
  fleet: async (): Promise<ComponentType> => (await import("./fleet/screen.js")).FleetSection,
  system: async (): Promise<ComponentType> => (await import("./system/screen.js")).SystemSection,
  maintenance: async (): Promise<ComponentType> =>
    (await import("./maintenance/screen.js")).MaintenanceSection,
  log: async (): Promise<ComponentType> => (await import("./log/screen.js")).LogSection,
} as const;

export type SectionName = keyof typeof SECTIONS;

/** What a server that shows recordings from a bucket has not: it records nothing, looks into no picture and sends nothing. */
const OF_RECORDERS: readonly SectionName[] = ["cameras", "disks", "analysers", "away", "scenarios"];

/** Those that the server has. */
export function sectionNames(): readonly SectionName[] {
  const all = Object.keys(SECTIONS) as SectionName[];
  return isBucket() ? all.filter((name) => !OF_RECORDERS.includes(name)) : all;
}

/** The part that an address names; the first one where it names none. */
export function sectionOf(parameters: URLSearchParams): SectionName {
  const named = parameters.get("part");
  const names = sectionNames();
  return names.find((name) => name === named) ?? names[0] ?? "users";
}
