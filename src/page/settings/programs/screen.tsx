import { useEffect } from "preact/hooks";
import { sayError } from "../../control/notice.js";
import { commonWords } from "../../words/common.js";
import { programsWords } from "../../words/settings/programs.js";
import { everybody, readEverybody } from "../users/model.js";
import { BrokerCard } from "./broker-card.js";
import { OnvifCard } from "./onvif-card.js";

/** Programs that use the recorder without its page: the smart home, and what speaks ONVIF. */
export function ProgramsSection() {
  const words = programsWords();
  useEffect(() => void readEverybody().catch(sayError), []);
  const known = everybody.value;
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const users = known.users.map(({ Name }) => Name);
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <p>{words.why}</p>
      <BrokerCard users={users} />
      <OnvifCard users={users} />
    </section>
  );
}
