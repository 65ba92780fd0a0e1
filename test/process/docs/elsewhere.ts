// elsewhere: the commands of pages that need a registry or a real client, and the file that runs each word for word.

/** By the command: the file that holds it word for word. */
export const elsewhere: Readonly<Record<string, string>> = {
  "npm ci": ".ci/run",
  "npm pack": "test/process/package/package.test.ts",
  "npm install --global ./ooda-codex-review-*.tgz": "test/process/package/package.test.ts",
  "npm install ooda-codex-review effect@4.1.0": "test/process/package/package.test.ts",
  "npm install --save-dev fast-check@4": "test/process/package/package.test.ts",
  'export OODA_STORE="$DATABASE"': "test/fleet/page.fleet.ts",
  'ooda-codex-review fleet init --work "$WORK" --account team=8': "test/fleet/page.fleet.ts",
  "ooda-codex-review fleet worker --account team --retro clean &": "test/fleet/page.fleet.ts",
  'ooda-codex-review fleet submit --repo "$REPO" --pr 7 --head "$HEAD" --base "$BASE" --ceiling low':
    "test/fleet/page.fleet.ts",
  'ooda-codex-review fleet wait "$REPO#7" --head "$HEAD"': "test/fleet/page.fleet.ts",
  "claude plugin marketplace add ./": "test/claude/plugin.claude.ts",
  'claude plugin marketplace add "$(npm root -g)/ooda-codex-review"': "test/claude/plugin.claude.ts",
  "claude plugin install ooda@ooda-codex-review": "test/claude/plugin.claude.ts"
}
