// elsewhere: the commands of pages that need a registry or a real client, and the files that run them.

/** By the command: each file, and the words in it that run the command. */
export const elsewhere: Readonly<Record<string, ReadonlyArray<readonly [file: string, words: string]>>> = {
  "npm ci && npm run demo": [
    [".ci/run", "npm ci"],
    ["package.json", `"demo": "npm run build && node scripts/demo.mjs"`],
    ["test/codex/demos.codex.ts", `"demo.mjs"`]
  ],
  "npm ci && npm run build": [
    [".ci/run", "npm ci"],
    [".ci/run", "npm test"],
    ["package.json", `"test": "npm run build &&`]
  ],
  "npm install ooda-codex-review effect@4.1.0": [
    ["test/process/package/project.ts", `output("npm", ["install", "--offline"`],
    ["test/process/package/package.test.ts", `packed.tarball, ["effect"`]
  ],
  "claude plugin marketplace add ./": [
    ["test/claude/plugin.claude.ts", `stage.claude("plugin", "marketplace", "add", ROOT)`]
  ],
  'claude plugin marketplace add "$(npm root -g)/ooda-codex-review"': [
    ["test/claude/plugin.claude.ts", `stage.claude("plugin", "marketplace", "add", ROOT)`]
  ],
  "claude plugin install ooda@ooda-codex-review": [
    ["test/claude/plugin.claude.ts", `stage.claude("plugin", "install", "ooda@ooda-codex-review")`]
  ]
}
