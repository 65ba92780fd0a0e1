// Runner.live: the files of a runner: its event is read, texts are added to what is there, and what is missing is named.
import { readFileSync, writeFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { layer } from "../../../src/ci/Runner.live.ts"
import { Environment } from "../../../src/platform/Environment.ts"
import { Runner, type RunnerFailed } from "../../../src/ci/Runner.ts"
import { eachInDirectory } from "../../support/directories.ts"

const dir = eachInDirectory()

const ask = <A>(use: (runner: Runner["Service"]) => Effect.Effect<A, RunnerFailed>, env: Record<string, string>) =>
  Effect.runPromise(
    Runner.use(use).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: (found) => found }),
      Effect.provide(Layer.provide(layer, NodeFileSystem.layer)),
      Effect.provideService(Environment, env)
    )
  )

it("adds outputs and summaries to what is there", async () => {
  const [output, summary] = [dir("output"), dir("summary")]
  writeFileSync(output, "a=1\n")
  const env = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary }
  await ask(({ output }) => output("b=2\n"), env)
  await ask(({ summarise }) => summarise("## Summary\n"), env)
  assert.deepStrictEqual([output, summary].map((path) => readFileSync(path, "utf8")), ["a=1\nb=2\n", "## Summary\n"])
})

it("reads the event", async () => {
  writeFileSync(dir("event"), '{"number": 7}')
  assert.deepStrictEqual(await ask(({ event }) => event, { GITHUB_EVENT_PATH: dir("event") }), { number: 7 })
})

it("says what is missing or cannot be used", async () => {
  writeFileSync(dir("event"), "{")
  const event = ({ event }: Runner["Service"]) => event
  assert.match(String(await ask(event, {})), /^GITHUB_EVENT_PATH: it is not set \[/)
  assert.match(String(await ask(event, { GITHUB_EVENT_PATH: dir("event") })), /: its file holds no JSON \[/)
  assert.match(String(await ask(event, { GITHUB_EVENT_PATH: dir("none") })), /ENOENT/)
  assert.match(String(await ask(({ output }) => output("x"), { GITHUB_OUTPUT: dir() })), /^GITHUB_OUTPUT: .*EISDIR/)
})
