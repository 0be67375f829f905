import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyCommand } from "./commands.js";

const BY_CLASS: Record<string, string[]> = {
  endless: [
    "tail -f app.log",
    "tail -n 50 -F app.log",
    "tail -100f app.log",
    "watch -n 5 kubectl get pods",
    "npm run dev",
    "npm start",
    "cd web && npm run dev -- --port 3000",
    "npm --prefix web run dev",
    "yarn dev",
    "pnpm dev:api",
    "bun run dev",
    "npx vite",
    "npx next dev",
    "next start",
    "nodemon server.js",
    "node server.js",
    "flask run --debug",
    "FLASK_APP=app.py python -m flask run",
    "python3 -m http.server 8000",
    "python manage.py runserver 0.0.0.0:8000",
    "uv run uvicorn app:app --reload",
    "docker compose up",
    "docker-compose -f dev.yml up --build",
    "docker logs -f web",
    "journalctl -u nginx -f",
    "kubectl logs -f deploy/api",
    "kubectl port-forward svc/api 8080:80",
    "ping example.com",
    "rails s",
    "php -S localhost:8000",
    "tsc --watch",
    "npx jest --watchAll",
    "cargo watch -x test",
    "bash -lc 'cd app && npm run dev'",
    "while true; do date; sleep 1; done",
    "sleep infinity",
    "jupyter notebook",
    "hugo server",
    "ssh -N -L 5432:db:5432 bastion",
    "make serve",
    "streamlit run app.py",
  ],
  interactive: [
    "vim notes.txt",
    "nano /etc/hosts",
    "less README.md",
    "git log | less",
    "man tar",
    "top",
    "htop",
    "ssh build-host",
    "ssh -i key.pem -p 2222 user@host",
    "sudo systemctl restart nginx",
    "git rebase -i HEAD~3",
    "git rebase --continue",
    "git commit",
    "git commit --amend",
    "git add -p",
    "git -C repo commit",
    "npm init",
    "npm login",
    "python3",
    "node",
    "python -i",
    "passwd",
    "psql mydb",
    "psql -h localhost -U app mydb",
    "mysql -u root",
    "sqlite3 app.db",
    "gh auth login",
    "aws configure",
    "docker run -it ubuntu bash",
    "kubectl edit deploy/api",
    "crontab -e",
    "pip uninstall requests",
    "terraform apply",
    "read -p 'Continue? ' answer",
    "tmux attach",
    "python -m pdb app.py",
    "bash",
    "cat",
  ],
  test: [
    "pytest -q",
    "python -m pytest tests/ -x",
    "uv run pytest",
    "npm test",
    "npm run test:unit -- --run",
    "yarn test",
    "npx vitest run",
    "npx jest src/a.test.ts",
    "go test ./...",
    "cargo test --all",
    "cargo nextest run",
    "./gradlew test",
    "mvn -q verify",
    "make test",
    "bundle exec rspec",
    "python3 slow_test.py 90",
    "./run_tests.sh",
    "python manage.py test",
    "dotnet test",
    "npx playwright test",
    "node --test",
    "cd api && DEBUG=1 pytest -k login 2>&1 | tail -20",
    "/bin/bash -lc 'npm test'",
    "npm install && npm test",
    "sleep 5 && npm test",
    "bun test",
    "deno test",
  ],
  build: [
    "npm ci",
    "npm install",
    "npm run build",
    "yarn",
    "pnpm add zod",
    "make -j4",
    "cargo build --release",
    "cargo clippy",
    "go build ./...",
    "pip install -r requirements.txt",
    "sudo apt-get install -y jq",
    "docker build -t app .",
    "docker compose up -d",
    "git clone https://example.com/x.git",
    "git push origin main",
    "npx tsc --noEmit",
    "vite build",
    "npx next build",
    "poetry install",
    "terraform plan",
    "terraform apply -auto-approve",
  ],
  sleep: [
    "sleep 30",
    "sleep 60 && tail -5 log.txt",
    "until curl -sf localhost:3000; do sleep 1; done",
    "for i in 1 2 3; do curl -s x; sleep 10; done",
    "gh run watch 123",
    "kubectl wait --for=condition=ready pod/x",
    "wait $PID",
    "while true; do if grep -q ready log; then break; fi; sleep 5; done",
  ],
  shell: [
    "ls -la",
    "test -f .env && echo yes",
    "git status",
    "git commit -m 'fix: vim mode'",
    "git commit -am wip",
    "git commit --amend --no-edit",
    "git commit -F - <<'EOF'\nfix: open vim\nEOF",
    "GIT_EDITOR=true git rebase --continue",
    "git -c core.editor=true rebase --continue",
    "tail -20 app.log",
    "tail -n 5 file",
    "cat README.md",
    "echo 'npm run dev'",
    "grep -rn 'tail -f' src",
    "cat > notes.md <<'EOF'\nvim\nnpm run dev\nsudo reboot\nEOF",
    "python3 script.py",
    "python3 -c 'print(1)'",
    "python3 - <<'EOF'\nimport time\nEOF",
    "echo 'select 1' | psql mydb",
    "psql -c 'select 1' mydb",
    "psql mydb < dump.sql",
    "mysql -e 'show tables'",
    "sqlite3 app.db 'select 1'",
    "ssh host uptime",
    "ssh -o BatchMode=yes host 'ls /'",
    "node script.js",
    "ping -c 3 example.com",
    "timeout 10 tail -f app.log",
    "tail -f app.log | head -5",
    "docker logs web",
    "top -b -n 1",
    "sudo -n true",
    "npm run dev > /dev/null 2>&1 &",
    "nohup node server.js > out.log 2>&1 &",
    "./scripts/dev-setup.sh",
    "echo hi # vim",
    "env",
    "",
    "   ",
    "&& ||| ;;; (((",
  ],
};

