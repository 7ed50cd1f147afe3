import { MESSAGE_FORMS } from "../../../contract/index.js";
import { Check } from "../../control/check.js";
import { Field, PasswordField } from "../../control/field.js";
import { alarmsWords } from "../../words/alarms.js";
import type { DeliveryFieldsProps } from "./delivery-fields.js";
import type { Service } from "./model.js";

interface ServiceFieldsProps extends DeliveryFieldsProps {
  readonly service: Service;
}

/** What a service wants to know: two or three fields, and where the service is. */
export function ServiceFields({ service, draft, isNew, onDraft }: ServiceFieldsProps) {
  const words = alarmsWords();
  const { address, token, to, hasPicture } = MESSAGE_FORMS[service];
  const its: ServiceWords = words.services[service];
  const place = (
    <Field
      label={its.address}
      {...(address === undefined ? {} : { hint: words.serviceAddressHint(address) })}
      value={draft.url}
      autocomplete="off"
      onValue={(url) => onDraft({ url })}
    />
  );
  return (
    <>
      <p class="hint">{its.how}</p>
      {address === undefined && place}
      {token !== "none" && (
        <PasswordField
          label={its.token ?? words.secret}
          {...(isNew ? {} : { hint: words.unchanged })}
          value={draft.secret}
          autocomplete="new-password"
          onValue={(secret) => onDraft({ secret })}
        />
      )}
      {to !== undefined && (
        <Field
          label={its.to ?? words.name}
          value={draft.receiver}
          autocomplete="off"
          onValue={(text) => onDraft({ receiver: text })}
        />
      )}
      {address !== undefined && place}
      {hasPicture && (
        <Check
          label={words.picture}
          checked={draft.hasPicture}
          onChecked={(isChosen) => onDraft({ hasPicture: isChosen })}
        />
      )}
      <Field
        label={words.pageUrl}
        hint={words.pageUrlHint}
        value={draft.pageUrl}
        autocomplete="off"
        onValue={(pageUrl) => onDraft({ pageUrl })}
      />
    </>
  );
}

/** Those of a service; who logs in by the address alone has no token, who has one receiver alone names none. */
interface ServiceWords {
  readonly how: string;
  readonly address: string;
  readonly token?: string;
  readonly to?: string;
}

/** What the form calls the members of the service. */
export function serviceNames(service: Service): Readonly<Record<string, string>> {
  const { address, token = "", to = "" }: ServiceWords = alarmsWords().services[service];
  return { Url: address, Secret: token, To: to };
}
