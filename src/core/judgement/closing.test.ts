import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingOf, hasMarker } from "./closing.js";

const QUESTIONS = [
  "I've hit a blocker: the staging DB refuses connections. Can you check the VPN?",
  "Both files define `Config`. Which should win?",
  "Here's the diff I'd apply:\n```diff\n-a\n+b\n```\nLook good?",
  "I have three questions before starting:\n1. Which Python version?\n2. Is Docker available?\n3. Where do logs go?",
  "Do you want me to implement this now, or just document it?",
  "Please let me know which approach you'd like me to take.",
  "Would you like option 1 (fast) or option 2 (thorough)?",
  "Waiting on your confirmation to proceed with the deletion.",
  "I need more information about the error. Could you provide the stack trace?",
  "Should this be behind a feature flag?",
  "The test expects 5 but the doc says 6. Which one is right?",
  "Is there a specific format you want for the output?",
  "I recommend splitting it into two PRs. Does that work for you?",
  "Let me know if you want me to go ahead and implement it.",
  "What name should the new package have?",
  "I can do either A or B. Which would you like?",
  "The plan has four steps. Do you approve?",
  "The review is complete. What do you want to do?\n[A] Merge\n[B] Rework\n[C] Stop",
  "…end of a block\n```\nWhich name do you prefer?",
  "I don't have the earlier session. What would you like me to pick up or do next?",
  "What does your setup look like? I can help figure out how to wire it up.",
  "J’attends ton choix.",
  "Dis‑moi quelle partie tu veux retravailler.",
  "I've drafted the migration but haven't run it. It drops `legacy_id`. OK to run it?",
  "I found that `config.json` is missing. Could you tell me where it lives?",
  "Two things need your input:\n\n1. Should tokens expire after 1h or 24h?\n2. Do we keep the v1 routes?",
  "The tests fail because of a missing env variable `DATABASE_URL`. What value should I set?",
  "I've completed phase 1 (schema and models). Ready for phase 2?",
  "Phase 1 is complete. Shall I move on to Phase 2?",
  "I need the production credentials to continue.",
  "I cannot access the repository: authentication required. Please log in and let me know.",
  "I see three approaches:\n\nA) Cache in memory\nB) Cache in Redis\nC) No cache\n\nI recommend B. What do you think?",
  "I'd recommend option 2, since it avoids the lock. Do you agree?",
  "I'm not sure whether you want the flag to be on by default. Should it be?",
  "Would you prefer a separate PR for the refactoring?",
  "This would remove 14 files. Confirm?",
  "To be able to continue, please run `gh auth login` in another terminal and tell me when done.",
  "Do you want me to go ahead with this plan?",
  "Before making changes, I want to check: is `utils/legacy.ts` still used by the mobile app?",
  "What is the name of the branch you want me to base this on?",
  "The spec is ambiguous about time zones. How should I treat naive timestamps?",
  "Should we proceed?",
  "Here's my proposal:\n\n- Add `retry` to the client\n- Drop the old wrapper\n\nLet me know if I should go ahead.",
  "Let me know if you'd like me to proceed with this plan.",
  "If you approve, I'll start with the models.",
  "Please review the plan above and let me know if you want any changes before I start.",
  "Awaiting your go-ahead.",
  "Shall I?",
  "I've prepared the commit. Push it to origin/main?",
  "Which of the two should I use?",
  "Do you want the REST client or the GraphQL one?",
  "Should I delete the sessions table, or keep it?",
  "Please confirm before I push to main.",
  "There are two ways:\n\n1. Patch the parser\n2. Replace it\n\nWhich do you prefer?",
  "Let me know which one you prefer.",
  "I looked at the login flow. Shall I proceed with the rewrite?",
  "I have found three possible causes. Would you like me to fix the first one?",
  "I've updated the schema. Should I continue with the API layer?",
  "I've added the endpoint and all tests pass. Which port should the server listen on?",
  "Done with the migration script. Should I delete the old table?",
  "Before I start, I need to know whether the staging database can be wiped.",
  "I can't proceed without the API key.",
  "Please provide the path of the spec you want me to run.",
  "What would you like me to do?",
  "I don't have the earlier context. What should I pick up?",
  "How would you like to handle the conflict?",
  "Here is the plan:\n- split the module\n- add an index\n\nDoes this look right?",
  "Here is the plan. Let me know what you think.",
  "Where should the file go? Both folders have one already.",
  "Which one do you prefer? Let me know if you need more details.",
  "Option A keeps the cache. Option B drops it. Which should I implement? I'd go with A.",
  "What should happen next?\n[R] Resume\n[S] Start over\n[Q] Quit",
  "Please choose:\n1. Keep both versions\n2. Keep only the new one",
  "A few questions:\n- Is the old endpoint still in use?\n- Do we need to support Node 18?",
  "Could you paste the output of the failing job?",
  "Can you share the log file?",
  "I'm waiting for your decision on the schema.",
  "Once you confirm, I'll run the migration.",
  "Let me know once you've added the secret and I'll continue.",
  "Let me know how you'd like to proceed.",
  "Reply with 1 or 2.",
  "Overwrite the existing file? (y/n)",
  "Do you have access to the production logs?",
  "Did you mean the `users` table?",
  "Ready to proceed?",
  "May I install the missing dependency?",
  "Is it OK to change the public API?",
  "Shall I go ahead and merge it? 🚀",
  "**Should I continue with step 3?**",
  "I need a decision: keep the flag or remove it.",
  "I need your approval to run this against production.",
  "It's your call whether we drop support for Node 18.",
  "I stopped here because the tests contradict the spec. Tell me which is right.",
  "Please clarify the expected output.",
  "Would you like me to add the index or rewrite the query?",
  "Nothing is changed yet. Want me to apply the patch?",
  "I've not implemented anything so far. Should I?",
  "The fix isn't applied yet. Do you want me to apply it?",
  "I reviewed the code and identified the bug in `parse`. Would you like me to fix it?",
  "Here's what I would run:\n```sh\nrm -rf build\n```\nShould I run it?",
  "Soll ich die Tabelle löschen oder behalten?",
  "Welche der beiden Varianten soll ich nehmen?",
  "Bitte bestätige, bevor ich den Branch pushe.",
  "Möchtest du, dass ich fortfahre?",
  "Que veux-tu faire ?\n[R] Reprendre\n[X] Recommencer",
  "Quels fichiers dois-je inclure ? Vous pouvez aussi en fournir d'autres.",
  "Confirme-moi :\n- inclure le fichier de test ?\n- garder l'ancien ?",
  "¿Cuál de las dos opciones prefieres?",
  "Por favor, confirma antes de que borre la rama.",
  "你想用哪个方案？",
  "请确认是否删除旧表。",
  "要我继续吗？",
  "どちらの方法を使いますか？",
  "続けてもよろしいですか？",
];

