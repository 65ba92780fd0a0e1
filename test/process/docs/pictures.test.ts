// pictures: what a terminal shows of a call, on the pages that speak of that moment, made by the program itself.
// A picture is never edited by hand; UPDATE_DOCS=1 writes those that differ in more than their times.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { assert, describe } from "vitest"
import { screenAfter } from "../../support/screen.ts"
import { onTerminal, type OnTerminal, terminals } from "../terminals.ts"
import { eventually, it, type World } from "../world.ts"
import { root } from "./pages.ts"

const columns = 100
// A screen so wide that a terminal's own wrapping breaks no path.
const wide = 1000

/** Codex, played: reviews find a loop that runs one too far, and an agent stops it. */
const codex = `#!/bin/sh
case "$*" in 'review --help') echo 'Usage: codex review --uncommitted --base --commit'; exit ;; esac
case $1 in
  --version) echo codex-cli 0.169.0; exit ;;
  login) echo Logged in using ChatGPT; exit ;;
  review)
    printf 'One finding.\\n\\nReview comment:\\n\\n- [P1] %s — %s/src/peak.mjs:4-6\\n  The last pass compares with undefined.\\n' \\
      'Stop the loop before the end of the list' "$PWD" >"$NOTES/review.$$"
    if [ -n "$QUOTA" ]; then FAKE_CODEX="fail You've hit your usage limit. Try again at 11:59 PM."
    elif grep -q '<= values' src/peak.mjs; then FAKE_CODEX="body $NOTES/review.$$"; else FAKE_CODEX=clean; fi
    export FAKE_CODEX; exec "${join(root, "fixtures/fake-codex/codex")}" "$@" ;;
esac
prompt=$(cat)
from() { printf '%s\\n' "$prompt" | sed -n "s/^$1//p" | head -n 1; }
say() { printf '%s\\n' "$1"; }
role=$(from 'role: ') task=$(from 'task_id: ') says=
say '{"type":"thread.started","thread_id":"01a20478-91e4-7c91-b40a-67484acd3da7"}'
say '{"type":"turn.started"}'
command='"type":"command_execution","command":"git log -p main.."'
say "{\\"type\\":\\"item.started\\",\\"item\\":{\\"id\\":\\"item_0\\",$command,\\"status\\":\\"in_progress\\"}}"
case $task in
  */retrospective) while [ -e "$NOTES/hold" ]; do sleep 0.1; done ;;
  */address) sed -i 's/<= values/< values/' src/peak.mjs; [ -z "$SPOILS" ] || sed -i 's/) best = v/) best += v/' src/peak.mjs ;;
  */implement) echo 'export const low = (values) => Math.min(...values)' >>src/peak.mjs ;;
esac
say "{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"item_0\\",$command,\\"exit_code\\":0}}"
for one in $(from 'The fingerprints are: ' | tr -d ',.'); do says="$says\\\\nfinding $one: fixed - it stops before the end"; done
for one in $(from 'The indexes are: ' | sed 's/\\..*//' | tr -d ','); do says="$says\\\\nDONE: $one"; done
if [ -z "$role" ]; then text='{\\"issues\\":[],\\"verdict\\":\\"ACCEPTABLE\\"}'
else text="role: $role\\\\ntask_id: $task\\\\nstatus: pass\\\\ngit_range: HEAD..HEAD\\\\n\\\\nDone.$says"; fi
printf '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"%s"}}\\n' "$text"
say '{"type":"turn.completed","usage":{"input_tokens":21000,"cached_input_tokens":0,"output_tokens":900}}'
`

const test = `import { peak } from "./src/peak.mjs"
const found = peak([1, 3, 2])
if (found !== 3) {
  console.log(\`not ok: peak([1, 3, 2]) is \${found}, not 3\`)
  process.exit(1)
}
`
const before = `export const peak = (values) => Math.max(...values)
`
const after = `// The highest of the values, of a list of any length.
export const peak = (values) => {
  let best = values[0]
  for (let i = 1; i <= values.length; i++) {
    if (values[i] > best) best = values[i]
  }
  return best
}
`
const plan = `---
title: Statistics
tasks:
  - title: Lowest value
    description: Add low(values) to src/peak.mjs.
---
`

