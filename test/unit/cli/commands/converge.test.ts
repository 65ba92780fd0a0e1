// `converge` ends in an Outcome, as a step does, whatever goes wrong.
import { Effect } from "effect"
import { assert, it } from "vitest"
import * as converge from "../../../../src/cli/commands/converge.ts"
import type { ConvergeRequest } from "../../../../src/cli/convergeOptions.ts"
import type { ConvergeSettings } from "../../../../src/drive/converge/Settings.ts"
import { goInside } from "../../../../src/platform/GitComplaint.ts"
import { GitFailed } from "../../../../src/code/Git.ts"
import { Notifier } from "../../../../src/drive/Narrator.ts"
import { calledIn, noSwitches, performed } from "../../../support/drivenCommands.ts"
import { Memory } from "../../../../src/testing.ts"
import { settings, world } from "../../drive/converge/driven.ts"
import { onMachine } from "../../run/opened.ts"

interface Change extends Partial<ConvergeRequest> {
  readonly tests?: boolean
}

const ended = ({ notify = null, tests = true, ...change }: Change = {}, options: Memory.Options = {}) => {
  const texts = new Map([
    ["--uncommitted", [""]],
    ["-n", ["1"]],
    ["--ceiling", ["medium"]],
    ...(tests ? [["--test", ["npm test"]] as const] : []),
    ...(notify === null ? [] : [["--notify", [notify]] as const])
  ])
  const asked = { ...noSwitches, texts, notify, ...change }
  return onMachine(Effect.andThen(world(), performed(converge.run(asked, calledIn))), options)
}

it("the fixed point is exit 0, with nothing on standard output", async () => {
  assert.deepInclude(await ended(), { stdout: "", stderr: "DoneFixedPoint\n", code: 0, wrote: "" })
})

it("programs get one document", async () => {
  const { code, stdout, notifications } = await ended({ json: true, notify: "cat" })
  assert.strictEqual(code, 0)
  const { run, ...document } = JSON.parse(stdout)
  assert.deepInclude(document, { outcome: "DoneFixedPoint", exitCode: 0, level: "medium", batch: 1, findings: [] })
  assert.deepStrictEqual(Object.keys(run), ["run", "repo", "target"])
  assert.include(document.directory, run.run)
  assert.deepStrictEqual(notifications, [stdout])
})

it("the document that programs get holds no secret, and is JSON all the same", async () => {
  const documents: Array<string> = []
  const notifier = { notify: (_: string, document: string) => Effect.sync(() => (documents.push(document), null)) }
  const prompt = "Remove it:\npassword: |\n  hunter2"
  const document = `${JSON.stringify({ prompt, exitCode: 1, all: ["API_TOKEN=swordfish"] })}\n`
  await Effect.runPromise(
    Effect.provideService(converge.notifyEnd("cat", document, "/"), Notifier, Notifier.of(notifier))
  )
  assert.deepStrictEqual(documents, [
    `${
      JSON.stringify({
        prompt: "Remove it:\npassword: |\n  [redacted]",
        exitCode: 1,
        all: ["API_TOKEN=[redacted]"]
      })
    }\n`
  ])
})

it("with --events every event of both logs is written, in the order of each", async () => {
  const { stdout, wrote } = await ended({ events: true })
  assert.strictEqual(stdout, "")
  const rows = wrote.trimEnd().split("\n").map((line) => JSON.parse(line))
  const names = (stream: string) => rows.filter((row) => row.stream === stream).map(({ event }) => event._tag)
  assert.strictEqual(names("review")[0], "RunCreated")
  assert.strictEqual(names("review").at(-1), "FixedPointReached")
  assert.strictEqual(names("converge")[0], "ConvergeStarted")
  assert.strictEqual(names("converge").at(-1), "DriverEnded")
})

it("an inspection says what would come, and begins nothing", async () => {
  assert.deepInclude(await ended({ inspect: true }), {
    stderr: "WouldAdvance: RunReviews\n",
    code: 4,
    notifications: []
  })
})

it("without tests the call is misused, and says what tests there seem to be", async () => {
  const { code, stderr } = await ended({ tests: false })
  assert.strictEqual(code, 64)
  assert.match(stderr, /^UsageError: no tests are named.*--no-test.*\]\n.*converge --help/)
})

it("what fails outside is exit 6", async () => {
  const reason = { _tag: "ProgramMissing", program: "git" } as const
  const repository = () => Effect.fail(new GitFailed({ what: "finding the repository", reason }))
  const { code, stderr, stdout } = await ended({ json: true }, { git: Memory.git({ repository }) })
  assert.strictEqual(code, 6)
  assert.deepInclude(JSON.parse(stdout), { outcome: "BinaryError", exitCode: 6, run: null, findings: null, head: null })
  assert.match(stderr, /^BinaryError: git: /)
})

it("outside a repository is said in plain words, below the same header", async () => {
  const said = `fatal: not a git repository [${goInside}]`
  const reason = { _tag: "ProgramFailed", program: "git", status: 128, said } as const
  const repository = () => Effect.fail(new GitFailed({ what: "finding the repository", reason }))
  const { stderr } = await ended({}, { git: Memory.git({ repository }) })
  assert.strictEqual(stderr, `BinaryError: this directory is not in a git repository [${goInside}]\n`)
})

it("agents that are codex are the codex of the reviews, unless a person names another", () => {
  const program = (codexBin: string, change: Partial<ConvergeSettings> = {}) => {
    const { step, ...rest } = settings()
    return converge.agentProgram({ ...rest, step: { ...step, codexBin }, ...change }, "/repo/below")
  }
  assert.strictEqual(program("codex"), "codex")
  assert.strictEqual(program("/opt/codex"), "/opt/codex")
  assert.strictEqual(program("./codex"), "/repo/below/./codex")
  assert.strictEqual(program("/opt/codex", { agentCmd: "mine" }), "mine")
  assert.isNull(program("/opt/codex", { agent: "claude" }))
})