const OFFERS = [
  "I've updated the docs and the changelog. Let me know if you'd like me to adjust the wording.",
  "Fixed! The issue was a missing await. Let me know if it works on your end.",
  "All set! The server runs on port 3000. Would you like me to set up HTTPS as well?",
  "Done — 3 files changed. Want a walkthrough of the changes?",
  "The tests pass now. Do you want me to squash the commits?",
  "I created the component with tests. Would you like any modifications?",
  "I've completed the task. Is there anything you'd like me to change?",
  "I've added logging to the worker. Should I do the same for the scheduler?",
  "Implemented and tested. Let me know your thoughts.",
  "All tests pass. Want me to do any of these?\n- add a benchmark\n- split the commit",
  "I've implemented the feature and added tests; all pass. Would you like me to open a PR?",
  "The script now works. Let me know if you'd like any changes!",
  "All 12 tests pass ✅\n\nLet me know if you want me to tweak the styling.",
  "I've fixed the bug in `calc.py`. Would you like me to run the full test suite?",
  "Everything is set up. If you want, I can also configure CI.",
  "Changes:\n- `a.ts`: fixed import\n- `b.ts`: added types\n\nWant me to commit this?",
  "Let me know if you have any questions!",
  "The README has been updated. Do you want me to do anything else?",
  "I've refactored the module into three files. Would you like me to explain any part in more detail?",
  "You can now run it with `npm start`. Let me know if you run into any issues.",
  "Summary of changes above. Shall I also clean up the old tests?",
  "If you'd like me to dig deeper into any of these, just ask.",
  "Fixed. Would you like to see the diff?",
  "Fixed the parser and all tests pass. Let me know if you need anything else.",
  "I've added the endpoint. Would you like me to also add tests?",
  "Done! Want me to update the docs as well?",
  "I fixed the race in the queue; the suite is green now. Want me to write a changelog entry?",
  "The feature is implemented. Would you like me to commit these changes?",
  "All 42 tests pass. Feel free to ask if anything is unclear.",
  "The bug is fixed. Is there anything else I can help with?",
  "The refactoring is complete. Happy to split it into smaller commits.",
  "Everything works. If you'd like, I can add a benchmark.",
  "I've removed the dead code. Let me know how it goes.",
  "I've renamed the module. Does that look good?",
  "Tests pass. Let me know what you think.",
  "I updated both files. Should I also bump the version?",
  "I created the script. What else would you like me to do?",
  "Hello! How can I help you today?",
  "Implemented as discussed. Any other changes?",
  "I can also add a retry if you want.",
  "Ich habe den Fehler behoben. Soll ich noch Tests hinzufügen?",
  "Erledigt. Sag Bescheid, wenn du noch etwas brauchst.",
  "C'est fait. N'hésitez pas si vous avez des questions.",
  "Le bug est corrigé. Souhaitez-vous que j'ajoute aussi des tests ?",
  "Listo, los tests pasan. Avísame si necesitas algo más.",
  "Corregido. ¿Quieres que también actualice la documentación?",
  "已完成修复。如果需要其他帮助，请告诉我。",
  "修正しました。他に何かありますか？",
];

