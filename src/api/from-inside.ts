/**
 * What a client inside of a watched agent may do with an operation. `itself`: about its own agent. `orchestrators`: only an
 * agent that has the right control and is no worker. `workers`: the same, to agents with a worker tag, and never to itself.
 * Anything else is for the user, in another terminal.
 */
export type FromInside = "allowed" | "itself" | "orchestrators" | "workers" | "itself or workers" | "refused";
