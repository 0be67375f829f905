/**
 * Behaviour of well-known programs, as data: which never end by themselves, which read the terminal, which test or
 * build. The first rule with a matching program and arguments decides; `not` excludes a match.
 */
import type { ToolClass } from "../../core/signal.js";

interface CommandRule {
  class: ToolClass;
  heads: readonly string[];
  /** Must match the arguments, joined by spaces; absent means any. */
  args?: RegExp;
  not?: RegExp;
  /** Only without input from a pipe, a file or a here-document. */
  unfed?: true;
}

const words = (text: string): string[] => text.trim().split(/\s+/);

const PACKAGE_MANAGERS = words("npm pnpm yarn bun npm.cmd");
const DETACHED = /(?:^| )(?:-d|--detach|--wait|--abort-on-container-exit|--no-start)(?: |$)/;

const COMMAND_RULES: readonly CommandRule[] = [
  // Endless: followers and watchers.
  { class: "endless", heads: ["tail"], args: /(?:^| )(?:-\d*[a-zA-Z]*[fF][\w]*|--follow\S*|--retry)(?: |$)/ },
  { class: "endless", heads: ["sleep"], args: /^inf/ },
  {
    class: "endless",
    heads: words(
      "watch watchexec nodemon ts-node-dev entr fswatch live-server http-server serve json-server air ngrok webpack-dev-server gunicorn uvicorn hypercorn daphne waitress-serve rackup puma unicorn sidekiq llama-server browser-sync",
    ),
    not: /--version|--help/,
  },
  { class: "endless", heads: ["journalctl", "dmesg"], args: /(?:^| )(?:-\w*[fw]|--follow\S*)(?: |$)/ },
  {
    class: "endless",
    heads: ["kubectl", "oc"],
    args: /^(?:logs\b.* (?:-f|--follow)\b|port-forward|proxy|get\b.* (?:-w|--watch)\b)/,
  },
  {
    class: "endless",
    heads: ["docker", "podman", "docker-compose", "podman-compose"],
    args: /(?:^|^compose |^(?:compose )?-.{0,200} )up(?: |$)/,
    not: DETACHED,
  },
  {
    class: "endless",
    heads: ["docker", "podman", "docker-compose"],
    args: /\blogs\b.* (?:-f|--follow)\b|^(?:events|attach)\b|^stats\b/,
    not: /--no-stream/,
  },
  { class: "endless", heads: words("ping ping6"), not: /(?:^| )(?:-[a-z]*[cnw]|--count\S*)/ },
  { class: "endless", heads: ["tcpdump"], not: /(?:^| )-\w*[cr]/ },
  { class: "endless", heads: ["nc", "ncat", "netcat"], args: /(?:^| )-\w*l/ },
  { class: "endless", heads: ["inotifywait"], args: /(?:^| )(?:-\w*m|--monitor)/ },
  { class: "endless", heads: ["adb"], args: /\blogcat\b/, not: / -d\b/ },
  {
    class: "endless",
    heads: ["heroku", "vercel", "wrangler", "netlify", "firebase", "stripe", "fly", "supabase"],
    args: /\b(?:dev|tail|listen|serve|emulators:start)\b|--tail\b/,
  },
  // Endless: servers. A watch flag makes any builder one.
  {
    class: "endless",
    heads: [...PACKAGE_MANAGERS, "deno", "make", "just", "task"],
    args: /^(?:run(?:-script)? |task )?(?:-\S+ )*(?:dev|start|serve|server|watch|preview|storybook|develop)(?:[:-]\S+)?(?: |$)/,
    not: /build/,
  },
  { class: "endless", heads: ["vite"], not: /^(?:build|optimize)\b|--version|--help/ },
  {
    class: "endless",
    heads: words(
      "next nuxt nuxi astro remix gatsby ng expo svelte-kit vue-cli-service storybook turbo nx tilt skaffold hugo jekyll mkdocs docusaurus eleventy trunk parcel gulp grunt ionic",
    ),
    args: /(?:^| )(?:dev|start|serve|server|develop|up|watch|run dev|run start)(?: |$)/,
  },
  {
    class: "endless",
    heads: words(
      "tsc webpack rollup esbuild jest vitest sass tailwindcss babel mocha cargo go node deno bun tsx swc ava karma pytest-watch ptw",
    ),
    args: /(?:^| )(?:-w|watch|--watch(?:All)?|--serve\S*)(?: |$|=true)/,
  },
  {
    class: "endless",
    heads: ["flask", "streamlit", "gradio", "fastapi", "chainlit"],
    args: /(?:^| )(?:run|dev)(?: |$)/,
  },
  { class: "endless", heads: ["jupyter", "jupyter-lab", "jupyter-notebook"], args: /^(?:notebook|lab|server|$)/ },
  { class: "endless", heads: ["http.server", "SimpleHTTPServer", "smtpd", "aiosmtpd"] },
  { class: "endless", heads: ["manage.py"], args: /^runserver/ },
  { class: "endless", heads: ["rails"], args: /^(?:s|server)(?: |$)/ },
  { class: "endless", heads: ["php"], args: /(?:^| )-S |^artisan serve/ },
  { class: "endless", heads: ["celery", "rq"], args: /\b(?:worker|beat)\b/ },
  { class: "endless", heads: ["ollama", "caddy", "minio", "vault", "consul"], args: /^(?:serve|server|run|agent)\b/ },
  { class: "endless", heads: ["redis-server"], not: /--daemonize/ },
  { class: "endless", heads: ["mongod", "postgres", "mysqld"], not: /--fork|--version/ },
  { class: "endless", heads: ["ssh"], args: /(?:^| )-\w*N/ },
  { class: "endless", heads: ["cloudflared", "minikube"], args: /\btunnel\b/ },

  // Interactive: editors, pagers, full-screen programs.
  {
    class: "interactive",
    heads: words("vi vim nvim view nano pico micro helix hx joe kak visudo vipw"),
    not: /(?:^| )(?:-es|-Es|--headless|--version)/,
  },
  { class: "interactive", heads: ["emacs"], not: /--batch|--version/ },
  { class: "interactive", heads: words("less more most man info"), not: /(?:^| )(?:--version|-P ?cat)/ },
  {
    class: "interactive",
    heads: words(
      "htop btop atop iotop nmon nethogs ncdu tig lazygit lazydocker k9s ranger mc dialog whiptail fdisk gdisk cfdisk passwd su login telnet ftp ssh-copy-id picocom minicom",
    ),
  },
  { class: "interactive", heads: ["top"], not: /(?:^| )-\w*[bl]/ },
  { class: "interactive", heads: ["fzf"], not: /--filter|(?:^| )-f/ },
  { class: "interactive", heads: ["tmux", "screen"], args: /^(?:$|a\b|at|attach|new(?!.* -d)|-r|-x|-S)/, not: /-dm/ },
  { class: "interactive", heads: ["read", "select"], unfed: true },
  { class: "interactive", heads: ["crontab", "sudoedit"], args: /(?:^| )-e/ },
  // Interactive: git with an editor or a menu.
  { class: "interactive", heads: ["git rebase"], args: /(?:^| )(?:-i|--interactive|--continue|--edit-todo)(?: |$)/ },
  {
    class: "interactive",
    heads: ["git commit"],
    not: /(?:^| )(?:-\w*[mFC]|--message\S*|--file\S*|--no-edit|--fixup\S*|--reuse-message\S*|--dry-run|--help)/,
  },
  {
    class: "interactive",
    heads: ["git add", "git checkout", "git stash", "git reset", "git restore"],
    args: /(?:^| )(?:-p|--patch|-i|--interactive|-e|--edit)(?: |$)/,
  },
  { class: "interactive", heads: ["git tag"], args: /(?:^| )-\w*[as]/, not: /(?:^| )(?:-\w*[mF]|--message|--file)/ },
  { class: "interactive", heads: ["git config"], args: /(?:^| )(?:-e|--edit)/ },
  { class: "interactive", heads: ["git clean"], args: /(?:^| )(?:-\w*i|--interactive)/ },
  // Interactive: prompts, logins and wizards.
  {
    class: "interactive",
    heads: ["npm", "yarn"],
    args: /^init\b/,
    not: /(?:^| )(?:-y|--yes|-\w*y)(?: |$)|^init \S*[@a-z]/,
  },
  {
    class: "interactive",
    heads: words(
      "npm yarn pnpm docker podman gh az aws gcloud firebase vercel heroku netlify fly wrangler supabase huggingface-cli cargo",
    ),
    args: /^(?:auth |sso )?(?:login|adduser)\b/,
    not: /--with-token|--password-stdin|-u \S+ -p|--service-principal/,
  },
  { class: "interactive", heads: ["aws"], args: /^configure(?: --profile \S+)?$/ },
  { class: "interactive", heads: ["gcloud"], args: /^init/ },
  { class: "interactive", heads: ["pip", "pip3"], args: /^uninstall/, not: /(?:^| )(?:-y|--yes)/ },
  {
    class: "interactive",
    heads: ["terraform", "tofu"],
    args: /^(?:apply|destroy)/,
    not: /-auto-approve|\.tfplan|tfplan/,
  },
  { class: "interactive", heads: ["ssh-keygen"], not: /(?:^| )-\w*[NlyFRBH]/ },
  { class: "interactive", heads: ["gpg"], args: /--(?:full-)?gen(?:erate)?-key/, not: /--batch/ },
  { class: "interactive", heads: ["kubectl"], args: /^edit\b/ },
  {
    class: "interactive",
    heads: ["docker", "podman", "kubectl", "docker-compose"],
    args: /(?:run|exec)\b.* (?:-it|-ti|-i -t|--interactive --tty)\b.*(?: (?:bash|sh|zsh|python3?|psql|mysql|node))$/,
  },
  { class: "interactive", heads: ["rm", "cp", "mv"], args: /(?:^| )(?:-\w*i\w*|--interactive)(?: |$)/, unfed: true },
  // Interactive: a prompt of its own because it was given nothing to run.
  {
    class: "interactive",
    heads: words(
      "python python2 python3 ipython node irb ghci lua julia scala erl iex clj bc bash sh zsh fish ksh pwsh gdb lldb claude codex gemini opencode aider",
    ),
    args: /^(?:-i|-q|-l|--login)?$/,
    unfed: true,
  },
  { class: "interactive", heads: ["R"], args: /^$/, unfed: true },
  { class: "interactive", heads: ["php"], args: /^-a$/, unfed: true },
  { class: "interactive", heads: ["gdb"], not: /-batch|--batch|-ex /, unfed: true },
  { class: "interactive", heads: ["pdb", "ipdb", "pudb"], unfed: true },
  {
    class: "interactive",
    heads: ["psql"],
    not: /(?:^| )(?:-\w*[cfl]|--command\S*|--file\S*|--list|--version)/,
    unfed: true,
  },
  { class: "interactive", heads: ["mysql", "mariadb"], not: /(?:^| )(?:-\w*e|--execute\S*|--version)/, unfed: true },
  { class: "interactive", heads: ["mongo", "mongosh"], not: /--eval|\.js\b|--version/, unfed: true },
  { class: "interactive", heads: ["sqlite3"], args: /^(?:-\S+ )*\S*$/, not: /-version/, unfed: true },
  { class: "interactive", heads: ["redis-cli"], args: /^(?:-[hpna] \S+ ?)*$/, unfed: true },
  { class: "interactive", heads: ["sftp"], not: /(?:^| )-b/, unfed: true },
  { class: "interactive", heads: ["cat"], args: /^-?$/, unfed: true },

  // Waits for something by itself.
  { class: "sleep", heads: words("sleep usleep wait wait-on wait-for-it wait-for-it.sh wait-port dockerize") },
  { class: "sleep", heads: ["gh"], args: /^(?:run watch|pr checks.* --watch)/ },
  { class: "sleep", heads: ["kubectl"], args: /^(?:wait|rollout status)/ },
  { class: "sleep", heads: ["docker", "podman"], args: /^wait\b/ },
  { class: "sleep", heads: ["inotifywait"] },

  // Tests.
  {
    class: "test",
    heads: words(
      "pytest py.test tox nox unittest nose2 jest vitest mocha ava tap karma phpunit pest rspec ctest ginkgo bats hurl newman gotestsum cargo-nextest behave cucumber pytest-xdist coverage",
    ),
  },
  {
    class: "test",
    heads: PACKAGE_MANAGERS,
    args: /^(?:run(?:-script)? )?(?:-\S+ )*(?:t|tests?|e2e|spec|coverage|cy|playwright|vitest|jest)(?:[:-]\S+)?(?: |$)/,
  },
  { class: "test", heads: PACKAGE_MANAGERS, args: /^run \S*test/ },
  {
    class: "test",
    heads: words(
      "go cargo swift mix deno zig flutter dart forge hardhat anchor bazel dotnet sbt lein stack cabal rake rails playwright cypress nx turbo manage.py ng react-scripts meson truffle",
    ),
    args: /(?:^| )(?:run )?(?:tests?|nextest|spec)(?::\S+)?(?: |$)/,
  },
  { class: "test", heads: ["cypress"], args: /^run/ },
  {
    class: "test",
    heads: words("make mvn mvnw gradle gradlew ninja just task bazelisk"),
    args: /(?:^| )(?:\S*[:-])?(?:tests?|check|verify|e2e)(?:[:-]\S+)?(?: |$)/,
  },
  { class: "test", heads: ["node"], args: /(?:^| )--test/ },

  // Builds, installations, downloads.
  {
    class: "build",
    heads: words(
      "make cmake ninja gcc g++ cc clang clang++ rustc javac kotlinc ghc tsc webpack rollup esbuild mvn mvnw gradle gradlew sbt ant xcodebuild bazel bazelisk nix nix-build meson wasm-pack pyinstaller electron-builder msbuild wget rsync scp aria2c react-scripts next vite nuxt astro ng turbo nx just task",
    ),
  },
  {
    class: "build",
    heads: PACKAGE_MANAGERS,
    args: /^(?:$|install|i|ci|add|update|upgrade|up|rebuild|dedupe|audit|pack|publish|create|init|link|dlx|(?:run(?:-script)? )?(?:build|compile|bundle|lint|typecheck|type-check|check|prepare|generate|release))/,
  },
  {
    class: "build",
    heads: words("cargo go swift dotnet mix deno zig flutter dart forge hardhat"),
    args: /^(?:build|check|clippy|install|fetch|update|bench|doc|mod|vet|generate|get|restore|publish|deps|compile|pub|bundle|package)\b/,
  },
  { class: "build", heads: words("docker podman docker-compose"), args: /\b(?:build|pull|push|buildx|up|create)\b/ },
  {
    class: "build",
    heads: words(
      "pip pip3 pipx uv poetry pipenv conda mamba micromamba gem bundle composer apt apt-get brew yum dnf apk pacman snap zypper rustup nvm pyenv asdf playwright helm terraform tofu pulumi cdk sam serverless vcpkg conan pod fastlane",
    ),
    args: /\b(?:install|sync|add|update|upgrade|lock|create|env|download|wheel|require|build|init|plan|apply|deploy|up|pip|package|remove|destroy)\b/,
  },
  { class: "build", heads: words("git"), args: /^(?:clone|fetch|pull|push|submodule|lfs|gc|fsck)\b/ },
  { class: "build", heads: ["git clone", "git fetch", "git pull", "git push", "git submodule", "git lfs", "git gc"] },
];

