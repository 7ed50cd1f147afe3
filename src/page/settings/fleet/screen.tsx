import { fleetWords } from "../../words/settings/fleet.js";
import { BoxesCard } from "./boxes-card.js";
import { HubCard } from "./hub-card.js";
import { PartnersCard } from "./partners-card.js";
import { ReplicasCard } from "./replicas-card.js";

/** The hub that this recorder belongs to, and the recorders of this hub. */
export function FleetSection() {
  const words = fleetWords();
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <HubCard />
      <BoxesCard />
      <PartnersCard />
      <ReplicasCard />
    </section>
  );
}
