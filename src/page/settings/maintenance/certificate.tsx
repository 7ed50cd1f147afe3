import { useSignal } from "@preact/signals";
import type { CertificateObject, CertificateState } from "../../../contract/answer/index.js";
import { Button } from "../../control/button.js";
import { Fault } from "../../control/fault.js";
import { FileButton } from "../../control/file-button.js";
import { errorWords, say, sayError } from "../../control/notice.js";
import { RemoveButton } from "../../control/remove-button.js";
import { locale } from "../../state/locale.js";
import { at } from "../../state/place.js";
import { useRead } from "../../state/reading.js";
import { timeFormat } from "../../state/time-format.js";
import { commonWords } from "../../words/common.js";
import { certificateWords } from "../../words/settings/certificate.js";
import { Acme } from "./acme.js";
import {
  AUTHORITY_FILE,
  CERTIFICATE_FILE,
  ownCertificate,
  readCertificate,
  replaceCertificate,
} from "./model.js";

/** What browsers are shown over HTTPS: what it is, how to trust it, another one in its place. */
export function Certificate() {
  const words = certificateWords();
  const state = useSignal<CertificateState | undefined>(undefined);
  const isAsked = useSignal(false);
  const read = async (): Promise<void> => {
    state.value = await readCertificate();
  };
  const takeBack = (): Promise<void> =>
    ownCertificate()
      .then(() => say(words.replaced))
      .then(read)
      .catch(sayError);
  useRead(read, sayError);
  const known = state.value;
  if (known === undefined) return <p class="quiet">{commonWords().loading}</p>;
  const { Certificate: facts, Authority, CanChange } = known;
  const installed = Authority ?? facts;
  return (
    <article class="card">
      <h3>{words.title}</h3>
      {facts === null ? (
        <p>{words.isOff}</p>
      ) : (
        <>
          <p>{installed?.IsSelfSigned === true ? words.ownWhy : words.signedWhy}</p>
          <Facts facts={{ ...facts, ...(Authority !== null && { Fingerprint: Authority.Fingerprint }) }} />
          <div class="edit-buttons">
            <a
              class="button"
              href={at(Authority === null ? CERTIFICATE_FILE : AUTHORITY_FILE)}
              download={Authority === null ? "nvrd.pem" : "nvrd.crt"}
            >
              {words.save}
            </a>
          </div>
          {CanChange ? (
            <>
              <Acme
                onChange={(isOn) => {
                  isAsked.value = isOn;
                  void read().catch(sayError);
                }}
              />
              {!isAsked.value && <Replacement onReplaced={() => void read().catch(sayError)} />}
              {!isAsked.value && Authority === null && (
                <RemoveButton words={words.own} sure={words.ownSure} onRemove={takeBack} />
              )}
            </>
          ) : (
            <p class="hint">{words.ofSettings}</p>
          )}
        </>
      )}
    </article>
  );
}

function Facts({ facts }: { readonly facts: CertificateObject }) {
  const words = certificateWords();
  const day = timeFormat(locale.value, { dateStyle: "medium" });
  const rows: readonly (readonly [string, string])[] = [
    [words.names, facts.Names.length === 0 ? facts.Subject : [...new Set(facts.Names)].join(", ")],
    [
      words.issuer,
      facts.IsSelfSigned ? words.itself : (/CN=([^,]+)/.exec(facts.Issuer)?.[1] ?? facts.Issuer),
    ],
    [words.validTo, day.format(Date.parse(facts.ValidTo))],
    [words.fingerprint, facts.Fingerprint],
  ];
  return (
    <dl class="figures-list">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Replacement({ onReplaced }: { readonly onReplaced: () => void }) {
  const words = certificateWords();
  const certificate = useSignal<File | undefined>(undefined);
  const key = useSignal<File | undefined>(undefined);
  const fault = useSignal("");
  const replace = async (): Promise<void> => {
    const [chosen, itsKey] = [certificate.value, key.value];
    if (chosen === undefined || itsKey === undefined) return;
    fault.value = "";
    try {
      await replaceCertificate(await chosen.text(), await itsKey.text());
      [certificate.value, key.value] = [undefined, undefined];
      say(words.replaced);
      onReplaced();
    } catch (error) {
      fault.value = errorWords(error);
    }
  };
  return (
    <details>
      <summary>{words.another}</summary>
      <div class="edit-form">
        <p class="hint">{words.anotherHint}</p>
        <div class="edit-buttons">
          <FileButton
            label={words.chosen(words.certificateFile, certificate.value?.name)}
            accept=".pem,.crt,.cer"
            onFile={(file) => (certificate.value = file)}
          />
          <FileButton
            label={words.chosen(words.keyFile, key.value?.name)}
            accept=".pem,.key"
            onFile={(file) => (key.value = file)}
          />
        </div>
        <Fault text={fault.value} />
        <div class="edit-buttons">
          <Button
            kind="main"
            disabled={certificate.value === undefined || key.value === undefined}
            onClick={() => void replace()}
          >
            {words.replace}
          </Button>
        </div>
      </div>
    </details>
  );
}
