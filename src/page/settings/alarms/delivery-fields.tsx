import { MAIL_PORTS, SYSLOG_PORTS } from "../../../contract/index.js";
import { Choice, Field, PasswordField } from "../../control/field.js";
import { alarmsWords } from "../../words/alarms.js";
import type { Draft } from "./draft.js";
import { SECURITIES, TRANSPORTS } from "./model.js";

export interface DeliveryFieldsProps {
  readonly draft: Draft;
  /** It has no password or secret yet. */
  readonly isNew: boolean;
  readonly onDraft: (part: Partial<Draft>) => void;
}

/** Where messages go, and how. */
export function DeliveryFields(props: DeliveryFieldsProps) {
  switch (props.draft.way) {
    case "Mail":
      return <MailFields {...props} />;
    case "Syslog":
      return <SyslogFields {...props} />;
    default:
      return <WebhookFields {...props} />;
  }
}

function MailFields({ draft, isNew, onDraft }: DeliveryFieldsProps) {
  const words = alarmsWords();
  return (
    <>
      <Field
        label={words.recipients}
        hint={words.recipientsHint}
        value={draft.recipients}
        autocomplete="off"
        onValue={(recipients) => onDraft({ recipients })}
      />
      <Field
        label={words.sender}
        hint={words.senderHint}
        value={draft.sender}
        autocomplete="off"
        onValue={(sender) => onDraft({ sender })}
      />
      <Field
        label={words.mailHost}
        hint={words.mailHostHint}
        value={draft.host}
        autocomplete="off"
        onValue={(host) => onDraft({ host })}
      />
      <Choice
        label={words.security}
        value={draft.security}
        options={SECURITIES.map((name) => [name, words.securities[name]] as const)}
        onValue={(security) => onDraft({ security, port: String(MAIL_PORTS[security]) })}
      />
      <Field
        label={words.port}
        hint={words.portHint(String(MAIL_PORTS[draft.security]))}
        value={draft.port}
        onValue={(port) => onDraft({ port })}
      />
      <Field
        label={words.login}
        hint={words.loginHint}
        value={draft.login}
        autocomplete="off"
        onValue={(login) => onDraft({ login })}
      />
      <PasswordField
        label={words.password}
        {...(isNew ? {} : { hint: words.unchanged })}
        value={draft.password}
        autocomplete="new-password"
        onValue={(password) => onDraft({ password })}
      />
    </>
  );
}

function WebhookFields({ draft, isNew, onDraft }: DeliveryFieldsProps) {
  const words = alarmsWords();
  return (
    <>
      <Field
        label={words.url}
        hint={words.urlHint}
        value={draft.url}
        autocomplete="off"
        onValue={(url) => onDraft({ url })}
      />
      <PasswordField
        label={words.secret}
        hint={isNew ? words.secretHint : words.unchanged}
        value={draft.secret}
        autocomplete="new-password"
        onValue={(secret) => onDraft({ secret })}
      />
    </>
  );
}

function SyslogFields({ draft, onDraft }: DeliveryFieldsProps) {
  const words = alarmsWords();
  return (
    <>
      <Field
        label={words.syslogHost}
        value={draft.host}
        autocomplete="off"
        onValue={(host) => onDraft({ host })}
      />
      <Choice
        label={words.transport}
        value={draft.transport}
        options={TRANSPORTS.map((name) => [name, words.transports[name]] as const)}
        onValue={(transport) => onDraft({ transport, port: String(SYSLOG_PORTS[transport]) })}
      />
      <Field
        label={words.port}
        hint={words.portHint(String(SYSLOG_PORTS[draft.transport]))}
        value={draft.port}
        onValue={(port) => onDraft({ port })}
      />
    </>
  );
}
