/** Rights on the command line. Apart from the other arguments: the list of rights loads the schema of tokens. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { RIGHTS, type Right } from "../daemon/http/tokens.js";

export function collectRights(word: string, before: Right[] | undefined): Right[] {
  const words = word.split(",").filter(Boolean);
  for (const each of words.length > 0 ? words : [word])
    if (!(RIGHTS as readonly string[]).includes(each))
      throw new InvalidArgumentError(`The rights are ${RIGHTS.join(", ")}.`);
  return [...new Set([...(before ?? []), ...(words as Right[])])];
}
