// The arguments of the commands that read runs, and of `result`: what each line asks for, and each misuse.
// test/process has what they print. The names of runs and targets are in `selector.test.ts`.
import { assert, describe, it } from "vitest"
import * as attest from "../../../../src/cli/commands/attest.ts"
import * as audit from "../../../../src/cli/commands/audit.ts"
import * as findings from "../../../../src/cli/commands/findings.ts"
import * as replay from "../../../../src/cli/commands/replay.ts"
import * as report from "../../../../src/cli/commands/report.ts"
import * as result from "../../../../src/cli/commands/result.ts"
import * as runs from "../../../../src/cli/commands/runs.ts"
import { grammar } from "../../../support/commands.ts"

const newest = { stateRoot: null, selector: { _tag: "Newest" } } as const
const named = { _tag: "Named", prefix: "2026" } as const

describe("audit", () => {
  const { asked, problem } = grammar(audit)
  const hash = "0123456789abcdef".repeat(4)
  const plain = { ...newest, expectHead: null, attestation: null, logOnly: false, reclassify: false, json: false }

  it("checks the newest run by default, all of it", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes its options", async () => {
    const all = { ...plain, selector: null, json: true, logOnly: true }
    assert.deepStrictEqual(await asked("--all --json --log-only"), all)
    assert.deepStrictEqual(await asked("--attestation a.json"), { ...plain, attestation: "a.json" })
    assert.deepStrictEqual(await asked(`2026 --reclassify --expect-head 12:${hash.toUpperCase()}`), {
      ...plain,
      selector: named,
      reclassify: true,
      expectHead: { seq: 12, hash }
    })
  })

  it.each([
    ["--all 2026", "--all and the name of a run exclude each other"],
    ["--all --uncommitted", "--all and the name of a run exclude each other"],
    [`--all --expect-head 1:${hash}`, "--all and --expect-head exclude each other"],
    [`--expect-head 0:${hash}`, "--expect-head: lines are counted from 1"],
    ["--attestation a.json --all", "--attestation and --all exclude each other"],
    ["--attestation a.json --log-only", "--attestation and --log-only exclude each other"],
    ["--log-only --reclassify", "--log-only and --reclassify exclude each other"]
  ])("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})

describe("runs", () => {
  const { asked, problem } = grammar(runs)
  const plain = { stateRoot: null, all: false, json: false, action: { _tag: "List" } } as const

  it("lists by default, with every option off", async () => assert.deepStrictEqual(await asked(""), plain))

  it("removes with --prune what is old enough", async () => {
    const action = {
      _tag: "Prune",
      olderThan: 36 * 3_600_000,
      dryRun: false,
      force: false,
      transcripts: false
    } as const
    for (const line of ["--prune 1d12h", "--prune=1d12h", "1d12h --prune"]) {
      assert.deepStrictEqual(await asked(line), { ...plain, action })
    }
    const dry = { ...plain, all: true, json: true, action: { ...action, dryRun: true } }
    assert.deepStrictEqual(await asked("--prune 1d12h --dry-run --all --json"), dry)
  })

  it("cuts transcripts with --transcripts, of any age by default", async () => {
    const action = { _tag: "Prune", olderThan: 0, dryRun: false, force: false, transcripts: true } as const
    assert.deepStrictEqual(await asked("--prune --transcripts --all"), { ...plain, all: true, action })
    const aged = { ...action, olderThan: 24 * 3_600_000, dryRun: true }
    assert.deepStrictEqual(await asked("--transcripts --prune 1d --dry-run"), { ...plain, action: aged })
  })

  it.each([
    ["2026", 'AGE "2026": expected an age with its unit, such as 30d, 12h or 1d12h'],
    ["30d", "AGE goes with --prune"],
    ["--dry-run", "--dry-run goes with --prune"],
    ["--transcripts", "--transcripts goes with --prune"],
    ["--prune", "--prune needs an AGE, such as 30d, or --transcripts"],
    ["--prune=1d 2d", "--prune takes one AGE"],
    ["--prune=5", '--prune "5": expected an age with its unit, such as 30d, 12h or 1d12h']
  ])("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})

describe("replay", () => {
  const { asked, problem } = grammar(replay)
  const plain = { ...newest, at: null, after: 0, follow: false, json: false }

  it("shows the newest run by default", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes a run by its id, before or behind the options", async () => {
    const one = { ...plain, selector: named }
    assert.deepStrictEqual(await asked("2026 --at 7"), { ...one, at: 7 })
    assert.deepStrictEqual(await asked("2026 --after 7 --follow"), { ...one, after: 7, follow: true })
    assert.deepStrictEqual(await asked("--at=7 2026"), { ...one, at: 7 })
    assert.deepStrictEqual(await asked("--follow --json -- 2026"), { ...one, follow: true, json: true })
    assert.deepStrictEqual(await asked("-- --at"), { ...plain, selector: { _tag: "Named", prefix: "--at" } })
  })

  it.each([
    ["--at 0", '--at "0": expected a whole number from 1 to 9007199254740991'],
    ["--after -1", '--after "-1": expected a whole number from 0 to 9007199254740991'],
    ["--at 1 --after 1", "--at and --after exclude each other"],
    ["--at 1 --follow", "--at and --follow exclude each other"]
  ])("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})

describe.each([["report", grammar(report)], ["attest", grammar(attest)]] as const)("%s", (_, { asked, problem }) => {
  it("is about the newest run and goes to standard output by default", async () =>
    assert.deepStrictEqual<unknown>(await asked(""), { ...newest, out: null }))

  it("takes a run and a file", async () =>
    assert.deepStrictEqual<unknown>(await asked("2026 --out a.x"), { ...newest, selector: named, out: "a.x" }))

  it("takes no empty file and no --json", async () => {
    assert.match(await problem(["--out", ""]), /^--out "": /)
    assert.match(await problem("--json"), /^unknown flag --json/)
  })
})

describe("findings", () => {
  const { asked, problem } = grammar(findings)
  const plain = { ...newest, finding: null, all: false, batch: null, format: "table", trustFrom: null } as const

  it("shows the last batch of the newest run as a table", async () => assert.deepStrictEqual(await asked(""), plain))

  it("takes a batch as level and number", async () =>
    assert.deepStrictEqual(await asked("--batch xhigh/12 --state-root /other"), {
      ...plain,
      stateRoot: "/other",
      batch: { level: "xhigh", batch: 12 }
    }))

  it("takes one finding by its number or the beginning of its name, or all of the run", async () => {
    assert.deepStrictEqual(await asked("2 --run 2026"), { ...plain, finding: "2", selector: named })
    for (const name of ["3f2a", "12", "0123456789012345"]) assert.deepInclude(await asked(name), { finding: name })
    for (const run of ["2026", "20261127"]) assert.deepInclude(await asked(run), { finding: null })
    assert.deepInclude(await asked("--all --json"), { all: true, format: "json" })
  })

  it.each(["json", "sarif", "markdown", "github"] as const)(
    "--%s names its format",
    async (format) => assert.deepInclude(await asked(`--${format}`), { format })
  )

  it.each<readonly [ReadonlyArray<string>, RegExp]>([
    [["--batch", "low"], /^--batch "low": expected a level and the number of a batch, such as low\/2$/],
    [["--batch", "low/1x"], /expected/],
    [["--batch", "lowest/1"], /expected/],
    [["--batch", "low/1\n"], /expected/],
    [["--batch", "toString/1"], /expected/],
    [["--json", "--sarif"], /^--json and --sarif exclude each other$/],
    [["--all", "2"], /^--all shows every finding/],
    [["--all", "--batch", "low/1"], /^--all and --batch exclude each other$/],
    [["2", "--sarif"], /^--sarif is a format of a whole batch$/]
  ])("%j is misuse", async (argv, reason) => assert.match(await problem(argv), reason))
})

describe("result", () => {
  const { asked, problem } = grammar(result)

  it("takes a role and a task", async () => {
    const worker = { role: "worker", taskId: "7" } as const
    assert.deepStrictEqual(await asked("--role worker --task-id 7"), { ...worker, json: false })
    assert.deepInclude(await asked("--role spec-reviewer --task-id a/b --json"), { taskId: "a/b", json: true })
  })

  it.each([
    ["--task-id 7", /^--role is required$/],
    ["--role worker", /^--task-id is required$/],
    ["--role tester --task-id 7", /^--role "tester": expected worker, /],
    ["--role worker --task-id 7 message.txt", /^unexpected argument "message.txt"$/]
  ])("%s is refused", async (line, message) => assert.match(await problem(line), message))

  it.each(["", " ", "a\nb", "x".repeat(201)])("does not take the task %j", async (id) =>
    assert.match(
      await problem(["--role", "worker", "--task-id", id]),
      /expected 1 to 200 characters on one line, none of them hidden/
    ))
})
