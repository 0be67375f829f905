import { render } from "preact";
import { useState } from "preact/hooks";
import { post } from "./api.js";
import { startFleet } from "./fleet-store.js";
import { isHelpOpen, KEYS, startKeys } from "./keys.js";
import { hashOf, route, type ScreenName, startRouter } from "./route.js";
import { AgentScreen } from "./screens/agent.js";
import { Fleet, startIncidents } from "./screens/fleet.js";
import { Incidents } from "./screens/incidents.js";
import { Night } from "./screens/night.js";
import { Work } from "./screens/work.js";
import { endSession, session, signInNote, signInWith, startSession } from "./session.js";
import { startStream, streamState } from "./stream.js";
import "./style.css";
import { nextTheme, startTheme, theme } from "./theme.js";
import { startClock } from "./time.js";

const NAV: readonly (readonly [ScreenName, string])[] = [
  ["fleet", "Fleet"],
  ["incidents", "Incidents"],
  ["work", "Work"],
  ["night", "Night"],
];

const STREAM_TEXT = { live: "● live", connecting: "… connecting", down: "× no connection, trying again" } as const;

function App() {
  if (!session.value) return <SignIn />;
  const { screen, name } = route.value;
  return (
    <>
      <header class="top noprint">
        <a class="brand" href={hashOf("fleet")}>
          rouse
        </a>
        <nav aria-label="Screens">
          {NAV.map(([to, label]) => (
            <a key={to} href={hashOf(to)} aria-current={to === screen ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <span class="grow" />
        <span class={`stream ${streamState.value}`} role="status">
          {STREAM_TEXT[streamState.value]}
        </span>
        <button type="button" onClick={nextTheme} aria-label={`Theme: ${theme.value}`} title={`Theme: ${theme.value}`}>
          {{ auto: "◐", dark: "●", light: "○" }[theme.value]}
        </button>
        <button type="button" aria-label="Help" title="Keys" onClick={() => (isHelpOpen.value = !isHelpOpen.value)}>
          ?
        </button>
        <SignOut />
      </header>
      {screen === "fleet" ? <Fleet /> : null}
      {screen === "agent" ? <AgentScreen key={name} name={name} /> : null}
      {screen === "incidents" ? <Incidents /> : null}
      {screen === "work" ? <Work /> : null}
      {screen === "night" ? <Night /> : null}
      {isHelpOpen.value ? <Help /> : null}
    </>
  );
}

function SignOut() {
  const { name = "", rights = [] } = session.value ?? {};
  return (
    <button
      type="button"
      title={`Signed in as ${name} (${rights.join(", ")})`}
      onClick={() =>
        void post("/v1/web/sign-out")
          .catch(() => {})
          .then(() => endSession("Signed out."))
      }
    >
      Sign out
    </button>
  );
}

function SignIn() {
  const [token, setToken] = useState("");
  const [error, setError] = useState("");
  return (
    <main class="signin">
      <h1>rouse</h1>
      {signInNote.value === "" ? null : (
        <p class="bad" role="alert">
          {signInNote.value}
        </p>
      )}
      <p>
        Run <code>rouse web</code> in a terminal: it opens this page signed in.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signInWith(token.trim()).then((refusal) => setError(refusal ?? ""));
        }}
      >
        <label>
          Or use a token from <code>rouse token create</code>
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button type="submit">Sign in</button>
      </form>
      {error === "" ? null : (
        <p class="bad" role="alert">
          × {error}
        </p>
      )}
    </main>
  );
}

function Help() {
  return (
    <div class="help" role="dialog" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (isHelpOpen.value = false)}>
        Close
      </button>
    </div>
  );
}

startTheme();
await startSession();
startRouter();
startClock();
startKeys();
startStream();
startFleet();
startIncidents();
const place = document.getElementById("app");
if (place) render(<App />, place);
