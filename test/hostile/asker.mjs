// Sends every query that a terminal can answer, and writes the answers to a file.
import { writeFileSync } from "node:fs";

const [file, times] = process.argv.slice(2);
const queries = [
  ..."c >c =c 0c 5n 6n ?6n ?15n ?25n ?26n ?996n ?2026$p ?1049$p 4$p >q ?u 11t 13t 14t 16t 18t 19t 20t 21t x 1;1;1;1;1;1*y"
    .split(" ")
    .map((body) => `\x1b[${body}`),
  ..."4;0;? 10;? 11;? 12;? 52;c;? 7501;? 0;title 2;evil"
    .split(" ")
    .flatMap((body) => [`\x1b]${body}\x07`, `\x1b]${body}\x1b\\`]),
  ...["$qm", '$q"p', "$qr", "+q544e", "+q524742"].map((body) => `\x1bP${body}\x1b\\`),
  "\x1b_Gi=1,a=q;AAAA\x1b\\",
  "\x1b[?1004h",
  "\x1b[?1000h",
  "\x1bZ",
  "\x05",
  "\x9bc",
  "\x9b6n",
];
const answers = [];
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => answers.push(bytes));
let asked = 0;
const ask = () => {
  for (let n = 0; n < 50 && asked < times; n++, asked++) process.stdout.write(queries.join(""), "latin1");
  if (asked < times) return void setTimeout(ask, 5);
  process.stdout.write(queries[0]);
  setTimeout(() => {
    writeFileSync(file, Buffer.concat(answers).toString("latin1"));
    process.exit(0);
  }, 1000);
};
ask();
