import { useSignal } from "@preact/signals";
import { Button } from "../../control/button.js";
import { Field, PasswordField } from "../../control/field.js";
import { errorWords, sayError } from "../../control/notice.js";
import { useRead } from "../../state/reading.js";
import { requestJson } from "../../state/request.js";
import { addressOf } from "../../state/route.js";
import { directoryWords } from "../../words/directory.js";

const DIRECTORY = "/api/system/directory";

interface DirectoryState {
  readonly IsConfigured: boolean;
  readonly Url: string | null;
  readonly BaseDn: string | null;
  readonly IsEncrypted: boolean;
}

interface DirectoryTrial {
  readonly Result: "Accepted" | "NoGroup" | "Refused" | "Unavailable";
  readonly Dn: string | null;
  readonly DirectoryGroups: readonly string[];
  readonly Group: string | null;
  /** One of the words' `problems`. */
  readonly Problem: string | null;
  readonly Reason: string | null;
}

/** What users did and where they are logged in, by the types of the events that tell it. */
const AUDIT = {
  login: "dc14a285-12ea-482e-ac78-b41b42c055a5",
  loginFailed: "22488841-04b9-4d6c-a4a6-6a4d50f47567",
  changed: "2ace606d-1bba-4e74-8c3f-ad939b78fa1d",
} as const;

/** Where it is written what users did. */
export function Audit() {
  const words = directoryWords();
  return (
    <article class="card">
      <h3>{words.audit}</h3>
      <ul class="audit-links">
        {(Object.keys(AUDIT) as (keyof typeof AUDIT)[]).map((name) => (
          <li key={name}>
            <a href={addressOf("events", { type: AUDIT[name] })}>{words.audits[name]}</a>
          </li>
        ))}
        <li>
          <a href={addressOf("account")}>{words.sessions}</a>
        </li>
      </ul>
    </article>
  );
}

/** The company's directory: which one is asked, and a trial of a login. */
export function Directory() {
  const words = directoryWords();
  const state = useSignal<DirectoryState | undefined>(undefined);
  useRead(async () => {
    state.value = await requestJson<DirectoryState>(DIRECTORY);
  }, sayError);
  const known = state.value;
  return (
    <article class="card">
      <h3>{words.title}</h3>
      {known?.IsConfigured === true ? (
        <>
          <p>{words.asks(known.Url ?? "", known.BaseDn ?? "")}</p>
          {!known.IsEncrypted && <p class="fault">{words.unencrypted}</p>}
          <Trial />
        </>
      ) : (
        <p>{words.none}</p>
      )}
      <p class="hint">{words.setWhere}</p>
    </article>
  );
}

function Trial() {
  const words = directoryWords();
  const login = useSignal("");
  const password = useSignal("");
  const trial = useSignal<DirectoryTrial | undefined>(undefined);
  const told = useSignal("");
  const attempt = async (event: Event): Promise<void> => {
    event.preventDefault();
    [told.value, trial.value] = ["", undefined];
    try {
      const body = { Login: login.value.trim(), Password: password.value };
      trial.value = await requestJson<DirectoryTrial>(`${DIRECTORY}/test`, { method: "POST", body });
    } catch (error) {
      told.value = errorWords(error);
    }
  };
  const result = trial.value;
  return (
    <form class="edit-form" noValidate onSubmit={(event) => void attempt(event)}>
      <p>{words.trialWhy}</p>
      <Field
        label={words.login}
        value={login.value}
        onValue={(value) => (login.value = value)}
        autocomplete="off"
        maxLength={128}
      />
      <PasswordField
        label={words.password}
        value={password.value}
        onValue={(value) => (password.value = value)}
        autocomplete="off"
        maxLength={256}
      />
      <div role="status">
        {result !== undefined && <p>{words.results[result.Result](result.Group ?? "")}</p>}
        {result?.Problem != null && <p>{words.problems[result.Problem as keyof typeof words.problems]}</p>}
        {result?.Reason != null && (
          <p class="hint" lang="en">
            {result.Reason}
          </p>
        )}
        {result !== undefined && result.DirectoryGroups.length > 0 && (
          <p class="hint">{words.groups(result.DirectoryGroups.join("; "))}</p>
        )}
      </div>
      <p class="fault" role="alert">
        {told.value}
      </p>
      <div class="edit-buttons">
        <Button type="submit" disabled={login.value.trim() === "" || password.value === ""}>
          {words.tryIt}
        </Button>
      </div>
    </form>
  );
}