describe("classifyCommand", () => {
  for (const [expected, commands] of Object.entries(BY_CLASS)) {
    it.each(commands)(`calls %j ${expected}`, (command) => {
      expect(classifyCommand(command).class).toBe(expected);
    });
  }

  it.each([
    ["timeout 60 ./slow.sh", 60_000],
    ["A=1; timeout 60 ./slow.sh", 60_000],
    ["FOLDER=$(pwd) timeout 60 ./slow.sh", 60_000],
    ["DIR=$(mktemp -d) LEVEL=2 timeout 60 ./slow.sh", 60_000],
    ["timeout -k 5 2m npm test", 120_000],
    ["timeout --signal=KILL 1h make", 3_600_000],
    ["gtimeout 90s pytest", 90_000],
    ["cd x && timeout 30 node run.js 2>&1 | tail -3", 30_000],
    ["sleep 30", 30_000],
    ["sleep 1m 30", 90_000],
    ["sleep 20; cat out.log", 20_000],
    ["sleep 0.5", 500],
    ["sleep 5 && timeout 60 pytest", 65_000],
    ["bash -lc 'sleep 45'", 45_000],
    ["bash -lc 'timeout 45 ./x.sh'", 45_000],
    ["timeout 10 tail -f app.log", 10_000],
  ])("reads the duration of %j", (command, expected) => {
    expect(classifyCommand(command).timeoutMs).toBe(expected);
  });

  it.each([
    "npm test",
    "sleep 5 && npm test",
    "timeout 60 ./a.sh && ./b.sh",
    "for i in 1 2; do sleep 10; done",
    "timeout nonsense x",
    "echo sleep 30",
  ])("assumes no duration for %j", (command) => {
    expect(classifyCommand(command).timeoutMs).toBeUndefined();
  });

  it.each([
    "npm run dev &",
    "nohup python app.py > log 2>&1 &",
    "nohup ./worker",
    "(cd web && npm start) & echo started",
    "node server.js & echo $!",
    "bash -c 'npm run dev &'",
    "setsid ./daemon.sh",
  ])("recognises that %j continues in the background", (command) => {
    expect(classifyCommand(command).background).toBe(true);
  });

  it.each(["npm test && echo ok", "npm run dev 2>&1", "ls &> out.txt", "node server.js & npm test", "echo 'a & b'"])(
    "does not put %j into the background",
    (command) => {
      expect(classifyCommand(command).background).toBeUndefined();
    },
  );

  it.each([
    ["cd /srv/app && FOO=1 npm test -- --silent", "npm test"],
    ["npm run build:prod", "npm run build:prod"],
    ["/usr/bin/git -C repo status", "git status"],
    ["python3 ./tools/slow_test.py 90", "slow_test.py"],
    ["npx vitest run", "vitest"],
    ["timeout 60 cargo test", "cargo test"],
    ["bash -lc 'go test ./...'", "go test"],
    ["cat a | grep b | wc -l", "cat"],
    ["uv run python manage.py test", "manage.py"],
  ])("names the head of %j", (command, head) => {
    expect(classifyCommand(command).head).toBe(head);
  });

  it("accepts a list of words as execve does", () => {
    expect(classifyCommand(["bash", "-lc", "cd x && pytest -q"])).toEqual({ class: "test", head: "pytest" });
    expect(classifyCommand(["git", "status"]).class).toBe("shell");
    expect(classifyCommand(["vim", "a b"]).class).toBe("interactive");
    expect(classifyCommand([]).class).toBe("shell");
  });

  it("does not throw on deeply nested text", () => {
    let nested = "npm test";
    for (let i = 0; i < 12; i++) nested = `bash -c ${JSON.stringify(nested)}`;
    expect(() => classifyCommand(nested)).not.toThrow();
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(classifyCommand(text).class).toBeTypeOf("string");
      }),
      { numRuns: 300 },
    );
  });
});