const PROMISES = [
  "Found it. The handler swallows the error. Let me fix this now.",
  "I've updated the models. Now updating the serializers.",
  "OK. I'll begin with the database layer and then move to the API.",
  "The first batch is done. Moving on to the second batch.",
  "Good. Let me verify by running the full suite.",
  "I'll fix both issues.",
  "Now I'll implement the remaining pieces. Starting with the parser:",
  "I understand the structure now. Let me create the plan.",
  "Before I scaffold anything, I’m going to check whether there is a remote.",
  "I found the export script, so I'm running it now.",
  "Next I’m checking whether the form needs an answer first.",
  "I see the issue: the path is wrong. Let me fix that.",
  "Good, the build works. Now let me add the tests.",
  "Tests are failing because of the missing mock. I'll add it now.",
  "First, let me understand the project structure.",
  "Now I need to update the imports in the other files.",
  "I have enough context. Let me write the implementation plan.",
  "Next: updating the documentation.",
  "Step 2 is complete. Proceeding to step 3.",
  "I'll now create the remaining files and then run the linter to make sure that everything is fine.",
  "I'll wait for the build to finish and then check the output.",
  "The agents are running in the background. I'll check back when they finish.",
  "Now I'll run the tests.",
  "Let me check the config next.",
  "I will continue with step 3:",
  "Next, I'll update the call sites.",
  "I'll start by reading the failing test.",
  "The parser is done. Now let me wire it into the CLI.",
  "All tests pass. Next I'll update the docs.",
  "I'm going to rerun the build with verbose output.",
  "Okay, let me look at the logs.",
  "Let's fix the import first.",
  "Running the test suite now…",
  "Continuing with the second migration.",
  "I'll start with the config. It is the most likely culprit.",
  "Now I'll run it:\n```bash\nnpm test\n```",
  "I found the bug. I'll change the operator and run the test again:",
  "I still need to update the fixtures.",
  "Now that the types are in place, I'll implement the reader.",
  "The plan is clear. I will now implement it, step by step:\n1. Add the type\n2. Add the reader",
  "Jetzt werde ich die Tests ausführen.",
  "Je vais maintenant lancer les tests.",
  "Ahora voy a ejecutar las pruebas.",
  "接下来我会运行测试。",
  "次にテストを実行します。",
];

