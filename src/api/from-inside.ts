/**
 * What a client inside of a watched agent may do with an operation. `itself`: about its own agent. `workers`: to agents with a
 * worker tag, with the right control, and never to itself. Anything else is for the user, in another terminal.
 */
export type FromInside = "allowed" | "itself" | "workers" | "itself or workers" | "refused";
