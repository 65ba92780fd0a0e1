// Install: installing hooks in settings in memory: what is written, what is left alone, and the report.
import { Effect, Layer, Result } from "effect"
import { assert, describe, it } from "vitest"
import { hookStatus, installHooks, uninstallHooks } from "../../../src/hook/Install.ts"
import { Environment, type Variables } from "../../../src/platform/Environment.ts"
import { CodexMissing, Reviewers } from "../../../src/review/Reviewers.ts"
import { settingsFailed, SettingsFiles, type SettingsRef } from "../../../src/hook/SettingsFiles.ts"

const user: SettingsRef = { scope: "user", cwd: "/w" }

/** Settings by scope, and how often they were replaced. */
const desk = (texts: Record<string, string> = {}, env: Variables = {}, missing: ReadonlyArray<string> = []) => {
  const replaced: Array<string> = []
  const files = Layer.succeed(SettingsFiles, {
    read: ({ scope }) =>
      texts[scope] === "unreadable"
        ? Effect.fail(settingsFailed(scope, "it is not valid UTF-8 [save it as UTF-8]"))
        : Effect.succeed({ path: `/${scope}.json`, text: texts[scope] ?? "" }),
    replace: ({ scope }, before, after) =>
      Effect.sync(() => {
        assert.strictEqual(before, texts[scope] ?? "")
        texts[scope] = after
        replaced.push(scope)
      })
  })
  const reviewers = Layer.mock(Reviewers)({
    locate: (binary) =>
      missing.includes(binary)
        ? Effect.fail(new CodexMissing({ binary, reason: { _tag: "NameEmpty" } }))
        : Effect.succeed(`/bin/${binary}`)
  })
  const run = <A, E>(effect: Effect.Effect<A, E, SettingsFiles | Reviewers>) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provide([files, reviewers]),
        Effect.provideService(Environment, env),
        Effect.result
      )
    )
  return { texts, replaced, run }
}

describe("installing", () => {
  it("writes once, into one file, and can be undone", async () => {
    const { replaced, run, texts } = desk({ user: '{"a": 1}' })
    assert.deepStrictEqual(
      await run(installHooks(user, "fails")),
      Result.succeed({ path: "/user.json", changed: true })
    )
    assert.include(texts["user"], "--gate fails")
    assert.deepStrictEqual(
      await run(installHooks(user, "fails")),
      Result.succeed({ path: "/user.json", changed: false })
    )
    assert.deepStrictEqual(await run(uninstallHooks(user)), Result.succeed({ path: "/user.json", changed: true }))
    assert.deepStrictEqual(await run(uninstallHooks(user)), Result.succeed({ path: "/user.json", changed: false }))
    assert.deepStrictEqual(texts, { user: '{"a": 1}' })
    assert.deepStrictEqual(replaced, ["user", "user"])
  })

  it("does not write into a file that is not JSON", async () => {
    const { replaced, run } = desk({ user: "{" })
    for (const edit of [installHooks(user, "review"), uninstallHooks(user)]) {
      const problem = Result.getFailure(await run(edit))
      assert.match(JSON.stringify(problem), /malformed JSON on line 1/)
    }
    assert.deepStrictEqual(replaced, [])
  })
})

describe("status", () => {
  const report = async (...how: Parameters<typeof desk>) =>
    Result.getOrThrow(await desk(...how).run(hookStatus("/w"))).map(({ found, name, state }) =>
      `${state} ${name}: ${found}`
    )

  it("checks each scope and the programs", async () => {
    const { run, texts } = desk()
    await run(installHooks({ scope: "project", cwd: "/w" }, "ladder"))
    assert.deepStrictEqual(await report(texts), [
      "note user: no hooks of ours (/user.json)",
      "fine project: 8 hooks, gate ladder (/project.json)",
      "note local: no hooks of ours (/local.json)",
      "note plugin: not enabled",
      "fine program: /bin/ooda-codex-review",
      "fine codex: /bin/codex"
    ])
  })

  it("reports what it cannot read, and what is missing", async () => {
    const found = await report({ user: "unreadable", project: "{" }, {}, ["codex", "ooda-codex-review"])
    assert.include(found[0], "wrong user: user: it is not valid UTF-8")
    assert.strictEqual(found[1], "wrong project: malformed JSON on line 1 (/project.json)")
    assert.match(found.at(-1) ?? "", /^note codex: codex binary codex/)
  })

  it.each(["0", "false", "OFF", "no"])("reports that CODEX_REFLECTOR_ENABLED=%s turns it off", async (value) => {
    assert.include((await report({}, { CODEX_REFLECTOR_ENABLED: value })).join("\n"), "turns reviews off")
    assert.notInclude((await report({}, { CODEX_REFLECTOR_ENABLED: "1" })).join("\n"), "turns reviews off")
  })
})