/** A repository with a branch whose loop runs one too far, and the variables of a call that finds this codex. */
const settled = (world: World): Readonly<Record<string, string>> => {
  const write = (name: string, text: string) => {
    const path = join(world.repo, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const commit = (message: string) => {
    world.git("add", ".")
    world.git("commit", "-qm", message)
  }
  write("test.mjs", test)
  write("src/peak.mjs", before)
  commit("Peak")
  world.git("checkout", "-qb", "feature/peak")
  write("src/peak.mjs", after)
  commit("Peak of any list")
  const [bin, notes] = [world.path("bin"), world.path("notes")]
  for (const directory of [bin, notes]) mkdirSync(directory)
  writeFileSync(join(bin, "codex"), codex)
  chmodSync(join(bin, "codex"), 0o755)
  writeFileSync(world.path("plan.md"), plan)
  return { PATH: `${bin}${delimiter}${world.env["PATH"]}`, NOTES: notes, NO_COLOR: "1" }
}

/** The lines of a terminal, with neutral paths and ids. */
const shown = (world: World, bytes: string): string =>
  screenAfter(bytes, wide).lines.join("\n").trimEnd()
    .replaceAll(world.stateRoot, "~/.local/state/ooda-codex-review")
    .replaceAll(/\d{8}T\d{6}Z-\d{9}-p\d+/g, "20260102T030405Z-678901234-p42")

const frameEnd = "\u001b[?7h"

/** What the terminal shows while an agent works. */
const working = async (world: World, run: OnTerminal): Promise<string> => {
  const agent = /codex +running .*recurring cause: \$ git log/
  await eventually("an agent at a command", () => agent.test(run.tty()), 200_000)
  const bytes = run.tty()
  const picture = shown(world, bytes.slice(0, bytes.lastIndexOf(frameEnd) + frameEnd.length))
  rmSync(join(world.path("notes"), "hold"))
  assert.strictEqual(await run.ended, 0, run.tty())
  return picture
}

interface Picture {
  readonly page: string
  readonly name: string
  readonly call: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly exit: number
}

const converge = ["converge", "--base", "main", "--test", "node test.mjs"]

/** The pictures of whole calls. */
const pictures: ReadonlyArray<Picture> = [
  { page: "docs/converge.md", name: "failing tests", call: converge, env: { SPOILS: "1" }, exit: 3 },
  { page: "docs/converge.md", name: "failed reviews", call: converge, env: { QUOTA: "1" }, exit: 6 },
  { page: "docs/implement.md", name: "plan", call: ["implement", "../plan.md", "--test", "node test.mjs"], exit: 0 }
]

/** A picture without its times. */
const timeless = (text: string): string =>
  text.replaceAll(/ +(?:\d+m ?)?\d+(?:\.\d+)?m?s\b/g, " 1s").replaceAll(/ \(1s ago\)$/gm, "")

/** Compares a picture with that on its page, or writes it there. */
const hang = (page: string, name: string, picture: string): void => {
  const path = join(root, page)
  const text = readFileSync(path, "utf8")
  const [begin, end] = [`<!-- picture: ${name} -->\n\`\`\`text\n`, "\n```\n<!-- /picture -->"]
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end, from)
  assert.isTrue(from >= begin.length && to >= 0, `${page} has no picture "${name}"`)
  if (timeless(text.slice(from, to)) === timeless(picture)) return
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(path, text.slice(0, from) + picture + text.slice(to))
  else assert.strictEqual(timeless(text.slice(from, to)), timeless(picture), `${page}: ${name}`)
}

const quoted = (word: string): string => word.includes(" ") ? `"${word}"` : word

describe.runIf(terminals).concurrent("a picture", () => {
  for (const { call, env = {}, exit, name, page } of pictures) {
    it(`of ${name} is on ${page}`, { tags: "slow" }, async ({ world }) => {
      const run = onTerminal(world, { errors: "same", columns, env: { ...settled(world), ...env } }, ...call, "--yes")
      assert.strictEqual(await run.ended, exit, run.tty())
      hang(page, name, `$ ooda-codex-review ${call.map(quoted).join(" ")}\n${shown(world, run.tty())}`)
    })
  }

  it("of a run at work is in README.md", { tags: "slow" }, async ({ world }) => {
    const env = settled(world)
    writeFileSync(join(world.path("notes"), "hold"), "")
    const run = onTerminal(
      world,
      { errors: "same", columns, rows: 40, env },
      ...converge,
      "--yes",
      "--max-tokens",
      "5M"
    )
    hang("README.md", "at work", await working(world, run))
  })
})
