import { describe, expect, it } from "vitest";
import { configuredAccount } from "./accounts.js";

const ACCOUNTS = {
  agents: ["web=team", "a=b = c", " docs = own ", "none=", "=x", "word"],
  tags: ["night=private", "day=team"],
};
const of = (name: string, ...tags: string[]): string | null => configuredAccount(ACCOUNTS, { name, tags });

describe("an account that a person named", () => {
  it("is that of the agent, else that of a tag of it, else none", () => {
    expect([of("web"), of("web", "night"), of("other", "night"), of("other", "x", "day"), of("other")]).toEqual([
      "team",
      "team",
      "private",
      "team",
      null,
    ]);
  });

  it("may hold spaces and signs, and an entry that names none says nothing", () => {
    expect([of("docs"), of("a"), of("none"), of(""), of("word")]).toEqual(["own", "b = c", null, null, null]);
  });
});