const BY_HEAD = new Map<string, CommandRule[]>();
for (const rule of COMMAND_RULES) {
  for (const head of rule.heads) {
    const rules = BY_HEAD.get(head);
    if (rules) rules.push(rule);
    else BY_HEAD.set(head, [rule]);
  }
}

/** The rules for a program, or for a program with its subcommand ("git commit"), in their order. */
export function rulesOf(head: string): readonly CommandRule[] {
  return BY_HEAD.get(head) ?? [];
}

/** Programs that end at once; beside another one they do not affect the duration of a command. */
export const QUICK_HEADS: ReadonlySet<string> = new Set(
  words(
    "cd pushd popd mktemp echo printf export set unset source . true false test [ [[ : pwd mkdir rmdir ls dir cat head tail wc grep egrep fgrep rg sort uniq cut tr sed awk gawk jq yq date which type command touch cp mv rm ln chmod chown kill pkill killall pgrep ps tee basename dirname realpath readlink id whoami hostname uname env printenv diff cmp stat file df du free nproc lsof ss netstat exit return break continue shift local declare trap disown jobs bg done fi esac in curl http column nl tac rev fold paste xxd od md5sum sha256sum seq yes",
  ),
);

/** Programs whose first argument selects the task. */
export const MULTI_HEADS: ReadonlySet<string> = new Set(
  words(
    "git npm pnpm yarn bun cargo go docker podman kubectl make dotnet gh pip pip3 uv poetry apt apt-get brew terraform rails mix deno bazel mvn gradle flutter manage.py next nx turbo",
  ),
);

