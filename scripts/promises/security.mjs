/** Breaks of the promises about security and identity: see breaks.mjs. */
export const SECURITY = {
  "Control characters never leave rouse; secrets in known formats are masked": [
    {
      test: "src/core/text/sanitize.test.ts",
      file: "src/core/text/sanitize.ts",
      from: "\\u061c",
      to: "",
    },
    {
      test: "src/core/text/redact.test.ts",
      file: "src/core/text/redact.ts",
      from: "return mask(text, secretSpans(text));",
      to: "return text;",
    },
    {
      test: "test/hostile/notice-exit.test.ts",
      file: "src/core/text/redact.ts",
      from: "return mask(text, secretSpans(text));",
      to: "return text;",
    },
  ],
  "An agent reports only about itself, whatever it claims; only the owner of an inbox acknowledges; no client sends in rouse's name or takes its keys":
    [
      {
        test: "src/daemon/intake/callers.test.ts",
        file: "src/daemon/intake/callers.ts",
        from: "(pid === undefined ? null : enclosing(pid, sessions, OUTSIDE))?.id ?? claimed;",
        to: "claimed ?? (pid === undefined ? null : enclosing(pid, sessions, OUTSIDE))?.id;",
      },
      {
        test: "src/api/socket.test.ts",
        file: "src/api/service/messages.ts",
        from: "    checkOwner(identity, receiver, this.#receiver(undefined));\n",
        to: "",
      },
      {
        test: "src/store/messages.test.ts",
        file: "src/store/messages.ts",
        from: "const key = clientKey(sender, message.key);",
        to: "const { key } = message;",
      },
      {
        test: "src/store/messages.test.ts",
        file: "src/store/messages.ts",
        from: 'if (sender === ROUSE) throw new RangeError("no client sends in rouse\'s name");',
        to: "",
      },
      {
        test: "src/sensors/process/peer.test.ts",
        file: "src/sensors/process/peer.ts",
        from: 'error.code === "ENOENT" ? "no ss" : "failed"',
        to: '"no ss"',
      },
      {
        test: "src/sensors/process/peer.test.ts",
        file: "src/sensors/process/peer.ts",
        from: 'return list.failure === "no ss" ? null : "unknown";',
        to: "return null;",
      },
      {
        test: "src/api/spool-reader.test.ts",
        file: "src/api/spool-reader.ts",
        from: "return around?.id ?? session;",
        to: "return session;",
      },
      {
        test: "src/core/reserved.test.ts",
        file: "src/core/reserved.ts",
        from: "/^(worker|watchdog)\\./",
        to: "/^worker\\./",
      },
    ],
  "An agent cannot change permissions, silences or settings, end or type into agents, or answer a dialog through rouse; an orchestrator controls its workers only":
    [
      {
        test: "src/api/socket.test.ts",
        file: "src/api/operations/index.ts",
        from: "  services.access.checkInside({ operation: name, fromInside, input: parsed.data ?? {} }, identity);\n",
        to: "",
      },
      {
        test: "src/api/service/access.test.ts",
        file: "src/api/service/access.ts",
        from: "  if (target === null || isWorker(target, own)) return null;\n",
        to: "  return null;\n",
      },
      {
        test: "src/api/service/access.test.ts",
        file: "src/api/service/access.ts",
        from: "const around = inside === null ? [] : [inside, ...outer];",
        to: "const around = inside === null ? [] : [inside];",
      },
      {
        test: "src/api/service/start-for-task.test.ts",
        file: "src/api/service/start-for-task.ts",
        from: 'insideObjection("workers", client, session, ownRights())',
        to: "null",
      },
      {
        test: "src/terminal/key-clients.test.ts",
        file: "src/terminal/viewers.ts",
        from: "if (refusal === null) return press();",
        to: "if (refusal === null || refusal) return press();",
      },
      {
        test: "src/terminal/key-clients.test.ts",
        file: "src/terminal/key-clients.ts",
        from: "const sessions = [own, ...listSessions(paths).filter(({ isAlive }) => isAlive)];",
        to: "const sessions = [own];",
      },
    ],
  "Every change of permissions, silences, policies and tokens, every typed text and every ended process is recorded before it happens, with its author":
    [
      {
        test: "src/api/socket.test.ts",
        file: "src/api/operations/operation.ts",
        from: 'row.right === "control" || row.right === "admin" ? "required" : "none"',
        to: '"none"',
      },
      {
        test: "src/daemon/acting.test.ts",
        file: "src/daemon/notice-store.ts",
        from: 'effect.kind === "run" && isAudited(effect)',
        to: 'effect.kind === "run" && effect === null',
      },
      {
        test: "src/api/service/start-for-task.test.ts",
        file: "src/api/service/start-for-task.ts",
        from: "    orders.finish(line, stopped.result, stopped.reason);\n",
        to: "",
      },
      {
        test: "src/daemon/audited-files.test.ts",
        file: "src/daemon/audited-files.ts",
        from: "    if (changes.length === 0) return;\n    const done",
        to: "    if (changes.length >= 0) return;\n    const done",
      },
    ],
  "A missing or altered line of the audit trail is noticed, as are a cut end and a restored older journal": [
    {
      test: "src/store/audit-table.test.ts",
      file: "src/store/audit-chain.ts",
      from: "if (line.id > expected)",
      to: "if (line.id < 0)",
    },
    {
      test: "src/store/audit-table.test.ts",
      file: "src/store/audit-chain.ts",
      from: "if (head !== null && head.id > last)",
      to: "if (head !== null && head.id < 0)",
    },
  ],
  "No client of the port keeps others out, with half-open connections or with event streams; hooks have a budget of their own":
    [
      {
        test: "src/daemon/http/server.test.ts",
        file: "src/daemon/http/connections.ts",
        from: "if (count >= max)",
        to: "if (count < 0)",
      },
      {
        test: "src/daemon/http/connections.test.ts",
        file: "src/daemon/http/connections.ts",
        from: "if (ofPeer > WAITING_PER_PEER_MAX)",
        to: "if (ofPeer < 0)",
      },
      {
        test: "src/api/events.test.ts",
        file: "src/api/events.ts",
        from: "own >= LISTENERS_PER_OWNER_MAX",
        to: "own < 0",
      },
    ],
  "A project file can only make rules stricter": [
    {
      test: "src/config/load.test.ts",
      file: "src/config/key.ts",
      from: "return Number(wanted) <= Number(current) ? null",
      to: "return Number.isFinite(Number(wanted)) ? null",
    },
    {
      test: "src/config/keys.test.ts",
      file: "src/config/keys.ts",
      from: 'alert_channel: textKey(\n      "ops",\n      "never",',
      to: 'alert_channel: textKey(\n      "ops",\n      "add",',
    },
  ],
  "A file of another user, a link or a file outside of its folder is never read": [
    {
      test: "src/sensors/transcript/safe-open.test.ts",
      file: "src/sensors/transcript/safe-open.ts",
      from: 'if (process.getuid && stats.uid !== process.getuid()) return "not ours";',
      to: "",
    },
    {
      test: "src/sensors/transcript/safe-open.test.ts",
      file: "src/sensors/transcript/safe-open.ts",
      from: 'if (named.nlink > 1) return "several names";',
      to: "",
    },
    {
      test: "src/sensors/transcript/safe-open.test.ts",
      file: "src/sensors/transcript/safe-open.ts",
      from: 'if (!isInside(real, root)) return "outside";',
      to: "",
    },
  ],
  "What an agent prints costs a bounded amount of CPU and memory": [
    {
      test: "src/readers/terminal/bounded-terminal.test.ts",
      file: "src/readers/terminal/emulator-guard.ts",
      from: "if ((params[0] as number) > limit) params[0] = limit;",
      to: "",
      // The emulator would be busy for hours.
      timeoutMs: 3 * 60_000,
    },
    {
      test: "src/readers/terminal/bounded-terminal.test.ts",
      file: "src/readers/terminal/emulator-guard.ts",
      from: "if (ns > this.#work) return false;",
      to: "",
    },
  ],
  "Signals that are removed are overwritten in the file": [
    {
      test: "src/store/journal.test.ts",
      file: "src/store/journal-file.ts",
      from: "pragma secure_delete = on",
      to: "pragma secure_delete = off",
    },
  ],
  "Text of an agent is never markup, link or style in the dashboard, and no sequence of its terminal reaches the browser":
    [
      {
        file: "src/api/terminals/screen-frames.ts",
        from: 'sanitizeLine(cell.getChars()).replaceAll(" ", "")',
        to: "cell.getChars()",
        test: "src/api/terminals/screen-frames.test.ts",
      },
      {
        file: "src/api/terminals/screen-frames.ts",
        from: "const masked = redact(text);",
        to: "const masked = text; void redact;",
        test: "src/api/terminals/screen-frames.test.ts",
      },
    ],
  "A login link of the dashboard works once, for a minute; no token stays in an address": [
    {
      file: "src/daemon/http/web-logins.ts",
      from: "    const found = this.#codes.get(digest);\n    this.#codes.delete(digest);",
      to: "    const found = this.#codes.get(digest);",
      test: "src/daemon/http/web-logins.test.ts",
    },
    {
      file: "src/daemon/http/web-logins.ts",
      from: "if (!found || found.expiresAt <= now) return null;",
      to: "if (!found) return null;",
      test: "src/daemon/http/web-logins.test.ts",
    },
  ],
  "No agent can break a frame of `rouse top`, and the terminal is restored when the daemon or `top` is killed": [
    {
      test: "src/cli/top/frame.test.ts",
      file: "src/cli/top/frame.ts",
      from: "shown.map((line) => cut(line, width))",
      to: "shown.map((line) => line)",
    },
  ],
  "A model gets no secret in a known format, and no line of an agent outside of the fence": [
    {
      test: "src/diagnosis/injection.test.ts",
      file: "src/diagnosis/context.ts",
      from: "const safe = sanitizeLine(redact(line.slice(0, LINE_MAX * 20)));",
      to: "const safe = line.slice(0, LINE_MAX * 20);",
    },
    {
      test: "src/diagnosis/context.test.ts",
      file: "src/diagnosis/context.ts",
      from: "KEY_END.test(line)",
      to: "line === KEY_END.source",
    },
  ],
  "A diagnosis runs without tools, hooks, keys of the user or a shell, and nothing of it is left at its time limit": [
    {
      test: "src/diagnosis/runners/sandbox.test.ts",
      file: "src/diagnosis/runners/sandbox.ts",
      from: '["--tmpfs", path]',
      to: '["--ro-bind", path, path]',
    },
    {
      test: "src/diagnosis/runners/runners.test.ts",
      file: "src/diagnosis/child.ts",
      from: '["SIGKILL", PROOF_MS],',
      to: "",
    },
    {
      test: "src/diagnosis/runners/runners.test.ts",
      file: "src/diagnosis/runners/claude.ts",
      from: "if (missing.length > 0)",
      to: "if (missing.length > REQUIRED.length)",
    },
  ],
  "A public host serves checkpoints and reports only; a token with a pattern creates and reports about agents of its own with matching names, at most 1,000":
    [
      {
        test: "src/daemon/http/public-hosts.test.ts",
        file: "src/daemon/http/public-hosts.ts",
        from: 'if (method !== "POST" || !PUBLIC_ROUTES.includes(path))',
        to: 'if (method !== "POST")',
      },
      {
        test: "src/daemon/http/public-hosts.test.ts",
        file: "src/daemon/http/public-hosts.ts",
        from: 'right === "report"',
        to: 'right !== "hook"',
      },
      {
        test: "src/api/service/unseen-agents.test.ts",
        file: "src/api/service/unseen-agents.ts",
        from: "if (known.some(({ session }) => !isOfToken(session, token)))",
        to: 'if (known.some(({ session }) => session.origin !== "report"))',
      },
      {
        test: "src/api/service/unseen-agents.test.ts",
        file: "src/api/service/unseen-agents.ts",
        from: "if (own.length >= AGENTS_PER_TOKEN)",
        to: "if (own.length > AGENTS_PER_TOKEN)",
      },
      {
        test: "src/daemon/http/name-pattern.test.ts",
        file: "src/daemon/http/name-pattern.ts",
        from: "if (!isName(name)) return false;",
        to: "",
      },
    ],
};
