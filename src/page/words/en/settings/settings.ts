export const words = {
  title: "Settings",
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
    system: "System",
    log: "Log",
    maintenance: "Maintenance",
  },
};
