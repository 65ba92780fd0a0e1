// SecondModel.live: codex as the second model, played by scripts: its input, and every way in which it does not answer.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { layer, secondModelArguments } from "../../../src/hook/SecondModel.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { type Question, SecondModel } from "../../../src/hook/SecondModel.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const question = (fields: Partial<Question> = {}): Question => ({
  prompt: "look",
  effort: "high",
  model: null,
  cwd: dir(),
  within: 20_000,
  schema: null,
  ...fields
})
const answers = `for one; do last=$out; out=$one; done; cat >prompt; printf '%s' "$*" >arguments; printf PASS >"$last"`

const ask = (script: string, fields: Partial<Question> = {}) => {
  const codex = dir("codex")
  writeFileSync(codex, `#!/bin/sh\n${script}\n`)
  chmodSync(codex, 0o755)
  return Effect.runPromise(
    SecondModel.use((model) => model.ask(question(fields))).pipe(
      Effect.provide(layer(codex)),
      Effect.provideService(Environment, {
        PATH: process.env["PATH"] ?? "",
        TMPDIR: dir(),
        GITHUB_TOKEN: "of-another-service",
        OPENAI_API_KEY: "of-codex"
      })
    )
  )
}
const why = async (script: string, fields: Partial<Question> = {}) => {
  const reply = await ask(script, fields)
  return reply._tag === "Unavailable" ? reply.why : `said ${reply.text}`
}
const text = (name: string) => readFileSync(dir(name), "utf8")
const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== ""
const gone = async (pid: number) => {
  for (let tries = 0; tries < 200 && isAlive(pid); tries++) await new Promise((resolve) => setTimeout(resolve, 20))
  return !isAlive(pid)
}

describe("codex", () => {
  it("may only read, keeps nothing, and calls no hooks", () => {
    const args = secondModelArguments(question({ model: "small", cwd: "/work/a" }), "/answer", "/schema")
    const line = args.join(" ")
    for (
      const part of [
        "exec -s read-only",
        "--ephemeral --skip-git-repo-check",
        '-c approval_policy="never"',
        "--disable hooks",
        "-c notify=[]",
        "-c skills.include_instructions=false",
        // The author of these files may be the one under review.
        "-c project_doc_max_bytes=0",
        '-c projects={"/work/a"={trust_level="untrusted"},"/work"={trust_level="untrusted"}}',
        '-c model_reasoning_effort="high"',
        "--model=small",
        "--output-schema=/schema",
        "-o /answer -"
      ]
    ) assert.include(line, part)
    assert.notInclude(secondModelArguments(question(), "/answer", null).join(" "), "--model")
  })

  it("answers in a file, reads the prompt, and gets no secret but its own", async () => {
    assert.deepStrictEqual(await ask(`${answers}; env >variables`), { _tag: "Answer", text: "PASS" })
    assert.strictEqual(text("prompt"), "look")
    assert.include(text("variables"), "OPENAI_API_KEY=of-codex")
    assert.include(text("variables"), "OODA_IN_AGENT=1")
    assert.notInclude(text("variables"), "of-another-service")
    assert.deepStrictEqual(readdirSync(dir()).filter((name) => name.startsWith("ooda-hook-")), [])
  })

  it.each([
    [
      "exits with a failure",
      `${answers}; echo 'ERROR: not logged in' >&2; exit 1`,
      /^codex exited 1: not logged in \(run `codex login`, or set CODEX_API_KEY\)$/
    ],
    ["is killed", "kill -9 $$", /^codex was ended by SIGKILL$/],
    ["says nothing", "cat >/dev/null", /^codex gave an empty answer$/],
    ["reads nothing and fails", "exec 0<&-; exit 3", /^codex exited 3$/]
  ])(
    "that %s did not answer, whatever it wrote",
    async (_, script, expected) => assert.match(await why(script), expected)
  )

  it("that is too slow is killed with all its children", async () => {
    assert.match(await why("sleep 600 & echo $! >child; wait", { within: 5000 }), /no answer within 5 s/)
    assert.isTrue(await gone(Number(text("child"))))
  })

  it("has answered once it exited, even if a grandchild holds its pipes; that grandchild is killed", async () => {
    assert.strictEqual(await why(`${answers}; (sleep 600 & echo $! >child) `), "said PASS")
    assert.isTrue(await gone(Number(text("child"))))
  })

  it("has answered once its answer was unchanged for a while, even if it never exits", async () => {
    assert.strictEqual(await why(`${answers}; sleep 600 & echo $! >child; wait`, { within: 60_000 }), "said PASS")
    assert.isTrue(await gone(Number(text("child"))))
  })

  it("that hangs after its answer has answered when its time is over", async () =>
    assert.strictEqual(await why(`${answers}; sleep 600`, { within: 5000 }), "said PASS"))

  it("fails because of its own message, never a command's", async () => {
    const ran = "printf 'user\\nlook\\nexec\\nbash -lc x in /r\\n exited 1 in 1ms:\\nERROR: not logged in\\n' >&2"
    assert.strictEqual(await why(`cat >/dev/null; ${ran}; exit 1`), "codex exited 1")
  })

  it("may flood its output, and accepts a prompt of ten million characters", async () => {
    const flood = "head -c 50000000 /dev/zero; head -c 5000000 /dev/zero >&2"
    assert.strictEqual(await why(`${answers}; ${flood}`, { prompt: "x".repeat(10_000_000) }), "said PASS")
  })

  it("is asked without a schema if its service does not support one", async () => {
    const script =
      `case "$*" in *--output-schema*) cat >/dev/null; echo "error: text.format is not known" >&2; exit 1;; esac; ${answers}`
    assert.strictEqual(await why(script, { schema: { type: "object" } }), "said PASS")
    assert.match(await why("cat >/dev/null; echo 'error: schema' >&2; exit 1", { schema: {} }), /schema/)
  })

  it("that is missing is reported with the place where it was searched", async () => {
    const reply = await Effect.runPromise(
      SecondModel.use((model) => model.ask(question())).pipe(
        Effect.provide(layer("codex-of-nobody")),
        Effect.provideService(Environment, { PATH: dir() })
      )
    )
    assert.strictEqual(reply._tag, "Unavailable")
    assert.match(reply._tag === "Unavailable" ? reply.why : "", /^codex-of-nobody: not found in PATH/)
  })
})
