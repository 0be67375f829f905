/** `rouse token`: who may speak to the daemon's port, and what for. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { makePrivateFolder, rousePaths } from "../../config/paths.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import {
  createToken,
  listTokens,
  RIGHTS,
  type Right,
  revokeToken,
  TokenError,
  type TokenRecord,
} from "../../daemon/http/tokens.js";
import { BadInput } from "../../replay/bad-input.js";
import { localTime } from "../text/incident.js";
import { type Column, tableText } from "../text/table.js";
import { columnsOf } from "../text/width.js";

export function addToken(program: Command, _setExit: (code: number) => void): void {
  const token = program
    .command("token")
    .summary("tokens for the HTTP API, and what each may do")
    .description(
      "Every request to the daemon's port needs a token. Its rights: read (states, reasons, terminals, messages), report\n" +
        "(what agents say of themselves, messages), touch (start agents, type into them, recover and end them) and admin\n" +
        "(permissions, silences, alerts, what is watched).",
    );
  token
    .command("create")
    .summary("make a token; it is shown once")
    .argument("<name>", "whom it is for, such as my-orchestrator")
    .option("--right <right...>", "read, report, control or admin", addRight)
    .option("--json", "for programs")
    .action((name, { right = ["read"], json }) => {
      const paths = rousePaths();
      const made = orBadInput(() => {
        makePrivateFolder(paths.state);
        return createToken(paths.tokens, name, right, Date.now());
      });
      if (json) process.stdout.write(`${sanitizedJson({ name, rights: right, token: made })}\n`);
      else {
        process.stdout.write(`${made}\n`);
        process.stderr.write(
          `rouse: this is shown once; ${name} may ${right.join(" and ")}. Use it as: Authorization: Bearer TOKEN\n`,
        );
      }
    });
  token
    .command("list")
    .summary("the tokens that there are, without their text")
    .option("--json", "for programs")
    .action(({ json }) => {
      const tokens = orBadInput(() => listTokens(rousePaths().tokens));
      if (json) {
        const shown = tokens.map(({ digest: _secret, ...rest }) => rest);
        process.stdout.write(`${sanitizedJson({ tokens: shown })}\n`);
      } else if (tokens.length === 0)
        process.stdout.write("there is no token; make one with: rouse token create NAME\n");
      else process.stdout.write(tokensText(tokens, process.stdout));
    });
  token
    .command("revoke")
    .summary("take a token back; it opens nothing from now on")
    .argument("<name>", "the token")
    .action((name) => {
      if (!orBadInput(() => revokeToken(rousePaths().tokens, name)))
        throw new BadInput(`there is no token called ${sanitize(name, 80)}; rouse token list shows them`);
      process.stdout.write(`${name} opens nothing any more\n`);
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
    { title: "MADE", text: ({ created_at }) => localTime(created_at, now) },
  ];
  return tableText(columns, tokens, columnsOf(screen));
}

function addRight(word: string, before: Right[] | undefined): Right[] {
  const words = word.split(",").filter(Boolean);
  for (const each of words.length > 0 ? words : [word])
    if (!(RIGHTS as readonly string[]).includes(each))
      throw new InvalidArgumentError(`The rights are ${RIGHTS.join(", ")}.`);
  return [...new Set([...(before ?? []), ...(words as Right[])])];
}

function orBadInput<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TokenError) throw new BadInput(error.message);
    throw error;
  }
}
