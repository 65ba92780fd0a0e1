// What an audit makes of a sound run with the real CLI: its banner shows what a strict proof needs.
// In a strict run everything that is not shown is a finding, so that a sound audit says that all of it was.
import { assert, describe, it } from "vitest"
import { message } from "../../fixtures/stand-in-model/reply.mjs"
import { reviewText } from "../../fixtures/stand-in-model/review.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import { type Bench, withBench } from "./support.ts"

const SOUND = "The change looks correct: it keeps what callers rely on and its tests cover both branches."
const clean = message(reviewText({ explanation: SOUND }))
const says: Policy = () => clean

/** Runs the ladder to its fixed point by the strict recipe, and audits it. */
const proven = async ({ command, step }: Bench, ...args: ReadonlyArray<string>): Promise<void> => {
  const strict = [...args, "--strict", "--ceiling", "medium", "-n", "2"]
  const first = await step(...strict)
  const answers = /Answer with: --batch (\S+)/.exec(first.stderr)?.[1] ?? assert.fail(first.stderr)
  assert.strictEqual((await step(...strict, "--mark-retro-clean", "--batch", answers)).exit, 7)
  assert.strictEqual((await step(...strict)).stderr, "DoneFixedPoint\n")
  const { exit, stdout } = await command("audit", "--json", ...args.filter((arg) => arg !== "--isolate"))
  const [run] = JSON.parse(stdout).runs
  assert.deepStrictEqual([exit, run.findings, run.notes.map(({ text }: { text: string }) => text)], [0, [], []])
  assert.isTrue(run.proof.complete)
}

describe("a strict run with the real CLI is proven", () => {
  it("of the working copy", () =>
    withBench(() => says, async (bench) => {
      bench.write("one.mjs", "export const one = 1.0\n")
      await proven(bench, "--uncommitted")
    }))

  it("of a branch against its base", () =>
    withBench(() => says, async (bench) => {
      bench.git("checkout", "--quiet", "-b", "feature")
      bench.write("two.mjs", "export const two = 2\n")
      bench.git("add", ".")
      bench.git("commit", "--quiet", "--message", "Add two")
      await proven(bench, "--base", "main")
    }))

  it("of a commit", () =>
    withBench(() => says, async (bench) => {
      bench.write("two.mjs", "export const two = 2\n")
      bench.git("add", ".")
      bench.git("commit", "--quiet", "--message", "Add two: with a colon")
      await proven(bench, "--commit", bench.git("rev-parse", "HEAD"))
    }))

  it("in a private repository", () =>
    withBench(() => says, async (bench) => {
      bench.write("one.mjs", "export const one = 1.0\n")
      await proven(bench, "--uncommitted", "--isolate")
    }))

  it("whatever form the answer has: padded, in prose", () =>
    withBench(
      () => ({ index }) => message(index % 2 === 0 ? `  ${SOUND}\n\n` : reviewText({ explanation: `\n ${SOUND} \n` })),
      async (bench) => {
        bench.write("one.mjs", "export const one = 1.0\n")
        await proven(bench, "--uncommitted")
      }
    ))

  it("whose commands see none of the caller's variables, and the mark by which they are found", () => {
    const secrets = { GH_TOKEN: "hunter2", DB_PASSWORD: "hunter2", DATABASE_URL: "postgres://u:hunter2@h/d" }
    return withBench(
      () => ({ outputs }) => outputs.length === 0 ? { _tag: "Command", cmd: "env; git diff HEAD" } : clean,
      async ({ requests, stepAs, command, write }) => {
        write("one.mjs", "export const one = 1.0\n")
        const how = ["--strict", "--level", "low", "--ceiling", "low", "-n", "1"]
        const step = await stepAs({ env: { ...secrets, HARMLESS: "1" } }, "--uncommitted", ...how)
        assert.strictEqual(step.stderr, "DoneFixedPoint\n")
        const { text = "" } = requests.at(-1)?.outputs[0] ?? {}
        const names = text.split("\n").flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? [])
        assert.includeMembers(names, ["PATH", "HOME", "OODA_ATTEMPT", "GIT_CONFIG_GLOBAL", "GIT_OPTIONAL_LOCKS"])
        assert.notIncludeMembers(names, ["OPENAI_API_KEY", "HARMLESS", ...Object.keys(secrets)])
        assert.notInclude(text, "hunter2")
        assert.strictEqual((await command("audit", "--uncommitted")).exit, 0)
      }
    )
  })
})
