/** Agents of other nodes are NAME@NODE: a name that was given to an agent has no such sign. */
export const isFleetName = (name: string): boolean => /^.+@[a-z0-9][a-z0-9_-]{0,39}$/.test(name);
