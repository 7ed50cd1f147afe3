import { counted } from "../../language.js";

export const words = {
  title: "Settings",
  search: "Find a setting",
  nothingFound: "No setting is called so.",
  found: (count: number) => `${counted(count, { one: "setting", other: "settings" })} found`,
  notAllowed: "Settings are for administrators. Ask one to change your group.",
  parts: {
    cameras: "Cameras",
    disks: "Disks",
    alarms: "Alarms",
    scenarios: "Scenarios",
    analysers: "Analysers",
    away: "Off-site storage",
    users: "Users",
    network: "Network",
    programs: "Other programs",
    fleet: "Hub",
    system: "System",
    log: "Log",
    maintenance: "Maintenance",
  },
};