const RESULTS = [
  "I've implemented the cache. It uses an LRU with 500 entries. Eviction is tested.",
  "The fix: wait for the lock before writing. I'll note that the old code never released it.",
  "The bug is in `parse()`: it reads one byte past the end. Line 42 should use `<`.",
  "To answer your question: yes, it is thread-safe.",
  "The function asks the user to confirm before it deletes anything.",
  "It will ask you which file to open.",
  "All 10 tests pass. The remaining TODOs are listed in `TODO.md`.",
  "You can choose between `fast` and `safe` mode with `--mode`.",
  "The output is now:\n\n```\nAre you sure? [y/N]\n```",
  "Now the build is green.",
  "Now you can run the app with `make run`.",
  "This should fix the problem. Run the tests to confirm.",
  "Next, run `npm install` and restart the server.",
  "I confirmed that the endpoint returns 200.",
  "Everything is in place; the deploy needs your approval in GitHub as usual.",
  'I added the dialog:\n```ts\nask("Should I continue?")\nWhich one do you prefer?',
  "If the build fails, I'll see it in the log.",
  "It is merged, and I'll leave the branch in place.",
  "The problem was a stale lockfile; I deleted it and reinstalled. The dev server starts now.",
  "I have updated the three files and verified that the build passes. You can run `npm test` to check.",
  "No changes were needed: the function already handles null.",
  "You'll need to restart the server to pick up the change.",
  "## Summary\n\nThe cache is invalidated on write.\n\n## How do I run it?\n\n1. `npm i`\n2. `npm start`",
  "I couldn't reproduce the failure. The test passes 50 times in a row.",
  "The migration will run on the next deploy.",
  "Commit `abc123` pushed to `main`.",
  "The question was whether the index is used. It is.",
  "Note: I did not touch the tests, as you asked.",
  "Here are the results:\n\n| file | lines |\n|---|---|\n| a | 10 |\n",
  "Let's Encrypt certificates renew automatically.",
  "The build takes 4 minutes. Running it in parallel would save about half.",
  'The CLI prints "Continue? [y/N]" when the file exists.',
  "I'd go with option B: it is simpler and has no downtime.",
  "Good luck with the release!",
  "You're welcome!",
  "Next steps:\n- Deploy to staging\n- Monitor error rates",
  "To deploy, run:\n```\nmake deploy\n```",
  "I will continue to use the existing style in future edits.",
  "Fixed: the loop read one element too many. The test now passes.",
  "All done. Nothing else to do.",
  "The answer is 42.",
  "I'll leave it here.",
  "I will not touch the generated files.",
  "From now on I'll use the existing helper.",
  "Why did it fail? Because the cache was stale. I cleared it and the build passes.",
  'The dialog asks "Do you want to proceed?" and waits.',
  "The prompt text is `Which one do you prefer?` in all versions.",
  "I added a handler for this:\n```\nShould I continue? (y/n)\n```",
  "> Should I use tabs?\n\nI used tabs, as the rest of the file does.",
  "Summary:\n- added the reader\n- removed the old parser\n- updated the docs",
  "Next steps for you:\n1. Run the migration\n2. Restart the server",
  "Running the tests takes about a minute on this machine.",
  "Adding the flag fixes the crash.",
  "See https://example.com/search?q=reset for details.",
  "Please note that the server must be restarted.",
  "Let me explain how it works. The reader cuts the stream into lines. Each line is parsed on its own.",
  "The function returns null when nothing matches.",
  "I assumed UTC. I'll keep that in mind.",
  "Done.",
  "The user is asked which branch to use, and the choice is stored.",
  "Everything is committed on the branch.",
  "",
  "   \n\n",
  "42",
];

describe("closingOf", () => {
  it.each(QUESTIONS)("finds the question in %j", (text) => {
    expect(closingOf(text)).toBe("question");
  });

  it.each(OFFERS)("classifies %j as an offer", (text) => {
    expect(closingOf(text)).toBe("offer");
  });

  it.each(PROMISES)("classifies %j as a promise", (text) => {
    expect(closingOf(text)).toBe("promise");
  });

  it.each(RESULTS)("classifies %j as a result", (text) => {
    expect(closingOf(text)).toBe("result");
  });

  it("classifies a long message by its end, not by earlier text", () => {
    const middle = "The reader keeps one line of state for each open call. ".repeat(60);
    expect(closingOf(`Which one do you prefer? ${middle}`)).toBe("result");
    expect(closingOf(`${middle} Which one do you prefer?`)).toBe("question");
  });

  it("ignores a question inside a long code block that starts before the read part", () => {
    const code = "const a = 1; // which one do you prefer?\n".repeat(400);
    expect(closingOf(`The file is updated.\n\`\`\`ts\n${code}\`\`\`\nThe build passes.`)).toBe("result");
    expect(closingOf(`Here is a draft.\n\`\`\`ts\n${code}\`\`\`\nWhich name do you prefer?`)).toBe("question");
  });

  it("classifies any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
        expect(["question", "offer", "promise", "result"]).toContain(closingOf(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("hasMarker", () => {
  const marker = "<promise>COMPLETE</promise>";

  it.each([
    `All tasks are done.\n\n${marker}`,
    marker,
    `Everything passes. ${marker}`,
    `It will not break again. ${marker}`,
    `\`\`\`sh\nnpm test\n\`\`\`\n${marker}`,
  ])("finds the marker in %j", (text) => {
    expect(hasMarker(text, marker)).toBe(true);
  });

  it.each([
    "All tasks are done.",
    `\`\`\`\n${marker}\n\`\`\``,
    `I will print ${marker} when all tests pass.`,
    `The marker is \`${marker}\`.`,
    `It looks for "${marker}".`,
    `> ${marker}`,
    `Not ${marker} yet.`,
    "",
  ])("does not find the marker in %j", (text) => {
    expect(hasMarker(text, marker)).toBe(false);
  });

  it("accepts any configured marker, and finds no empty one", () => {
    expect(hasMarker("TASK_DONE", "TASK_DONE")).toBe(true);
    expect(hasMarker("anything", "")).toBe(false);
  });
});