/** Words before a program that start it. */
export const PREFIXES: ReadonlySet<string> = new Set(
  words(
    "nohup setsid time command builtin exec eval then do else if elif while until ! { } nice ionice stdbuf unbuffer chronic caffeinate env npx bunx pnpx uvx xvfb-run xargs",
  ),
);

/** The same with two words. */
export const RUNNERS: ReadonlySet<string> = new Set([
  "uv run",
  "poetry run",
  "pipenv run",
  "pdm run",
  "hatch run",
  "rye run",
  "bundle exec",
  "npm exec",
  "pnpm exec",
  "pnpm dlx",
  "yarn dlx",
  "yarn exec",
  "bun x",
  "python -m",
  "python3 -m",
  "mise exec",
  "doppler run",
]);

/** Options of prefixes, package managers and git that take the next word as their value. */
export const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(
  words(
    "-n -C -c -u -g -k -s -p --prefix --cwd --dir --filter -F --workspace --signal --kill-after --python --with --package",
  ),
);

export const SHELLS: ReadonlySet<string> = new Set(words("bash sh zsh dash ksh fish busybox cmd powershell pwsh"));
export const INTERPRETERS: ReadonlySet<string> = new Set(
  words("python python2 python3 node ruby perl php tsx ts-node bun deno bash sh zsh"),
);
