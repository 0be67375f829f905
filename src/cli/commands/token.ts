/** `rouse token`: tokens for the daemon's port, and their rights. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { makePrivateFolder, rousePaths } from "../../config/paths.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { NAME_PATTERN } from "../../daemon/http/name-pattern.js";
import {
  createToken,
  listTokens,
  type Right,
  revokeToken,
  TokenError,
  type TokenRecord,
} from "../../daemon/http/tokens.js";
import { BadInput } from "../../replay/bad-input.js";
import { collectNames, parseInbox } from "../arguments.js";
import { permitted } from "../permit.js";
import { warnOfClosedPort } from "../port.js";
import { collectRights } from "../rights.js";
import { localTime } from "../text/incident.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf } from "../text/width.js";

export function addToken(program: Command, _setExit: (code: number) => void): void {
  const token = program
    .command("token")
    .summary("Create, list and revoke tokens for the HTTP API")
    .description(
      "Manage tokens for the HTTP API. Every API request to the daemon's port needs one. Rights: read (states, reasons, terminals, messages), report\n" +
        "(reports of the agents that the token names, messages), report_any (reports of any agent, telemetry), control\n" +
        "(start agents, type into them, recover and stop them, manage tasks) and admin (permissions, silences, alerts, watch rules).",
    );
  token
    .command("create")
    .summary("Create a token and print it once")
    .argument("<name>", "name of the client, such as my-orchestrator")
    .option(
      "--right <right...>",
      "read, report, report_any, control or admin, separated by commas or repeated (default: read)",
      collectRights,
    )
    .option("--agent <name>", "an agent that it may report about; repeatable", collectNames)
    .option(
      "--agent-pattern <pattern>",
      "agents that rouse cannot see, such as 'lab-*': created by their first report (default right: report)",
      parseAgentPattern,
    )
    .option("--inbox <tag>", "an inbox whose messages it may acknowledge; repeatable", collectInbox)
    .option("--json", "print JSON")
    .action(async (name, { right: rights, agent: agents = [], agentPattern: pattern, inbox: inboxes = [], json }) => {
      const paths = rousePaths();
      const right: Right[] = rights ?? [pattern === undefined ? "read" : "report"];
      const text = ["create", name, ...right, ...agents, ...(pattern === undefined ? [] : [pattern]), ...inboxes].join(
        " ",
      );
      const made = await permitted("local_token", { text }, [paths.tokens], () =>
        orBadInput(() => {
          makePrivateFolder(paths.state);
          return createToken(paths.tokens, name, right, Date.now(), { agents, inboxes, pattern });
        }),
      );
      if (json)
        process.stdout.write(
          `${sanitizedJson({ name, rights: right, agents, pattern: pattern ?? null, inboxes, token: made })}\n`,
        );
      else {
        process.stdout.write(`${made}\n`);
        process.stderr.write(
          `rouse: Copy this token now; it will not be shown again. Rights: ${right.join(", ")}. Send it as: Authorization: Bearer TOKEN\n`,
        );
      }
      await warnOfClosedPort();
    });
  token
    .command("list")
    .summary("List the tokens and their rights")
    .option("--json", "print JSON")
    .action(({ json }) => {
      const tokens = orBadInput(() => listTokens(rousePaths().tokens));
      if (json) {
        const shown = tokens.map(({ digest: _secret, ...rest }) => rest);
        process.stdout.write(`${sanitizedJson({ tokens: shown })}\n`);
      } else if (tokens.length === 0)
        process.stdout.write("No tokens. Create one with `rouse token create NAME --right read,report`.\n");
      else process.stdout.write(tokensText(tokens, process.stdout));
    });
  token
    .command("revoke")
    .summary("Revoke a token")
    .argument("<name>", "name of the token")
    .action(async (name) => {
      const { tokens } = rousePaths();
      await permitted("local_token", { text: `revoke ${name}` }, [tokens], () => {
        if (!orBadInput(() => revokeToken(tokens, name)))
          throw new BadInput(`no token named ${JSON.stringify(sanitize(name, 80))}; see \`rouse token list\``);
      });
      process.stdout.write(`Revoked ${name}.\n`);
    });
}

export function tokensText(
  tokens: readonly TokenRecord[],
  screen: { columns?: number },
  now: number = Date.now(),
): string {
  const columns: Column<TokenRecord>[] = [
    { title: "NAME", text: ({ name }) => name, min: 8 },
    { title: "RIGHTS", text: ({ rights }) => rights.join(" ") },
    ...scopeColumn("AGENTS", tokens, ({ agents, pattern }) => [...agents, ...(pattern === undefined ? [] : [pattern])]),
    ...scopeColumn("INBOXES", tokens, ({ inboxes }) => inboxes),
    { title: "CREATED", text: ({ created_at }) => localTime(created_at, now) },
    ...(tokens.some(({ expires_at }) => expires_at !== undefined)
      ? [
          {
            title: "EXPIRES",
            text: ({ expires_at }: TokenRecord) => (expires_at ? localTime(expires_at, now) : "never"),
          },
        ]
      : []),
  ];
  return tableText(columns, tokens, columnsOf(screen));
}

/** Only if a token has any. */
const scopeColumn = (
  title: string,
  tokens: readonly TokenRecord[],
  scope: (token: TokenRecord) => readonly string[],
): Column<TokenRecord>[] =>
  tokens.some((token) => scope(token).length > 0) ? [{ title, text: (token) => scope(token).join(" "), min: 8 }] : [];

const collectInbox = (value: string, before: string[] = []): string[] => [...before, parseInbox(value)];

function parseAgentPattern(value: string): string {
  if (NAME_PATTERN.test(value)) return value;
  throw new InvalidArgumentError(
    "A pattern is a name in which * stands for any characters, such as lab-*. It starts with a letter or a digit.",
  );
}

function orBadInput<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TokenError) throw new BadInput(error.message);
    throw error;
  }
}
