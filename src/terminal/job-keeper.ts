/**
 * Lets an agent under `rouse run` stop itself, as vim, less and Codex do on Ctrl-Z (`kill(0, SIGTSTP)`).
 *
 * The kernel drops that stop if the group is "orphaned": no member has a parent in another group of the same session.
 * That is always so for a program in a new terminal. No outside process can join its session, and Node.js cannot change
 * groups, so Perl, which nearly every Linux has, starts the agent: it leaves behind two sleeping processes (a member of
 * the agent's group, and its parent in a group of its own) and becomes the agent by `exec`. The agent keeps its pid,
 * its parent and its terminal; the two end by the hang-up that ends the session. Without Perl, a program that leaves
 * Ctrl-Z to the system can still be suspended, and one that stops itself continues.
 */
import { existsSync, readFileSync } from "node:fs";
import { KEEPER } from "../sensors/process/process-table.js";

const PERL = ["/usr/bin/perl", "/bin/perl", "/usr/local/bin/perl"];
/** The pipe closes when both processes are set up: the agent must not run before. The sleep only bounds a missed hang-up. */
const SCRIPT = `
delete $ENV{PERL_BADLANG};
my $agent = $$;
pipe(my $ready, my $hold);
my $first = fork;
if (defined $first && $first == 0) {
  $0 = "${KEEPER}";
  $SIG{$_} = "IGNORE" for qw(INT QUIT TSTP TTIN TTOU USR1 USR2);
  open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
  exit 0 if fork;
  my $member = fork;
  exit 0 unless defined $member;
  if ($member == 0) {
    close $hold;
    sleep 60 while kill(0, $agent);
    exit 0;
  }
  setpgrp(0, 0);
  close $hold;
  waitpid($member, 0);
  exit 0;
}
close $hold;
waitpid($first, 0) if defined $first;
sysread($ready, my $nothing, 1);
close $ready;
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\\n";
exit 126;
`;

interface Program {
  command: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Null without Perl, or if the user's own Perl options could print or do anything here. */
export const findPerl = (env: Readonly<Record<string, string | undefined>>): string | null =>
  env.PERL5OPT || env.PERL_BADLANG ? null : (PERL.find((path) => existsSync(path)) ?? null);

/** Wraps the command so that it can stop itself; unchanged if no shell would take over the terminal. */
export function stoppableCommand({ command, env }: Program): Program & { isKept: boolean } {
  const perl = findPerl(env);
  if (process.platform !== "linux" || perl === null) return { command, env, isKept: false };
  if (!isUnderShell(process.pid)) return { command, env, isKept: false };
  // PERL_BADLANG suppresses Perl's warnings about unknown locales.
  return {
    command: [perl, "-f", "-e", SCRIPT, "--", ...command],
    env: { ...env, PERL_BADLANG: "0" },
    isKept: true,
  };
}

/** A shell takes over the terminal when this job stops: an ancestor is in another group of the same session. */
function isUnderShell(pid: number): boolean {
  const own = keeperPathOf(pid);
  for (let at = own, steps = 0; own && at && steps < 64; steps++) {
    const parent = keeperPathOf(at.parent);
    if (parent === null || parent.session !== own.session) return false;
    if (parent.group !== own.group) return true;
    at = parent;
  }
  return false;
}

function keeperPathOf(pid: number): { parent: number; group: number; session: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [parent = 0, group = 0, session = 0] = text
      .slice(text.lastIndexOf(")") + 4)
      .split(" ")
      .map(Number);
    return { parent, group, session };
  } catch {
    return null;
  }
}
