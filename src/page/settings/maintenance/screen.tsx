import { at } from "../../state/place.js";
import { maintenanceWords } from "../../words/settings/maintenance.js";
import { Certificate } from "./certificate.js";
import { Configuration } from "./configuration.js";
import { SUPPORT } from "./model.js";
import { Update } from "./update.js";

/** What is done now and then: updates, the configuration as a file, its history, a file for support. */
export function MaintenanceSection() {
  const words = maintenanceWords();
  return (
    <section class="settings-part">
      <h2>{words.title}</h2>
      <Update />
      <Configuration />
      <Certificate />
      <article class="card">
        <h3>{words.support}</h3>
        <p>{words.supportWhy}</p>
        <div class="edit-buttons">
          <a class="button" href={at(SUPPORT)} download>
            {words.supportSave}
          </a>
        </div>
      </article>
    </section>
  );
}
